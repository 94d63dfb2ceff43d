"""The calibration of the tests on drawn numbers at its small size, and that it notices draws that are not even."""

import numpy as np
import pytest

from proofs.draw_calibration import calibrate, far_report, far_tail, product_draws, report
from randomness.draws import TESTS

QUICK = tuple(test.name for test in TESTS if test.least_draws(52) < 30_000)


def crowded(seed: int, stream: int, bound: int, count: int) -> np.ndarray:
    draws = product_draws(seed, stream, bound, count)
    return np.where(draws >= bound - 3, draws % 3, draws)


@pytest.mark.slow
@pytest.mark.parametrize("bound", [6, 52])
def test_p_values_are_uniform_on_ideal_draws(bound: int) -> None:
    spreads = calibrate(runs=60, bounds=(bound,), workers=2, names=QUICK)
    assert [one.test for one in spreads] == list(QUICK)
    assert not [one for one in spreads if not one.uniform]
    assert report(spreads).count("| none |") == len(QUICK)


@pytest.mark.slow
def test_long_tests_are_uniform_too() -> None:
    long = tuple(test.name for test in TESTS if test.name not in QUICK)
    spreads = calibrate(runs=40, bounds=(52,), workers=2, names=long)
    assert {one.test for one in spreads} == {"poisson", "spectral"}
    assert not [one for one in spreads if not one.uniform]


def test_crowded_draws_are_not_called_uniform() -> None:
    spreads = calibrate(runs=20, bounds=(52,), source=crowded, workers=1, names=("frequency", "gap"))
    assert {one.uniform for one in spreads} == {False}


def test_a_test_that_says_nothing_about_a_bound_is_left_out() -> None:
    assert calibrate(runs=2, bounds=(3,), workers=1, names=("permutation",)) == ()


@pytest.mark.slow
def test_the_far_tail_of_a_few_runs_is_empty() -> None:
    found = far_tail(runs=6, workers=2)
    assert set(found) == {test.name for test in TESTS}
    assert {runs for runs, _ in found.values()} == {6}
    assert sum(tiny for _, tiny in found.values()) == 0
    assert far_report(found).count("| yes |") == len(TESTS)
