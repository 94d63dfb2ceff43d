"""Tests that wait: how many segments the draws should hold, and that the classes do not depend on how many they did."""

import numpy as np
import pytest

from randomness.draws import named
from randomness.draws.waiting import CouponCollector, Gap, RunsAboutTheMiddle, RunsDown, RunsUp
from randomness.result import Outcome

SEGMENTS = (Gap, CouponCollector, RunsUp, RunsDown, RunsAboutTheMiddle)


@pytest.mark.parametrize("make", SEGMENTS)
@pytest.mark.parametrize("bound", [2, 3, 5, 13, 52, 97])
def test_the_mean_length_is_that_of_ideal_draws(make: type[Gap], bound: int) -> None:
    tally = make(bound)
    tally.update(np.random.default_rng(bound).integers(0, bound, 500_000))
    assert tally.samples == pytest.approx(tally.draws / tally.mean_draws, rel=0.01)


@pytest.mark.parametrize("make", SEGMENTS)
def test_classes_are_joined_for_the_draws_and_not_for_the_segments_found(make: type[Gap]) -> None:
    rng = np.random.default_rng(5)
    pooled, found = set(), set()
    for _ in range(40):
        tally = make(3)
        tally.update(rng.integers(0, 3, tally.least_draws))
        pooled.add(tally.pooled_for)
        found.add(tally.samples)
    assert len(pooled) == 1
    assert len(found) > 10


def test_a_source_without_marks_is_found_out_though_its_gaps_are_few() -> None:
    tally = named("gap").accumulator(52)
    tally.update(np.random.default_rng(1).integers(13, 52, 50_000))
    result = tally.evaluate()
    assert result.outcome is Outcome.TESTED
    assert result.p is not None
    assert result.p < 1e-12
