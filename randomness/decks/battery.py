"""The battery: give it decks, merge it with others, keep it, ask it for results.

One battery counts one sequence of decks (a shard). Decks that are not whole, or whose stated input order is not, are
reported by row and left out of everything else; they also end the sequence for the tests that look back.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.errors import DeckShapeError, MergeError
from randomness.decks.faces import CARDS
from randomness.decks.integrity import Integrity, whole_rows
from randomness.decks.judges.base import Chance
from randomness.decks.layout import TALLIES
from randomness.decks.registry import DECK_TESTS, DeckTest, deck_test
from randomness.decks.repeats import Repeats, hashes
from randomness.decks.tallies import Tallies, compiled_available, input_orders
from randomness.result import Outcome, Result

Decks = NDArray[np.uint8]

_CHUNK = 1 << 15
_WORD = (1 << 64) - 1


def counted_in_full(most: int) -> int:
    """Decks that a tally with this `every` counts without gaps; of longer runs it never counts fewer."""
    return 100_000 if most > 16 else 1_000_000


def sub_sample(most: int, planned: int | None) -> int:
    """One segment in how many a tally counts in a run of `planned` decks (all of them, where nothing is planned)."""
    return max(1, min(most, (planned or 0) // counted_in_full(most)))


class DeckBattery:
    """The deck tests of the given names (all, if none are given) over one sequence of decks."""

    def __init__(
        self,
        tests: Iterable[str] | None = None,
        *,
        planned: int | None = None,
        first_row: int = 0,
        first_segment: int = 0,
        compiled: bool | None = None,
    ) -> None:
        """`planned` decks in all, of which this battery may count a part that begins with that segment."""
        self.tests = tuple(deck_test(name) for name in (DECK_TESTS if tests is None else tests))
        names = {test.tally for test in self.tests}
        self._planned = planned
        self._compiled = compiled_available() if compiled is None else compiled
        every = {name: sub_sample(TALLIES[name].every, planned) for name in names}
        self.tallies = Tallies(names, every=every, first_segment=first_segment, compiled=self._compiled)
        self.integrity = Integrity()
        self.repeats = Repeats(planned)
        self.first_row = first_row
        self.digest = 0
        """Sum of the hashes of all whole decks: names the data, in whatever order it was counted."""

    # ----- counting ---------------------------------------------------------------------------------------------------

    def update(self, decks: Decks, inputs: Decks | None = None) -> None:
        """Count the next decks of the sequence: rows of 52 faces, with their input orders (rows, or one for all)."""
        decks = np.asarray(decks)
        if decks.dtype != np.uint8 or decks.ndim != 2 or decks.shape[1] != CARDS:
            raise DeckShapeError(
                f"decks must be rows of {CARDS} faces as unsigned bytes, not {decks.dtype} of shape {decks.shape}"
            )
        orders = input_orders(inputs, len(decks))
        for start in range(0, len(decks), _CHUNK):
            known = orders if orders is None or len(orders) == 1 else orders[start : start + _CHUNK]
            self._update(np.ascontiguousarray(decks[start : start + _CHUNK]), known)

    def _update(self, decks: Decks, orders: Decks | None) -> None:
        first = self.first_row + self.integrity.decks
        good = whole_rows(decks, compiled=self._compiled)
        self.integrity.add(decks, good, first)
        if orders is not None:
            known = whole_rows(orders, compiled=self._compiled)
            if not known.all():
                bad = np.flatnonzero(good & ~known)
                self.integrity.add_bad_inputs(bad + first, orders[bad if len(orders) > 1 else bad * 0])
                good = good & known
        if good.all():
            self._count(decks, orders, np.arange(first, first + len(decks)))
            return
        edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]])))
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            if start > 0:
                self.tallies.break_sequence()
            part = orders if orders is None or len(orders) == 1 else orders[start:stop]
            self._count(decks[start:stop], part, np.arange(first + start, first + stop))
        if not good[-1]:
            self.tallies.break_sequence()

    def _count(self, decks: Decks, orders: Decks | None, rows: NDArray[np.int64]) -> None:
        self.tallies.update(decks, orders)
        mixed = hashes(decks, compiled=self._compiled)
        self.repeats.add(mixed, rows)
        self.digest = (self.digest + int(mixed.sum(dtype=np.uint64))) & _WORD

    def clear(self) -> None:
        """Forget everything counted: as new, with the same tests."""
        self.tallies.clear()
        self.integrity, self.repeats, self.digest = Integrity(), Repeats(self._planned), 0

    # ----- merging and keeping ----------------------------------------------------------------------------------------

    def merge(self, other: "DeckBattery") -> None:
        """Add another battery of the same tests, counted over another sequence. Exact, and the same in any order."""
        if {test.name for test in self.tests} != {test.name for test in other.tests}:
            raise MergeError("only batteries of the same tests can be merged")
        self.tallies.merge(other.tallies)
        self.integrity.merge(other.integrity)
        self.repeats.merge(other.repeats)
        self.first_row = min(self.first_row, other.first_row)
        self.digest = (self.digest + other.digest) & _WORD

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays, for a checkpoint."""
        return {
            "tests": [test.name for test in self.tests],
            "first_row": self.first_row,
            "digest": self.digest,
            "tallies": self.tallies.to_state(),
            "integrity": self.integrity.to_state(),
            "repeats": self.repeats.to_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, compiled: bool | None = None) -> "DeckBattery":
        made = cls(state["tests"], first_row=int(state["first_row"]), compiled=compiled)
        made.digest = int(state["digest"])
        made.tallies = Tallies.from_state(state["tallies"], compiled=compiled)
        made.integrity = Integrity.from_state(state["integrity"])
        made.repeats = Repeats.from_state(state["repeats"])
        return made

    # ----- judging ----------------------------------------------------------------------------------------------------

    def evaluate(self) -> tuple[Result, ...]:
        """The certain tests (integrity, repeats), then every other in the order it was asked for."""
        return (self.integrity.result(), self.repeats.result(), *(self.judge(test) for test in self.tests))

    def judge(self, test: DeckTest) -> Result:
        """One test's result."""
        decks = self.tallies.decks[test.tally]
        unmet = self._unmet(test, decks)
        if unmet is not None:
            return unmet
        cells = self.tallies.cells[test.tally]
        verdict = test.judge.verdict(cells, decks, self._chance(test))
        effect = test.judge.effect(cells, decks)
        return Result(
            test=test.name,
            outcome=Outcome.TESTED,
            samples=decks,
            statistic=verdict.statistic,
            p=verdict.p,
            null=test.null,
            effect=effect.value,
            effect_low=effect.low,
            effect_high=effect.high,
            effect_unit=test.unit,
            findings=test.judge.findings(cells, decks),
        )

    def p_value(self, test: DeckTest) -> float | None:
        """The p-value alone, as `judge` would give it."""
        decks = self.tallies.decks[test.tally]
        if self._unmet(test, decks) is not None:
            return None
        return test.judge.verdict(self.tallies.cells[test.tally], decks, self._chance(test)).p

    def _unmet(self, test: DeckTest, decks: int) -> Result | None:
        if test.needs_input and decks == 0:
            why = "the order of the cards before each shuffle is needed and was not given"
            return Result(test=test.name, outcome=Outcome.NOT_APPLICABLE, samples=0, unmet=(why,))
        if decks < test.least:
            why = f"needs {test.least:,} decks, has {decks:,}"
            return Result(test=test.name, outcome=Outcome.TOO_FEW, samples=decks, unmet=(why,))
        return None

    def _chance(self, test: DeckTest) -> Chance:
        name = hashlib.blake2b(test.name.encode(), digest_size=8, key=self.digest.to_bytes(8, "little")).digest()
        return Chance(int.from_bytes(name, "little"))
