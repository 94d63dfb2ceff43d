"""Sections 2.1 and 2.2."""

import pytest

from randomness.bits import Bits, block_frequency, frequency
from randomness.result import Outcome


def test_2_1_8_first_hundred_bits_of_pi(first_100_of_pi: Bits) -> None:
    (result,) = frequency(first_100_of_pi)
    assert result.p == pytest.approx(0.109599, abs=6e-7)
    assert result.statistic == pytest.approx(-1.6)


def test_2_2_8_first_hundred_bits_of_pi(first_100_of_pi: Bits) -> None:
    (result,) = block_frequency(first_100_of_pi, block=10)
    assert result.p == pytest.approx(0.706438, abs=6e-7)
    assert result.statistic == pytest.approx(7.2)


def test_the_effect_is_the_share_of_ones_with_its_interval() -> None:
    (result,) = frequency(Bits([1] * 60 + [0] * 40, compiled=False))
    assert result.effect == pytest.approx(0.1)
    assert result.effect_low == pytest.approx(0.1 - 2.575829 * 0.05)
    assert result.effect_high == pytest.approx(0.1 + 2.575829 * 0.05)


def test_a_block_longer_than_the_sequence_is_unmet() -> None:
    (result,) = block_frequency(Bits([0, 1] * 60, compiled=False), block=128)
    assert (result.outcome, result.unmet) == (Outcome.TOO_FEW, ("120 bits; the test needs at least 128",))
