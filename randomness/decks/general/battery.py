"""The battery for one kind of deck: the same doors as the battery for 52 cards.

Rows are codes of a record: faces (52 and 53 are jokers), or, where the cards of a shoe are told apart, card numbers.
Tests that have no law for the deck are in its results as not applicable, with the reason.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.battery import DeckBattery, sub_sample
from randomness.decks.errors import DeckShapeError, MergeError
from randomness.decks.general.copies import KindCopies, order_hashes
from randomness.decks.general.integrity import KindIntegrity, whole_rows
from randomness.decks.general.registry import KindTest, kind_tests, law_of
from randomness.decks.general.tallies import KindTallies, most_thinned
from randomness.decks.judges.base import Chance
from randomness.decks.kinds import STANDARD, DeckKind
from randomness.decks.registry import DECK_TESTS, deck_test
from randomness.decks.repeats import REPEATS_KEPT
from randomness.decks.strata import PERIODS
from randomness.decks.sums import Law
from randomness.result import Outcome, Result

_CHUNK = 1 << 13
_WORD = (1 << 64) - 1

Decks = NDArray[Any]


class KindBattery:
    """The deck tests of the given names over one sequence of decks of a kind."""

    def __init__(
        self,
        kind: DeckKind,
        tests: Iterable[str] | None = None,
        *,
        planned: int | None = None,
        first_row: int = 0,
        first_segment: int = 0,
        repeats_kept: int = REPEATS_KEPT,
    ) -> None:
        self.kind = kind
        self.names = tuple(deck_test(name).name for name in (DECK_TESTS if tests is None else tests))
        made = kind_tests(kind)
        self.tests = tuple(test for name in self.names if isinstance(test := made[name], KindTest))
        self._planned = planned
        names = {test.tally for test in self.tests}
        every = {name: sub_sample(most_thinned(name), planned) for name in names}
        self.tallies = KindTallies(kind, names, every=every, first_segment=first_segment)
        self.integrity = KindIntegrity(kind)
        self.copies = KindCopies(kind, planned, most=repeats_kept)
        self.first_row = first_row
        self._one_order = False
        self.digest = 0

    # ----- counting

    def update(self, decks: Decks, inputs: Decks | None = None) -> None:
        """Count the next decks of the sequence, with their input orders (rows, or one for all)."""
        codes = self._rows(decks)
        orders = None if inputs is None else self._rows(np.atleast_2d(inputs))
        if orders is not None and len(orders) not in (1, len(codes)):
            raise DeckShapeError(f"{len(orders)} input orders for {len(codes)} decks")
        self._one_order = orders is not None and (np.asarray(inputs).ndim == 1 or len(orders) < len(codes))
        for start in range(0, len(codes), _CHUNK):
            known = orders if orders is None or len(orders) == 1 else orders[start : start + _CHUNK]
            self._update(codes[start : start + _CHUNK], known)

    def _rows(self, decks: Decks) -> NDArray[np.int64]:
        rows = np.asarray(decks)
        if rows.ndim != 2 or rows.shape[1] != self.kind.cards or not np.issubdtype(rows.dtype, np.integer):
            raise DeckShapeError(
                f"decks must be rows of {self.kind.cards} cards as integers, not {rows.dtype} of shape {rows.shape}"
            )
        if rows.size and (int(rows.min()) < 0 or int(rows.max()) >= len(self.kind.lookup)):
            raise DeckShapeError(f"card codes are 0 … {len(self.kind.lookup) - 1}")
        return rows.astype(np.int64)

    def _update(self, codes: NDArray[np.int64], orders: NDArray[np.int64] | None) -> None:
        first = self.first_row + self.integrity.decks
        numbers = self.kind.lookup[codes]
        good = whole_rows(self.kind, numbers)
        self.integrity.count(codes, numbers, good, first)
        ordered = None
        if orders is not None:
            ordered = self.kind.lookup[orders]
            known = whole_rows(self.kind, ordered)
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

    def _count(self, numbers: NDArray[np.intp], orders: NDArray[np.intp] | None, rows: NDArray[np.int64]) -> None:
        mixed = order_hashes(numbers)
        self.copies.add_numbers(numbers, mixed, rows, orders, self.tallies.last, one_order=self._one_order)
        self.tallies.update(numbers, orders)
        self.digest = (self.digest + int(mixed.sum(dtype=np.uint64))) & _WORD

    def clear(self) -> None:
        """Forget everything counted: as new, with the same tests."""
        self.tallies.clear()
        self.integrity, self.digest = KindIntegrity(self.kind), 0
        self.copies = KindCopies(self.kind, self._planned, most=self.copies.most)

    # ----- merging and keeping

    def merge(self, other: "KindBattery") -> None:
        """Add another battery of the same deck and tests, counted over another sequence."""
        if self.names != other.names or self.kind != other.kind:
            raise MergeError("only batteries of the same deck and tests can be merged")
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
    def from_state(cls, state: Mapping[str, Any]) -> "KindBattery":
        kind = DeckKind.from_state(state["kind"])
        made = cls(kind, state["tests"], first_row=int(state["first_row"]))
        made.digest = int(state["digest"])
        made.tallies = KindTallies.from_state(kind, state["tallies"])
        made.integrity = KindIntegrity.from_state(kind, state["integrity"])
        made.copies = KindCopies.of_state(kind, state["copies"])
        return made

    # ----- judging

    def evaluate(self) -> tuple[Result, ...]:
        """The certain tests, then every other in the order it was asked for, those without a law among them."""
        made = kind_tests(self.kind)
        rows = ((name, made[name]) for name in self.names)
        rest = (_none(name, test) if isinstance(test, str) else self.judge(test) for name, test in rows)
        return (self.integrity.result(), *self.copies.results(), *rest)

    def judge(self, test: KindTest) -> Result:
        """One test's result."""
        decks = self.tallies.decks[test.tally]
        unmet = self._unmet(test, decks)
        if unmet is not None:
            return unmet
        cells = self.tallies.cells[test.tally]
        verdict = test.judge.verdict(cells, decks, self._chance(test))
        effect = test.judge.effect(cells, decks)
        return Result(
            test=test.name, outcome=Outcome.TESTED, samples=decks, statistic=verdict.statistic, p=verdict.p,
            null=test.null, effect=effect.value, effect_low=effect.low, effect_high=effect.high,
            effect_unit=test.unit, findings=test.judge.findings(cells, decks),
        )  # fmt: skip

    def p_value(self, test: KindTest) -> float | None:
        """The p-value alone, as `judge` would give it."""
        decks = self.tallies.decks[test.tally]
        if self._unmet(test, decks) is not None:
            return None
        return test.judge.verdict(self.tallies.cells[test.tally], decks, self._chance(test)).p

    def p_values(self) -> dict[str, float]:
        """The p-value of every test that is made of blocks and can be."""
        blocks = (test for test in self.tests if test.blocks)
        return {test.name: p for test in blocks if (p := self.p_value(test)) is not None}

    def whole(self, decks: Decks) -> NDArray[np.bool_]:
        """Which rows are whole decks."""
        return whole_rows(self.kind, self.kind.lookup[decks])

    def law(self, of: str) -> Law:
        """The exact law of a count over one deck."""
        return law_of(self.kind, of)

    def _unmet(self, test: KindTest, decks: int) -> Result | None:
        if test.needs_input and decks == 0:
            return _none(test.name, "the order of the cards before each shuffle is needed and was not given")
        if decks < test.least:
            why = f"needs {test.least:,} decks, has {decks:,}"
            return Result(test=test.name, outcome=Outcome.TOO_FEW, samples=decks, unmet=(why,))
        return None

    def _chance(self, test: KindTest) -> Chance:
        name = hashlib.blake2b(test.name.encode(), digest_size=8, key=self.digest.to_bytes(8, "little")).digest()
        return Chance(int.from_bytes(name, "little"))


def _none(test: str, why: str) -> Result:
    return Result(test=test, outcome=Outcome.NOT_APPLICABLE, samples=0, unmet=(why,))


Battery = DeckBattery | KindBattery


def battery_of(
    kind: DeckKind,
    tests: Iterable[str],
    *,
    planned: int | None,
    first_row: int,
    first_segment: int,
    origin: int = 1,
    periods: Sequence[int] = PERIODS,
    repeats_kept: int = REPEATS_KEPT,
) -> Battery:
    """The battery for a kind of deck: that for 52 cards where it is the one."""
    if kind == STANDARD:
        return DeckBattery(
            tests, planned=planned, first_row=first_row, first_segment=first_segment, origin=origin,
            periods=periods, repeats_kept=repeats_kept,
        )  # fmt: skip
    return KindBattery(
        kind, tests, planned=planned, first_row=first_row, first_segment=first_segment, repeats_kept=repeats_kept
    )


def battery_from_state(state: Mapping[str, Any]) -> Battery:
    """What gave the state."""
    return KindBattery.from_state(state) if "kind" in state else DeckBattery.from_state(state)
