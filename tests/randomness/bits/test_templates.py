"""Sections 2.7 and 2.8."""

from itertools import product

import pytest

from randomness.bits import Bits, aperiodic_templates, non_overlapping_template, overlapping_template
from randomness.bits.templates import exact_overlapping_law, poisson_overlapping_law
from randomness.errors import BitsError


def test_2_7_4_the_small_example() -> None:
    """Blocks 1010010010 and 1110010110 hold 001 twice and once: p = 0.344154."""
    bits = Bits.from_text("10100100101110010110", compiled=False)
    (result,) = non_overlapping_template(bits, templates=["001"], blocks=2, least_bits=0)
    assert result.p == pytest.approx(0.344154, abs=6e-7)


@pytest.mark.slow
def test_2_8_8_million_bits_of_e(e_bits: str) -> None:
    (result,) = overlapping_template(Bits.from_text(e_bits, compiled=False))
    assert result.statistic == pytest.approx(8.965859, abs=6e-7)


@pytest.mark.parametrize(("length", "number"), [(2, 2), (3, 4), (4, 6), (5, 12), (6, 20), (7, 40), (8, 74), (9, 148)])
def test_numbers_of_aperiodic_templates_in_section_2_7(length: int, number: int) -> None:
    assert len(aperiodic_templates(length)) == number


@pytest.mark.parametrize("template", ["111", "010", "101", "0a1"])
def test_templates_that_overlap_themselves_are_refused(template: str) -> None:
    with pytest.raises(BitsError, match="aperiodic"):
        non_overlapping_template(Bits([0, 1], compiled=False), templates=[template])


@pytest.mark.parametrize("templates", [[], ["01", "001"], ["1"], ["0" * 16 + "1"]])
def test_templates_of_unfit_length_are_refused(templates: list[str]) -> None:
    with pytest.raises(BitsError, match="one length"):
        non_overlapping_template(Bits([0, 1], compiled=False), templates=templates)


def test_a_template_longer_than_its_block_is_refused() -> None:
    with pytest.raises(BitsError):
        overlapping_template(Bits([0, 1], compiled=False), length=9, block=8)


def test_the_exact_law_of_short_blocks_is_the_count_of_all() -> None:
    words = ["".join(bits) for bits in product("01", repeat=10)]
    found = [min(5, sum(word[i : i + 3] == "111" for i in range(8))) for word in words]
    assert exact_overlapping_law(3, 10) == pytest.approx([found.count(k) / 1024 for k in range(6)])


def test_the_exact_law_of_the_defaults_is_the_published_correction() -> None:
    """Section 3.8 of rev. 1a: 0.364091, 0.185659, 0.139381, 0.100571, 0.0704323, 0.139865."""
    published = [0.364091, 0.185659, 0.139381, 0.100571, 0.0704323, 0.139865]
    assert exact_overlapping_law(9, 1_032) == pytest.approx(published, abs=6e-7)
    assert poisson_overlapping_law(9, 1_032) == pytest.approx(published, abs=5e-3)
