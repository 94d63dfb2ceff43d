"""Dealt hands: exact covariances, lumping, and the permutation argument for strength."""

import numpy as np
import pytest

from randomness.decks.hands import CATEGORY_COUNTS, HANDS
from randomness.decks.judges import dealing
from randomness.decks.judges.base import Chance
from randomness.decks.registry import DECK_TESTS


def test_rare_categories_are_lumped_until_they_are_common_enough() -> None:
    assert dealing._kept(100) == 2
    assert dealing._kept(600) == 3
    assert dealing._kept(23_100) == 6
    shares = np.array(CATEGORY_COUNTS) / HANDS
    for hands in (100, 520, 5_000, 10**6):
        kept = dealing._kept(hands)
        assert hands * shares[kept - 1 :].sum() >= 50 or kept == 2


@pytest.mark.parametrize("kept", [2, 3, 4, 5, 6])
def test_lumped_covariances_have_no_mass_of_their_own(kept: int) -> None:
    lump = dealing._lumping(kept)
    assert lump.share.sum() == pytest.approx(1)
    np.testing.assert_allclose(lump.one.sum(0), 0, atol=1e-12)
    np.testing.assert_allclose(lump.two.sum(0), 0, atol=1e-12)


def test_exact_frequencies_at_every_seat_give_the_least_possible_sum() -> None:
    cells = np.tile(np.array(CATEGORY_COUNTS), 8)
    for name in ("hand-categories", "hands-by-seat", "seats-alike"):
        judge = DECK_TESTS[name].judge
        assert np.max(judge.measure(cells, HANDS)) == pytest.approx(0, abs=1e-18)


def test_the_sum_over_seats_is_chi_square_when_seats_could_be_exchanged() -> None:
    rng = np.random.default_rng(1)
    scores = np.array([-7, -5, -3, -1, 1, 3, 5, 7])
    sums = []
    for _ in range(2_000):
        seats = rng.permuted(np.tile(scores, (50, 1)), axis=1).sum(0)
        cells = np.append(seats, 50 * (scores**2).sum())
        sums.append(DECK_TESTS["seat-strength"].judge.measure(cells, 50))
    assert np.mean(sums) == pytest.approx(7, rel=0.03)
    assert np.var(sums) == pytest.approx(14, rel=0.12)


def test_deals_that_all_tie_say_nothing() -> None:
    cells = np.zeros(9, np.int64)
    assert DECK_TESTS["dealer-against-players"].judge.verdict(cells, 100, Chance(1)).p == 1.0


def test_an_order_that_cannot_be_is_not_counted_as_expected() -> None:
    cells = np.zeros((8, 8), np.int64)
    cells[:, [0, 1, 3, 4, 6, 7]] = 100
    assert DECK_TESTS["group-order"].judge.measure(cells.ravel(), 600) == 0.0
