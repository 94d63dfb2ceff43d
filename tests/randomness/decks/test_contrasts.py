"""Comparisons of strata: weights that add up to nought, scores that are normal into the tail."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from randomness.decks import contrasts

DECKS = np.array([100.0, 100.0, 0.0, 100.0, 60.0])


@pytest.mark.parametrize(
    "compared",
    [contrasts.cuts(DECKS), contrasts.drift(DECKS), contrasts.phases(DECKS[:4] + 1, 2)],
    ids=lambda compared: compared.names[0],
)
def test_weights_times_decks_add_up_to_nought(compared: contrasts.Contrasts) -> None:
    decks = DECKS if compared.weights.shape[1] == 5 else DECKS[:4] + 1
    np.testing.assert_allclose(compared.weights @ decks, 0.0, atol=1e-9)
    assert len(compared.names) == len(compared.weights)


@pytest.mark.parametrize("compared", [contrasts.cuts(DECKS), contrasts.drift(DECKS), contrasts.phases(DECKS, 2)])
def test_tables_add_up_by_weight_and_by_first_side_as_matrices_would(compared: contrasts.Contrasts) -> None:
    table = np.random.default_rng(1).integers(0, 50, (5, 7))
    np.testing.assert_allclose(compared.added_up(table), compared.weights @ table, atol=1e-9)
    if len(compared.shares):
        first = compared.weights + compared.shares[:, None]
        np.testing.assert_allclose(compared.first_side(table), first @ table, atol=1e-9)


def test_cuts_lie_between_stretches_with_decks() -> None:
    assert contrasts.cuts(DECKS).shares.tolist() == pytest.approx([100 / 360, 200 / 360, 300 / 360])
    assert len(contrasts.cuts(DECKS, least_share=0.3).shares) == 1


def test_periods_are_the_divisors_and_two_phases_are_compared_once() -> None:
    assert contrasts.turns(2) == (2,)
    assert contrasts.turns(8) == (2, 4, 8)
    assert len(contrasts.phases(np.ones(8), 2).weights) == 1
    assert contrasts.phases(np.ones(8), 4).names[0] == "row 4 of every 4"


@pytest.mark.parametrize("share", [0.5, 0.25, 0.1])
@pytest.mark.parametrize("tail", [1e-3, 1e-6])
def test_scores_of_hits_are_those_of_the_hypergeometric_law(share: float, tail: float) -> None:
    law = stats.hypergeom(50_000, 961, int(share * 50_000))
    for x, middle in (
        (float(law.isf(tail)), law.sf(law.isf(tail)) + law.pmf(law.isf(tail)) / 2),
        (float(law.ppf(tail)), law.cdf(law.ppf(tail)) - law.pmf(law.ppf(tail)) / 2),
    ):
        score = contrasts.hit_scores(np.array([share]), np.array([[x]]), np.array([961]), 50_000)[0, 0]
        assert stats.norm.sf(abs(score)) == pytest.approx(middle, rel=0.1)
        assert (score > 0) == (x > share * 961)


def test_too_few_hits_have_no_score() -> None:
    assert contrasts.hit_scores(np.array([0.5]), np.array([[30.0]]), np.array([30]), 1_000)[0, 0] == 0.0


def test_scores_of_sums_are_normal_where_the_count_is_skewed() -> None:
    rng = np.random.default_rng(2)
    decks = np.full(10, 200.0)
    compared = contrasts.cuts(decks, least_share=0.15)
    sums = rng.poisson(200.0, (10, 100_000))
    scores = contrasts.sum_scores(compared.weights, decks, sums, (1.0, 1.0, 1.0))
    for row in scores:
        assert row.mean() == pytest.approx(0.0, abs=0.03)
        assert (row > 3.0).mean() == pytest.approx((row < -3.0).mean(), abs=0.0006)
        assert row.std() == pytest.approx(1.0, abs=0.02)


def test_hits_given_their_total_have_the_kurtosis_of_draws_without_replacement() -> None:
    each, total = 40, 30
    decks = np.full(4, float(each))
    compared = contrasts.drift(decks)
    kurtosis = contrasts.hits_given_total(compared.weights, decks, np.array([total]))[2]
    second, _, fourth = contrasts.moments(compared.weights, decks)
    ways, sums = [], []
    for first in product(range(total + 1), repeat=3):
        last = total - sum(first)
        if last >= 0:
            hits = (*first, last)
            ways.append(math.prod(math.comb(each, count) for count in hits))
            sums.append(float(compared.weights[0] @ hits))
    chance, x = np.array(ways, float) / sum(ways), np.array(sums)
    exact = float(chance @ x**4) / float(chance @ x**2) ** 2 - 3
    assert exact < 0
    assert float(kurtosis[0, 0] * fourth[0] / second[0] ** 2) == pytest.approx(exact, rel=0.03)
