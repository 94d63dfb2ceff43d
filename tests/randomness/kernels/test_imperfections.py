"""Sticky cards, weak feed, biased and stuck random sources."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from randomness.kernels.imperfections import BiasedSource, Imperfections, StuckSource
from randomness.sources import seeded_source


def test_stuck_cards_come_out_right_behind_the_one_above() -> None:
    flaws = Imperfections(sticky=Fraction(1, 2))
    # Dice below 1 mean stuck: 1 sticks to 0, 2 to 1, 4 to 3.
    assert flaws.plain(5, [0, 0, 1, 0], [4, 2, 0, 3, 1]) == [0, 1, 2, 3, 4]
    assert flaws.plain(5, [0, 1, 1, 1], [4, 2, 1, 3, 0]) == [4, 2, 3, 0, 1]
    assert flaws.plain(5, [1, 1, 1, 1], [4, 2, 1, 3, 0]) == [4, 2, 1, 3, 0]


def test_stickiness_makes_the_predicted_successions(laws: Any) -> None:
    """A pair stays together if it sticks, or by chance: expected successions (n - 1) (s + (1 - s)/n) for n = 2."""
    law = laws.of("ideal:sticky=1/3", 2)
    assert law[(0, 1)] == Fraction(1, 3) + Fraction(2, 3) / 2


def test_always_sticky_never_moves_a_card(laws: Any) -> None:
    assert laws.of("ideal:sticky=1", 4) == {(0, 1, 2, 3): Fraction(1)}


def test_a_weak_feed_leaves_the_last_cards_last(laws: Any) -> None:
    law = laws.of("ideal:weak_feed=1/4", 4)
    last = sum((p for order, p in law.items() if order[3] == 3), Fraction(0))
    assert last == Fraction(1, 4) + Fraction(3, 4) / 4
    always = laws.of("ideal:weak_feed=1,weak_feed_cards=2", 4)
    assert always == {(0, 1, 2, 3): Fraction(1, 2), (1, 0, 2, 3): Fraction(1, 2)}


def test_sticking_and_weak_feed_together_keep_a_deck_whole(laws: Any) -> None:
    law = laws.of("ideal:sticky=1/2,weak_feed=1/2", 4)
    assert all(sorted(order) == [0, 1, 2, 3] for order in law)
    assert sum(law.values()) == 1


@pytest.mark.parametrize("bias", [0.25, -0.25, 0.125, 0.01, -0.003, 0.5, -0.5])
def test_a_biased_source_has_its_bias_in_every_bit(bias: float) -> None:
    data = np.frombuffer(BiasedSource(seeded_source(1), bias).generate(200_000), np.uint8)
    ones = np.unpackbits(data).reshape(-1, 8).mean(axis=0)
    error = 5 * np.sqrt(max(0.25 - bias**2, 0) / len(data))
    assert np.abs(ones - 0.5 - bias).max() <= error


def test_a_biased_sources_bits_stay_independent() -> None:
    bits = np.unpackbits(np.frombuffer(BiasedSource(seeded_source(1), 0.1).generate(100_000), np.uint8)).astype(float)
    for lag in (1, 8, 64):
        assert abs(np.corrcoef(bits[:-lag], bits[lag:])[0, 1]) < 5 / np.sqrt(len(bits))


@pytest.mark.parametrize("bit", [0, 7, 8, 63])
@pytest.mark.parametrize("value", [0, 1])
def test_a_stuck_source_differs_in_that_bit_alone(bit: int, value: int) -> None:
    good = np.frombuffer(seeded_source(1).generate(8000), "<u8")
    stuck = np.frombuffer(StuckSource(seeded_source(1), bit, value).generate(8000), "<u8")
    mask = np.uint64(1 << bit)
    assert ((stuck & mask != 0) == bool(value)).all()
    assert ((good ^ stuck) & ~mask == 0).all()
    assert (good != stuck).any()


def test_a_stuck_source_of_a_few_bytes_works() -> None:
    assert len(StuckSource(seeded_source(1), 63, 1).generate(3)) == 3


def test_what_is_wrong_is_said() -> None:
    assert Imperfections().describe() == ""
    assert Imperfections(
        sticky=Fraction(1, 10), weak_feed=Fraction(1, 5), source_bias=-0.1, source_stuck=3
    ).describe() == (
        "cards stick together at 1/10, weak feed at 1/5 (last 1), random bits biased by -0.1, "
        "bit 3 of the random words stuck at 1"
    )
