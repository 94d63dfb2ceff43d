"""Judging counts: chi-square (too even tells as much as too uneven), effect with interval, places, power."""

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randomness.result import Finding
from randomness.special import chi_square_tail, noncentral_chi_square_below, noncentrality_interval

CONFIDENCE = 0.99  # of the intervals of effects
LEAST_EXPECTED = 16.0  # in a class of counts, so that the tail of chi-square holds down to 1 in 10,000
# With few classes the statistic takes few values, each so likely that p-values come in lumps. So many expected in a
# class keep the law of p within 0.02 of uniform: by summing the multinomial law over all counts, for equal chances,
# where most counts share a value (0.018 for two classes, 0.019 for three, 0.020 for four).
LEAST_EXPECTED_OF_FEW = {2: 1_024.0, 3: 128.0, 4: 32.0}
TWO_SIDED_FROM = 10  # degrees of freedom
MOST_FINDINGS = 5


class Pooled(NamedTuple):
    """Counts and chances with thin classes joined to their neighbours; `starts` are their first classes."""

    counts: NDArray[np.int64]
    chances: NDArray[np.float64]
    starts: tuple[int, ...]


def least_expected(classes: int) -> float:
    """What each of so many classes must expect for chi-square to be their law."""
    return LEAST_EXPECTED_OF_FEW.get(classes, LEAST_EXPECTED)


def pool(counts: NDArray[np.int64], chances: NDArray[np.float64], total: int) -> Pooled:
    """As many classes as expect enough, thin ones joined to their neighbours; depends on `total` and the law alone.

    One class is left where the total is too small for two.
    """
    starts = _starts(chances.tolist(), total)
    return Pooled(np.add.reduceat(counts, starts), np.add.reduceat(chances, starts), starts)


@cache
def least_samples(chances: tuple[float, ...]) -> int:
    """The samples from which on `pool` leaves two classes or more. More samples never leave fewer classes."""
    low, high = 1, 2
    while len(_starts(chances, high)) < 2:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if len(_starts(chances, middle)) > 1 else (middle, high)
    return high


def _starts(chances: Sequence[float], total: int) -> tuple[int, ...]:
    if len(chances) > max(LEAST_EXPECTED_OF_FEW) and min(chances) * total >= LEAST_EXPECTED:
        return tuple(range(len(chances)))
    starts = _joined(chances, LEAST_EXPECTED, total)
    for classes in sorted(LEAST_EXPECTED_OF_FEW, reverse=True):
        if len(starts) <= classes:
            starts = _joined(chances, LEAST_EXPECTED_OF_FEW[classes], total)
        if len(starts) >= classes:
            return starts
    return (0,)


def _joined(chances: Sequence[float], expected: float, total: int) -> tuple[int, ...]:
    """The first classes when neighbours are joined, left to right, until each expects so many."""
    starts, gathered = [0], 0.0
    for place, chance in enumerate(chances):
        if gathered * total >= expected:
            starts.append(place)
            gathered = 0.0
        gathered += chance
    if gathered * total < expected and len(starts) > 1:
        starts.pop()
    return tuple(starts)


def chi_square(counts: NDArray[np.int64], chances: NDArray[np.float64]) -> float:
    """Pearson's statistic of counts against their chances."""
    expected = chances * counts.sum()
    return float(np.sum(np.square(counts - expected) / expected))


def p_value(statistic: float, freedom: float) -> float:
    """P(chi-square at least as far out), on either side from TWO_SIDED_FROM degrees on.

    With fewer, counts that hit their expectation exactly are too common for "too even" to mean anything.
    """
    upper = chi_square_tail(statistic, freedom)
    return upper if freedom < TWO_SIDED_FROM else min(1.0, 2.0 * min(upper, 1.0 - upper))


class DrawEffect(NamedTuple):
    """The root of noncentrality over samples (Cohen's w for counts), with its interval."""

    value: float
    low: float
    high: float


def effect(statistic: float, freedom: float, samples: int) -> DrawEffect:
    """How far from the null, whatever the number of samples."""
    low, high = noncentrality_interval(statistic, freedom, CONFIDENCE)
    best = max(0.0, statistic - freedom)
    return DrawEffect(*(math.sqrt(value / samples) for value in (best, min(low, best), max(high, best))))


def least_effect(freedom: float, samples: int, *, level: float, power: float) -> float:
    """The effect found with probability `power` in so many samples at this level."""
    return math.sqrt(_noncentrality_found(freedom, level, power) / samples)


@lru_cache(maxsize=1024)
def _noncentrality_found(freedom: float, level: float, power: float) -> float:
    critical = _upper_critical(freedom, level if freedom < TWO_SIDED_FROM else level / 2.0)
    low, high = 0.0, 1.0
    while noncentral_chi_square_below(critical, freedom, high) > 1.0 - power:
        high *= 2.0
    for _ in range(80):
        middle = (low + high) / 2.0
        if noncentral_chi_square_below(critical, freedom, middle) > 1.0 - power:
            low = middle
        else:
            high = middle
    return high


def _upper_critical(freedom: float, tail: float) -> float:
    low, high = 0.0, freedom + 10.0
    while chi_square_tail(high, freedom) > tail:
        high *= 2.0
    for _ in range(80):
        middle = (low + high) / 2.0
        if chi_square_tail(middle, freedom) > tail:
            low = middle
        else:
            high = middle
    return high


def findings(
    counts: NDArray[np.int64], chances: NDArray[np.float64], place: Callable[[int], str]
) -> tuple[Finding, ...]:
    """The classes that stand out most."""
    total = int(counts.sum())
    expected = chances * total
    z = (counts - expected) / np.sqrt(expected * np.maximum(1.0 - chances, 1e-300))
    order = np.argsort(-np.abs(z), kind="stable")[:MOST_FINDINGS]
    return tuple(
        Finding(place=place(int(i)), observed=float(counts[i]), expected=float(expected[i]), z=float(z[i]))
        for i in order
    )


def strongest(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """The few that stand out most."""
    return tuple(sorted(found, key=lambda finding: -abs(finding.z))[:MOST_FINDINGS])
