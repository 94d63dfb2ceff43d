"""SP 800-90B 5.1: do the samples look like themselves in any other order?

A statistic that shuffled samples exceed, or stay below, in five of 10,000 shuffles or fewer speaks against independent
samples of one law. A statistic that can no longer fail is not made any more, and when none is left the shuffles end.
"""

from dataclasses import dataclass

import numpy as np

from randomness.assessment.estimate import Progress, silent
from randomness.assessment.samples import Samples, Series
from randomness.assessment.statistics import LAGS, STATISTICS, SampleOrder, median_of
from randomness.errors import AssessmentError

SHUFFLES = 10_000
FEW = 5
LEAST = 8 * (max(LAGS) + 2)
"""Samples: below that the statistics at the longest lag have nothing to compare."""


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One statistic of the samples, and how many shuffles had a larger, an equal and a smaller one."""

    name: str
    section: str
    value: float
    larger: int
    equal: int
    smaller: int

    @property
    def passed(self) -> bool:
        """Enough shuffles on either side for it to be nothing special."""
        return _settled(self.larger, self.equal, self.smaller)


@dataclass(frozen=True, kw_only=True)
class PermutationTest:
    """All nineteen, and how many shuffles it took to say so."""

    rankings: tuple[Ranking, ...]
    shuffles: int

    @property
    def passed(self) -> bool:
        """None stands out."""
        return all(ranking.passed for ranking in self.rankings)


def permutation_test(
    samples: Samples,
    rng: np.random.Generator,
    *,
    shuffles: int = SHUFFLES,
    progress: Progress = silent,
) -> PermutationTest:
    """Shuffle up to `shuffles` times."""
    if len(samples) < LEAST:
        raise AssessmentError(f"{len(samples):,} samples; the permutation tests need {LEAST:,} at the least")
    series = samples.symbols
    mean = int(samples.raw.sum(dtype=np.int64)) / len(samples)
    median = median_of(series)
    present = np.unique(samples.raw)
    first = SampleOrder(samples.raw, series, mean, median)
    values = [statistic.of(first) for statistic in STATISTICS]
    counts = np.zeros((len(STATISTICS), 3), np.int64)
    symbols = series.values.copy()
    open_ones = list(range(len(STATISTICS)))
    done = 0
    while open_ones and done < shuffles:
        rng.shuffle(symbols)
        order = SampleOrder(present[symbols], Series(symbols, series.alphabet, series.engine), mean, median)
        for number in open_ones:
            value = STATISTICS[number].of(order)
            counts[number, 0 if value > values[number] else 1 if value == values[number] else 2] += 1
        open_ones = [each for each in open_ones if not _settled(*counts[each])]
        done += 1
        progress(f"{done:,} shuffles, {len(STATISTICS) - len(open_ones)} of {len(STATISTICS)} statistics settled")
    rankings = tuple(
        Ranking(
            name=statistic.name,
            section=statistic.section,
            value=value,
            larger=int(larger),
            equal=int(equal),
            smaller=int(smaller),
        )
        for statistic, value, (larger, equal, smaller) in zip(STATISTICS, values, counts, strict=True)
    )
    return PermutationTest(rankings=rankings, shuffles=done)


def _settled(larger: int, equal: int, smaller: int) -> bool:
    return bool(larger + equal > FEW and smaller + equal > FEW)
