"""Section 4.2: the share that passes and the spread of p-values."""

import numpy as np
import pytest

from randomness.bits import frequency, gather, second_level
from randomness.bits.second_level import interval
from randomness.bits.sequence import Bits


@pytest.mark.parametrize(("sequences", "low"), [(100, 0.96015), (1_000, 0.98056)])
def test_the_interval_of_the_standard(sequences: int, low: float) -> None:
    assert interval(sequences)[0] == pytest.approx(low, abs=6e-6)


@pytest.mark.parametrize(("passed", "ok"), [(96, False), (97, True), (100, True)])
def test_of_a_hundred_sequences_97_must_pass(passed: int, ok: bool) -> None:
    judged = second_level("t", [0.5] * passed + [0.001] * (100 - passed))
    assert (judged.passed, judged.share_ok) == (passed, ok)


def test_of_a_thousand_sequences_all_is_too_many() -> None:
    assert second_level("t", [0.5] * 1_000).share_ok is False
    assert second_level("t", [0.5] * 981 + [0.001] * 19).share_ok is True


def test_uniform_p_values_are_uniform_and_crowded_ones_are_not() -> None:
    even = np.linspace(0.0005, 0.9995, 1_000).tolist()
    assert second_level("t", even).uniformity == pytest.approx(1.0)
    crowded = second_level("t", [p**0.5 for p in even])
    assert crowded.uniform_ok is False
    assert crowded.uniformity is not None
    assert crowded.uniformity < 1e-50


def test_a_p_of_one_falls_into_the_last_bin() -> None:
    assert second_level("t", [1.0, 0.0, 0.1]).bins == (1, 1, 0, 0, 0, 0, 0, 0, 0, 1)


def test_fewer_than_55_sequences_say_nothing_about_uniformity() -> None:
    assert second_level("t", [0.5] * 54).uniformity is None
    assert second_level("t", [0.5] * 55).uniformity is not None


def test_sequences_without_a_p_value_are_not_counted() -> None:
    long, short = Bits([0, 1] * 100, compiled=False), Bits([0, 1], compiled=False)
    (level,) = gather([*frequency(long), *frequency(short)])
    assert (level.test, level.sequences, level.passed) == ("frequency", 1, 1)
    (none,) = gather(frequency(short))
    assert (none.sequences, none.share_ok, none.uniform_ok) == (0, True, True)
