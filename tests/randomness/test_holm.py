"""Holm's rule."""

import numpy as np
import pytest

from randomness.holm import chance_of_an_alarm, holm


def test_the_step_down_of_a_small_family() -> None:
    """0.01 × 4, 0.02 × 3, 0.03 × 2 and 0.04 × 1, each at least the one before."""
    said = holm({"a": 0.03, "b": 0.01, "c": 0.04, "d": 0.02}, 0.05)
    assert said.adjusted == pytest.approx({"b": 0.04, "d": 0.06, "a": 0.06, "c": 0.06})
    assert said.rejected == ("b",)
    assert not said.passed


def test_nothing_is_rejected_above_the_level() -> None:
    said = holm({"a": 0.5, "b": 0.9}, 0.05)
    assert said.passed
    assert said.adjusted == {"a": 1.0, "b": 1.0}


def test_several_are_rejected_together() -> None:
    assert holm({"a": 1e-9, "b": 1e-8, "c": 0.5}, 0.01).rejected == ("a", "b")


def test_false_alarms_keep_to_the_level() -> None:
    rng = np.random.default_rng(1)
    alarms = sum(not holm(dict(enumerate(map(float, rng.random(50)))), 0.1).passed for _ in range(2_000))  # type: ignore[arg-type]
    assert alarms / 2_000 == pytest.approx(1 - (1 - 0.1 / 50) ** 50, abs=0.025)


def test_fifty_two_positions_at_99_percent_each_fail_a_perfect_device_41_percent_of_the_time() -> None:
    assert chance_of_an_alarm(52, 0.01) == pytest.approx(0.41, abs=0.005)
