"""Correlations and lags: moments against simulation, findings that name the lag."""

import numpy as np
import pytest

from randomness.decks.judges.base import Chance
from randomness.decks.registry import DECK_TESTS


def test_two_positions_have_the_exact_mean_and_deviation_of_sampling_without_replacement() -> None:
    judge = DECK_TESTS["position-correlation"].judge
    x = 2 * np.arange(52) - 51
    products = np.outer(x, x)[~np.eye(52, dtype=bool)]
    assert judge.mean == pytest.approx(products.mean())
    assert judge.deviation == pytest.approx(products.std())


def test_independent_decks_have_no_serial_correlation_and_the_right_spread() -> None:
    rng = np.random.default_rng(1)
    rows = 2 * rng.permuted(np.tile(np.arange(52), (400, 1)), axis=1) - 51
    cells = (rows[:-1].T @ rows[1:]).ravel()
    judge = DECK_TESTS["serial-correlation"].judge
    law = judge.law(399)
    assert abs(judge.measure(cells, 399) - law.mean) < 5 * law.variance**0.5


def test_lags_without_decks_are_left_out() -> None:
    cells = np.zeros((16, 53), np.int64)
    cells[0, 1] = 3
    cells[1, 1] = 2
    verdict = DECK_TESTS["lag-matches"].judge.verdict(cells.ravel(), 3, Chance(1))
    assert 0 < verdict.p <= 1


def test_the_lag_that_stands_out_is_named_first() -> None:
    cells = np.zeros((16, 53), np.int64)
    cells[:, 1] = 1000
    cells[6] = 0
    cells[6, 2] = 1000
    judge = DECK_TESTS["lag-matches"].judge
    assert judge.findings(cells.ravel(), 1000)[0].place == "lag 7, cards in place"
    assert judge.effect(cells.ravel(), 1000).value == pytest.approx(1.0)
