"""Shards: the independent parts of a run. A shard's decks depend on its number alone, never on who counts it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification.plan import Plan
from randomness.certification.recorded import MOST_KEPT, Block
from randomness.decks import PERIODS, REPEATS_KEPT, SEGMENT, DeckBattery, is_counted
from randomness.decks.kinds import STANDARD, DeckKind
from randomness.draws import DrawTallies
from randomness.kernels import parse
from randomness.kernels.engines import one_after_another
from randomness.kernels.mechanism import order_type
from randomness.sources import seeded_source

Decks = NDArray[Any]

BATCH = 16_384
"""Shuffles asked of a kernel at once; what a generator gives depends on it, so reports state it."""

RECORDED = "recorded"

# Beyond the first two million decks the first cards of one segment in 16 are tested.
DRAWS_EVERY = 16

# Shards of a long run are larger, so that judging and merging them costs little: from 24 shards a section on they grow,
# up to sixteen times the plan's size.
LEAST_SHARDS = 24
MOST_GROWTH = 16


@dataclass(frozen=True, kw_only=True)
class ShardPlan:
    """What every shard of a run counts."""

    deck_tests: tuple[str, ...]
    draw_tests: tuple[str, ...]
    planned: int | None
    kind: DeckKind = STANDARD
    periods: tuple[int, ...] = PERIODS
    repeats_kept: int = REPEATS_KEPT

    @classmethod
    def of(cls, plan: Plan, planned: int | None, kind: DeckKind = STANDARD) -> "ShardPlan":
        """What a plan asks for, in a section of so many decks."""
        return cls(
            deck_tests=plan.deck_tests,
            draw_tests=plan.draw_tests if evenly_drawn(kind) else (),
            planned=planned,
            kind=kind,
            periods=plan.periods,
            repeats_kept=plan.repeats_kept,
        )


def evenly_drawn(kind: DeckKind) -> bool:
    """Whether a first card is a number drawn evenly below a bound: every face is on as many cards."""
    return len(set(kind.copies)) == 1


@dataclass(kw_only=True)
class Counted:
    """One shard, counted: states of its accumulators and the p-values of its tests, as plain values."""

    number: int
    section: str
    decks: int
    battery: dict[str, Any]
    draws: dict[str, Any]
    p_values: dict[str, float]
    malformed: list[tuple[int, str]] = field(default_factory=list)
    excluded: list[tuple[int, str]] = field(default_factory=list)
    malformed_rows: int = 0
    excluded_rows: int = 0
    misread_rows: int = 0
    misread_cards: int = 0
    rows: int = 0
    """Rows of the file, counted or not."""


class Counter:
    """Counts one shard, whose first deck is in that segment of its section."""

    def __init__(self, wanted: ShardPlan, *, first_segment: int = 0, origin: int = 1) -> None:
        """`origin` is the first row of the section."""
        self._kind = wanted.kind
        self.battery = DeckBattery(
            wanted.deck_tests, kind=wanted.kind, planned=wanted.planned, first_row=1, first_segment=first_segment,
            origin=origin, periods=wanted.periods, repeats_kept=wanted.repeats_kept,
        )  # fmt: skip
        self.draws = DrawTallies(wanted.kind.distinct, wanted.draw_tests)
        self._segment = first_segment
        self._seen = 0

    def count(self, decks: Decks, inputs: Decks | None) -> None:
        """The next decks of the sequence."""
        self.battery.update(decks, inputs)
        if self.draws.tests:
            self._count_draws(decks)

    def _count_draws(self, decks: Decks) -> None:
        """Segments that are left out are as if never drawn: what is counted is one sequence of independent numbers."""
        done = 0
        while done < len(decks):
            many = min(len(decks) - done, SEGMENT - self._seen % SEGMENT)
            if is_counted(self._segment + self._seen // SEGMENT, DRAWS_EVERY):
                part = decks[done : done + many]
                self.draws.update(self._kind.lookup[part[self.battery.whole(part), 0]])
            self._seen += many
            done += many

    def start_sequence(self, first_row: int) -> None:
        """What follows has no deck before it and begins at that row."""
        self.battery.first_row = first_row - self.battery.integrity.decks
        self.battery.tallies.break_sequence()
        for test in self.draws.tests.values():
            test.close()

    def counted(self, number: int, section: str) -> Counted:
        """Everything, with the p-values of this shard alone."""
        p_values = self.battery.p_values()
        return Counted(
            number=number,
            section=section,
            decks=self.battery.integrity.decks,
            battery=self.battery.to_state(),
            draws=self.draws.to_state(),
            p_values=p_values,
        )


# ----- a kernel's shards ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class KernelShard:
    """So many decks of a mechanism, all started from one kind of order."""

    number: int
    start: str
    decks: int
    first_row: int
    first_segment: int
    origin: int
    mechanism: str
    seed: int
    stage: int
    wanted: ShardPlan

    @property
    def stream(self) -> int:
        """The generator's stream: the shard's number, in a range of its own for a re-test."""
        return (self.stage << 48) + self.number

    def count(self) -> Counted:
        """Shuffle and count. The kernel is new, so that what it remembers belongs to this shard alone."""
        kernel = parse(self.mechanism)
        source = seeded_source(self.seed, self.stream)
        counter = Counter(self.wanted, first_segment=self.first_segment, origin=self.origin)
        counter.start_sequence(self.first_row)
        kind = self.wanted.kind
        last: Decks = np.arange(kind.cards).astype(order_type(kind.cards))
        room: Decks = np.empty((min(BATCH, self.decks), kind.cards), last.dtype)
        for done in range(0, self.decks, BATCH):
            many = min(BATCH, self.decks - done)
            moves = kernel.permutations(kind.cards, many, source, out=room[:many])
            decks, inputs = started(self.start, moves, last)
            last = decks[-1].copy()
            if not kind.standard:
                decks, inputs = kind.factory[decks], kind.factory[inputs]
            counter.count(decks, inputs)
        return counter.counted(self.number, self.start)


def started(start: str, moves: Decks, last: Decks) -> tuple[Decks, Decks]:
    """The decks that come out, and the orders that went in: `moves[b, j]` is the input place of the card at j."""
    order = np.arange(moves.shape[1], dtype=moves.dtype)
    if start == "factory":
        return moves, order
    if start == "reversed":
        return (len(order) - 1 - moves).astype(moves.dtype), order[::-1].copy()
    orders = one_after_another(last, moves)
    return orders[1:], orders[:-1]


def kernel_shards(
    plan: Plan, decks: int, mechanism: str, seed: int, *, kind: DeckKind = STANDARD, stage: int = 0
) -> Iterator[KernelShard]:
    """The shards of a run: the decks divided among the start orders, then into shards of the plan's size."""
    starts = plan.starts
    number, row = 0, 1
    for place, start in enumerate(starts):
        left = section = decks // len(starts) + (1 if place < decks % len(starts) else 0)
        wanted = ShardPlan.of(plan, section, kind)
        size, origin = shard_size(plan, section), row
        while left > 0:
            many = min(left, size)
            yield KernelShard(
                number=number, start=start, decks=many, first_row=row, first_segment=(section - left) // SEGMENT,
                origin=origin, mechanism=mechanism, seed=seed, stage=stage, wanted=wanted,
            )  # fmt: skip
            number, row, left = number + 1, row + many, left - many


