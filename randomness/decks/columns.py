"""The accelerator for 52 cards: decks in columns for the compiled functions, as they are or seen from an order."""

import importlib
from functools import lru_cache
from itertools import combinations, permutations
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS, SEATS
from randomness.decks.hands import dealt
from randomness.decks.kinds.kind import STANDARD, DeckKind
from randomness.decks.layout import LAGS, DeckTally, Keep, TallySource, View
from randomness.decks.strata import Kept, Strata, kept_columns
from randomness.extras import numba_installed

Decks = NDArray[np.uint8]
Cells = NDArray[Any]

_DEALT = ("group_order", "rank_order", "high_cards", "hands", "hand_pairs", "seat_scores")
_FACTORY = np.arange(CARDS, dtype=np.uint8)


def kernel() -> ModuleType:
    """The compiled functions."""
    return importlib.import_module("randomness.decks.compiled")


def fits(kind: DeckKind) -> bool:
    """Whether decks of this kind can be counted by the compiled functions, at least in part."""
    return kind.faces == STANDARD.faces and kind.shoe == 1


def accelerated(kind: DeckKind, compiled: bool | None) -> bool:
    """Whether they are: where numba is installed, unless the caller says otherwise."""
    return fits(kind) and (numba_installed() if compiled is None else compiled)


def knows(kind: DeckKind, tally: DeckTally) -> bool:
    """Whether there is a compiled function for a tally; those of dealt groups know one way to deal."""
    return hasattr(kernel(), tally.function) and (kind.standard or tally.function not in _DEALT)


@lru_cache
def hand_values() -> NDArray[np.uint16]:
    """values[a, b, c] of three cards in any order: category << 10 | strength among all distinct hands."""
    cards = np.array(list(combinations(range(CARDS), 3)))
    rows = np.concatenate([cards, np.zeros((len(cards), STANDARD.dealt - 3), np.intp)], axis=1)
    groups = dealt(STANDARD, rows)
    _, place = np.unique(groups.strength[:, 0], return_inverse=True)
    value = (groups.category[:, 0] << 10 | place).astype(np.uint16)
    values = np.zeros((CARDS, CARDS, CARDS), np.uint16)
    for a, b, c in permutations(range(3)):
        values[cards[:, a], cards[:, b], cards[:, c]] = value
    values.flags.writeable = False
    return values


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
        compiled, columns = self._room.kernel, kept_columns(tally, len(cells))
        kept = strata.room(first, self.many, columns)
        where = (self.many, first, strata.width, self.row, kept.stretch, kept.phase)
        if tally.keep is Keep.SUMS:
            self.count(tally, cells)
            compiled.keep_counts(self._room.counts, *where)
        else:
            hits = getattr(compiled, f"{tally.function}_hits")(*self._columns, self.many, self._room.hits)
            compiled.keep_hits(self._room.hits[:hits], *where)
            cells += kept.phase[:, 1:].sum(axis=0)
        return kept


class Columns:
    """The arrays that compiled functions work in: decks as columns, 16 of the past before the present."""

    def __init__(self) -> None:
        self.kernel = kernel()
        shape = (CARDS, self.kernel.COLUMNS)
        self.faces = np.zeros(shape, np.uint8)
        self.inverse = np.zeros(shape, np.uint8)
        self.seen = np.zeros(shape, np.uint8)
        self.seen_inverse = np.zeros(shape, np.uint8)
        self.places = np.zeros(shape, np.uint8)
        self.strong = np.zeros((SEATS, self.kernel.COLUMNS), np.uint16)
        self.hits = np.zeros(shape, np.uint16)
        self.counts = np.zeros(self.kernel.COLUMNS, np.uint16)
        self.have = self.many = 0

    def fill(self, past: Decks, decks: Decks) -> None:
        """Take the next decks, with those before them."""
        past = past[-LAGS:]
        self.have, self.many = len(past), len(decks)
        self.kernel.spread(past, LAGS - self.have, self.faces, self.inverse)
        self.kernel.spread(decks, LAGS, self.faces, self.inverse)

    def see(self, view: View, orders: Decks | None) -> int:
        """Fill `seen` for a view and say how many decks it holds."""
        if view is View.FACES or (is_factory(orders) and view is View.INPUT):
            return self.many
        if view is View.PREVIOUS:
            first = 0 if self.have else 1
            if self.many > first:
                self.kernel.against_previous(
                    self.faces, self.inverse, first, self.many - first, self.seen, self.seen_inverse
                )
            return self.many - first
        if orders is None:
            return 0
        if len(orders) == 1:
            self.kernel.against_order(self.faces, self.inverse, orders[0], self.many, self.seen, self.seen_inverse)
        else:
            self.kernel.against_orders(self.faces, orders, self.many, self.places, self.seen, self.seen_inverse)
        return self.many

    def of_decks(self, tally: DeckTally, row: int) -> Seen:
        """What a function of whole decks is given: their hands."""
        assert tally.source is TallySource.DECK
        self.kernel.hand_values(self.faces, self.many, hand_values(), self.strong)
        return Seen(self, self.strong, self.many, row)

    def of_time(self, tally: DeckTally, cells: Cells) -> int:
        """Count over the decks that have one before them, and say how many they are."""
        followed = self.many if self.have else self.many - 1
        if followed > 0:
            getattr(self.kernel, tally.function)(self.faces, self.inverse, self.have, self.many, cells)
        return followed


def is_factory(orders: Decks | None) -> bool:
    """Whether every deck started in the order of the faces: places in it are the faces themselves."""
    return orders is not None and len(orders) == 1 and bool((orders[0] == _FACTORY).all())
