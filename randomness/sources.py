"""Random sources by name: the product's generators, seeded by the operating system or by a number, and defects."""

import os
import weakref
from collections.abc import Callable

from randomness.drbg import MECHANISMS, Drbg, DrbgMechanism, DrbgSource
from randomness.entropy import EntropySource, SeededEntropy, SystemEntropy
from randomness.errors import UnknownSource
from randomness.health import MonitoredEntropy
from randomness.source import RandomSource

DEFECT = "defect:"


def system_source(
    mechanism: str = "ctr",
    *,
    personalization: bytes = b"",
    prediction_resistance: bool = False,
    entropy: EntropySource | None = None,
) -> DrbgSource:
    """A generator for play: fresh entropy under health tests (the operating system's unless given), self-tested.

    `personalization` tells units apart even if their entropy were the same: model and serial number. With
    `prediction_resistance` every request takes fresh entropy, so that neither a state read out earlier nor a restored
    snapshot of the machine predicts a shuffle. A forked process reseeds before its first output.
    """
    origin = MonitoredEntropy(entropy if entropy is not None else SystemEntropy())
    drbg = Drbg(
        _mechanism(mechanism), origin, personalization=personalization, prediction_resistance=prediction_resistance
    )
    _reseed_after_fork(drbg)
    return DrbgSource(drbg)


def seeded_source(seed: int | bytes, stream: int = 0, mechanism: str = "ctr") -> DrbgSource:
    """A generator for tests and laboratory runs that must repeat: same seed and stream, same bytes. Never for play."""
    return DrbgSource(Drbg(_mechanism(mechanism), SeededEntropy(seed, stream)))


def make_source(name: str, *, seed: int | bytes | None = None, stream: int = 0) -> RandomSource:
    """A source by name: "ctr", "ctr-df", "hmac", "defect:NAME" or "defect:NAME:KEY=VALUE,…"; seeded where `seed` is."""
    if name.startswith(DEFECT):
        from randomness.weak import parse_source

        return parse_source(name, make_source("ctr", seed=seed, stream=stream))
    if name not in MECHANISMS:
        raise UnknownSource(
            f"no random source '{name}': there are {', '.join(MECHANISMS)}, and planted defects 'defect:…'"
        )
    return system_source(name) if seed is None else seeded_source(seed, stream, name)


def names_a_weak_source(name: str) -> bool:
    """Whether `name` ("defect:NAME…") plants a defect in the generator itself, not in the shuffling."""
    from randomness.weak import SOURCES

    return name.startswith(DEFECT) and name.removeprefix(DEFECT).partition(":")[0] in SOURCES


def _mechanism(name: str) -> Callable[[], DrbgMechanism]:
    if name not in MECHANISMS:
        raise UnknownSource(f"no generator '{name}': there are {', '.join(MECHANISMS)}")
    return MECHANISMS[name]


_in_play: weakref.WeakSet[Drbg] = weakref.WeakSet()
_watching = False


def _reseed_after_fork(drbg: Drbg) -> None:
    """A child process starts with a copy of the state; two units must never give one stream (25 CFR 547.14)."""
    global _watching
    _in_play.add(drbg)
    if not _watching and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_mark_all_stale)
        _watching = True


def _mark_all_stale() -> None:
    for drbg in _in_play:
        drbg.mark_stale()
