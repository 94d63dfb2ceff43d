"""Fingerprints: compiled and plain alike; the same for what is the same, and for nothing else."""

import numpy as np
import pytest

from randomness.decks import compiled_available
from randomness.decks.fingerprints import hashes, moves, rings
from randomness.decks.kinds import STANDARD

BOTH = [False, pytest.param(True, marks=pytest.mark.skipif(not compiled_available(), reason="numba is not installed"))]


def decks(many: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def swapped(row: np.ndarray) -> np.ndarray:
    """The row, and the row with each two cards exchanged."""
    made = [row]
    for i in range(52):
        for j in range(i + 1, 52):
            other = row.copy()
            other[[i, j]] = other[[j, i]]
            made.append(other)
    return np.array(made)


@pytest.mark.skipif(not compiled_available(), reason="numba is not installed")
def test_compiled_and_plain_fingerprints_are_the_same() -> None:
    rows, orders = decks(100), decks(100, 1)
    np.testing.assert_array_equal(hashes(STANDARD, rows, compiled=True), hashes(STANDARD, rows, compiled=False))
    np.testing.assert_array_equal(rings(STANDARD, rows, compiled=True), rings(STANDARD, rows, compiled=False))
    one, two = (moves(STANDARD, rows, orders, compiled=compiled) for compiled in (True, False))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("compiled", BOTH)
def test_every_cut_and_turn_of_a_deck_is_one_ring(compiled: bool) -> None:
    deck = decks(1)[0]
    turns = np.array([np.roll(side, cut) for side in (deck, deck[::-1]) for cut in range(52)])
    assert len(np.unique(rings(STANDARD, turns, compiled=compiled))) == 1
    assert len(np.unique(hashes(STANDARD, turns, compiled=compiled))) == 104


def test_two_cards_exchanged_make_another_order_and_another_ring() -> None:
    rows = swapped(decks(1)[0])
    assert len(np.unique(hashes(STANDARD, rows, compiled=False))) == 1327
    assert len(np.unique(rings(STANDARD, rows, compiled=False))) == 1327


@pytest.mark.parametrize("compiled", BOTH)
def test_one_permutation_of_any_order_is_one_move(compiled: bool) -> None:
    orders, w = decks(20, 2), decks(1, 3)[0]
    made = moves(STANDARD, orders[:, w], orders, compiled=compiled)
    assert len(np.unique(made)) == 1
    factory = np.tile(np.arange(52, dtype=np.uint8), (1327, 1))
    assert len(np.unique(moves(STANDARD, swapped(w), factory, compiled=compiled))) == 1327
