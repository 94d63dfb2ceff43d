"""Dealt hands: exact covariances, lumping, and the permutation argument for strength."""

import numpy as np
import pytest

from randomness.decks.hands import categories
from randomness.decks.judges import dealing
from randomness.decks.judges.base import Chance
from randomness.decks.kinds import STANDARD
from randomness.decks.registry import DECK_TESTS

CATEGORY_COUNTS, HANDS = categories(STANDARD).counts, 22_100


def test_rare_categories_are_lumped_until_they_are_common_enough() -> None:
    assert dealing._lumped(STANDARD, 100).kept == 2
    assert dealing._lumped(STANDARD, 600).kept == 3
    assert dealing._lumped(STANDARD, 23_100).kept == 6
    shares = np.array(CATEGORY_COUNTS) / HANDS
    for hands in (100, 520, 5_000, 10**6):
        kept = dealing._lumped(STANDARD, hands).kept
        assert hands * shares[kept - 1 :].sum() >= 50 or kept == 2


@pytest.mark.parametrize("hands", [100, 600, 5_000, 23_100])
def test_lumped_covariances_have_no_mass_of_their_own(hands: int) -> None:
    lump = dealing._lumped(STANDARD, hands)
    assert lump.share.sum() == pytest.approx(1)
    for covariance in dealing._covariances(STANDARD, lump):
        np.testing.assert_allclose(covariance.sum(0), 0, atol=1e-12)


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


def test_orders_that_are_equally_frequent_give_no_sum() -> None:
    assert DECK_TESTS["group-order"].judge.measure(np.full(48, 100), 600) == 0.0
    cells = np.full((8, 6), 100)
    cells[2, 0] = 180
    place = DECK_TESTS["group-order"].judge.findings(cells.ravel(), 600)[0].place
    assert place == "player 3, group of 3 by face: lowest, middle, highest"
