"""What comes twice over a run of any kind of deck: decks, rings, and, where cards are told apart, permutations."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.copies import Copies
from randomness.decks.fingerprints import hashes
from randomness.decks.general.counting import inverse
from randomness.decks.kinds import DeckKind
from randomness.decks.repeats import PERMUTATIONS
from randomness.result import Outcome, Result

Numbers = NDArray[np.intp]
Words = NDArray[np.uint64]

NOT_APART = "cards of one face are not told apart, so the permutation that made a deck is not known"
_GOLDEN, _MIX_1, _MIX_2 = (np.uint64(each) for each in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@lru_cache(maxsize=8)
def _table(size: int, which: int) -> Words:
    """Fixed numbers for pairs below `size` (SplitMix64)."""
    z = (np.arange(1, size * size + 1, dtype=np.uint64) + np.uint64(which << 32)) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return np.asarray(z ^ (z >> np.uint64(31))).reshape(size, size)


@lru_cache(maxsize=8)
def _either_way(size: int) -> Words:
    table = np.triu(_table(size, 1))
    return np.asarray(table + np.triu(table, 1).T)


def order_hashes(numbers: Numbers) -> Words:
    """Of each order: two bytes for each card, filled up to whole words."""
    pairs = numbers.astype("<u2")
    if pairs.shape[1] % 2:
        pairs = np.pad(pairs, ((0, 0), (0, 1)))
    return hashes(np.ascontiguousarray(pairs).view(np.uint8), compiled=False)


def ring_hashes(kind: DeckKind, numbers: Numbers) -> Words:
    """Of each deck as a ring: the same for every cut of it, and turned over."""
    table = _either_way(kind.distinct)
    return np.asarray(table[numbers, np.roll(numbers, -1, axis=1)].sum(axis=1, dtype=np.uint64))


def move_hashes(kind: DeckKind, numbers: Numbers, orders: Numbers) -> Words:
    """Of the permutation that made each deck of its order."""
    place = np.take_along_axis(inverse(orders), numbers, axis=1)
    return np.asarray(_table(kind.cards, 2)[place, np.arange(kind.cards)].sum(axis=1, dtype=np.uint64))


class KindCopies(Copies):
    """Fingerprints of all whole decks of a kind."""

    def __init__(self, kind: DeckKind, planned: int | None, *, most: int) -> None:
        super().__init__(planned, most=most, compiled=False)
        self.kind = kind

    def add_numbers(
        self, numbers: Numbers, mixed: Words, rows: NDArray[np.int64], orders: Numbers | None, last: Numbers | None,
        *, one_order: bool,
    ) -> None:  # fmt: skip
        """As `add`, for rows of card numbers."""
        self.decks.add(ring_hashes(self.kind, numbers), mixed, rows)
        if not self.kind.simple:
            return
        if orders is None:
            before = numbers[:-1] if last is None else np.concatenate([last[None], numbers[:-1]])
            numbers, rows = numbers[len(numbers) - len(before) :], rows[len(rows) - len(before) :]
        elif one_order:
            self.one_order = True
            return
        else:
            before = orders
        if len(numbers):
            moved = move_hashes(self.kind, numbers, before)
            self.permutations.add(moved, np.zeros(len(moved), np.uint64), rows)

    def results(self) -> tuple[Result, ...]:
        """See Copies; a permutation is known only where cards are told apart."""
        found = super().results()
        if self.kind.simple:
            return found
        return (*found[:2], Result(test=PERMUTATIONS, outcome=Outcome.NOT_APPLICABLE, samples=0, unmet=(NOT_APART,)))

    @classmethod
    def of_state(cls, kind: DeckKind, state: Mapping[str, Any]) -> "KindCopies":
        """What gave the state."""
        made = cls(kind, None, most=int(state["most"]))
        kept = Copies.from_state(state, compiled=False)
        made.one_order, made.decks, made.permutations = kept.one_order, kept.decks, kept.permutations
        return made
