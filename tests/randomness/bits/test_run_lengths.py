"""Sections 2.3 and 2.4."""

from itertools import product

import pytest

from randomness.bits import Bits, longest_run, runs
from randomness.bits.run_lengths import LONGEST_RUN_LAWS, LongestRunLaw, longest_run_law


def test_2_3_8_first_hundred_bits_of_pi(first_100_of_pi: Bits) -> None:
    assert runs(first_100_of_pi)[0].p == pytest.approx(0.500798, abs=6e-7)


def test_2_4_8_the_128_bits_of_the_example() -> None:
    text = (
        "11001100000101010110110001001100111000000000001001001101010100010001001111010110"
        "100000001101011111001100111001101101100010110010"
    )
    (result,) = longest_run(Bits.from_text(text, compiled=False))
    assert result.p == pytest.approx(0.180609, abs=6e-7)


def test_lopsided_bits_get_p_zero_by_the_standard_and_a_conditional_p_when_corrected() -> None:
    lopsided = Bits(([1] * 7 + [0] * 3) * 100, compiled=False)
    assert runs(lopsided)[0].p == 0.0
    assert runs(lopsided, corrected=True)[0].p != 0.0
    assert runs(Bits([1] * 100, compiled=False), corrected=True)[0].p == 0.0


def test_the_exact_law_of_eight_bits_is_the_count_of_all_256() -> None:
    longest = [max(len(run) for run in "".join(bits).split("0")) for bits in product("01", repeat=8)]
    shares = [sum(value <= 1 for value in longest), longest.count(2), longest.count(3), sum(v >= 4 for v in longest)]
    assert longest_run_law(128, corrected=True).probabilities == pytest.approx([share / 256 for share in shares])


@pytest.mark.parametrize(("law", "off"), list(zip(LONGEST_RUN_LAWS, (1e-12, 6e-10, 1.6e-3), strict=True)))
def test_the_exact_law_is_the_published_one_but_for_the_longest_blocks(law: LongestRunLaw, off: float) -> None:
    exact = longest_run_law(law.least_bits, corrected=True)
    assert longest_run_law(law.least_bits) is law
    assert exact.probabilities == pytest.approx(law.probabilities, abs=off)
    assert sum(exact.probabilities) == pytest.approx(1.0)


def test_the_table_goes_by_length() -> None:
    assert [longest_run_law(n).block for n in (128, 6_271, 6_272, 749_999, 750_000)] == [8, 8, 128, 128, 10_000]
