"""The battery: give it decks, merge it with others, keep it, ask it for results.

One battery counts one sequence of decks (a shard). Decks that are not whole, or whose stated input order is not, are
reported by row and left out of everything else; they also end the sequence for the tests that look back.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.copies import Copies
from randomness.decks.errors import DeckShapeError, MergeError
from randomness.decks.faces import CARDS
from randomness.decks.fingerprints import hashes
from randomness.decks.integrity import Integrity, whole_rows
from randomness.decks.judges.base import Chance
from randomness.decks.kinds import STANDARD
from randomness.decks.layout import TALLIES
from randomness.decks.registry import DECK_TESTS, deck_test
from randomness.decks.repeats import REPEATS_KEPT
from randomness.decks.rows.base import DeckTest, Over
from randomness.decks.rows.exact import law
from randomness.decks.strata import PERIODS
from randomness.decks.sums import Law
from randomness.decks.tallies import Tallies, input_orders
from randomness.extras import numba_installed
from randomness.result import Outcome, Result

Decks = NDArray[np.uint8]

_CHUNK = 1 << 15
STRATA_EVERY = 8
"""Long runs keep one segment in up to so many by stretch and by phase."""
_WORD = (1 << 64) - 1


def counted_in_full(most: int) -> int:
    """Decks that a tally with this `every` counts without gaps; of longer runs it never counts fewer."""
    return 100_000 if most > 16 else 1_000_000


def sub_sample(most: int, planned: int | None) -> int:
    """One segment in how many a tally counts in a run of `planned` decks (all of them, where nothing is planned)."""
    return max(1, min(most, (planned or 0) // counted_in_full(most)))


class DeckBattery:
    """The deck tests of the given names (all, if none are given) over one sequence of decks."""

    kind = STANDARD

    def __init__(
        self,
        tests: Iterable[str] | None = None,
        *,
        planned: int | None = None,
        first_row: int = 0,
        first_segment: int = 0,
        origin: int | None = None,
        periods: Iterable[int] = PERIODS,
        repeats_kept: int = REPEATS_KEPT,
        compiled: bool | None = None,
    ) -> None:
        """`planned` decks in all, of which this battery may count a part that begins with that segment.

        `origin` is the row with which the whole begins (this part's first row, if left out): stretches are counted from
        there. `periods` are those by which rows are compared: odd and even ones, and what else takes turns. Up to
        `repeats_kept` decks are remembered, to find those that come twice.
        """
        self.tests = tuple(deck_test(name) for name in (DECK_TESTS if tests is None else tests))
        names = {name for test in self.tests for name in (test.tally, *test.also)}
        self._planned = planned
        self._compiled = numba_installed() if compiled is None else compiled
        every = {name: sub_sample(TALLIES[name].every, planned) for name in names}
        self.tallies = Tallies(
            names, every=every, first_segment=first_segment, origin=first_row if origin is None else origin,
            periods=periods, strata_every=sub_sample(STRATA_EVERY, planned), compiled=self._compiled,
        )  # fmt: skip
        self.integrity = Integrity()
        self.copies = Copies(planned, most=repeats_kept, compiled=self._compiled)
        self.first_row = first_row
        self._one_order = False
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
        single = inputs is not None and np.asarray(inputs).ndim == 1
        self._one_order = single or (orders is not None and len(orders) < len(decks))
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
        mixed = hashes(decks, compiled=self._compiled)
        self.copies.add(decks, mixed, rows, orders, self.tallies.last, one_order=self._one_order)
        self.tallies.update(decks, orders, row=int(rows[0]))
        self.digest = (self.digest + int(mixed.sum(dtype=np.uint64))) & _WORD

    def clear(self) -> None:
        """Forget everything counted: as new, with the same tests."""
        self.tallies.clear()
        self.integrity, self.digest = Integrity(), 0
        self.copies = Copies(self._planned, most=self.copies.most, compiled=self._compiled)

    # ----- merging and keeping ----------------------------------------------------------------------------------------

    def merge(self, other: "DeckBattery") -> None:
        """Add another battery of the same tests, counted over another sequence. Exact, and the same in any order."""
        if {test.name for test in self.tests} != {test.name for test in other.tests}:
            raise MergeError("only batteries of the same tests can be merged")
        self.tallies.merge(other.tallies)
        self.integrity.merge(other.integrity)
        self.copies.merge(other.copies)
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
            "copies": self.copies.to_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, compiled: bool | None = None) -> "DeckBattery":
        made = cls((), first_row=int(state["first_row"]), compiled=compiled)
        made.tests = tuple(deck_test(name) for name in state["tests"])
        made.digest = int(state["digest"])
        made.tallies = Tallies.from_state(state["tallies"], compiled=compiled)
        made.integrity = Integrity.from_state(state["integrity"])
        made.copies = Copies.from_state(state["copies"], compiled=made._compiled)
        return made

    # ----- judging ----------------------------------------------------------------------------------------------------

    def evaluate(self) -> tuple[Result, ...]:
        """The certain tests (integrity, repeats), then every other in the order it was asked for. A test that repeats
        another on these decks says so and has no p-value: what is one statistic is judged once."""
        return (self.integrity.result(), *self.copies.results(), *(self.judge(test) for test in self.tests))

    def judge(self, test: DeckTest) -> Result:
        """One test's result."""
        decks = self.tallies.decks[test.tally]
        unmet = self._unmet(test, decks)
        if unmet is not None:
            return unmet
        if self.repeats_another(test):
            why = f"on these decks {test.twin} is the same statistic"
            return Result(test=test.name, outcome=Outcome.SAME, samples=decks, unmet=(why,))
        cells, decks = self._cells(test), self.counted(test)
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

    def counted(self, test: DeckTest) -> int:
        """Decks that the test judges: of its tally, or of what is kept of it by stretch and phase."""
        if test.over is Over.ALL:
            return self.tallies.decks[test.tally]
        return int(self.tallies.strata.phase[test.tally][:, 0].sum())

    def repeats_another(self, test: DeckTest) -> bool:
        """Whether another test of this battery judges the same counts by the same law."""
        twin = next((other for other in self.tests if other.name == test.twin), None)
        if twin is None:
            return False
        tallies = self.tallies
        return tallies.decks[twin.tally] == tallies.decks[test.tally] and np.array_equal(
            tallies.cells[twin.tally], tallies.cells[test.tally]
        )

    def p_value(self, test: DeckTest) -> float | None:
        """The p-value alone, as `judge` would give it."""
        decks = self.tallies.decks[test.tally]
        if self._unmet(test, decks) is not None:
            return None
        return test.judge.verdict(self._cells(test), decks, self._chance(test)).p

    def _cells(self, test: DeckTest) -> NDArray[Any]:
        """What the test judges: the cells of its tally, or what is kept of its tallies by stretch or phase."""
        strata, names = self.tallies.strata, (test.tally, *test.also)
        if test.over is Over.STRETCHES:
            return strata.by_stretch(names)
        return strata.by_phase(names) if test.over is Over.PHASES else self.tallies.cells[test.tally]

    def _unmet(self, test: DeckTest, decks: int) -> Result | None:
        if test.needs_input and decks == 0:
            why = "the order of the cards before each shuffle is needed and was not given"
            return Result(test=test.name, outcome=Outcome.NOT_APPLICABLE, samples=0, unmet=(why,))
        if decks < test.least:
            why = f"needs {test.least:,} decks, has {decks:,}"
            return Result(test=test.name, outcome=Outcome.TOO_FEW, samples=decks, unmet=(why,))
        return None

    def law(self, of: str) -> Law:
        """The exact law of a count over one deck."""
        return law(of)

    def p_values(self) -> dict[str, float]:
        """The p-value of every test that is made of blocks and can be."""
        blocks = (test for test in self.tests if test.blocks)
        return {test.name: p for test in blocks if (p := self.p_value(test)) is not None}

    def whole(self, decks: Decks) -> NDArray[np.bool_]:
        """Which rows are whole decks."""
        return whole_rows(decks, compiled=self._compiled)

    def _chance(self, test: DeckTest) -> Chance:
        name = hashlib.blake2b(test.name.encode(), digest_size=8, key=self.digest.to_bytes(8, "little")).digest()
        return Chance(int.from_bytes(name, "little"))
