"""Tallies being counted: decks in, integers out, the same integers compiled or not, in any chunks.

Sequences: the decks given to one object follow each other; two objects that are merged are two separate sequences, and
so is what comes before and after `break_sequence`. Merging adds cells, so it is exact and does not depend on order.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks import counting
from randomness.decks.columns import Columns, Seen, accelerated, is_factory, knows
from randomness.decks.counting import Chunk
from randomness.decks.errors import DeckShapeError, MergeError, UnknownTest
from randomness.decks.kinds.kind import STANDARD, DeckKind
from randomness.decks.layout import FAR, SEGMENT, TALLIES, DeckTally, Keep, TallySource, View, is_counted
from randomness.decks.strata import PERIODS, Kept, Strata

Rows = NDArray[Any]

STRATA_EVERY = 8
"""Beyond the first two million decks one segment in so many is kept by stretch and by phase."""
_AT_ONCE = 1 << 18
"""Cards counted at once, so that intermediate tables stay small."""


class Tallies:
    """Counts the named tallies over decks that are known to be whole, given as card numbers."""

    def __init__(
        self,
        names: Iterable[str],
        *,
        kind: DeckKind = STANDARD,
        kept: Iterable[str] | None = None,
        first_segment: int = 0,
        origin: int = 0,
        periods: Iterable[int] = PERIODS,
        compiled: bool | None = None,
    ) -> None:
        """`first_segment` numbers the first segment counted here: shards of one run thin out as one sequence would.

        `origin` is the row with which the run begins, for its stretches; phases go by the row number itself. By both
        the tallies `kept` are kept (all, if left out).
        """
        wanted = sorted(set(names))
        if unknown := [name for name in wanted if name not in TALLIES]:
            raise UnknownTest(f"no such tally: {', '.join(unknown)}; there are {', '.join(TALLIES)}")
        self.kind = kind
        self.cells = {name: TALLIES[name].cells(kind) for name in wanted}
        self.decks = dict.fromkeys(wanted, 0)
        self.first_segment = first_segment
        self.strata = Strata(wanted if kept is None else kept, kind=kind, periods=periods)
        self.origin = origin
        self.followed = self.chained = 0
        """Decks with one before them, and those of them that were shuffled from it."""
        self._kept = True
        self._given_out = False
        self._row = origin
        self._seen = 0
        self._compiled = accelerated(kind, compiled)
        self._past: Rows = np.zeros((0, kind.cards), np.uint8 if self._compiled else np.intp)
        self._room: Columns | None = None
        self._ways: tuple[list[DeckTally], list[DeckTally]] | None = None

    # ----- counting ---------------------------------------------------------------------------------------------------

    def update(self, decks: Rows, inputs: Rows | None = None, *, row: int | None = None) -> None:
        """Count decks (rows of card numbers), with the order that each was shuffled from where it is known.

        `inputs` has one row for each deck, or a single row (or vector) that holds for all. `row` is the number of the
        first deck's row, where it does not follow on what was counted before.
        """
        self._row = self._row if row is None else row
        decks = np.ascontiguousarray(decks, self._past.dtype)
        if decks.ndim != 2 or decks.shape[1] != self.kind.cards:
            raise DeckShapeError(f"decks must be rows of {self.kind.cards} cards, not an array of shape {decks.shape}")
        orders = input_orders(inputs, len(decks), self.kind, self._past.dtype)
        self._own_cells()
        self.strata.reach(self._row - self.origin + len(decks) - 1)
        most = SEGMENT if self._compiled else max(FAR + 1, _AT_ONCE // self.kind.cards)
        done = 0
        while done < len(decks):
            # Segments are numbered from the first deck, so that thinning does not depend on the size of the chunks.
            many = min(len(decks) - done, most, SEGMENT - self._seen % SEGMENT)
            part = decks[done : done + many]
            known = orders if orders is None or len(orders) == 1 else orders[done : done + many]
            number = self.first_segment + self._seen // SEGMENT
            self._kept = is_counted(number, STRATA_EVERY)
            fast, others = self._by_way()
            if due := [tally for tally in fast if is_counted(number, tally.every)]:
                self._count_compiled(part, known, due)
            if due := [tally for tally in others if is_counted(number, tally.every)]:
                self._count_arrays(part, known, due)
            self._follow(part, known)
            self._past = np.concatenate([self._past[-FAR:], part[-FAR:]])[-FAR:]
            self._seen += many
            self._row += many
            done += many

    def _by_way(self) -> tuple[list[DeckTally], list[DeckTally]]:
        """The tallies that are counted by compiled functions, and the others."""
        if self._ways is None:
            every = [TALLIES[name] for name in self.cells]
            fast = [tally for tally in every if self._compiled and knows(self.kind, tally)]
            self._ways = fast, [tally for tally in every if tally not in fast]
        return self._ways

    def _follow(self, decks: Rows, orders: Rows | None) -> None:
        """Count the decks that have one before them, and those that were shuffled from it."""
        self.followed += len(decks) - (0 if len(self._past) else 1)
        if orders is None or len(orders) != len(decks):
            return
        self.chained += int(len(self._past) and np.array_equal(orders[0], self._past[-1]))
        if np.array_equal(orders[1:], decks[:-1]):
            self.chained += len(decks) - 1
        else:
            self.chained += int((orders[1:] == decks[:-1]).all(axis=1).sum())

    @property
    def every_chained(self) -> bool:
        """Whether every deck that has one before it was shuffled from it."""
        return 0 < self.followed == self.chained

    @property
    def last(self) -> Rows | None:
        """The deck before the next one, where there is one."""
        return self._past[-1] if len(self._past) else None

    def break_sequence(self) -> None:
        """What follows has no deck before it."""
        self._past = self._past[:0]

    def clear(self) -> None:
        """Forget everything counted."""
        self._own_cells()
        for name, cells in self.cells.items():
            cells[:] = 0
            self.decks[name] = 0
        self.strata.clear()
        self._seen, self._row = 0, self.origin
        self.followed = self.chained = 0
        self.break_sequence()

    def _count_arrays(self, decks: Rows, orders: Rows | None, due: list[DeckTally]) -> None:
        known = None if orders is None else orders.astype(np.intp)
        chunk = Chunk(self.kind, decks.astype(np.intp), self._past.astype(np.intp), known)
        followed = len(decks) - (0 if len(self._past) else 1)
        for tally in due:
            function = getattr(counting, tally.function)
            if tally.source is TallySource.ORDER:
                order = chunk.view(tally.view)
                given, counted = (None, 0) if order is None else (function(order), len(order.decks))
            else:
                counted = len(decks) if tally.source is TallySource.DECK else followed
                given = function(chunk) if counted else None
            if given is not None:
                self._add(tally, given, counted, len(decks) - counted)

    def _add(self, tally: DeckTally, given: Rows, counted: int, later: int) -> None:
        """What a function gave for so many decks, the first of them so many rows later than the chunk's."""
        name, cells = tally.name, self.cells[tally.name]
        self.decks[name] += counted
        if tally.keep is Keep.NOTHING:
            cells += given
            return
        if self._kept and name in self.strata.stretch:
            row = self._row + later
            self.strata.add(name, self.strata.divided(tally, given, len(cells), row - self.origin, row))
        cells += np.bincount(given.ravel(), minlength=len(cells))

    def _count_compiled(self, decks: Rows, orders: Rows | None, due: list[DeckTally]) -> None:
        room = self._room = self._room or Columns()
        room.fill(self._past, decks)
        chained = _chained(self._past, decks, orders)
        as_they_are = Seen(room, room.faces, len(decks), self._row, inverse=room.inverse)
        in_sight: View | None = None
        wanted: dict[View, list[DeckTally]] = {
            view: [tally for tally in due if tally.source is TallySource.ORDER and tally.view is view] for view in View
        }
        self._share_tables(as_they_are, orders, wanted)
        for view, tallies in wanted.items():
            if not tallies:
                continue
            as_faces = view is View.FACES or (view is View.INPUT and is_factory(orders))
            sight = View.PREVIOUS if chained and view is View.INPUT and not as_faces else view
            counted = len(decks) if sight is in_sight else room.see(sight, orders)
            in_sight = sight
            if counted:
                row = self._row + len(decks) - counted
                seen = as_they_are if as_faces else Seen(room, room.seen, counted, row, inverse=room.seen_inverse)
                for tally in tallies:
                    self._take(tally, seen)
        dealt: Seen | None = None
        for tally in due:
            if tally.source is TallySource.DECK:
                dealt = dealt or room.of_decks(tally, self._row)
                self._take(tally, dealt)
            elif tally.source is TallySource.TIME:
                self.decks[tally.name] += room.of_time(tally, self.cells[tally.name])

    def _take(self, tally: DeckTally, seen: Seen) -> Kept | None:
        """Count one tally over decks in sight, and keep it by stretch and by phase where it is kept so."""
        self.decks[tally.name] += seen.many
        if tally.name not in self.strata.stretch or not self._kept:
            seen.count(tally, self.cells[tally.name])
            return None
        kept = seen.keep(tally, self.cells[tally.name], self.strata, seen.row - self.origin)
        self.strata.add(tally.name, kept)
        return kept

    def _share_tables(self, seen: Seen, orders: Rows | None, wanted: dict[View, list[DeckTally]]) -> None:
        """Where one order went into all decks, its table of cards by position is that of the faces with the columns
        moved; where that is the factory order, so is everything else. Count once, add twice, and strike off."""
        if orders is None or len(orders) != 1:
            return
        factory = is_factory(orders)
        twins = {tally.function: tally for tally in wanted[View.INPUT] if factory or tally.function == "by_position"}
        for tally in [tally for tally in wanted[View.FACES] if tally.function in twins]:
            twin = twins[tally.function]
            if (tally.name in self.strata.stretch) != (twin.name in self.strata.stretch):
                continue
            before = self.cells[tally.name].copy()
            kept = self._take(tally, seen)
            added = self.cells[tally.name] - before
            self.cells[twin.name] += added if factory else _moved(added, orders)
            self.decks[twin.name] += seen.many
            if kept is not None:
                rows = (kept.stretch, kept.phase)
                stretch, phase = rows if factory else (_moved_rows(part, orders) for part in rows)
                self.strata.add(twin.name, Kept(first=kept.first, stretch=stretch, phase=phase))
            for one in (tally, twin):
                wanted[one.view].remove(one)

    # ----- merging and keeping ----------------------------------------------------------------------------------------

    def merge(self, other: "Tallies") -> None:
        """Add what another object counted over other sequences; what follows here starts a sequence of its own."""
        if (other.kind, other.cells.keys()) != (self.kind, self.cells.keys()):
            raise MergeError("only tallies of the same deck and tests can be merged")
        self._own_cells()
        for name, cells in other.cells.items():
            if other.decks[name]:
                self.cells[name] += cells
                self.decks[name] += other.decks[name]
        self.strata.merge(other.strata)
        self.origin = min(self.origin, other.origin)
        self._seen += other._seen
        self.followed += other.followed
        self.chained += other.chained
        self.break_sequence()

    def _own_cells(self) -> None:
        """A state holds the cells themselves, up to 14 megabytes: they are copied only where counting goes on."""
        if self._given_out:
            self.cells = {name: cells.copy() for name, cells in self.cells.items()}
            self._given_out = False

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays; cells of what was not counted yet are left out."""
        self._given_out = True
        return {
            "first_segment": self.first_segment,
            "cells": {name: cells for name, cells in self.cells.items() if self.decks[name]},
            "decks": dict(self.decks),
            "strata": self.strata.to_state(),
            "origin": self.origin,
            "row": self._row,
            "seen": self._seen,
            "past": self._past.copy(),
            "followed": self.followed,
            "chained": self.chained,
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], *, kind: DeckKind = STANDARD, compiled: bool | None = None
    ) -> "Tallies":
        first = int(state["first_segment"])
        made = cls((), kind=kind, first_segment=first, origin=int(state["origin"]), compiled=compiled)
        made.strata = Strata.from_state(state["strata"], kind=kind)
        made.decks = {name: int(decks) for name, decks in state["decks"].items()}
        made.cells = {name: TALLIES[name].cells(kind) for name in made.decks}
        for name, cells in state["cells"].items():
            made.cells[name] = np.asarray(cells, made.cells[name].dtype)
        made._given_out = True
        made._row, made._seen = int(state["row"]), int(state["seen"])
        made.followed, made.chained = int(state["followed"]), int(state["chained"])
        made._past = np.array(state["past"], made._past.dtype).reshape(-1, kind.cards)
        return made


def _moved(cells: Rows, orders: Rows) -> Rows:
    """A table of cards by position as one of places in an order by position."""
    side = orders.shape[1]
    return np.ascontiguousarray(cells.reshape(side, side)[:, orders[0]].reshape(-1))


def _moved_rows(rows: Rows, orders: Rows) -> Rows:
    """The same, of strata: decks, then such a table in each row."""
    side = orders.shape[1]
    tables = rows[:, 1:].reshape(len(rows), side, side)[:, :, orders[0]]
    return np.hstack([rows[:, :1], tables.reshape(len(rows), -1)])


def _chained(past: Rows, decks: Rows, orders: Rows | None) -> bool:
    """Whether each deck was shuffled from the one before: then what is seen from the input is seen from the past."""
    return (
        orders is not None
        and len(orders) == len(decks)
        and len(past) > 0
        and bool((orders[0] == past[-1]).all())
        and np.array_equal(orders[1:], decks[:-1])
    )


def input_orders(inputs: Rows | None, many: int, kind: DeckKind, dtype: Any) -> Rows | None:
    """The input orders as rows: none, one for all, or one for each of `many` decks."""
    if inputs is None:
        return None
    orders = np.ascontiguousarray(inputs, dtype)
    orders = orders.reshape(1, -1) if orders.ndim == 1 else orders
    if orders.ndim != 2 or orders.shape[1] != kind.cards or len(orders) not in (1, many):
        raise DeckShapeError(
            f"input orders must be one row of {kind.cards} cards, or one for each of {many} decks, "
            f"not shape {orders.shape}"
        )
    return orders