def shard_size(plan: Plan, section: int) -> int:
    """Decks in each shard of a section: the plan's, or a multiple of it in a long run."""
    return plan.decks_per_shard * max(1, min(MOST_GROWTH, section // (plan.decks_per_shard * LEAST_SHARDS)))


# ----- a file's shards ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RecordedShard:
    """Rows of a record."""

    number: int
    block: Block
    wanted: ShardPlan

    def count(self) -> Counted:
        """Count what is a deck; what is not goes along with its row and reason."""
        counter = Counter(self.wanted, first_segment=(self.block.first_row - 1) // SEGMENT)
        follows = 0
        for piece in self.block.pieces:
            if piece.first_row != follows:
                counter.start_sequence(piece.first_row)
            counter.count(piece.decks, piece.inputs)
            follows = piece.first_row + len(piece.decks)
        counted = counter.counted(self.number, RECORDED)
        counted.malformed = [(bad.row, bad.reason) for bad in self.block.malformed[:MOST_KEPT]]
        counted.excluded = [(bad.row, bad.reason) for bad in self.block.excluded[:MOST_KEPT]]
        counted.malformed_rows, counted.excluded_rows = len(self.block.malformed), len(self.block.excluded)
        counted.misread_rows, counted.misread_cards = self.block.misread_rows, self.block.misread_cards
        counted.rows = self.block.rows
        return counted


Shard = KernelShard | RecordedShard


def count(shard: Shard) -> Counted:
    """The function that engines call, here or in another process."""
    return shard.count()
