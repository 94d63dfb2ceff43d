"""Tail probabilities, both tails with good relative accuracy, without a statistics package at run time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()
_TINY = 1e-300
_ROUNDING = 1e-16
_MOST_TERMS = 2_000_000
_NEAR = 1e-13


@dataclass(frozen=True, kw_only=True)
class Tails:
    """P(X at or below what was seen) and P(X at or above it)."""

    lower: float
    upper: float

    @property
    def two_sided(self) -> float:
        return min(1.0, 2.0 * min(self.lower, self.upper))


def gamma_tails(shape: float, x: float) -> Tails:
    """Regularised incomplete gamma functions P and Q: series below the mean, continued fraction above it.

    Abramowitz and Stegun 6.5.29 and 6.5.31 (the latter by Lentz's method).
    """
    if x <= 0.0:
        return Tails(lower=0.0, upper=1.0)
    front = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1.0:
        term = total = 1.0 / shape
        for step in range(1, _MOST_TERMS):
            term *= x / (shape + step)
            total += term
            if term < total * _ROUNDING:
                break
        lower = min(1.0, front * total)
        return Tails(lower=lower, upper=1.0 - lower)
    b = x + 1.0 - shape
    c = 1.0 / _TINY
    d = fraction = 1.0 / b
    for step in range(1, _MOST_TERMS):
        numerator = -step * (step - shape)
        b += 2.0
        d = numerator * d + b
        d = 1.0 / (d if abs(d) > _TINY else _TINY)
        c = b + numerator / c
        c = c if abs(c) > _TINY else _TINY
        fraction *= c * d
        if abs(c * d - 1.0) < 2 * _ROUNDING:
            break
    upper = min(1.0, front * fraction)
    return Tails(lower=1.0 - upper, upper=upper)


@dataclass(frozen=True, kw_only=True)
class Cumulants:
    """Mean, variance and third cumulant of a statistic that is (nearly) a weighted sum of chi-squares.

    Its law is taken as the gamma law, moved and stretched, with these three (Pearson's type III): exact for one
    chi-square, and within a fraction of a percent in the tails for the sums of many that occur here.

    Where unequal cells make it so skewed that the moved law would begin above nought, small sums would be called
    impossible, though a few in ten thousand are that small: then the gamma law from nought with the same mean and
    variance gives the lower tail.
    """

    mean: float
    variance: float
    third: float

    def tails(self, x: float) -> Tails:
        scale = self.third / (2.0 * self.variance)
        shape = self.variance / scale**2
        found = gamma_tails(shape, (x - self.mean) / scale + shape)
        if self.mean <= scale * shape:
            return found
        from_nought = gamma_tails(self.mean**2 / self.variance, x * self.mean / self.variance)
        return Tails(lower=max(found.lower, from_nought.lower), upper=found.upper)

    @lru_cache(maxsize=1024)  # noqa: B019 (a frozen value of three numbers)
    def upper_quantile(self, level: float) -> float:
        """The value that the statistic exceeds with probability `level`."""
        low, high = self.mean - 40.0 * math.sqrt(self.variance), self.mean + 400.0 * math.sqrt(self.variance)
        while high - low > _NEAR * (abs(low) + abs(high)):
            middle = (low + high) / 2.0
            if self.tails(middle).upper > level:
                low = middle
            else:
                high = middle
        return (low + high) / 2.0

    def moved(self, by: float, weight: float) -> "Cumulants":
        """The law when the mean is moved by noncentrality; `weight` is what one unit of it weighs in the sum."""
        return Cumulants(
            mean=self.mean + by, variance=self.variance + 4 * weight * by, third=self.third + 24 * weight**2 * by
        )

    @lru_cache(maxsize=1024)  # noqa: B019
    def move_found(self, level: float, power: float, weight: float) -> float:
        """How far the mean must move for the sum to pass its upper limit at `level` with probability `power`."""
        limit = self.upper_quantile(level)
        low, high = 0.0, 100.0 * (limit + math.sqrt(self.variance))
        while high - low > _NEAR * high:
            by = (low + high) / 2.0
            if self.moved(by, weight).tails(limit).upper < power:
                low = by
            else:
                high = by
        return (low + high) / 2.0


def chi_square(*parts: tuple[float, float]) -> Cumulants:
    """Cumulants of a sum of weight × chi-square(freedom), given as (weight, freedom) pairs."""
    return Cumulants(
        mean=sum(w * f for w, f in parts),
        variance=sum(2.0 * w**2 * f for w, f in parts),
        third=sum(8.0 * w**3 * f for w, f in parts),
    )


def equal_cells(cells: int, samples: int) -> Cumulants:
    """Exact cumulants of Pearson's sum over equally likely cells.

    With C the number of pairs of samples in one cell the sum is cells + 2 cells C / samples - samples; the pairs are
    pairwise independent, and of the triples only closed ones have a third moment.
    """
    p, n = 1.0 / cells, float(samples)
    pairs, triples = n * (n - 1) / 2, n * (n - 1) * (n - 2) / 6
    scale = 2.0 * cells / n
    return Cumulants(
        mean=cells - 1.0,
        variance=scale**2 * pairs * p * (1 - p),
        third=scale**3 * (pairs * p * (1 - p) * (1 - 2 * p) + 6 * triples * p**2 * (1 - p)),
    )


def added(parts: Sequence[Cumulants]) -> Cumulants:
    """Cumulants of a sum of independent statistics."""
    return Cumulants(
        mean=sum(part.mean for part in parts),
        variance=sum(part.variance for part in parts),
        third=sum(part.third for part in parts),
    )


def normal_tails(z: float) -> Tails:
    root = z / math.sqrt(2.0)
    return Tails(lower=0.5 * math.erfc(-root), upper=0.5 * math.erfc(root))


def normal_quantile(level: float) -> float:
    """z with P(standard normal <= z) = level."""
    if level < 1e-300:
        return -37.0
    if level > 0.5:
        return -normal_quantile(1.0 - level)
    return _NORMAL.inv_cdf(level)


def upper_z(level: float) -> float:
    """z with P(standard normal >= z) = level, also for levels too near zero for 1 - level."""
    return -normal_quantile(level)


def sidak(least: float, of: float) -> float:
    """P(the least of `of` independent p-values <= least)."""
    return -math.expm1(of * math.log1p(-least)) if least < 1.0 else 1.0


def sidak_part(level: float, of: float) -> float:
    """The level that each of `of` independent tests has when the least p-value of them is judged at `level`."""
    return -math.expm1(math.log1p(-level) / of)
