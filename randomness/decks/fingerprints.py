"""64-bit fingerprints of decks: of the order, of the ring it forms (cut anywhere, turned or not), of the permutation.

The fingerprint of a ring adds up a number for each two neighbours, the last and the first among them, whichever comes
first; that of a move adds up a number for each card's place before and after. The numbers come from a fixed table.
"""

import importlib
from functools import lru_cache
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS

Decks = NDArray[np.uint8]
Words = NDArray[np.uint64]

_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def _compiled() -> ModuleType:
    return importlib.import_module("randomness.decks.compiled")


def hashes(decks: Decks, *, compiled: bool) -> Words:
    """Of each order: multiply and shift over its thirteen 32-bit words."""
    words = np.ascontiguousarray(decks, np.uint8).view("<u4")
    if compiled:
        out = np.empty(len(decks), np.uint64)
        _compiled().hashes(words, out)
        return out
    h = np.full(len(decks), _GOLDEN, np.uint64)
    for word in words.T:
        h = (h ^ word) * np.uint64(_MIX_1)
        h ^= h >> np.uint64(29)
    h *= np.uint64(_MIX_2)
    return np.asarray(h ^ (h >> np.uint64(32)))


@lru_cache
def _numbers(which: int) -> Words:
    """A table of 52 × 52 fixed numbers (SplitMix64)."""
    z = (np.arange(1, CARDS * CARDS + 1, dtype=np.uint64) + np.uint64(which << 32)) * np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_MIX_2)
    return np.asarray(z ^ (z >> np.uint64(31))).reshape(CARDS, CARDS)


@lru_cache
def _neighbours() -> Words:
    table = np.triu(_numbers(1))
    return table + np.triu(table, 1).T


def rings(decks: Decks, *, compiled: bool) -> Words:
    """Of each deck as a ring: the same for every cut of it, and turned over."""
    if compiled:
        out = np.empty(len(decks), np.uint64)
        _compiled().rings(np.ascontiguousarray(decks), _neighbours(), out)
        return out
    return np.asarray(_neighbours()[decks, np.roll(decks, -1, axis=1)].sum(axis=1, dtype=np.uint64))


def moves(decks: Decks, orders: Decks, *, compiled: bool) -> Words:
    """Of the permutation that made each deck of its order."""
    if compiled:
        out = np.empty(len(decks), np.uint64)
        _compiled().moves(np.ascontiguousarray(decks), np.ascontiguousarray(orders), _numbers(2), out)
        return out
    before = np.argsort(orders, axis=1)
    place = np.take_along_axis(before, decks.astype(np.intp), axis=1)
    return np.asarray(_numbers(2)[place, np.arange(CARDS)].sum(axis=1, dtype=np.uint64))
