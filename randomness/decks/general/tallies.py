"""Tallies of any kind of deck being counted, by the same doors as for 52 cards: the same integers in any chunks.

Sequences: the decks given to one object follow each other; two objects that are merged are two separate sequences.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.errors import MergeError
from randomness.decks.general import counting
from randomness.decks.general.counting import Cells, Chunk
from randomness.decks.kinds import DeckKind
from randomness.decks.layout import LAGS, SEGMENT, TALLIES, View

Numbers = NDArray[np.intp]

_OF_FACES = {
    "input.fixed_points": counting.input_matches,
    "previous.fixed_points": counting.previous_matches,
    "input.pairs_kept": counting.input_pairs,
    "previous.pairs_kept": counting.previous_pairs,
}
_AT_ONCE = 1 << 18
"""Cards counted at once, so that intermediate tables stay small."""


class KindTallies:
    """Counts the named tallies over decks that are known to be whole."""

    def __init__(
        self, kind: DeckKind, names: Iterable[str], *, every: Mapping[str, int] | None = None, first_segment: int = 0
    ) -> None:
        self.kind = kind
        wanted = sorted(set(names))
        self.every = {name: (every or {}).get(name, 1) for name in wanted}
        self.cells: dict[str, Cells] = {name: np.zeros(0, np.int64) for name in wanted}
        self.decks = dict.fromkeys(wanted, 0)
        self.first_segment = first_segment
        self._seen = 0
        self._past: Numbers = np.zeros((0, kind.cards), np.intp)

    def update(self, decks: Numbers, orders: Numbers | None) -> None:
        """Rows of card numbers, with the orders they were shuffled from (rows, or one for all)."""
        done = 0
        most = max(LAGS + 1, _AT_ONCE // self.kind.cards)
        while done < len(decks):
            many = min(len(decks) - done, most, SEGMENT - self._seen % SEGMENT)
            part = decks[done : done + many]
            known = orders if orders is None or len(orders) == 1 else orders[done : done + many]
            number = self.first_segment + self._seen // SEGMENT
            due = [name for name, every in self.every.items() if number % every == 0]
            self._count(Chunk(self.kind, part, self._past, known), due)
            self._past = np.concatenate([self._past, part])[-LAGS:]
            self._seen += many
            done += many

    def _count(self, chunk: Chunk, due: list[str]) -> None:
        followed = len(chunk.decks) - (0 if len(chunk.past) else 1)
        for name in due:
            view, _, function = name.rpartition(".")
            if name in _OF_FACES:
                cells = _OF_FACES[name](chunk)
                counted = len(chunk.decks) if name.startswith("input") else followed
            elif function in counting.OF_A_DECK:
                cells, counted = counting.OF_A_DECK[function](chunk), len(chunk.decks)
            elif function in counting.OF_TIME:
                cells, counted = (counting.OF_TIME[function](chunk) if followed else None), followed
            else:
                order = chunk.view(View(view) if view else View.FACES)
                cells = None if order is None else counting.OF_AN_ORDER[function](order)
                counted = 0 if order is None else len(order.w)
            if cells is not None and counted:
                self._add(name, cells, counted)

    def _add(self, name: str, cells: Cells, counted: int) -> None:
        held = self.cells[name]
        self.cells[name] = cells if not len(held) else held + cells
        self.decks[name] += counted

    @property
    def last(self) -> Numbers | None:
        """The deck before the next one, where there is one."""
        return self._past[-1] if len(self._past) else None

    def break_sequence(self) -> None:
        """What follows has no deck before it."""
        self._past = self._past[:0]

    def clear(self) -> None:
        """Forget everything counted."""
        for name in self.cells:
            self.cells[name] = np.zeros(0, np.int64)
            self.decks[name] = 0
        self._seen = 0
        self.break_sequence()

    def merge(self, other: "KindTallies") -> None:
        """Add what another object counted over other sequences; what follows here starts a sequence of its own."""
        if other.every != self.every or other.kind != self.kind:
            raise MergeError("only tallies of the same deck and tests with the same sub-samples can be merged")
        for name, cells in other.cells.items():
            if other.decks[name]:
                self._add(name, cells, other.decks[name])
        self._seen += other._seen
        self.break_sequence()

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays."""
        return {
            "every": dict(self.every), "first_segment": self.first_segment, "decks": dict(self.decks),
            "cells": {name: cells.copy() for name, cells in self.cells.items() if self.decks[name]},
            "seen": self._seen, "past": self._past.astype(np.int64),
        }  # fmt: skip

    @classmethod
    def from_state(cls, kind: DeckKind, state: Mapping[str, Any]) -> "KindTallies":
        made = cls(kind, state["every"], every=state["every"], first_segment=int(state["first_segment"]))
        made.cells |= {name: np.array(cells, np.int64) for name, cells in state["cells"].items()}
        made.decks = {name: int(decks) for name, decks in state["decks"].items()}
        made._seen = int(state["seen"])
        made._past = np.array(state["past"], np.intp).reshape(-1, kind.cards)
        return made


def most_thinned(name: str) -> int:
    """The longest runs count one segment in this many: as for 52 cards."""
    return TALLIES[name].every if name in TALLIES else 8
