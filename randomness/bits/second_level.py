"""SP 800-22 rev. 1a, section 4.2: what many sequences say together (share that passes, spread of p-values)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from randomness.result import Outcome, Result
from randomness.special import chi_square_tail

LEVEL = 0.01  # section 4.2.1: a sequence passes a test with p >= 0.01
UNIFORMITY_LEVEL = 0.0001  # section 4.2.2
LEAST_SEQUENCES = 55  # section 4.2.2: fewer say nothing about uniformity
_BINS = 10


@dataclass(frozen=True, kw_only=True)
class SecondLevel:
    """One p-value of one test over all sequences. `uniformity` is None below LEAST_SEQUENCES."""

    test: str
    sequences: int
    passed: int
    share_low: float
    share_high: float
    bins: tuple[int, ...]
    uniformity: float | None

    @property
    def share(self) -> float:
        """The share of sequences that passed."""
        return self.passed / self.sequences if self.sequences else math.nan

    @property
    def share_ok(self) -> bool:
        """Whether that share lies in the standard's interval."""
        return self.sequences == 0 or self.share_low <= self.share <= self.share_high

    @property
    def uniform_ok(self) -> bool:
        """Whether the p-values may be uniform; true where there are too few to say."""
        return self.uniformity is None or self.uniformity >= UNIFORMITY_LEVEL


def interval(sequences: int, level: float = LEVEL) -> tuple[float, float]:
    """Section 4.2.1: 1 - level plus and minus three standard deviations of a share."""
    reach = 3.0 * math.sqrt(level * (1.0 - level) / sequences)
    return 1.0 - level - reach, 1.0 - level + reach


def second_level(test: str, p_values: Sequence[float], *, level: float = LEVEL) -> SecondLevel:
    """Both checks of section 4.2 on the p-values of one test."""
    bins = [0] * _BINS
    for p in p_values:
        bins[min(int(p * _BINS), _BINS - 1)] += 1
    count = len(p_values)
    expected = count / _BINS
    low, high = interval(count, level) if count else (0.0, 1.0)
    uniformity = None
    if count >= LEAST_SEQUENCES:
        uniformity = chi_square_tail(sum((seen - expected) ** 2 / expected for seen in bins), _BINS - 1)
    return SecondLevel(
        test=test,
        sequences=count,
        passed=sum(p >= level for p in p_values),
        share_low=low,
        share_high=high,
        bins=tuple(bins),
        uniformity=uniformity,
    )


def gather(results: Iterable[Result], *, level: float = LEVEL) -> tuple[SecondLevel, ...]:
    """The second level of every p-value name among the results; those without a p-value are left out of the count."""
    by_name: dict[str, list[float]] = {}
    for result in results:
        p_values = by_name.setdefault(result.test, [])
        if result.outcome is Outcome.TESTED and result.p is not None:
            p_values.append(result.p)
    return tuple(second_level(test, p_values, level=level) for test, p_values in by_name.items())
