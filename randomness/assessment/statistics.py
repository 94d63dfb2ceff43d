"""SP 800-90B 5.1.1 to 5.1.11: the nineteen statistics whose size is compared with that of shuffled samples."""

import bz2
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from randomness.assessment.engine import Symbols
from randomness.assessment.samples import Series

LAGS = (1, 2, 8, 16, 32)
_COMPRESSION_LEVEL = 5  # of bzip2, as NIST's tool has it


@dataclass(frozen=True)
class SampleOrder:
    """The samples in one order: as read, and renumbered. `mean` is that of the samples as read; it never changes."""

    raw: Symbols
    series: Series
    mean: float
    median: float

    @property
    def symbols(self) -> Symbols:
        """Renumbered."""
        return self.series.values

    @property
    def binary(self) -> bool:
        """Whether there are only two values."""
        return self.series.alphabet == 2

    @cached_property
    def ones(self) -> Symbols:
        """5.1, conversion I of bits: how many ones in each eight; other samples as they are."""
        return self._eights.sum(axis=1, dtype=np.uint8) if self.binary else self.symbols

    @cached_property
    def octets(self) -> Symbols:
        """5.1, conversion II of bits: each eight as a number; other samples as they are."""
        return np.packbits(self.symbols) if self.binary else self.symbols

    @property
    def _eights(self) -> Symbols:
        padded = np.zeros(-(-self.symbols.size // 8) * 8, np.uint8)
        padded[: self.symbols.size] = self.symbols
        return padded.reshape(-1, 8)

    @cached_property
    def rises(self) -> NDArray[np.bool_]:
        """Where a sample is not below the one before it."""
        return np.asarray(self.ones[1:] >= self.ones[:-1])

    @cached_property
    def high(self) -> NDArray[np.bool_]:
        """Which samples are not below the median."""
        return np.asarray(self.symbols >= self.median)

    @cached_property
    def waits(self) -> NDArray[np.int64]:
        """5.1.7: cut after each sample that occurred since the last cut; how long the pieces are."""
        return self.series.engine.pieces(self.octets)

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """5.1.10: the numbers whose products are added."""
        return (self.ones if self.binary else self.raw).astype(np.int64)


def _run_lengths(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    edges = np.flatnonzero(flags[1:] != flags[:-1]) + 1
    return np.diff(np.concatenate(([0], edges, [flags.size])))


def _excursion(order: SampleOrder) -> float:
    steps = np.arange(1, order.raw.size + 1)
    return float(np.abs(np.cumsum(order.raw, dtype=np.int64) - steps * order.mean).max())


def _compressed(order: SampleOrder) -> float:
    return float(len(bz2.compress(" ".join(map(_WORDS.__getitem__, order.raw.tolist())).encode(), _COMPRESSION_LEVEL)))


_WORDS = tuple(str(value) for value in range(256))


def _repeats_at(lag: int) -> Callable[[SampleOrder], float]:
    return lambda order: float(np.count_nonzero(order.ones[lag:] == order.ones[:-lag]))


def _products_at(lag: int) -> Callable[[SampleOrder], float]:
    return lambda order: float(order.weights[lag:] @ order.weights[:-lag])


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """One of the nineteen."""

    name: str
    section: str
    of: Callable[[SampleOrder], float]


# fmt: off
STATISTICS = (
    Statistic(name="excursion", section="5.1.1", of=_excursion),
    Statistic(name="numDirectionalRuns", section="5.1.2", of=lambda order: float(_run_lengths(order.rises).size)),
    Statistic(name="lenDirectionalRuns", section="5.1.3", of=lambda order: float(_run_lengths(order.rises).max())),
    Statistic(name="numIncreasesDecreases", section="5.1.4",
              of=lambda order: float(max(rises := int(order.rises.sum()), order.rises.size - rises))),
    Statistic(name="numRunsMedian", section="5.1.5", of=lambda order: float(_run_lengths(order.high).size)),
    Statistic(name="lenRunsMedian", section="5.1.6", of=lambda order: float(_run_lengths(order.high).max())),
    Statistic(name="avgCollision", section="5.1.7",
              of=lambda order: float(order.waits.sum()) / max(1, order.waits.size)),
    Statistic(name="maxCollision", section="5.1.8", of=lambda order: float(order.waits.max(initial=0))),
    *(Statistic(name=f"periodicity({lag})", section="5.1.9", of=_repeats_at(lag)) for lag in LAGS),
    *(Statistic(name=f"covariance({lag})", section="5.1.10", of=_products_at(lag)) for lag in LAGS),
    Statistic(name="compression", section="5.1.11", of=_compressed),
)
# fmt: on


def median_of(series: Series) -> float:
    """Of the renumbered samples; 0.5 for bits (5.1.5)."""
    return 0.5 if series.alphabet == 2 else float(np.median(series.values))
