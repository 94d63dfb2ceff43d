"""Entropy, DRBG, unbiased sampling, shuffle kernels, statistical battery, certification runs. No device, no wire."""

from randomness.drbg import Drbg, DrbgSource
from randomness.entropy import EntropySource, SeededEntropy, SystemEntropy
from randomness.errors import (
    BadParameter,
    DrbgError,
    EntropyError,
    GeneratorLatched,
    HealthFailure,
    KernelError,
    RandomnessError,
    SelfTestFailure,
    SourceStuck,
    UnknownKernel,
    UnknownSource,
)
from randomness.health import HealthPolicy, MonitoredEntropy
from randomness.integers import Integers
from randomness.result import Finding, Null, Outcome, Result
from randomness.source import RandomSource
from randomness.sources import make_source, seeded_source, system_source

__all__ = [
    "BadParameter",
    "Drbg",
    "DrbgError",
    "DrbgSource",
    "EntropyError",
    "EntropySource",
    "Finding",
    "GeneratorLatched",
    "HealthFailure",
    "HealthPolicy",
    "Integers",
    "KernelError",
    "MonitoredEntropy",
    "Null",
    "Outcome",
    "RandomSource",
    "RandomnessError",
    "Result",
    "SeededEntropy",
    "SelfTestFailure",
    "SourceStuck",
    "SystemEntropy",
    "UnknownKernel",
    "UnknownSource",
    "make_source",
    "seeded_source",
    "system_source",
]
