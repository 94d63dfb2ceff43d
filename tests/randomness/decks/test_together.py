"""The largest of correlated scores: equal to formulas where there are some, and to counted samples elsewhere."""

import math

import numpy as np
import pytest

from randomness.decks.tails import normal_tails, sidak
from randomness.decks.together import any_passes, exclusive, worth, worth_of_many

INDEPENDENT = np.eye(4)


@pytest.mark.parametrize("z", [1.0, 2.0, 4.0, 7.0, 12.0])
def test_independent_scores_are_worth_their_number(z: float) -> None:
    assert worth(z, INDEPENDENT) == pytest.approx(4, rel=0.01)


@pytest.mark.parametrize("z", [0.5, 2.0, 6.0])
def test_scores_that_are_one_and_the_same_are_worth_one(z: float) -> None:
    assert worth(z, np.ones((3, 3))) == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("rho", [-0.7, 0.3, 0.9])
def test_two_scores_above_nought_follow_sheppards_formula(rho: float) -> None:
    both = 0.25 + math.asin(rho) / (2 * math.pi)
    found = any_passes([0.0, 0.0], np.array([[1, rho], [rho, 1]]), sides=1)
    assert found == pytest.approx(1 - both, abs=0.003)


def test_limits_may_differ() -> None:
    correlation = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.1], [0.2, 0.1, 1.0]])
    limits = [1.2, 1.6, 2.0]
    scores = np.random.default_rng(1).multivariate_normal(np.zeros(3), correlation, 400_000)
    for sides, seen in ((1, scores), (2, np.abs(scores))):
        share = float((seen > limits).any(axis=1).mean())
        assert any_passes(limits, correlation, sides=sides) == pytest.approx(share, rel=0.015)


def test_far_out_nothing_is_lost_to_rounding() -> None:
    assert any_passes([30.0] * 4, INDEPENDENT) == pytest.approx(8 * normal_tails(30.0).upper, rel=1e-9)
    assert worth(38.0, INDEPENDENT) == worth(100.0, INDEPENDENT) == 4


def test_of_two_kinds_of_hand_one_says_all() -> None:
    assert worth(2.0, exclusive([0.6, 0.4])) == pytest.approx(1, rel=1e-6)
    assert 5 < worth(3.0, exclusive([0.74, 0.17, 0.05, 0.03, 0.005, 0.005])) < 6


def test_many_scores_are_worth_what_simulation_says() -> None:
    rng = np.random.default_rng(8)
    loads = rng.standard_normal((60, 12))
    correlation = loads @ loads.T
    scale = np.sqrt(np.diag(correlation))
    correlation = correlation / np.outer(scale, scale)
    largest = np.abs(rng.standard_normal((40_000, 12)) @ (loads / scale[:, None]).T).max(axis=1)
    for share in (0.3, 0.05, 0.01):
        z = float(np.quantile(largest, 1 - share))
        assert sidak(2 * normal_tails(z).upper, worth_of_many(z, correlation)) == pytest.approx(share, rel=0.2)


def test_many_scores_are_never_worth_more_than_they_are() -> None:
    alone = np.eye(40)
    for z in (0.5, 2.1, 3.3, 6.0, 30.0):
        assert worth_of_many(z, alone) <= 40
    assert worth_of_many(4.0, alone) == pytest.approx(40, rel=0.01)
    assert worth_of_many(4.0, np.ones((40, 40))) == pytest.approx(1, rel=0.01)
