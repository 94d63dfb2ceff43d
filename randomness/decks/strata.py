"""Counts kept by stretch of the run and by phase of the row number, so that what changes with time can be seen.

Stretches divide the rows of a run into 33 to 64 equal parts, whatever its length: their width is the least power of two
(from 32 on) that does so, and doubles as the run grows. Phases are remainders of the row number by the least common
multiple of the periods asked for. Both add up exactly, in any order and from any number of shards.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.errors import MergeError
from randomness.decks.kinds.kind import STANDARD, DeckKind
from randomness.decks.layout import TALLIES, DeckTally, Keep

STRETCHES = 64
NARROWEST = 32
MOST_PHASES = 64
PERIODS = (2,)
MOST_CELLS = 20_000
"""Cells of the largest table that is kept by stretch and phase: ten megabytes."""

Cells = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Kept:
    """What was counted, by stretch (that of the first deck and those after it) and by phase: decks, then the rest."""

    first: int
    stretch: Cells
    phase: Cells


def kept_columns(tally: DeckTally, cells: int) -> int:
    """Columns kept of a tally in each stratum: decks first, then its cells, or the sum of its count."""
    return 1 + (cells if tally.keep is Keep.CELLS else 1)


def _side_by_side(tables: list[Cells]) -> Cells:
    """One alone is not copied."""
    return tables[0] if len(tables) == 1 else np.hstack(tables)


class Strata:
    """For each kept tally a row for each stretch and one for each phase: decks, then what is kept of them."""

    def __init__(self, names: Iterable[str], *, kind: DeckKind = STANDARD, periods: Iterable[int] = PERIODS) -> None:
        self.kind = kind
        self.names = tuple(sorted(name for name in set(names) if TALLIES[name].keep is not Keep.NOTHING))
        self.periods = tuple(sorted(set(periods)))
        self.phases = math.lcm(*self.periods)
        self.width = NARROWEST
        self.stretch: dict[str, Cells] = {}
        self.phase: dict[str, Cells] = {}
        self.clear()

    def clear(self) -> None:
        """Forget everything kept."""
        self.width = NARROWEST
        wide = {name: kept_columns(TALLIES[name], TALLIES[name].size(self.kind)) for name in self.names}
        self.stretch = {name: np.zeros((STRETCHES, columns), np.int64) for name, columns in wide.items()}
        self.phase = {name: np.zeros((self.phases, columns), np.int64) for name, columns in wide.items()}

    def reach(self, position: int) -> None:
        """Widen stretches until this deck lies in one of them."""
        while position // self.width >= STRETCHES:
            self._widen()

    def room(self, first: int, many: int, columns: int) -> Kept:
        """Empty rows for decks of which the first is number `first` of the run."""
        stretches = (first + many - 1) // self.width - first // self.width + 1
        return Kept(
            first=first // self.width,
            stretch=np.zeros((stretches, columns), np.int64),
            phase=np.zeros((self.phases, columns), np.int64),
        )

    def divided(self, tally: DeckTally, given: NDArray[np.intp], cells: int, first: int, row: int) -> Kept:
        """What a tally's function gave for decks (cells hit, or a count), from that deck of the run and that row on."""
        many = len(given)
        kept = self.room(first, many, kept_columns(tally, cells))
        of = (
            (kept.stretch, (first + np.arange(many)) // self.width - first // self.width),
            (kept.phase, (row + np.arange(many)) % self.phases),
        )
        for rows, place in of:
            rows[:, 0] = np.bincount(place, minlength=len(rows))
            if tally.keep is Keep.SUMS:
                np.add.at(rows[:, 1], place, given)
            else:
                hit = np.bincount((place[:, None] * cells + given).ravel(), minlength=len(rows) * cells)
                rows[:, 1:] = hit.reshape(len(rows), cells)
        return kept

    def add(self, name: str, kept: Kept) -> None:
        """Rows of decks and what is kept of them, for stretches from that one on and for every phase."""
        self.stretch[name][kept.first : kept.first + len(kept.stretch)] += kept.stretch
        self.phase[name] += kept.phase

    def _widen(self) -> None:
        self.width *= 2
        for rows in self.stretch.values():
            if rows[:, 0].any():
                rows[: STRETCHES // 2] = rows[0::2] + rows[1::2]
                rows[STRETCHES // 2 :] = 0

    def by_stretch(self, names: Iterable[str]) -> Cells:
        """The rows of several tallies side by side, as far as any has decks."""
        tables = [self.stretch[name] for name in names]
        used = np.flatnonzero(np.any([table[:, 0] for table in tables], axis=0))
        return _side_by_side([table[: int(used[-1]) + 1 if len(used) else 0] for table in tables])

    def by_phase(self, names: Iterable[str]) -> Cells:
        """The same by phase, every one."""
        return _side_by_side([self.phase[name] for name in names])

    def merge(self, other: "Strata") -> None:
        """Add what was kept of other rows of the same run."""
        if (other.kind, other.names, other.periods) != (self.kind, self.names, self.periods):
            raise MergeError("only strata of the same deck, tests and periods can be merged")
        while self.width < other.width:
            self._widen()
        for name in self.names:
            used = np.flatnonzero(other.stretch[name][:, 0])
            if len(used):
                first, last = int(used[0]), int(used[-1]) + 1
                rows = other.stretch[name][first:last]
                if other.width < self.width:
                    wide = np.arange(first, last) * other.width // self.width
                    first, rows = int(wide[0]), np.add.reduceat(rows, np.flatnonzero(np.diff(wide, prepend=-1)), axis=0)
                self.add(name, Kept(first=first, stretch=rows, phase=other.phase[name]))

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays; stretches before the first and after the last used are left out."""
        kept = {}
        for name in self.names:
            used = np.flatnonzero(self.stretch[name][:, 0])
            if len(used):
                first, last = int(used[0]), int(used[-1]) + 1
                kept[name] = {
                    "first": first, "stretch": self.stretch[name][first:last].copy(), "phase": self.phase[name].copy(),
                }  # fmt: skip
        return {"names": list(self.names), "periods": list(self.periods), "width": self.width, "kept": kept}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, kind: DeckKind = STANDARD) -> "Strata":
        """What gave the state."""
        made = cls(state["names"], kind=kind, periods=state["periods"])
        made.width = int(state["width"])
        for name, kept in state["kept"].items():
            rows = np.asarray(kept["stretch"], np.int64)
            first = int(kept["first"])
            made.stretch[name][first : first + len(rows)] = rows
            made.phase[name] = np.array(kept["phase"], np.int64)
        return made
