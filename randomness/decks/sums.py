"""The law of a per-deck count summed over many decks: exact convolution, randomised two-sided p-value.

One deck's law is exact integers (`laws.py`). The sum over N independent decks is that law convolved N times, done
with one Fourier transform over a window of 14 standard deviations each side. Where the window would pass a million
places, or N 50,000 (the transform's rounding grows with N), an Edgeworth expansion to the second order takes over: its
error is then far below a thousandth of the p-value. Below 1e-9 Chernoff's bound, never too small, stands in for both.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks.laws import Counts
from randomness.decks.tails import Tails, normal_tails

_WIDEST = 1 << 20
_MOST_CONVOLVED = 50_000
_DEVIATIONS = 14.0
_TRUSTED = 1e-9


@dataclass(frozen=True, eq=False)
class Law:
    """One deck's law, from counts of orders by value. Laws are made once each and looked up by what they are."""

    counts: Counts

    @cached_property
    def total(self) -> int:
        return sum(self.counts)

    @cached_property
    def exact_mean(self) -> Fraction:
        return Fraction(sum(v * c for v, c in enumerate(self.counts)), self.total)

    @cached_property
    def exact_variance(self) -> Fraction:
        return Fraction(sum(v * v * c for v, c in enumerate(self.counts)), self.total) - self.exact_mean**2

    @cached_property
    def mean(self) -> float:
        return float(self.exact_mean)

    @cached_property
    def deviation(self) -> float:
        return math.sqrt(self.exact_variance)

    @cached_property
    def pmf(self) -> NDArray[np.float64]:
        return np.array([float(Fraction(c, self.total)) for c in self.counts])

    @cached_property
    def shape(self) -> tuple[float, float]:
        """Skewness and excess kurtosis of one deck's value."""
        off = (np.arange(len(self.counts)) - self.mean) / self.deviation
        return float((self.pmf * off**3).sum()), float((self.pmf * off**4).sum()) - 3.0

    def tails(self, decks: int, total: int, u: float) -> Tails:
        """Both tails of the sum at `total`, the probability of the value itself split at u (0 … 1) between them."""
        window = _window(self, decks)
        tails = self._edgeworth(decks, total, u) if window is None else window.tails(total, u)
        if min(tails.lower, tails.upper) > _TRUSTED:
            return tails
        bound = min(_TRUSTED, math.exp(max(-700.0, -decks * self._rate(total / decks))))
        if total > self.mean * decks:
            return Tails(lower=1.0, upper=bound)
        return Tails(lower=bound, upper=1.0)

    def _edgeworth(self, decks: int, total: int, u: float) -> Tails:
        root = math.sqrt(decks)
        # Spreading the lattice point over its unit of width is the randomised p-value to this order.
        x = (total + u - 0.5 - decks * self.mean) / (self.deviation * root)
        skew, kurtosis = self.shape
        he2, he3, he5 = x**2 - 1, x**3 - 3 * x, x**5 - 10 * x**3 + 15 * x
        density = math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
        shift = density * (skew * he2 / (6 * root) + (kurtosis * he3 / 24 + skew**2 * he5 / 72) / decks)
        plain = normal_tails(x)
        return Tails(lower=plain.lower - shift, upper=plain.upper + shift)

    def _rate(self, mean: float) -> float:
        """Chernoff's exponent for one deck: the largest of t × mean − log E exp(tX)."""
        values = np.arange(len(self.counts), dtype=np.float64)
        used = self.pmf > 0
        values, logs = values[used], np.log(self.pmf[used])
        if mean <= values[0]:
            return float(-logs[0])
        if mean >= values[-1]:
            return float(-logs[-1])
        low, high = -800.0, 800.0
        for _ in range(100):
            t = (low + high) / 2
            weights = np.exp(logs + t * values - (logs + t * values).max())
            if (weights * values).sum() / weights.sum() < mean:
                low = t
            else:
                high = t
        peak = (logs + t * values).max()
        return float(t * mean - peak - np.log(np.exp(logs + t * values - peak).sum()))


@dataclass(frozen=True, kw_only=True)
class _Window:
    """Cumulative sums of the convolved law over `first`, `first` + 1, …, from below and from above."""

    first: int
    at_most: NDArray[np.float64]
    at_least: NDArray[np.float64]

    def tails(self, total: int, u: float) -> Tails:
        place = total - self.first
        if place < 0:
            return Tails(lower=0.0, upper=1.0)
        if place >= len(self.at_most):
            return Tails(lower=1.0, upper=0.0)
        below = float(self.at_most[place - 1]) if place else 0.0
        above = float(self.at_least[place + 1]) if place + 1 < len(self.at_least) else 0.0
        here = float(self.at_most[place]) - below
        return Tails(lower=below + u * here, upper=above + (1.0 - u) * here)


@lru_cache(maxsize=1024)
def _window(law: Law, decks: int) -> _Window | None:
    spread = law.deviation * math.sqrt(decks)
    half = int(min(_DEVIATIONS * spread + len(law.counts), decks * (len(law.counts) - 1))) + 1
    size = 1 << (2 * half + 1).bit_length()
    if size > _WIDEST or decks > _MOST_CONVOLVED:
        return None
    middle = round(law.mean)
    placed = np.zeros(size)
    placed[(np.arange(len(law.counts)) - middle) % size] = law.pmf
    summed = np.fft.irfft(np.fft.rfft(placed) ** decks, size)
    first = round(law.mean * decks) - size // 2
    pmf = np.maximum(summed[(first - middle * decks + np.arange(size)) % size], 0.0)
    return _Window(first=first, at_most=np.cumsum(pmf), at_least=np.cumsum(pmf[::-1])[::-1])
