"""Power: least effects and decks needed agree with each other and with what simulation shows."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from randomness.decks import DECK_TESTS, DeckBattery, compiled_available, decks_needed, power, power_table
from randomness.decks.tails import sidak_part
from randomness.kernels import parse
from randomness.sources import seeded_source


@pytest.mark.parametrize("name", DECK_TESTS)
def test_more_decks_find_less_and_the_two_questions_agree(name: str) -> None:
    few, many = power(name, 10_000, 0.01), power(name, 1_000_000, 0.01)
    assert 0 < many.least_effect < few.least_effect
    # The rarest bin of a distribution expects ten decks or up to twice as many.
    assert few.least_effect / many.least_effect == pytest.approx(10, rel=0.25 if name.endswith("-spread") else 0.15)
    assert decks_needed(name, many.least_effect, 0.01, probability=0.99) == pytest.approx(1_000_000, rel=0.02)


def test_the_card_by_position_table_needs_what_is_known() -> None:
    # Noncentrality 236.92 for 80 % at 1 % one-sided; all cells off by 10 % rms: 465 decks.
    assert decks_needed("card-by-position", 0.10, 0.02) == pytest.approx(465, rel=0.01)
    # One unknown cell of 2,704 off by 10 %, two-sided at 1 %: 152,556 decks by the normal law, a little more in truth.
    assert decks_needed("each-cell", 0.10, 0.01) == pytest.approx(152_556, rel=0.05)


def test_no_effect_needs_more_decks_than_there_are() -> None:
    assert decks_needed("suit-runs", 0.0, 0.01) > 10**18


def test_a_table_leaves_out_what_was_not_tested() -> None:
    rows = power_table([("suit-runs", 50), ("card-by-position", 50)], 0.05)
    assert [row.test for row in rows] == ["suit-runs"]
    assert rows[0].power == 0.99


@pytest.mark.slow
@pytest.mark.skipif(not compiled_available(), reason="numba is not installed")
@pytest.mark.parametrize(("name", "level"), [("each-cell", 0.01), ("card-by-position", 0.01)])
def test_predicted_power_is_the_power_seen(name: str, level: float) -> None:
    """Q♥ comes to position 7 in 5 % of the decks on top of chance."""
    share, base = 0.05, 1 / 52
    # Only the named cell counts for the one; for the table the cell, its row and its column.
    cell = share * (1 - base) / base
    whole = share * np.sqrt((1 - base) ** 2 + 102 * base**2 + 51**2 * (base / 51) ** 2) / base / 52
    many = decks_needed(name, cell if name == "each-cell" else whole, level)
    rng, battery, found = np.random.default_rng(3), DeckBattery([name]), 0
    for _ in range(200):
        decks = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)
        rows = np.flatnonzero(rng.random(many) < share)
        places = np.argmax(decks[rows] == 36, axis=1)
        decks[rows, places] = decks[rows, 6]
        decks[rows, 6] = 36
        battery.clear()
        battery.update(decks)
        p = battery.p_value(DECK_TESTS[name])
        assert p is not None
        found += p <= level
    assert found / 200 == pytest.approx(0.8, abs=0.1)


@pytest.mark.parametrize("name", ["lag-places", "lag-each-cell", "each-cell", "same-suit-pairs", "each-adjacent-pair"])
@pytest.mark.parametrize("samples", [10_000, 200_000])
def test_stated_power_is_the_exact_power_of_one_cell(name: str, samples: int) -> None:
    """By the binomial law: a cell that is hit more often varies more, which the normal law of the null leaves out."""
    judge, level = DECK_TESTS[name].judge, 0.01 / len(DECK_TESTS)
    least = power(name, samples, level).least_effect
    if name.startswith("lag-"):
        share, cells = 1 / 52, len(judge.lags) * judge.cells_in_lag
        raised = share + least
    else:
        share, cells = judge.law().mean, len(judge.chosen)
        raised = share * (1 + least)
    limit = stats.binom.isf(sidak_part(level, cells) / 2, samples, share)
    assert stats.binom.sf(limit, samples, raised) == pytest.approx(0.99, abs=0.002)


@pytest.mark.slow
@pytest.mark.skipif(not compiled_available(), reason="numba is not installed")
def test_a_distribution_with_all_decks_too_many_in_one_rare_bin_is_found_as_often_as_stated() -> None:
    """Sattolo's shuffles among ideal ones have one cycle, as one ideal deck in 52 has."""
    test, level = DECK_TESTS["input-cycles-spread"], 0.01 / len(DECK_TESTS)
    rate = Fraction(test.judge.least_effect(10_000, level, 0.8) / 51**0.5).limit_denominator(10_000)
    battery, found = DeckBattery([test.name]), 0
    for seed in range(60):
        battery.clear()
        decks = parse(f"defect:sattolo:rate={rate}").permutations(52, 10_000, seeded_source(seed))
        battery.update(decks, np.arange(52, dtype=np.uint8))
        p = battery.p_value(test)
        found += p is not None and p <= level
    assert found >= 40  # of 60 at 80 %: fewer happen once in a hundred times
