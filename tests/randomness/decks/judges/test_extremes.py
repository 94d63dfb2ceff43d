"""The cell that stands out: ties, sides, and uniform p-values."""

import numpy as np
import pytest
from scipy import stats

from randomness.decks.judges.base import Chance
from randomness.decks.judges.extremes import least_p
from randomness.decks.registry import DECK_TESTS
from randomness.decks.rows.exact import one_in
from randomness.decks.tails import sidak


def test_the_least_p_of_many_binomials_is_uniform_after_allowing_for_their_number() -> None:
    rng = np.random.default_rng(1)
    p = [
        sidak(least_p(one_in(52), rng.binomial(40, 1 / 52, 100), 40, Chance(int(rng.integers(2**63)))), 100)
        for _ in range(4_000)
    ]
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_both_sides_count() -> None:
    low = np.array([500, 500, 300])
    high = np.array([500, 500, 720])
    for totals in (low, high):
        assert least_p(one_in(52), totals, 26_000, Chance(1)) < 1e-8


def test_the_worst_cell_is_named_with_its_numbers() -> None:
    cells = np.full(2704, 100)
    cells[52 * 6 + 36] = 190
    finding = DECK_TESTS["each-cell"].judge.findings(cells, 5200)[0]
    assert (finding.place, finding.observed, finding.expected) == ("Q♥ at position 7", 190.0, pytest.approx(100.0))
    assert DECK_TESTS["each-cell"].judge.effect(cells, 5200).value == pytest.approx(0.9)


def test_cells_of_several_laws_are_uniform_together_and_the_worst_is_named() -> None:
    judge = DECK_TESTS["each-hand-by-seat"].judge
    rng, p = np.random.default_rng(2), []
    shares = [group.law().mean for group in judge.groups]
    for _ in range(1_500):
        cells = rng.multinomial(800, shares, 8).ravel()
        p.append(judge.verdict(cells, 800, Chance(int(rng.integers(2**63)))).p)
    # Kinds of one hand exclude each other, so allowing for all of them errs a little on the safe side.
    assert stats.kstest(p, "uniform", alternative="greater").pvalue > 0.001
    cells[6 * 2 + 1] += 90
    assert judge.verdict(cells, 800, Chance(1)).p < 1e-6
    assert judge.findings(cells, 800)[0].place == "pair at player 3"


def test_each_card_at_a_seat_is_the_sum_over_its_three_positions() -> None:
    cells = np.full((52, 52), 100)
    cells[6:9, 36] = [130, 140, 120]
    judge = DECK_TESTS["each-card-by-seat"].judge
    finding = judge.findings(cells.ravel(), 5_200)[0]
    assert (finding.place, finding.observed, finding.expected) == ("Q♥ at player 3", 390.0, pytest.approx(300.0))


def test_a_suit_that_clumps_is_named() -> None:
    cells = np.full((52, 52), 100)
    np.fill_diagonal(cells, 0)
    cells[26:39, 26:39] += 12
    judge = DECK_TESTS["kinds-that-stick"].judge
    assert judge.findings(cells.ravel(), 5_200)[0].place == "♥ next to ♥"
    assert judge.verdict(cells.ravel(), 5_200, Chance(1)).p < 1e-6
