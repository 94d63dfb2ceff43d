"""What changes with time is found and named; what is wrong all the time is left to the other tests."""

import numpy as np
import pytest

from randomness.decks.judges.base import Chance
from randomness.decks.judges.in_time import Change
from randomness.decks.registry import DECK_TESTS

STRETCHES, WIDTH = 40, 400


def table(seed: int = 1) -> np.ndarray:
    """Strata of ideal decks: decks first, then hits in 2,704 cells."""
    rng = np.random.default_rng(seed)
    hits = rng.binomial(WIDTH, 1 / 52, (STRETCHES, 2704))
    return np.hstack([np.full((STRETCHES, 1), WIDTH), hits])


def p_value(test: str, rows: np.ndarray) -> float:
    return DECK_TESTS[test].judge.verdict(rows, int(rows[:, 0].sum()), Chance(1)).p


@pytest.mark.parametrize("test", ["face-change-point", "face-drift", "face-phases"])
def test_a_cell_that_is_wrong_all_the_time_does_not_change(test: str) -> None:
    rows = table()
    rows[:, 1 + 100] += 10
    assert p_value(test, rows[:2] if test == "face-phases" else rows) > 1e-3


def test_a_cell_that_changes_is_named_with_the_moment() -> None:
    rows = table()
    rows[:20, 1 + 52 * 6 + 36] += 5
    rows[20:, 1 + 52 * 6 + 36] -= 3
    judge = DECK_TESTS["face-change-point"].judge
    assert p_value("face-change-point", rows) < 1e-6
    assert judge.findings(rows, 16_000)[0].place == "Q♥ at position 7: change after 50% of the run"
    assert judge.effect(rows, 16_000).value > 0.5


def test_a_change_spread_over_the_whole_table_is_found() -> None:
    rng, rows = np.random.default_rng(3), table()
    rows[:20, 1:] += rng.integers(0, 2, 2704)
    rows[20:, 1:] += rng.integers(0, 2, 2704)
    assert p_value("face-change-point", rows) < 1e-6
    assert p_value("face-drift", rows) < 1e-6


def test_eight_rows_in_turn_are_compared_by_two_by_four_and_by_eight() -> None:
    rows = table(4)[:8] * 5
    rows[:, 1:] = np.random.default_rng(5).binomial(2_000, 1 / 52, (8, 2704))
    assert p_value("face-phases", rows) > 1e-3
    rows[3, 1 + 5] += 80
    assert p_value("face-phases", rows) < 1e-6
    assert DECK_TESTS["face-phases"].judge.findings(rows, 16_000)[0].place.endswith("row 3 of every 8")


def test_strata_without_decks_are_passed_over() -> None:
    rows = table()
    rows[5] = 0
    assert 0 < p_value("face-change-point", rows) <= 1


def test_nothing_to_compare_is_no_evidence() -> None:
    assert p_value("face-change-point", table()[:1]) == 1.0
    assert p_value("hands-phases", np.zeros((2, 49), np.int64)) == 1.0


def test_counts_are_compared_each_by_its_own_law() -> None:
    rng, columns = np.random.default_rng(6), []
    judge = DECK_TESTS["face-counts-change-point"].judge
    for law in judge.laws:
        columns += [np.full(STRETCHES, WIDTH), rng.normal(WIDTH * law().mean, law().deviation * WIDTH**0.5, STRETCHES)]
    rows = np.stack(columns, axis=1).round().astype(np.int64)
    assert p_value("face-counts-change-point", rows) > 1e-3
    rows[25:, 2 * 2 + 1] += 150  # descents, from 62.5 % on
    assert p_value("face-counts-change-point", rows) < 1e-6
    assert judge.findings(rows, 16_000)[0].place == "mean number of descents: change after 62% of the run"


@pytest.mark.parametrize("change", list(Change))
def test_the_power_function_comes_back_from_where_it_went(change: Change) -> None:
    for test in DECK_TESTS.values():
        if getattr(test.judge, "change", None) is change:
            effect = test.judge.least_effect(100_000, 1e-4, 0.8)
            assert test.judge.decks_for(effect, 1e-4, 0.8) == pytest.approx(100_000)
