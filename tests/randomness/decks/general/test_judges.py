"""Laws of tables of multisets: covariances and cumulants against decks by the thousand and against exact counting."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from randomness.decks.general import judges
from randomness.decks.judges.positions import adjacent_covariance
from randomness.decks.tails import equal_cells

CHANCE = np.random.default_rng(9)


@pytest.mark.parametrize("sizes", [(2, 1, 3), (2, 2, 2), (1, 1, 4)])
def test_mean_and_covariance_of_who_follows_whom_are_those_of_every_order(sizes) -> None:
    deck = [face for face, size in enumerate(sizes) for _ in range(size)]
    kinds = len(sizes)
    tables = []
    for order in permutations(range(len(deck))):
        table = np.zeros((kinds, kinds))
        for a, b in pairwise(order):
            table[deck[a], deck[b]] += 1
        tables.append(table.ravel())
    mean, covariance = judges.adjacent_law(sizes)
    assert np.allclose(mean, np.mean(tables, axis=0))
    assert np.allclose(covariance, np.cov(np.array(tables).T, bias=True))


def test_one_of_each_card_has_the_covariance_of_permutations() -> None:
    assert np.allclose(judges.adjacent_law((1,) * 8)[1], adjacent_covariance(8))


def sums_of(rows: np.ndarray, cards: int, copies: np.ndarray, axis: int | None, samples: int) -> np.ndarray:
    n = rows.shape[1]
    out = []
    for part in np.split(rows, samples):
        table = np.bincount((np.arange(n) * cards + part).ravel(), minlength=n * cards).reshape(n, cards)
        expected = len(part) * copies / n
        squares = (table - expected) ** 2 / expected
        out.append(squares.sum() if axis is None else squares.sum(axis)[0])
    return np.array(out)


@pytest.mark.parametrize("copies", [(3, 3, 3, 3), (1, 1, 1, 1, 2), (4, 1, 1)])
def test_cumulants_of_a_table_and_of_its_lines_are_those_of_many_decks(copies) -> None:
    share, decks, samples = np.array(copies), 6, 10_000
    rows = CHANCE.permuted(np.tile(np.repeat(np.arange(len(copies)), copies), (decks * samples, 1)), axis=1)
    n = rows.shape[1]
    for axis, law in (
        (None, judges.whole_table(copies)),
        (1, judges.multinomial(share / n)),
        (0, judges.places_of_a_card(copies[0], n)),
    ):
        found, expected = sums_of(rows, len(copies), share, axis, samples), law(decks)
        assert found.mean() == pytest.approx(expected.mean, rel=0.03)
        assert found.var() == pytest.approx(expected.variance, rel=0.08)
        third = ((found - found.mean()) ** 3).mean()
        assert third == pytest.approx(expected.third, rel=0.5)


def test_equal_cells_are_a_special_case() -> None:
    exact, found = equal_cells(20, 300), judges.multinomial(np.full(20, 0.05))(300)
    assert (found.mean, found.variance, found.third) == pytest.approx((exact.mean, exact.variance, exact.third))
    one = judges.places_of_a_card(1, 20)(300)
    assert (one.mean, one.variance, one.third) == pytest.approx((exact.mean, exact.variance, exact.third))
