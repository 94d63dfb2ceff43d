"""Weighted sums: their means and covariances against every order of a few cards."""

from itertools import permutations

import numpy as np
import pytest

from randomness.decks.judges.base import Chance
from randomness.decks.judges.weighted import of_orders, of_pairs
from randomness.decks.registry import DECK_TESTS


@pytest.mark.parametrize("copies", [(1, 1, 1, 1, 1), (2, 1, 3), (3, 3)])
def test_sums_over_a_table_have_the_moments_of_every_order(copies: tuple[int, ...]) -> None:
    deck = np.repeat(np.arange(len(copies)), copies)
    n, rng = len(deck), np.random.default_rng(2)
    questions = [(str(number), rng.standard_normal((n, len(copies)))) for number in range(4)]
    sums = of_orders(questions, copies)
    seen = np.array([
        [table[np.arange(n), deck[list(order)]].sum() for _, table in questions] for order in permutations(range(n))
    ])  # fmt: skip
    np.testing.assert_allclose(sums.mean, seen.mean(axis=0))
    np.testing.assert_allclose(sums.covariance, np.cov(seen.T, bias=True), atol=1e-12)


@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 3), (4, 2), (1, 2, 3)])
def test_sums_over_pairs_have_the_moments_of_every_order(sizes: tuple[int, ...]) -> None:
    deck = np.repeat(np.arange(len(sizes)), sizes)
    n = len(deck)
    sums = of_pairs(n, sizes, "one kind")
    seen = []
    for order in permutations(range(n)):
        kinds = deck[list(order)]
        seen.append(sums.weights @ np.triu(np.equal.outer(kinds, kinds), 1).ravel())
    np.testing.assert_allclose(sums.mean, np.mean(seen, axis=0))
    np.testing.assert_allclose(sums.covariance, np.cov(np.array(seen).T, bias=True), atol=1e-12)


def test_an_even_table_answers_every_question_with_its_mean() -> None:
    judge = DECK_TESTS["classes-by-region"].judge
    cells = np.full(52 * 52, 100)
    assert np.abs(judge.scores(cells, 5_200)).max() < 1e-9
    assert judge.verdict(cells, 5_200, Chance(1)).p == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["classes-by-region", "input-lanes", "suit-by-distance"])
def test_the_power_function_comes_back_from_where_it_went(name: str) -> None:
    judge = DECK_TESTS[name].judge
    assert judge.decks_for(judge.least_effect(50_000, 1e-4, 0.8), 1e-4, 0.8) == pytest.approx(50_000)
