"""Section 2.10."""

from itertools import product

import numpy as np
import pytest
from bits_oracle import berlekamp_massey

from randomness.bits import Bits, linear_complexity
from randomness.bits.complexity import PROBABILITIES, complexity_class, exact_probabilities
from randomness.errors import BitsError


@pytest.mark.slow
def test_2_10_8_million_bits_of_e_in_blocks_of_1000(e_bits: str) -> None:
    (result,) = linear_complexity(Bits.from_text(e_bits, compiled=False), block=1_000)
    assert result.p == pytest.approx(0.845406, abs=6e-7)
    assert result.statistic == pytest.approx(2.700348, abs=6e-7)


@pytest.mark.parametrize("block", [8, 9, 10])
def test_the_exact_law_of_short_blocks_is_the_count_of_all(block: int) -> None:
    complexities = np.array([berlekamp_massey(bits) for bits in product((0, 1), repeat=block)])
    seen = np.bincount(complexity_class(complexities, block), minlength=7) / 2**block
    assert exact_probabilities(block) == pytest.approx(seen.tolist())


def test_the_exact_law_of_long_blocks_is_the_published_one_but_for_its_misprint() -> None:
    exact = exact_probabilities(500)
    assert exact[0] == pytest.approx(1 / 96)
    assert PROBABILITIES[0] == 0.01047
    assert exact[1:] == pytest.approx(PROBABILITIES[1:], abs=4e-7)
    assert sum(exact) == pytest.approx(1.0)


def test_blocks_too_short_for_seven_classes_are_refused() -> None:
    with pytest.raises(BitsError, match="at least 8"):
        linear_complexity(Bits([0, 1], compiled=False), block=7)
