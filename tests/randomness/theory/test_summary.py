"""All figures of a law together."""

import json
from fractions import Fraction

import pytest

from randomness.theory import riffle_summary, shelf_summary, shown

# Decks for the best possible test at level 0.01 and power 0.80: (2.326 + 0.842)^2 / chi-square where that is large.
RIFFLE_DECKS = {9: 216, 10: 877, 11: 3520, 12: 14095}
SHELF_DECKS = {100: 983, 200: 15572, 300: 78659}


@pytest.mark.slow
def test_decks_needed() -> None:
    for passes, decks in RIFFLE_DECKS.items():
        assert riffle_summary(52, passes).decks_needed == decks
    for shelves, decks in SHELF_DECKS.items():
        assert shelf_summary(52, shelves).decks_needed == decks


@pytest.mark.slow
def test_a_bad_shuffle_is_noticed_on_few_decks() -> None:
    assert shelf_summary(52, 10).decks_needed == 1
    assert 10 <= riffle_summary(52, 7).decks_needed <= 16
    assert riffle_summary(52, 7).decks_method == "exact"


def test_it_is_fit_for_json() -> None:
    told = json.loads(json.dumps(shelf_summary(52, 100).as_json()))
    assert told["total_variation"] == pytest.approx(0.0409315371)
    assert told["shelves"] == 100
    numerator, denominator = map(int, told["total_variation_exact"].split("/"))
    assert numerator / denominator == pytest.approx(told["total_variation"])


def test_figures_that_would_take_too_long_are_left_out() -> None:
    summary = riffle_summary(52, 15)
    assert summary.guesses is None
    assert summary.top_card_total_variation is None


def test_figures_beyond_a_float_are_told_in_text() -> None:
    law = shelf_summary(416, 1)
    assert law.l_infinity > 10**400
    told = law.as_json()["l_infinity"]
    assert isinstance(told, str)
    mantissa, exponent = told.split("e+")
    assert Fraction(mantissa) * 10 ** int(exponent) / law.l_infinity == pytest.approx(1, rel=1e-9)
    assert shown(law.l_infinity, 3) == f"{float(mantissa):.2f}e+{exponent}"
    assert shown(Fraction(1, 3), 3) == "0.333"
