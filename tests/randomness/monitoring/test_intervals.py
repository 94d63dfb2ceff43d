"""Confidence sequences: they hold at every round at once, also when the chance changes on the way, and they narrow."""

import numpy as np

from randomness.monitoring.intervals import boundary, excess_interval


def test_a_boundary_grows_with_the_spread_and_with_the_confidence() -> None:
    assert boundary(10, 0.01) < boundary(100, 0.01) < boundary(100, 0.0001)
    assert boundary(10_000, 0.01) / 10_000 < boundary(100, 0.01) / 100


def test_nothing_seen_says_nothing() -> None:
    assert excess_interval(0, 0, 0, 0, 0.05) == (-1.0, 1.0)


def test_the_average_excess_is_inside_at_every_round_of_most_streams() -> None:
    rng = np.random.default_rng(6)
    rounds, fair = 2_000, 0.02
    true = np.where(np.arange(rounds) < 1_000, 0.02, 0.06)
    missed = 0
    for _ in range(60):
        hits = rng.random(rounds) < true
        seen, spread = np.cumsum(hits), np.cumsum((hits - fair) ** 2)
        average = np.cumsum(true - fair) / np.arange(1, rounds + 1)
        for at in range(0, rounds, 20):
            low, high = excess_interval(float(seen[at]), fair * (at + 1), float(spread[at]), at + 1, 0.1)
            if not low <= average[at] <= high:
                missed += 1
                break
    assert missed <= 14  # 6 expected at the level; 14 is exceeded once in a thousand


def test_a_large_effect_is_soon_outside() -> None:
    low, _ = excess_interval(hits=400, expected=100, spread=400, trials=1_000, level=0.001)
    assert low > 0.1
