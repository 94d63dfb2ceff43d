"""Tests of straight correlation: between the draws of one game, and between a draw and those before it."""

from abc import abstractmethod
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randomness.draws import judging
from randomness.draws.accumulator import Accumulator
from randomness.draws.folding import Draws, check_bound
from randomness.result import Finding

_LEVELS = 1 << 12  # values are cut to twelve bits, so that sums of products stay below 2^63 for 5 * 10^11 draws


class Moments(NamedTuple):
    """Mean and variance of the cut values, exactly."""

    mean: Fraction
    variance: Fraction


def shift_for(bound: int) -> int:
    """How many low bits to cut from numbers below the bound."""
    return max(0, (bound - 1).bit_length() - _LEVELS.bit_length() + 1)


def cut_moments(bound: int) -> Moments:
    """Of v >> shift for v uniform below the bound; the highest value may be rarer than the others."""
    width = 1 << shift_for(bound)
    whole, rest = divmod(bound, width)  # values 0 ... whole - 1 of `width` numbers each, then one of `rest`
    first = width * whole * (whole - 1) // 2 + rest * whole
    second = width * (whole - 1) * whole * (2 * whole - 1) // 6 + rest * whole**2
    mean = Fraction(first, bound)
    return Moments(mean, Fraction(second, bound) - mean**2)


class _Correlations(Accumulator):
    """Sums of products of two values each, with their single sums; under the null the correlations are independent."""

    unit: ClassVar[str] = "root of the summed squared correlations"
    pairs: int

    def __init__(self, bound: int, pairs: int) -> None:
        check_bound(bound)
        self.pairs = pairs
        self._shift = shift_for(bound)
        self._moments = cut_moments(bound)
        super().__init__(bound, 2 * pairs + 1)  # sums of products, sums of both values, number of products

    def prepared(self, draws: Draws) -> Draws:
        return draws >> self._shift

    def add(self, pair: int, first: NDArray[np.float64], second: NDArray[np.float64]) -> None:
        """Add the products of two rows of values; floats hold their sums exactly, up to 2^29 products at once."""
        self.cells[pair] += int(np.einsum("i,i->", first, second))  # not np.dot, which would start threads
        self.cells[self.pairs + pair] += int(first.sum()) + int(second.sum())

    @property
    def samples(self) -> int:
        return int(self.cells[-1])

    @property
    def freedom(self) -> float:
        return float(self.pairs)

    @property
    def least_draws(self) -> int:
        return 2_000

    def correlations(self) -> list[float]:
        """Each sum of centred products over the number of products and the known variance."""
        mean, variance = self._moments
        found = []
        for pair in range(self.pairs):
            products, sums = int(self.cells[pair]), int(self.cells[self.pairs + pair])
            centred = products - mean * sums + self.samples * mean**2
            found.append(float(centred / (self.samples * variance)))
        return found

    def statistic(self) -> float:
        return self.samples * sum(r * r for r in self.correlations())

    def findings(self) -> tuple[Finding, ...]:
        return judging.strongest(
            [
                Finding(place=self.place(pair), observed=r, expected=0.0, z=r * self.samples**0.5)
                for pair, r in enumerate(self.correlations())
            ]
        )

    @abstractmethod
    def place(self, pair: int) -> str:
        """The pair in words."""


class InterplayCorrelation(_Correlations):
    """Correlation between each two of the five draws of a game."""

    name: ClassVar[str] = "interplay-correlation"
    GAME: ClassVar[int] = 5
    _PAIRS: ClassVar[tuple[tuple[int, int], ...]] = tuple(combinations(range(5), 2))

    def __init__(self, bound: int) -> None:
        super().__init__(bound, len(self._PAIRS))

    def count(self, waiting: Draws) -> int:
        games = waiting[: waiting.size // self.GAME * self.GAME].reshape(-1, self.GAME).astype(np.float64)
        for pair, (i, j) in enumerate(self._PAIRS):
            self.add(pair, games[:, i], games[:, j])
        self.cells[-1] += games.shape[0]
        return games.size

    def place(self, pair: int) -> str:
        first, second = self._PAIRS[pair]
        return f"draws {first + 1} and {second + 1} of a game of {self.GAME}"


class SerialCorrelation(_Correlations):
    """Correlation of a draw with each of the sixteen before it."""

    name: ClassVar[str] = "serial-correlation"
    LAGS: ClassVar[int] = 16

    def __init__(self, bound: int) -> None:
        super().__init__(bound, self.LAGS)

    def count(self, waiting: Draws) -> int:
        whole = waiting.size - self.LAGS
        if whole <= 0:
            return 0
        values = waiting.astype(np.float64)
        for lag in range(1, self.LAGS + 1):
            self.add(lag - 1, values[:whole], values[lag : lag + whole])
        self.cells[-1] += whole
        return whole

    def place(self, pair: int) -> str:
        return f"lag {pair + 1}"
