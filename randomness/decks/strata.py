"""Counts kept by stretch of the run and by phase of the row number, so that what changes with time can be seen.

Stretches divide the rows of a run into 33 to 64 equal parts, whatever its length: their width is the least power of two
(from 32 on) that does so, and doubles as the run grows. Phases are remainders of the row number by the least common
multiple of the periods asked for. Both add up exactly, in any order and from any number of shards.
"""

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.errors import MergeError
from randomness.decks.layout import TALLIES, Keep

STRETCHES = 64
NARROWEST = 32
MOST_PHASES = 64
PERIODS = (2,)

Cells = NDArray[np.int64]


def kept_columns(name: str) -> int:
    """Columns kept of a tally in each stratum: decks first, then its cells, or the sum of its count."""
    tally = TALLIES[name]
    return 1 + (tally.size if tally.keep is Keep.CELLS else 1)


@lru_cache
def _values(size: int) -> Cells:
    return np.arange(size)


def _side_by_side(tables: list[Cells]) -> Cells:
    """One alone is not copied."""
    return tables[0] if len(tables) == 1 else np.hstack(tables)


class Strata:
    """For each kept tally a row for each stretch and one for each phase: decks, then what is kept of them."""

    def __init__(self, names: Iterable[str], *, periods: Iterable[int] = PERIODS) -> None:
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
        self.stretch = {name: np.zeros((STRETCHES, kept_columns(name)), np.int64) for name in self.names}
        self.phase = {name: np.zeros((self.phases, kept_columns(name)), np.int64) for name in self.names}

    def reach(self, position: int) -> None:
        """Widen stretches until this deck lies in one of them."""
        while position // self.width >= STRETCHES:
            self._widen()

    def add(self, name: str, position: int, phase: int, counts: Cells, decks: int) -> None:
        """Counts over decks of one stretch and one phase."""
        kept = counts if TALLIES[name].keep is Keep.CELLS else int(_values(len(counts)) @ counts)
        for row in (self.stretch[name][position // self.width], self.phase[name][phase]):
            row[0] += decks
            row[1:] += kept

    def add_all(self, name: str, first: int, stretch: Cells, phase: Cells) -> None:
        """Rows of decks and what is kept of them, for stretches from that one on and for every phase."""
        self.stretch[name][first : first + len(stretch)] += stretch
        self.phase[name] += phase

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
        if (other.names, other.periods) != (self.names, self.periods):
            raise MergeError("only strata of the same tests and periods can be merged")
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
                self.add_all(name, first, rows, other.phase[name])

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
    def from_state(cls, state: Mapping[str, Any]) -> "Strata":
        """What gave the state."""
        made = cls(state["names"], periods=state["periods"])
        made.width = int(state["width"])
        for name, kept in state["kept"].items():
            rows = np.asarray(kept["stretch"], np.int64)
            first = int(kept["first"])
            made.stretch[name][first : first + len(rows)] = rows
            made.phase[name] = np.array(kept["phase"], np.int64)
        return made
