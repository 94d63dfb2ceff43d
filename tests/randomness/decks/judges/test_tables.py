"""Laws of tables, each against brute force over all orders of a few cards or against simulation of its moments."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from randomness.decks.judges import tables
from randomness.decks.judges.base import Chance
from randomness.decks.registry import DECK_TESTS
from randomness.decks.tails import equal_cells

CHANCE = np.random.default_rng(9)


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_distance_law_against_every_order(n: int) -> None:
    rows = []
    for w in permutations(range(n)):
        places = np.argsort(w)
        rows.append(np.bincount(np.abs(np.diff(places)), minlength=n)[1:])
    mean, covariance = tables.distance_law(n)
    np.testing.assert_allclose(np.mean(rows, axis=0), mean)
    np.testing.assert_allclose(np.cov(np.array(rows).T, bias=True), covariance, atol=1e-12)


def decks(many: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52), (many, 1)), axis=1)


def position_cells(rows: np.ndarray) -> np.ndarray:
    return np.array([np.bincount(rows[:, i], minlength=52) for i in range(52)]).ravel()


def test_the_card_by_position_sum_has_its_exact_moments_for_few_decks() -> None:
    judge = DECK_TESTS["card-by-position"].judge
    sums = [judge.measure(position_cells(decks(8, seed)), 8) for seed in range(3_000)]
    law = judge.law(8)
    assert np.mean(sums) == pytest.approx(law.mean, rel=0.002)
    assert np.var(sums) == pytest.approx(law.variance, rel=0.1)
    third = np.mean((np.array(sums) - law.mean) ** 3)
    assert third == pytest.approx(law.third, rel=0.4)


def test_lumping_keeps_the_ratio_52_to_51() -> None:
    for name, freedom in (("suit-by-position", 153), ("rank-by-position", 612), ("colour-by-position", 51)):
        law = DECK_TESTS[name].judge.law(1000)
        assert law.mean == pytest.approx(52 / 51 * freedom)
    assert DECK_TESTS["card-by-seat"].judge.law(1000).mean == pytest.approx(52 / 51 * 51 * 8)


def test_the_adjacent_pair_sum_has_mean_2601_and_variance_5302() -> None:
    law = DECK_TESTS["adjacent-pairs"].judge.law(1000)
    assert law.mean == pytest.approx(2601)
    assert law.variance == pytest.approx(5302.0, abs=0.1)


def test_adjacent_pairs_by_brute_force_have_those_eigenvalues() -> None:
    n = 5
    cells = []
    for w in permutations(range(n)):
        table = np.zeros((n, n))
        for a, b in pairwise(w):
            table[a, b] = 1
        cells.append(table[~np.eye(n, dtype=bool)])
    values = np.linalg.eigvalsh(np.cov(np.array(cells).T, bias=True))
    expected = [1 / (n * (n - 1))] * (2 * (n - 1)) + [1 / n] * (n * (n - 3) // 2)
    expected += [(n + 1) / (n * (n - 1))] * ((n - 1) * (n - 2) // 2) + [0] * (n * (n - 1) - 2 * (n - 1) - 5 - 6)
    np.testing.assert_allclose(np.sort(values), np.sort(expected), atol=1e-12)


def test_too_even_a_table_is_as_suspect_as_an_uneven_one() -> None:
    judge = DECK_TESTS["card-by-position"].judge
    even = np.full(2704, 100)
    assert judge.verdict(even, 5200, Chance(1)).p < 1e-100


def test_lehmer_digits_have_1326_degrees_of_freedom() -> None:
    assert DECK_TESTS["lehmer-digits"].judge.law(1000).mean == 1326


def test_the_covariance_of_adjacent_pairs_is_that_of_its_eigenvalues() -> None:
    n = 12
    values = np.linalg.eigvalsh(tables.adjacent_law((1,) * n)[1])
    for eigenvalue, times in (
        (1 / (n * (n - 1)), 2 * (n - 1)),
        (1 / n, n * (n - 3) // 2),
        ((n + 1) / (n * (n - 1)), (n - 1) * (n - 2) // 2),
    ):
        assert np.isclose(values, eigenvalue, rtol=1e-6).sum() == times


@pytest.mark.parametrize(("name", "freedom"), [("suit-follows-suit", 15), ("rank-follows-rank", 168)])
def test_lumped_adjacent_pairs_have_as_many_degrees_of_freedom_as_said(name: str, freedom: int) -> None:
    judge = DECK_TESTS[name].judge
    assert judge.law(1000).mean == freedom
    sums = []
    for seed in range(60):
        rows = decks(200, seed)
        cells = np.bincount((rows[:, :-1] * 52 + rows[:, 1:]).ravel(), minlength=2704)
        sums.append(judge.measure(cells, 200))
    assert np.mean(sums) == pytest.approx(freedom, abs=5 * np.sqrt(2 * freedom / 60))


@pytest.mark.parametrize("sizes", [(2, 1, 3), (2, 2, 2), (1, 1, 4)])
def test_mean_and_covariance_of_who_follows_whom_are_those_of_every_order(sizes) -> None:
    deck = [face for face, size in enumerate(sizes) for _ in range(size)]
    kinds = len(sizes)
    counted = []
    for order in permutations(range(len(deck))):
        table = np.zeros((kinds, kinds))
        for a, b in pairwise(order):
            table[deck[a], deck[b]] += 1
        counted.append(table.ravel())
    mean, covariance = tables.adjacent_law(sizes)
    assert np.allclose(mean, np.mean(counted, axis=0))
    assert np.allclose(covariance, np.cov(np.array(counted).T, bias=True))


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
        (None, tables.whole_table(copies)),
        (1, tables.multinomial(share / n)),
        (0, tables.places_of_a_card(copies[0], n)),
    ):
        found, expected = sums_of(rows, len(copies), share, axis, samples), law(decks)
        assert found.mean() == pytest.approx(expected.mean, rel=0.03)
        assert found.var() == pytest.approx(expected.variance, rel=0.08)
        third = ((found - found.mean()) ** 3).mean()
        assert third == pytest.approx(expected.third, rel=0.5)


def test_equal_cells_are_a_special_case() -> None:
    exact, found = equal_cells(20, 300), tables.multinomial(np.full(20, 0.05))(300)
    assert (found.mean, found.variance, found.third) == pytest.approx((exact.mean, exact.variance, exact.third))
    one = tables.places_of_a_card(1, 20)(300)
    assert (one.mean, one.variance, one.third) == pytest.approx((exact.mean, exact.variance, exact.third))
