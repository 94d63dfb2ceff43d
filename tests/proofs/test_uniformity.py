"""When p-values count as uniform."""

import pytest

from proofs.uniformity import FAR, largest_distance, spread, tail_bounds


def test_the_bounds_for_two_thousand_runs_and_for_the_far_tail() -> None:
    assert largest_distance(2_000) == pytest.approx(0.050)
    assert tail_bounds(2_000) == (5, 39)
    assert tail_bounds(100_000, FAR) == (1, 24)


def test_uniform_and_crowded_p_values() -> None:
    even = [(i + 0.5) / 2_000 for i in range(2_000)]
    assert spread("t", "", even).uniform
    assert spread("t", "", even).distance == pytest.approx(0.00025)
    assert not spread("t", "", [p**0.8 for p in even]).uniform
    assert not spread("t", "", [max(p, 0.011) for p in even]).uniform
