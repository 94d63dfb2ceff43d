"""What an estimator says: its min-entropy a sample, with every figure on the way to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Of = Literal["Literal", "Bitstring"]
"""Samples as they are, or their bits; NIST's tool has the same two words."""

Progress = Callable[[str], None]
"""Hears what is being done."""


def silent(what: str) -> None:
    """Progress that nobody hears."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One estimator on one series. Figures bear the names of SP 800-90B as NIST's tool prints them.

    `min_entropy` is None where the estimator could not be made; `unmet` says why.
    """

    name: str
    section: str
    figures: Mapping[str, float]
    min_entropy: float | None
    unmet: str | None = None


def refused(name: str, section: str, unmet: str) -> Estimate:
    """No estimate, and why."""
    return Estimate(name=name, section=section, figures={}, min_entropy=None, unmet=unmet)
