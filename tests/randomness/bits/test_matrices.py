"""Section 2.5."""

import pytest

from randomness.bits import Bits, rank
from randomness.bits.matrices import rank_probability
from randomness.errors import BitsError


@pytest.mark.slow
def test_2_5_8_first_hundred_thousand_bits_of_e(e_bits: str) -> None:
    (result,) = rank(Bits.from_text(e_bits[:100_000], compiled=False))
    assert result.p == pytest.approx(0.532069, abs=2e-6)
    assert result.statistic == pytest.approx(1.2619656, abs=5e-6)


def test_probabilities_of_section_3_5() -> None:
    assert [rank_probability(32, 32, r) for r in (32, 31)] == pytest.approx([0.2888, 0.5776], abs=5e-5)
    assert sum(rank_probability(6, 9, r) for r in range(7)) == pytest.approx(1.0)
    assert rank_probability(1, 1, 1) == 0.5


@pytest.mark.parametrize(("rows", "columns"), [(1, 32), (32, 65), (0, 0)])
def test_sizes_out_of_range_are_refused(rows: int, columns: int) -> None:
    with pytest.raises(BitsError, match="2 to 64"):
        rank(Bits([0, 1], compiled=False), rows=rows, columns=columns)
