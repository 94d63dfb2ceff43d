"""Sequences together, and the collective verdict."""

import numpy as np
import pytest

from randomness.bits import Bits, named
from randomness.bits.battery import BitBattery, _share_tail
from randomness.errors import BitsError
from randomness.result import Outcome

SHORT = tuple(test for name in ("frequency", "block-frequency", "runs", "cumulative-sums") if (test := named(name)))


def even(seed: int, n: int = 20_000) -> Bits:
    return Bits(np.random.default_rng(seed).integers(0, 2, n, dtype=np.uint8), compiled=False)


def test_even_bits_pass_and_every_result_is_kept() -> None:
    battery = BitBattery(SHORT)
    for seed in range(60):
        battery.add(even(seed))
    verdict = battery.verdict()
    assert verdict.passed
    assert (verdict.sequences, verdict.tested) == (60, 300)
    assert verdict.collective.tests == 300 + 2 * 5
    assert {level.sequences for level in verdict.second_levels} == {60}


def test_one_bad_sequence_fails_the_whole_and_is_named() -> None:
    battery = BitBattery(SHORT)
    battery.add(even(1))
    battery.add(Bits([1, 1, 0, 1] * 5_000, compiled=False))
    verdict = battery.verdict()
    assert not verdict.passed
    assert "frequency, sequence 2" in verdict.collective.rejected
    assert not [name for name in verdict.collective.rejected if name.endswith("sequence 1")]


def test_many_slightly_bad_sequences_fail_by_their_share() -> None:
    """No single p-value is small enough, but too many are below 0.01."""
    rng = np.random.default_rng(3)
    battery = BitBattery(SHORT[:1])
    for _ in range(200):
        battery.add(Bits((rng.random(20_000) < 0.504).astype(np.uint8), compiled=False))
    verdict = battery.verdict()
    assert "frequency, share" in verdict.collective.rejected
    assert "frequency, spread" in verdict.collective.rejected


def test_bits_too_even_to_be_chance_fail_although_the_standard_passes_them() -> None:
    blocks = [np.random.default_rng([9, i]).permutation(np.repeat([0, 1], 64)) for i in range(200)]
    battery = BitBattery(SHORT[1:2])
    (result,) = battery.add(Bits(np.concatenate(blocks), compiled=False))
    assert result.p == 1.0
    verdict = battery.verdict()
    assert verdict.below_level == 0
    assert verdict.collective.rejected == ("block-frequency, sequence 1",)


def test_tests_that_could_not_be_run_are_not_passes() -> None:
    battery = BitBattery()
    results = battery.add(even(4, 5_000))
    assert sum(result.outcome is Outcome.TOO_FEW for result in results) > 170
    assert battery.verdict().tested == sum(result.outcome is Outcome.TESTED for result in results)


def test_nothing_to_judge_is_an_error() -> None:
    with pytest.raises(BitsError, match="no sequence"):
        BitBattery().verdict()
    battery = BitBattery()
    battery.add(Bits([0, 1], compiled=False))
    with pytest.raises(BitsError, match="frequency: 2 bits; the test needs at least 100"):
        battery.verdict()


def test_the_share_tail_is_binomial() -> None:
    assert _share_tail(0, 100) == 1.0
    assert _share_tail(1, 100) == pytest.approx(1 - 0.99**100)
    assert _share_tail(5, 100) == pytest.approx(0.003432, abs=1e-6)


def test_the_chance_of_an_alarm_alone_is_told() -> None:
    battery = BitBattery(SHORT[:1])
    battery.add(even(1))
    assert battery.verdict().alarm_chance_alone == pytest.approx(0.01)
