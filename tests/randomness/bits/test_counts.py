"""The numpy counts against plain loops, on random and on lopsided bits; tests of the compiled ones sit beside."""

import itertools

import numpy as np
import pytest
from bits_oracle import berlekamp_massey

from randomness.bits import counts
from randomness.bits.engine import BitArray


def some_bits(seed: int, n: int, share: float = 0.5) -> BitArray:
    return (np.random.default_rng(seed).random(n) < share).astype(np.uint8)


def windows(bits: list[int], length: int) -> list[int]:
    return [int("".join(map(str, bits[i : i + length])), 2) for i in range(len(bits) - length + 1)]


CASES = [(1, 0.5), (2, 0.5), (3, 0.8), (4, 0.1)]


@pytest.mark.parametrize(("seed", "share"), CASES)
@pytest.mark.parametrize("length", [1, 2, 3, 7, 9])
def test_pattern_counts_on_a_circle(seed: int, share: float, length: int) -> None:
    bits = some_bits(seed, 203, share)
    closed = bits.tolist() + bits.tolist()[: length - 1]
    expected = np.bincount(windows(closed, length), minlength=1 << length)
    assert counts.circular_counts(bits, length).tolist() == expected.tolist()


def test_a_circle_shorter_than_the_pattern() -> None:
    found = counts.circular_counts(np.array([1, 0], dtype=np.uint8), 4)
    assert {int(code): int(found[code]) for code in np.flatnonzero(found)} == {0b0101: 1, 0b1010: 1}


@pytest.mark.parametrize(("seed", "share"), CASES)
def test_pattern_counts_in_blocks(seed: int, share: float) -> None:
    bits = some_bits(seed, 505, share)
    found = counts.block_counts(bits, 100, 5)
    assert found.shape == (5, 32)
    for block in range(5):
        expected = np.bincount(windows(bits[100 * block : 100 * block + 100].tolist(), 5), minlength=32)
        assert found[block].tolist() == expected.tolist()


@pytest.mark.parametrize(("seed", "share"), CASES)
@pytest.mark.parametrize("length", [1, 2, 3, 9])
def test_runs_of_ones_in_blocks(seed: int, share: float, length: int) -> None:
    bits = some_bits(seed, 350, share)
    texts = ["".join(map(str, bits[start : start + 100])) for start in (0, 100, 200)]
    assert counts.all_ones_counts(bits, 100, length).tolist() == [
        sum(text.startswith("1" * length, i) for i in range(100)) for text in texts
    ]
    assert counts.longest_runs(bits, 100).tolist() == [max(map(len, text.split("0"))) for text in texts]


def test_longest_run_of_blocks_that_are_all_ones_or_all_zeros() -> None:
    bits = np.array([1] * 8 + [0] * 8 + [1] * 8 + [1] * 8, dtype=np.uint8)
    assert counts.longest_runs(bits, 8).tolist() == [8, 0, 8, 8]


@pytest.mark.parametrize(
    ("rows", "rank"),
    [
        (["100", "010", "001"], 3),
        (["110", "011", "101"], 2),
        (["111", "111", "111"], 1),
        (["000", "000", "000"], 0),
        (["001", "001", "100"], 2),
    ],
)
def test_ranks_of_small_matrices(rows: list[str], rank: int) -> None:
    bits = np.array([int(bit) for row in rows for bit in row], dtype=np.uint8)
    assert counts.ranks(bits, 3, 3).tolist() == [rank]


@pytest.mark.parametrize("block", range(1, 11))
def test_complexity_of_every_short_block(block: int) -> None:
    every = np.array(list(itertools.product((0, 1), repeat=block)), dtype=np.uint8)
    assert counts.complexities(every.ravel(), block).tolist() == [berlekamp_massey(row.tolist()) for row in every]


@pytest.mark.parametrize("block", [63, 64, 65, 130])
def test_complexity_of_random_long_blocks(block: int) -> None:
    bits = some_bits(block, 20 * block)
    rows = bits.reshape(20, block).tolist()
    assert counts.complexities(bits, block).tolist() == [berlekamp_massey(row) for row in rows]


def test_complexity_of_a_register_is_its_length() -> None:
    bits = [1, 0, 0, 0, 0, 0, 0]
    while len(bits) < 200:
        bits.append(bits[-7] ^ bits[-1])  # x^7 + x^6 + 1, primitive
    assert counts.complexities(np.array(bits, dtype=np.uint8), 200).tolist() == [7]


def test_distances_back_to_the_last_equal_block() -> None:
    # Two-bit blocks 3 1 3 3 0 1: of the last four, 3 is 2 back, 3 is 1 back, 0 is new (5), 1 is 4 back.
    bits = np.array([1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1], dtype=np.uint8)
    assert counts.distances(bits, 2, 2).tolist() == [0, 1, 1, 0, 1, 1]


def test_walk_of_the_standards_example() -> None:
    # Section 2.14.4: 0110110101 gives S = -1 0 1 0 1 2 1 2 1 2, three cycles, the last one closed by force.
    walk = counts.walk(np.array([0, 1, 1, 0, 1, 1, 0, 1, 0, 1], dtype=np.uint8))
    assert (walk.highest, walk.lowest, walk.end, walk.cycles) == (2, -1, 2, 3)
    assert walk.visits.tolist() == [0] * 8 + [1] + [4, 3] + [0] * 7
    visits_of_minus_one, visits_of_one, visits_of_two = walk.cycle_visits[3], walk.cycle_visits[4], walk.cycle_visits[5]
    assert visits_of_minus_one.tolist() == [2, 1, 0, 0, 0, 0]
    assert visits_of_one.tolist() == [1, 1, 0, 1, 0, 0]
    assert visits_of_two.tolist() == [2, 0, 0, 1, 0, 0]


def test_a_walk_that_ends_at_home_has_no_unfinished_cycle() -> None:
    assert counts.walk(np.array([1, 0, 0, 1], dtype=np.uint8)).cycles == 2
