"""SP 800-90B 5.2.1 to 5.2.4: chi-square tests of independence and of one and the same law in every tenth."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomness.assessment.samples import Series
from randomness.special import chi_square_tail

LEVEL = 0.001
_LEAST_EXPECTED = 5.0
_LONGEST_STRING = 11  # 5.2.3: bits of a string
_PARTS = 10  # 5.2.2 and 5.2.4

Shares = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ChiSquare:
    """One chi-square test; without a degree of freedom there is nothing to test and p is 1."""

    name: str
    section: str
    statistic: float
    freedom: int

    @property
    def p(self) -> float:
        """The chance of so large a statistic."""
        return chi_square_tail(self.statistic, self.freedom) if self.freedom > 0 else 1.0

    @property
    def passed(self) -> bool:
        """At the level of the standard."""
        return self.p >= LEVEL


def chi_square_tests(series: Series) -> tuple[ChiSquare, ChiSquare]:
    """Independence and goodness of fit, in the form for bits or for more values."""
    if series.alphabet == 2:
        return _independence_of_bits(series), _fit_of_bits(series)
    shares = proportions(series)
    return _independence(series, shares), _fit(series, shares)


def proportions(series: Series) -> Shares:
    """The share of each value, added up 1/n by 1/n: NIST's tool does, and the last digits decide how cells are binned.

    Two products of shares that are equal in theory may differ in the last digit, and the smaller goes first.
    """
    counts = np.bincount(series.values, minlength=series.alphabet)
    sums = np.cumsum(np.full(int(counts.max()), 1.0 / len(series)))
    return np.asarray(sums[np.maximum(counts, 1) - 1] * (counts > 0))


def _binned(expected: Shares) -> tuple[NDArray[np.int64], list[float]]:
    """5.2.1 step 2: from the rarest cell up, cells are joined until a bin expects five; a poor last bin joins the one
    before it. Gives the bin of each cell, and what each bin expects."""
    bins = np.zeros(expected.size, np.int64)
    totals = [0.0]
    order = np.lexsort((np.arange(expected.size), expected))
    for cell, value in zip(order.tolist(), expected[order].tolist(), strict=True):
        if totals[-1] >= _LEAST_EXPECTED:
            totals.append(0.0)
        bins[cell] = len(totals) - 1
        totals[-1] += value
    if len(totals) > 1 and totals[-1] < _LEAST_EXPECTED:
        bins[bins == len(totals) - 1] -= 1
        poor = totals.pop()
        totals[-1] += poor
    return bins, totals


def _statistic(seen: NDArray[np.int64], expected: list[float]) -> float:
    pairs = zip(seen.tolist(), expected, strict=True)
    return math.fsum((a - b) ** 2 / b for a, b in pairs if b > 0)  # too few samples for ten parts expect none


def _independence(series: Series, shares: Shares) -> ChiSquare:
    pairs = len(series) // 2
    bins, expected = _binned((np.outer(shares, shares) * float(pairs)).reshape(-1))
    values = series.values[: 2 * pairs].astype(np.int64)
    seen = np.bincount(bins[values[::2] * series.alphabet + values[1::2]], minlength=len(expected))
    return ChiSquare(
        name="independence",
        section="5.2.1",
        statistic=_statistic(seen, expected),
        freedom=len(expected) - series.alphabet,
    )


def _fit(series: Series, shares: Shares) -> ChiSquare:
    size = len(series) // _PARTS
    bins, expected = _binned(shares * float(size))
    parts = series.values[: size * _PARTS].reshape(_PARTS, size)
    return ChiSquare(
        name="goodness of fit",
        section="5.2.2",
        statistic=math.fsum(_statistic(np.bincount(bins[part], minlength=len(expected)), expected) for part in parts),
        freedom=(_PARTS - 1) * (len(expected) - 1),
    )


def _independence_of_bits(series: Series) -> ChiSquare:
    one = int(np.count_nonzero(series.values)) / len(series)
    rarer = min(one, 1.0 - one)
    lengths = range(_LONGEST_STRING, 1, -1)
    length = next((m for m in lengths if rarer**m * (len(series) // m) >= _LEAST_EXPECTED), 0)
    statistic, freedom = 0.0, 0
    if length:
        strings = len(series) // length
        weights = 1 << np.arange(length - 1, -1, -1)
        codes = series.values[: strings * length].reshape(strings, length) @ weights
        seen = np.bincount(codes, minlength=1 << length)
        ones = np.array([code.bit_count() for code in range(1 << length)])
        expected = one**ones * (1.0 - one) ** (length - ones) * strings
        statistic, freedom = _statistic(seen, expected.tolist()), (1 << length) - 2
    return ChiSquare(name="independence", section="5.2.3", statistic=statistic, freedom=freedom)


def _fit_of_bits(series: Series) -> ChiSquare:
    size = len(series) // _PARTS
    ones = series.values[: size * _PARTS].reshape(_PARTS, size).sum(axis=1, dtype=np.int64)
    share = int(np.count_nonzero(series.values)) / len(series)
    expected = [(1.0 - share) * size, share * size]
    total = math.fsum(_statistic(np.array([size - seen, seen]), expected) for seen in ones.tolist()) if size else 0.0
    return ChiSquare(name="goodness of fit", section="5.2.4", statistic=total, freedom=_PARTS - 1)
