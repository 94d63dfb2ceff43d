"""The battery: give it decks of one kind, merge it with others, keep it, ask it for results.

One battery counts one sequence of decks (a shard). Rows are codes of a record: faces (52 and 53 are jokers), or, where
the cards of a shoe are told apart, card numbers. Decks that are not whole, or whose stated input order is not, are
reported by row and left out of everything else; they also end the sequence for the tests that look back. Tests that
have no law for the deck are in its results as not applicable, with the reason.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.columns import accelerated, fits
from randomness.decks.copies import Copies
from randomness.decks.errors import DeckShapeError, MergeError
from randomness.decks.fingerprints import hashes
from randomness.decks.integrity import Integrity, whole_rows
from randomness.decks.judges.base import Chance
from randomness.decks.kinds.kind import STANDARD, DeckKind
from randomness.decks.layout import SEGMENT
from randomness.decks.registry import DECK_TESTS, battery_tests, deck_test
from randomness.decks.repeats import REPEATS_KEPT
from randomness.decks.rows.base import DeckTest, Over
from randomness.decks.rows.exact import law_of
from randomness.decks.strata import PERIODS
from randomness.decks.sums import Law
from randomness.decks.tallies import Tallies
from randomness.result import Outcome, Result

Rows = NDArray[Any]

_CHUNK_CARDS = 1 << 21
_WORD = (1 << 64) - 1


class DeckBattery:
    """The deck tests of the given names (all, if none are given) over one sequence of decks."""

    def __init__(
        self,
        tests: Iterable[str] | None = None,
        *,
        kind: DeckKind = STANDARD,
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
        self.kind = kind
        self.names = tuple(deck_test(name).name for name in (DECK_TESTS if tests is None else tests))
        made = battery_tests(kind)
        self.tests = tuple(test for name in self.names if isinstance(test := made[name], DeckTest))
        self._planned = planned
        self._compiled = accelerated(kind, compiled)
        self.tallies = Tallies(
            {name for test in self.tests for name in test.tallies}, kind=kind,
            kept={name for test in self.tests if test.over is not Over.ALL for name in test.tallies},
            first_segment=first_segment, origin=first_row if origin is None else origin, periods=periods,
            compiled=self._compiled,
        )  # fmt: skip
        self.integrity = Integrity(kind)
        self.copies = Copies(planned, kind=kind, most=repeats_kept, compiled=self._compiled)
        self.first_row = first_row
        self._one_order = False
        self.digest = 0
        """Sum of the hashes of all whole decks: names the data, in whatever order it was counted."""

    # ----- counting ---------------------------------------------------------------------------------------------------

    def update(self, decks: Rows, inputs: Rows | None = None) -> None:
        """Count the next decks of the sequence: rows of codes, with their input orders (rows, or one for all)."""
        codes = self._rows(decks)
        orders = None if inputs is None else self._rows(np.atleast_2d(inputs))
        if orders is not None and len(orders) not in (1, len(codes)):
            raise DeckShapeError(f"{len(orders)} input orders for {len(codes)} decks")
        self._one_order = orders is not None and (np.asarray(inputs).ndim == 1 or len(orders) < len(codes))
        chunk = max(1, _CHUNK_CARDS // self.kind.cards // SEGMENT) * SEGMENT
        for start in range(0, len(codes), chunk):
            known = orders if orders is None or len(orders) == 1 else orders[start : start + chunk]
            self._update(np.ascontiguousarray(codes[start : start + chunk]), known)

    def _rows(self, decks: Rows) -> Rows:
        rows = np.asarray(decks)
        if rows.ndim != 2 or rows.shape[1] != self.kind.cards or not np.issubdtype(rows.dtype, np.integer):
            raise DeckShapeError(
                f"decks must be rows of {self.kind.cards} cards as integers, not {rows.dtype} of shape {rows.shape}"
            )
        most = 256 if fits(self.kind) else len(self.kind.lookup)
        if rows.dtype != np.uint8 and rows.size and (int(rows.min()) < 0 or int(rows.max()) >= most):
            raise DeckShapeError(f"card codes are 0 … {most - 1}")
        return rows.astype(np.uint8 if fits(self.kind) else np.int64, copy=False)

    def _numbers(self, codes: Rows) -> Rows:
        """Card numbers; for one deck of 52 the codes are."""
        return codes if fits(self.kind) else self.kind.lookup[codes]

    def whole(self, decks: Rows) -> NDArray[np.bool_]:
        """Which rows are whole decks."""
        return whole_rows(self.kind, self._numbers(self._rows(decks)), compiled=self._compiled)

    def _update(self, codes: Rows, orders: Rows | None) -> None:
        first = self.first_row + self.integrity.decks
        numbers = self._numbers(codes)
        good = whole_rows(self.kind, numbers, compiled=self._compiled)
        self.integrity.count(codes, numbers, good, first)
        ordered = None
        if orders is not None:
            ordered = self._numbers(orders)
            known = whole_rows(self.kind, ordered, compiled=self._compiled)
            if not known.all():
                bad = np.flatnonzero(good & ~known)
                self.integrity.add_bad_inputs(bad + first, orders[bad if len(orders) > 1 else bad * 0])
                good = good & known
        edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]])))
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            if start > 0:
                self.tallies.break_sequence()
            part = ordered if ordered is None or len(ordered) == 1 else ordered[start:stop]
            self._count(numbers[start:stop], part, np.arange(first + start, first + stop))
        if len(good) and not good[-1]:
            self.tallies.break_sequence()

    def _count(self, numbers: Rows, orders: Rows | None, rows: NDArray[np.int64]) -> None:
        mixed = hashes(self.kind, numbers, compiled=self._compiled)
        self.copies.add(numbers, mixed, rows, orders, self.tallies.last, one_order=self._one_order)
        self.tallies.update(numbers, orders, row=int(rows[0]))
        self.digest = (self.digest + int(mixed.sum(dtype=np.uint64))) & _WORD

    def clear(self) -> None:
        """Forget everything counted: as new, with the same tests."""
        self.tallies.clear()
        self.integrity, self.digest = Integrity(self.kind), 0
        self.copies = Copies(self._planned, kind=self.kind, most=self.copies.most, compiled=self._compiled)

    # ----- merging and keeping ----------------------------------------------------------------------------------------

    def merge(self, other: "DeckBattery") -> None:
        """Add another battery of the same deck and tests, counted over another sequence. Exact, in any order."""
        if set(self.names) != set(other.names) or self.kind != other.kind:
            raise MergeError("only batteries of the same deck and the same tests can be merged")
        self.tallies.merge(other.tallies)
        self.integrity.merge(other.integrity)
        self.copies.merge(other.copies)
        self.first_row = min(self.first_row, other.first_row)
        self.digest = (self.digest + other.digest) & _WORD

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays, for a checkpoint."""
        return {
            "kind": self.kind.to_state(), "tests": list(self.names), "first_row": self.first_row,
            "digest": self.digest, "tallies": self.tallies.to_state(), "integrity": self.integrity.to_state(),
            "copies": self.copies.to_state(),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, compiled: bool | None = None) -> "DeckBattery":
        kind = DeckKind.from_state(state["kind"])
        made = cls((), kind=kind, first_row=int(state["first_row"]), compiled=compiled)
        made.names = tuple(state["tests"])
        tests = battery_tests(kind)
        made.tests = tuple(test for name in made.names if isinstance(test := tests[name], DeckTest))
        made.digest = int(state["digest"])
        made.tallies = Tallies.from_state(state["tallies"], kind=kind, compiled=made._compiled)
        made.integrity = Integrity.from_state(state["integrity"], kind=kind)
        made.copies = Copies.from_state(state["copies"], kind=kind, compiled=made._compiled)
        return made

    # ----- judging ----------------------------------------------------------------------------------------------------

    def evaluate(self) -> tuple[Result, ...]:
        """The certain tests (integrity, repeats), then every other in the order it was asked for. A test that repeats
        another on these decks says so and has no p-value: what is one statistic is judged once."""
        made = battery_tests(self.kind)
        rest = (_none(name, made[name]) or self.judge(deck_test(name, self.kind)) for name in self.names)
        return (self.integrity.result(), *self.copies.results(), *rest)

    def judge(self, test: DeckTest) -> Result:
        """One test's result."""
        unmet = self._unmet(test)
        if unmet is not None:
            return unmet
        cells, decks = self._cells(test), self.counted(test)
        if self.repeats_another(test):
            why = f"on these decks {test.twin} is the same statistic"
            return Result(test=test.name, outcome=Outcome.SAME, samples=decks, unmet=(why,))
        verdict = test.judge.verdict(cells, decks, self._chance(test))
        effect = test.judge.effect(cells, decks)
        return Result(
            test=test.name, outcome=Outcome.TESTED, samples=decks, statistic=verdict.statistic, p=verdict.p,
            null=test.null, effect=effect.value, effect_low=effect.low, effect_high=effect.high,
            effect_unit=test.unit, findings=test.judge.findings(cells, decks),
        )  # fmt: skip

    def counted(self, test: DeckTest) -> int:
        """Decks that the test judges: of its tally, or of what is kept of it by stretch and phase."""
        if test.over is Over.ALL:
            return self.tallies.decks[test.tally]
        return int(self.tallies.strata.phase[test.tally][:, 0].sum())

    def repeats_another(self, test: DeckTest) -> bool:
        """Whether another test of this battery judges the same counts by the same law: decks from factory order are
        their own places in it; a deck that was shuffled from the one before has it as its input."""
        twin = next((other for other in self.tests if other.name == test.twin), None)
        if twin is None:
            return False
        if self.tallies.every_chained and test.tally.startswith("previous."):
            return True
        one, other = (self.tallies.cells[each.tally] for each in (test, twin))
        return self.tallies.decks[twin.tally] == self.tallies.decks[test.tally] and np.array_equal(one, other)

    def p_value(self, test: DeckTest) -> float | None:
        """The p-value alone, as `judge` would give it."""
        if self._unmet(test) is not None:
            return None
        return test.judge.verdict(self._cells(test), self.counted(test), self._chance(test)).p

    def p_values(self) -> dict[str, float]:
        """The p-value of every test that is made of blocks and can be."""
        blocks = (test for test in self.tests if test.blocks)
        return {test.name: p for test in blocks if (p := self.p_value(test)) is not None}

    def law(self, of: str) -> Law:
        """The exact law of a count over one deck."""
        return law_of(self.kind, of)

    def _cells(self, test: DeckTest) -> Rows:
        """What the test judges: the cells of its tallies, or what is kept of them by stretch or phase."""
        strata = self.tallies.strata
        if test.over is Over.STRETCHES:
            return strata.by_stretch(test.tallies)
        if test.over is Over.PHASES:
            return strata.by_phase(test.tallies)
        cells = [self.tallies.cells[name] for name in test.tallies]
        return cells[0] if len(cells) == 1 else np.concatenate(cells)

    def _unmet(self, test: DeckTest) -> Result | None:
        decks = self.tallies.decks[test.tally]
        if test.needs_input and decks == 0:
            return _none(test.name, "the order of the cards before each shuffle is needed and was not given")
        if decks < test.least:
            why = f"needs {test.least:,} decks, has {decks:,}"
            return Result(test=test.name, outcome=Outcome.TOO_FEW, samples=decks, unmet=(why,))
        return None

    def _chance(self, test: DeckTest) -> Chance:
        name = hashlib.blake2b(test.name.encode(), digest_size=8, key=self.digest.to_bytes(8, "little")).digest()
        return Chance(int.from_bytes(name, "little"))


def _none(test: str, why: DeckTest | str) -> Result | None:
    """Not applicable, where there is a reason in place of the test."""
    if isinstance(why, DeckTest):
        return None
    return Result(test=test, outcome=Outcome.NOT_APPLICABLE, samples=0, unmet=(why,))
