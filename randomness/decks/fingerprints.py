"""64-bit fingerprints of decks: of the order, of the ring it forms (cut anywhere, turned or not), of the permutation.

The fingerprint of a ring adds up a number for each two neighbours, the last and the first among them, whichever comes
first; that of a move adds up a number for each card's place before and after. The numbers come from a fixed table.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.columns import fits, kernel
from randomness.decks.counting import inverse
from randomness.decks.kinds.kind import DeckKind

Rows = NDArray[Any]
Words = NDArray[np.uint64]

_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def hashes(kind: DeckKind, numbers: Rows, *, compiled: bool) -> Words:
    """Of each order: multiply and shift over its 32-bit words, of four cards of one deck of 52, of two of any other."""
    cards = numbers.astype(np.uint8 if fits(kind) else "<u2", copy=False)
    if cards.itemsize == 2 and cards.shape[1] % 2:
        cards = np.pad(cards, ((0, 0), (0, 1)))
    words = np.ascontiguousarray(cards).view("<u4")
    if compiled:
        out = np.empty(len(numbers), np.uint64)
        kernel().hashes(words, out)
        return out
    h = np.full(len(numbers), _GOLDEN, np.uint64)
    for word in words.T:
        h = (h ^ word) * np.uint64(_MIX_1)
        h ^= h >> np.uint64(29)
    h *= np.uint64(_MIX_2)
    return np.asarray(h ^ (h >> np.uint64(32)))


@lru_cache(maxsize=8)
def _numbers(size: int, which: int) -> Words:
    """Fixed numbers for pairs below `size` (SplitMix64)."""
    z = (np.arange(1, size * size + 1, dtype=np.uint64) + np.uint64(which << 32)) * np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_MIX_2)
    return np.asarray(z ^ (z >> np.uint64(31))).reshape(size, size)


@lru_cache(maxsize=8)
def _neighbours(size: int) -> Words:
    table = np.triu(_numbers(size, 1))
    return np.asarray(table + np.triu(table, 1).T)


def rings(kind: DeckKind, numbers: Rows, *, compiled: bool) -> Words:
    """Of each deck as a ring: the same for every cut of it, and turned over."""
    table = _neighbours(kind.distinct)
    if compiled:
        out = np.empty(len(numbers), np.uint64)
        kernel().rings(np.ascontiguousarray(numbers), table, out)
        return out
    return np.asarray(table[numbers, np.roll(numbers, -1, axis=1)].sum(axis=1, dtype=np.uint64))


def moves(kind: DeckKind, numbers: Rows, orders: Rows, *, compiled: bool) -> Words:
    """Of the permutation that made each deck of its order; every card differs."""
    table = _numbers(kind.cards, 2)
    if compiled:
        out = np.empty(len(numbers), np.uint64)
        kernel().moves(np.ascontiguousarray(numbers), np.ascontiguousarray(orders), table, out)
        return out
    place = np.take_along_axis(inverse(orders), numbers.astype(np.intp), axis=1)
    return np.asarray(table[place, np.arange(kind.cards)].sum(axis=1, dtype=np.uint64))
