"""SP 800-90B 5 and 6.1: are the samples independent and of one law, and if so what is their entropy?"""

from dataclasses import dataclass

import numpy as np

from randomness.assessment.chi_square import ChiSquare, chi_square_tests
from randomness.assessment.estimate import Estimate, Progress, silent
from randomness.assessment.longest_repeat import LongestRepeat, longest_repeat
from randomness.assessment.most_common import most_common_value
from randomness.assessment.permutation import SHUFFLES, PermutationTest, permutation_test
from randomness.assessment.samples import Samples


@dataclass(frozen=True, kw_only=True)
class IidAssessment:
    """Every test, and the most common value of samples and bits. The entropy counts only where all tests pass."""

    width: int
    chi_square: tuple[ChiSquare, ...]
    longest_repeat: LongestRepeat
    permutation: PermutationTest
    literal: Estimate
    bitstring: Estimate | None

    @property
    def passed(self) -> bool:
        """Nothing speaks against independent samples of one law."""
        others = self.longest_repeat.passed and self.permutation.passed
        return others and all(test.passed for test in self.chi_square)

    @property
    def h_original(self) -> float:
        """A sample's."""
        return _entropy(self.literal)

    @property
    def h_bitstring(self) -> float | None:
        """A bit's; None for samples of two values."""
        return None if self.bitstring is None else _entropy(self.bitstring)

    @property
    def assessed(self) -> float:
        """The lower of the two, a sample."""
        bits = [] if self.bitstring is None else [_entropy(self.bitstring) * self.width]
        return min(self.width, self.h_original, *bits)


def _entropy(estimate: Estimate) -> float:
    assert estimate.min_entropy is not None
    return estimate.min_entropy


def assess_iid(
    samples: Samples,
    rng: np.random.Generator,
    *,
    shuffles: int = SHUFFLES,
    progress: Progress = silent,
) -> IidAssessment:
    """All tests of section 5; `rng` shuffles."""
    return IidAssessment(
        width=samples.width,
        chi_square=chi_square_tests(samples.symbols),
        longest_repeat=longest_repeat(samples.symbols),
        permutation=permutation_test(samples, rng, shuffles=shuffles, progress=progress),
        literal=most_common_value(samples.symbols),
        bitstring=None if samples.binary else most_common_value(samples.bits),
    )
