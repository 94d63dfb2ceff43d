"""The few tail functions p-values need, in plain Python: no scipy at run time, and good relative accuracy far out.

Incomplete gamma by its power series below the mean and by Legendre's continued fraction (modified Lentz) above it:
Abramowitz and Stegun 6.5.29 and 6.5.31.
"""

import math
from typing import NamedTuple

_SMALLEST = 1e-300
_RELATIVE_ERROR = 1e-16
_MOST_TERMS = 1_000_000


def gamma_tail(a: float, x: float) -> float:
    """Q(a, x), the upper regularised incomplete gamma function, for a > 0; 1 for x <= 0."""
    if x <= 0.0:
        return 1.0
    if math.isinf(x):
        return 0.0
    scale = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1.0:
        return max(0.0, 1.0 - scale * _series(a, x))
    return min(1.0, scale * _continued_fraction(a, x))


def _series(a: float, x: float) -> float:
    term = total = 1.0 / a
    for step in range(1, _MOST_TERMS):
        term *= x / (a + step)
        total += term
        if term < total * _RELATIVE_ERROR:
            break
    return total


def _continued_fraction(a: float, x: float) -> float:
    b = x + 1.0 - a
    c = 1.0 / _SMALLEST
    d = fraction = 1.0 / b
    for step in range(1, _MOST_TERMS):
        numerator = -step * (step - a)
        b += 2.0
        d = numerator * d + b
        d = 1.0 / (d if abs(d) > _SMALLEST else _SMALLEST)
        c = b + numerator / c
        c = c if abs(c) > _SMALLEST else _SMALLEST
        fraction *= c * d
        if abs(c * d - 1.0) < 2 * _RELATIVE_ERROR:
            break
    return fraction


def chi_square_tail(statistic: float, freedom: float) -> float:
    """P(chi-square with `freedom` degrees >= statistic)."""
    return gamma_tail(freedom / 2.0, statistic / 2.0)


def normal_below(z: float) -> float:
    """P(standard normal <= z)."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def normal_two_sided(z: float) -> float:
    """P(|standard normal| >= |z|)."""
    return math.erfc(abs(z) / math.sqrt(2.0))


def kolmogorov_tail(distance: float, samples: int) -> float:
    """P(Kolmogorov–Smirnov distance of `samples` uniforms >= distance), with Stephens's finite-sample scaling.

    M. A. Stephens, "Use of the Kolmogorov–Smirnov, Cramér–von Mises and related statistics", JRSS B 32 (1970).
    """
    root = math.sqrt(samples)
    t = distance * (root + 0.12 + 0.11 / root)
    if t < 0.2:
        return 1.0
    total = sum((1.0 if k % 2 else -1.0) * math.exp(-2.0 * k * k * t * t) for k in range(1, 101))
    return min(1.0, max(0.0, 2.0 * total))


class Interval(NamedTuple):
    """A two-sided confidence interval."""

    low: float
    high: float


def noncentrality_interval(statistic: float, freedom: float, confidence: float = 0.95) -> Interval:
    """Confidence interval for a chi-square's noncentrality (Sankaran's normal approximation, Biometrika 50, 1963)."""
    tail = (1.0 - confidence) / 2.0
    return Interval(
        low=_noncentrality_with(statistic, freedom, 1.0 - tail), high=_noncentrality_with(statistic, freedom, tail)
    )


def noncentral_chi_square_below(statistic: float, freedom: float, noncentrality: float) -> float:
    """P(noncentral chi-square <= statistic), Sankaran's approximation: within about 0.005 from five degrees on."""
    k, lam = freedom, noncentrality
    h = 1.0 - 2.0 * (k + lam) * (k + 3.0 * lam) / (3.0 * (k + 2.0 * lam) ** 2)
    p = (k + 2.0 * lam) / (k + lam) ** 2
    m = (h - 1.0) * (1.0 - 3.0 * h)
    mean = 1.0 + h * p * (h - 1.0 - 0.5 * (2.0 - h) * m * p)
    deviation = h * math.sqrt(2.0 * p * (1.0 + m * p))
    return normal_below(((statistic / (k + lam)) ** h - mean) / deviation)


def _noncentrality_with(statistic: float, freedom: float, below: float) -> float:
    """The noncentrality that puts the statistic at quantile `below`; 0 where the central law already puts it lower."""
    if noncentral_chi_square_below(statistic, freedom, 0.0) <= below:
        return 0.0
    low, high = 0.0, max(1.0, statistic)
    while noncentral_chi_square_below(statistic, freedom, high) > below:
        high *= 2.0
    for _ in range(100):
        middle = (low + high) / 2.0
        if noncentral_chi_square_below(statistic, freedom, middle) > below:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0
