"""Planted defects."""

from collections.abc import Mapping

from randomness.errors import UnknownKernel, UnknownSource
from randomness.kernels.kernel import Kernel
from randomness.source import RandomSource


def make_kernel(name: str, parameters: Mapping[str, object]) -> Kernel:
    """A planted defect as a kernel."""
    raise UnknownKernel(f"no planted defect '{name}' {dict(parameters)}")


def parse_source(text: str, inner: RandomSource) -> RandomSource:
    """A planted defect as a source."""
    raise UnknownSource(f"no planted defect '{text}' over {inner}")
