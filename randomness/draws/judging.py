"""Judging counts: chi-square (too even tells as much as too uneven), effect with interval, places, power."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randomness.result import Finding
from randomness.special import chi_square_tail, noncentral_chi_square_below, noncentrality_interval

CONFIDENCE = 0.99  # of the intervals of effects
LEAST_EXPECTED = 16.0  # in a class of counts, so that the tail of chi-square holds down to 1 in 10,000
TWO_SIDED_FROM = 10  # degrees of freedom
MOST_FINDINGS = 5


class Pooled(NamedTuple):
    """Counts and chances with thin classes joined to their neighbours; `starts` are their first classes."""

    counts: NDArray[np.int64]
    chances: NDArray[np.float64]
    starts: tuple[int, ...]


def pool(counts: NDArray[np.int64], chances: NDArray[np.float64], total: int) -> Pooled:
    """Join neighbours, left to right, until each class expects LEAST_EXPECTED; depends on `total` and the law alone."""
    starts, gathered = [0], 0.0
    for place, chance in enumerate(chances.tolist()):
        if gathered * total >= LEAST_EXPECTED:
            starts.append(place)
            gathered = 0.0
        gathered += chance
    if gathered * total < LEAST_EXPECTED and len(starts) > 1:
        starts.pop()
    return Pooled(np.add.reduceat(counts, starts), np.add.reduceat(chances, starts), tuple(starts))


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


class Effect(NamedTuple):
    """The root of noncentrality over samples (Cohen's w for counts), with its interval."""

    value: float
    low: float
    high: float


def effect(statistic: float, freedom: float, samples: int) -> Effect:
    """How far from the null, whatever the number of samples."""
    low, high = noncentrality_interval(statistic, freedom, CONFIDENCE)
    best = max(0.0, statistic - freedom)
    return Effect(*(math.sqrt(value / samples) for value in (best, min(low, best), max(high, best))))


def least_effect(freedom: float, samples: int, *, level: float, power: float) -> float:
    """The effect found with probability `power` in so many samples at this level."""
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
    return math.sqrt(high / samples)


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
