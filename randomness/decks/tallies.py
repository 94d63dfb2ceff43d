"""Tallies being counted: decks in, integers out, the same integers compiled or plain, in any chunks.

Sequences: the decks given to one object follow each other; two objects that are merged are two separate sequences, and
so is what comes before and after `break_sequence`. Merging adds cells, so it is exact and does not depend on order.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks import reference
from randomness.decks.columns import Columns, Kept, Seen, is_factory
from randomness.decks.errors import DeckShapeError, MergeError, UnknownTest
from randomness.decks.faces import CARDS, SEATS
from randomness.decks.hands import hand_values
from randomness.decks.layout import LAGS, SEGMENT, TALLIES, DeckTally, Keep, TallySource, View
from randomness.decks.strata import PERIODS, Strata
from randomness.extras import numba_installed

Decks = NDArray[np.uint8]


class Tallies:
    """Counts the named tallies over decks that are known to be whole (52 different cards each)."""

    def __init__(
        self,
        names: Iterable[str],
        *,
        every: Mapping[str, int] | None = None,
        first_segment: int = 0,
        origin: int = 0,
        periods: Iterable[int] = PERIODS,
        strata_every: int = 1,
        compiled: bool | None = None,
    ) -> None:
        """`first_segment` numbers the first segment counted here: shards of one run thin out as one sequence would.

        `origin` is the row with which the run begins, for its stretches; phases go by the row number itself. One
        segment in `strata_every` is kept by both.
        """
        wanted = sorted(set(names))
        if unknown := [name for name in wanted if name not in TALLIES]:
            raise UnknownTest(f"no such tally: {', '.join(unknown)}; there are {', '.join(TALLIES)}")
        self.every = {name: (every or {}).get(name, 1) for name in wanted}
        self.cells = {name: _cells(name) for name in wanted}
        self.decks = dict.fromkeys(wanted, 0)
        self.first_segment = first_segment
        self.strata = Strata(wanted, periods=periods)
        self.origin = origin
        self.strata_every = strata_every
        self._kept = True
        self._given_out = False
        self._row = origin
        self._seen = 0
        self._past: Decks = np.zeros((0, CARDS), np.uint8)
        self._compiled = numba_installed() if compiled is None else compiled
        self._room: Columns | None = None

    # ----- counting ---------------------------------------------------------------------------------------------------

    def update(self, decks: Decks, inputs: Decks | None = None, *, row: int | None = None) -> None:
        """Count decks (rows of 52 faces), with the order that each was shuffled from where it is known.

        `inputs` has one row for each deck, or a single row (or vector) that holds for all. `row` is the number of the
        first deck's row, where it does not follow on what was counted before.
        """
        self._row = self._row if row is None else row
        decks = np.ascontiguousarray(decks, np.uint8)
        if decks.ndim != 2 or decks.shape[1] != CARDS:
            raise DeckShapeError(f"decks must be rows of {CARDS} faces, not an array of shape {decks.shape}")
        orders = input_orders(inputs, len(decks))
        self._own_cells()
        self.strata.reach(self._row - self.origin + len(decks) - 1)
        done = 0
        while done < len(decks):
            # Segments are numbered from the first deck, so that thinning does not depend on the size of the chunks.
            many = min(len(decks) - done, SEGMENT - self._seen % SEGMENT)
            part = decks[done : done + many]
            known = orders if orders is None or len(orders) == 1 else orders[done : done + many]
            number = self.first_segment + self._seen // SEGMENT
            self._kept = number % self.strata_every == 0
            due = [TALLIES[name] for name, every in self.every.items() if number % every == 0]
            (self._count_compiled if self._compiled else self._count_plainly)(part, known, due)
            self._past = np.concatenate([self._past, part])[-LAGS:]
            self._seen += many
            self._row += many
            done += many

    @property
    def last(self) -> Decks | None:
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
        self.break_sequence()

    def _count_plainly(self, decks: Decks, orders: Decks | None, due: list[DeckTally]) -> None:
        values = hand_values()
        before = [row.tolist() for row in self._past[::-1]]
        for row, faces in enumerate(decks):
            deck = faces.tolist()
            views: dict[View, list[int]] = {View.FACES: deck}
            if orders is not None:
                views[View.INPUT] = reference.seen_from(deck, orders[row if len(orders) > 1 else 0].tolist())
            if before:
                views[View.PREVIOUS] = reference.seen_from(deck, before[0])
            inverses = {view: reference.inverse(order) for view, order in views.items()}
            dealt = [int(values[tuple(deck[3 * seat : 3 * seat + 3])]) for seat in range(SEATS)]
            for tally in due:
                function = getattr(reference, tally.function)
                if tally.source is TallySource.PERMUTATION:
                    if tally.view not in views:
                        continue
                    adds = function(views[tally.view], inverses[tally.view])
                elif tally.source is TallySource.HANDS:
                    adds = function(dealt)
                else:
                    if not before:
                        continue
                    adds = function(deck, before)
                self.decks[tally.name] += 1
                cells = self.cells[tally.name]
                one = np.zeros(tally.size, np.int64) if self._kept and tally.keep is not Keep.NOTHING else cells
                for cell, amount in adds:
                    one[cell] += amount
                if one is not cells:
                    cells += one
                    number = self._row + row
                    self.strata.add(tally.name, number - self.origin, number % self.strata.phases, one, 1)
            before = [deck, *before[: LAGS - 1]]

    def _count_compiled(self, decks: Decks, orders: Decks | None, due: list[DeckTally]) -> None:
        room = self._room = self._room or Columns()
        kernel = room.kernel
        have, many = len(self._past), len(decks)
        kernel.spread(self._past, LAGS - have, room.faces, room.inverse)
        kernel.spread(decks, LAGS, room.faces, room.inverse)
        chained = _chained(self._past, decks, orders)
        as_they_are = Seen(room, room.faces, many, self._row, inverse=room.inverse)
        in_sight: View | None = None
        wanted: dict[View, list[DeckTally]] = {
            view: [tally for tally in due if tally.source is TallySource.PERMUTATION and tally.view is view]
            for view in View
        }
        self._share_tables(as_they_are, orders, wanted)
        for view, tallies in wanted.items():
            if not tallies:
                continue
            as_faces = view is View.FACES or (view is View.INPUT and is_factory(orders))
            sight = View.PREVIOUS if chained and view is View.INPUT and not as_faces else view
            counted = many if sight is in_sight else room.see(sight, orders, have, many)
            in_sight = sight
            if counted:
                row = self._row + many - counted
                seen = as_they_are if as_faces else Seen(room, room.seen, counted, row, inverse=room.seen_inverse)
                for tally in tallies:
                    self._take(tally, seen)
        if dealt := [tally for tally in due if tally.source is TallySource.HANDS]:
            kernel.hand_values(room.faces, many, hand_values(), room.strong)
            seen = Seen(room, room.strong, many, self._row)
            for tally in dealt:
                self._take(tally, seen)
        for tally in due:
            if tally.source is TallySource.TIME and have + many > 1:
                getattr(kernel, tally.function)(room.faces, room.inverse, have, many, self.cells[tally.name])
                self.decks[tally.name] += many if have else many - 1

    def _take(self, tally: DeckTally, seen: Seen) -> Kept | None:
        """Count one tally over decks in sight, and keep it by stretch and by phase where it is kept so."""
        self.decks[tally.name] += seen.many
        if tally.keep is Keep.NOTHING or not self._kept:
            seen.count(tally, self.cells[tally.name])
            return None
        kept = seen.keep(tally, self.cells[tally.name], self.strata, seen.row - self.origin)
        self.strata.add_all(tally.name, kept.first, kept.stretch, kept.phase)
        return kept

    def _share_tables(self, seen: Seen, orders: Decks | None, wanted: dict[View, list[DeckTally]]) -> None:
        """Where one order went into all decks, its table of cards by position is that of the faces with the columns
        moved; where that is the factory order, so is everything else. Count once, add twice, and strike off."""
        if orders is None or len(orders) != 1:
            return
        factory = is_factory(orders)
        twins = {tally.function: tally for tally in wanted[View.INPUT] if factory or tally.function == "by_position"}
        for tally in [tally for tally in wanted[View.FACES] if tally.function in twins]:
            twin = twins[tally.function]
            before = self.cells[tally.name].copy()
            kept = self._take(tally, seen)
            added = self.cells[tally.name] - before
            self.cells[twin.name] += added if factory else _moved(added, orders)
            self.decks[twin.name] += seen.many
            if kept is not None:
                rows = (kept.stretch, kept.phase)
                stretch, phase = rows if factory else (_moved_rows(part, orders) for part in rows)
                self.strata.add_all(twin.name, kept.first, stretch, phase)
            for one in (tally, twin):
                wanted[one.view].remove(one)

    # ----- merging and keeping ----------------------------------------------------------------------------------------

    def merge(self, other: "Tallies") -> None:
        """Add what another object counted over other sequences; what follows here starts a sequence of its own."""
        if (other.every, other.strata_every) != (self.every, self.strata_every):
            raise MergeError("only tallies of the same tests with the same sub-samples can be merged")
        self._own_cells()
        for name, cells in other.cells.items():
            if other.decks[name]:
                self.cells[name] += cells
                self.decks[name] += other.decks[name]
        self.strata.merge(other.strata)
        self.origin = min(self.origin, other.origin)
        self._seen += other._seen
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
            "every": dict(self.every),
            "first_segment": self.first_segment,
            "cells": {name: cells for name, cells in self.cells.items() if self.decks[name]},
            "decks": dict(self.decks),
            "strata": self.strata.to_state(),
            "origin": self.origin,
            "strata_every": self.strata_every,
            "row": self._row,
            "seen": self._seen,
            "past": self._past.copy(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, compiled: bool | None = None) -> "Tallies":
        made = cls(
            (), first_segment=int(state["first_segment"]), origin=int(state["origin"]),
            strata_every=int(state["strata_every"]), compiled=compiled,
        )  # fmt: skip
        made.every = dict(state["every"])
        made.strata = Strata.from_state(state["strata"])
        made._row = int(state["row"])
        made.cells = {name: _cells(name, state["cells"].get(name)) for name in made.every}
        made._given_out = True
        made.decks = {name: int(decks) for name, decks in state["decks"].items()}
        made._seen = int(state["seen"])
        made._past = np.array(state["past"], np.uint8).reshape(-1, CARDS)
        return made


def _cells(name: str, counted: NDArray[Any] | None = None) -> NDArray[Any]:
    """The cells of a tally: what was counted, or nothing yet."""
    tally = TALLIES[name]
    return np.zeros(tally.size, tally.cell) if counted is None else np.asarray(counted, tally.cell)


def _moved(cells: NDArray[np.int64], orders: Decks) -> NDArray[np.int64]:
    """A table of cards by position as one of places in an order by position."""
    return np.ascontiguousarray(cells.reshape(CARDS, CARDS)[:, orders[0]].reshape(-1))


def _moved_rows(rows: NDArray[np.int64], orders: Decks) -> NDArray[np.int64]:
    """The same, of strata: decks, then such a table in each row."""
    tables = rows[:, 1:].reshape(len(rows), CARDS, CARDS)[:, :, orders[0]]
    return np.hstack([rows[:, :1], tables.reshape(len(rows), -1)])


def _chained(past: Decks, decks: Decks, orders: Decks | None) -> bool:
    """Whether each deck was shuffled from the one before: then what is seen from the input is seen from the past."""
    return (
        orders is not None
        and len(orders) == len(decks)
        and len(past) > 0
        and bool((orders[0] == past[-1]).all())
        and np.array_equal(orders[1:], decks[:-1])
    )


def input_orders(inputs: Decks | None, many: int) -> Decks | None:
    """The input orders as rows: none, one for all, or one for each of `many` decks."""
    if inputs is None:
        return None
    orders = np.ascontiguousarray(inputs, np.uint8)
    orders = orders.reshape(1, -1) if orders.ndim == 1 else orders
    if orders.ndim != 2 or orders.shape[1] != CARDS or len(orders) not in (1, many):
        raise DeckShapeError(
            f"input orders must be one row of {CARDS} faces, or one for each of {many} decks, not shape {orders.shape}"
        )
    return orders
