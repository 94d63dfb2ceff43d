"""The cell that stands out: ties, sides, and uniform p-values."""

import numpy as np
import pytest
from scipy import stats

from randomness.decks.judges.base import Chance
from randomness.decks.judges.extremes import least_p
from randomness.decks.judges.positions import one_in
from randomness.decks.registry import DECK_TESTS
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
