"""Decks in columns for the compiled functions: as they are, seen from an earlier order, sorted by phase."""

import importlib
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS, SEATS
from randomness.decks.layout import DeckTally, View

Decks = NDArray[np.uint8]

Phases = list[tuple[int, int, NDArray[np.int64]]]
"""Phase, decks of it, and what was counted over them."""


class Seen:
    """Decks (or their hands) in columns, `many` of them from that row on; sorted by phase when first asked for."""

    def __init__(
        self, room: "Columns", columns: NDArray[Any], many: int, row: int, *, inverse: NDArray[Any] | None = None
    ) -> None:
        self._room, self.many, self.row = room, many, row
        self._columns = (columns,) if inverse is None else (columns, inverse)

    def count(self, tally: DeckTally, cells: NDArray[Any]) -> None:
        getattr(self._room.kernel, tally.function)(*self._columns, self.many, cells)

    def phases(self, tally: DeckTally, period: int) -> Phases:
        """Counts by remainder of the row number."""
        by_phase = self._room.sorted_by_phase(self, self._columns, self.many, period)
        function = getattr(self._room.kernel, tally.function)
        made: Phases = []
        for first in range(min(period, self.many)):
            decks = (self.many - first + period - 1) // period
            cells = np.zeros(tally.size, np.int64)
            function(*(columns[first] for columns in by_phase), decks, cells)
            made.append(((self.row + first) % period, decks, cells))
        return made


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
        self._by_phase: dict[tuple[int, int, int], NDArray[Any]] = {}
        self._sorted: tuple[object, tuple[NDArray[Any], ...]] = (None, ())

    def sorted_by_phase(
        self, owner: object, columns: tuple[NDArray[Any], ...], many: int, period: int
    ) -> tuple[NDArray[Any], ...]:
        """Columns that are `period` apart side by side, in room that is used again for the next owner."""
        if self._sorted[0] is owner:
            return self._sorted[1]
        made = []
        for place, rows in enumerate(columns):
            key = (place, len(rows), period)
            if key not in self._by_phase:
                self._by_phase[key] = np.zeros((period, *rows.shape), rows.dtype)
            self.kernel.by_phase(rows, many, period, self._by_phase[key])
            made.append(self._by_phase[key])
        self._sorted = (owner, tuple(made))
        return self._sorted[1]

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
