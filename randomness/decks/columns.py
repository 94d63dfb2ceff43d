"""Decks in columns for the compiled functions: as they are, or seen from an earlier order."""

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS, SEATS
from randomness.decks.layout import DeckTally, Keep, View
from randomness.decks.strata import Strata, kept_columns

Decks = NDArray[np.uint8]
Cells = NDArray[Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Kept:
    """What was counted, by stretch (that of the first deck and those after it) and by phase: decks, then the rest."""

    first: int
    stretch: Cells
    phase: Cells


class Seen:
    """Decks (or their hands) in columns, `many` of them from that row on."""

    def __init__(
        self, room: "Columns", columns: NDArray[Any], many: int, row: int, *, inverse: NDArray[Any] | None = None
    ) -> None:
        self._room, self.many, self.row = room, many, row
        self._columns = (columns,) if inverse is None else (columns, inverse)

    def count(self, tally: DeckTally, cells: Cells) -> None:
        """Add to the cells of a tally."""
        function = getattr(self._room.kernel, tally.function)
        if tally.keep is Keep.SUMS:
            function(*self._columns, self.many, self._room.counts)
            self._room.kernel.histogram(self._room.counts, self.many, cells)
        else:
            function(*self._columns, self.many, cells)

    def keep(self, tally: DeckTally, cells: Cells, strata: Strata, first: int) -> Kept:
        """The same, and what is kept by stretch and by phase; the first deck is number `first` of the run."""
        kernel, columns = self._room.kernel, kept_columns(tally.name)
        stretches = (first + self.many - 1) // strata.width - first // strata.width + 1
        kept = Kept(
            first=first // strata.width,
            stretch=np.zeros((stretches, columns), np.int64),
            phase=np.zeros((strata.phases, columns), np.int64),
        )
        where = (self.many, first, strata.width, self.row, kept.stretch, kept.phase)
        if tally.keep is Keep.SUMS:
            self.count(tally, cells)
            kernel.keep_counts(self._room.counts, *where)
        else:
            hits = getattr(kernel, f"{tally.function}_hits")(*self._columns, self.many, self._room.hits)
            kernel.keep_hits(self._room.hits[:hits], *where)
            cells += kept.phase[:, 1:].sum(axis=0)
        return kept


class Columns:
    """The compiled functions and the arrays they work in: decks as columns, 16 of the past before the present."""

    def __init__(self) -> None:
        self.kernel: ModuleType = importlib.import_module("randomness.decks.compiled")
        shape = (CARDS, self.kernel.COLUMNS)
        self.faces = np.zeros(shape, np.uint8)
        self.inverse = np.zeros(shape, np.uint8)
        self.seen = np.zeros(shape, np.uint8)
        self.seen_inverse = np.zeros(shape, np.uint8)
        self.places = np.zeros(shape, np.uint8)
        self.strong = np.zeros((SEATS, self.kernel.COLUMNS), np.uint16)
        self.hits = np.zeros(shape, np.uint16)
        self.counts = np.zeros(self.kernel.COLUMNS, np.uint16)

    def see(self, view: View, orders: Decks | None, have: int, many: int) -> int:
        """Fill `seen` for a view and say how many decks it holds."""
        if view is View.FACES:
            return many
        if view is View.PREVIOUS:
            first = 0 if have else 1
            if many > first:
                self.kernel.against_previous(
                    self.faces, self.inverse, first, many - first, self.seen, self.seen_inverse
                )
            return many - first
        if orders is None:
            return 0
        if is_factory(orders):
            return many
        if len(orders) == 1:
            self.kernel.against_order(self.faces, self.inverse, orders[0], many, self.seen, self.seen_inverse)
        else:
            self.kernel.against_orders(self.faces, orders, many, self.places, self.seen, self.seen_inverse)
        return many


_FACTORY = np.arange(CARDS, dtype=np.uint8)


def is_factory(orders: Decks | None) -> bool:
    """Whether every deck started in the order of the faces: places in it are the faces themselves."""
    return orders is not None and len(orders) == 1 and bool((orders[0] == _FACTORY).all())
