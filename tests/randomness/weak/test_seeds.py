"""Shuffles from too small a seed."""

import numpy as np
import pytest

from randomness.errors import BadParameter
from randomness.kernels import make
from randomness.sources import seeded_source
from randomness.weak.seeds import ClockSeed, SmallSeed, seeded_faces, seeded_faces_vector


def test_one_seed_gives_one_deck_in_both_ways() -> None:
    seeds = np.arange(500, dtype=np.uint64)
    faces = seeded_faces_vector(52, seeds)
    assert all(faces[:, seed].tolist() == seeded_faces(52, seed) for seed in range(500))


def test_a_seed_of_four_bits_gives_sixteen_decks() -> None:
    decks = make("defect:small-seed", bits=4).permutations(52, 1000, seeded_source(1))
    assert len(np.unique(decks, axis=0)) == 16


def test_duplicates_come_at_the_predicted_number() -> None:
    decks = make("defect:small-seed", bits=20).permutations(52, 5000, seeded_source(1))
    pairs = 5000 - len(np.unique(decks, axis=0))
    assert abs(pairs - 5000**2 / 2**21) < 5 * (5000**2 / 2**21) ** 0.5


def test_a_clock_of_seconds_has_86400_decks() -> None:
    assert ClockSeed(tick_ms=1000).bounds(52) == [86_400]
    assert ClockSeed().bounds(52) == [86_400_000]


def test_impossible_seeds_are_refused() -> None:
    for bits in (0, 33):
        with pytest.raises(BadParameter):
            SmallSeed(bits=bits)
    with pytest.raises(BadParameter):
        ClockSeed(tick_ms=0)
