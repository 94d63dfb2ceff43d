"""The law of the largest of correlated scores: against simulation, and from the middle into the far tail."""

import numpy as np
import pytest

from randomness.decks.scan import correlations, scan_limit, scan_tail
from randomness.decks.tails import normal_tails

CUTS = correlations([cut / 40 for cut in range(1, 40)])


def largest(runs: int) -> np.ndarray:
    sums = np.random.default_rng(1).standard_normal((runs, 40)).cumsum(axis=1)
    f = np.arange(1, 40) / 40
    return (sums[:, :-1] - f * sums[:, -1:]) / np.sqrt(40 * f * (1 - f))


@pytest.mark.parametrize("z", [1.5, 2.5, 3.0])
def test_the_tail_is_that_of_simulated_runs(z: float) -> None:
    found = largest(40_000)
    assert scan_tail(z, CUTS) == pytest.approx((np.abs(found).max(axis=1) > z).mean(), abs=0.008)
    assert scan_tail(z, CUTS, sides=1) == pytest.approx((found.max(axis=1) > z).mean(), abs=0.008)


def test_far_out_the_bound_takes_over_without_a_step() -> None:
    tails = [scan_tail(z, CUTS) for z in np.arange(5.0, 9.0, 0.05)]
    ratios = np.array(tails[1:]) / tails[:-1]
    assert (ratios < 0.85).all()
    assert (ratios > 0.5).all()
    assert scan_tail(8.0, CUTS) < 39 * 2 * normal_tails(8.0).upper


def test_one_cut_is_one_score_and_more_cuts_are_never_less() -> None:
    assert scan_tail(3.0, np.zeros(0)) == pytest.approx(2 * normal_tails(3.0).upper)
    assert scan_tail(3.0, CUTS) > scan_tail(3.0, CUTS[:5]) > scan_tail(3.0, np.zeros(0))
    assert scan_tail(0.0, CUTS) == 1.0


def test_the_limit_has_its_level() -> None:
    assert scan_tail(scan_limit(0.01, CUTS), CUTS) == pytest.approx(0.01, rel=1e-6)
