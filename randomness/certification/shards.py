"""Shards: the independent parts of a run. A shard's decks depend on its number alone, never on who counts it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification.plan import Plan
from randomness.certification.recorded import MOST_KEPT, Block
from randomness.decks import DeckBattery, compiled_available
from randomness.decks.faces import CARDS
from randomness.decks.integrity import whole_rows
from randomness.decks.layout import SEGMENT
from randomness.draws import DrawTallies
from randomness.kernels import parse
from randomness.kernels.engines import one_after_another
from randomness.sources import seeded_source

Decks = NDArray[np.uint8]

BATCH = 16_384
"""Shuffles asked of a kernel at once; what a generator gives depends on it, so reports state it."""

RECORDED = "recorded"

# Long runs test the first cards of one segment in up to 16, and never of fewer than 400,000 decks.
DRAWS_EVERY = 16
DRAWS_IN_FULL = 400_000

# Shards of a long run are larger, so that judging and merging them costs little: from 24 shards a section on they grow,
# up to sixteen times the plan's size.
LEAST_SHARDS = 24
MOST_GROWTH = 16


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What every shard of a run counts."""

    deck_tests: tuple[str, ...]
    draw_tests: tuple[str, ...]
    planned: int | None

    @property
    def draws_every(self) -> int:
        """One segment in how many has its first cards tested."""
        return max(1, min(DRAWS_EVERY, (self.planned or 0) // DRAWS_IN_FULL))

    @classmethod
    def of(cls, plan: Plan, planned: int | None) -> "Wanted":
        """What a plan asks for, with sub-samples for so many decks in a section."""
        return cls(
            deck_tests=tuple(test.name for test in plan.deck_tests),
            draw_tests=tuple(test.name for test in plan.draw_tests),
            planned=planned,
        )


@dataclass(kw_only=True)
class Counted:
    """One shard, counted: states of its accumulators and the p-values of its tests, as plain values."""

    number: int
    section: str
    decks: int
    battery: dict[str, Any]
    draws: dict[str, Any]
    draws_every: int
    p_values: dict[str, float]
    malformed: list[tuple[int, str]] = field(default_factory=list)
    excluded: list[tuple[int, str]] = field(default_factory=list)
    malformed_rows: int = 0
    excluded_rows: int = 0


class Counter:
    """Counts one shard, whose first deck is in that segment of its section."""

    def __init__(self, wanted: Wanted, *, first_segment: int = 0) -> None:
        self.battery = DeckBattery(wanted.deck_tests, planned=wanted.planned, first_row=1, first_segment=first_segment)
        self.draws = DrawTallies(CARDS, wanted.draw_tests)
        self._draws_every = wanted.draws_every
        self._segment = first_segment
        self._seen = 0
        self._compiled = compiled_available()

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
            if (self._segment + self._seen // SEGMENT) % self._draws_every == 0:
                part = decks[done : done + many]
                self.draws.update(part[whole_rows(part, compiled=self._compiled), 0])
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
        p_values = {test.name: p for test in self.battery.tests if (p := self.battery.p_value(test)) is not None}
        return Counted(
            number=number,
            section=section,
            decks=self.battery.integrity.decks,
            battery=self.battery.to_state(),
            draws=self.draws.to_state(),
            draws_every=self._draws_every,
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
    mechanism: str
    seed: int
    stage: int
    wanted: Wanted

    @property
    def stream(self) -> int:
        """The generator's stream: the shard's number, in a range of its own for a re-test."""
        return (self.stage << 48) + self.number

    def count(self) -> Counted:
        """Shuffle and count. The kernel is new, so that what it remembers belongs to this shard alone."""
        kernel = parse(self.mechanism)
        source = seeded_source(self.seed, self.stream)
        counter = Counter(self.wanted, first_segment=self.first_segment)
        counter.start_sequence(self.first_row)
        last = np.arange(CARDS, dtype=np.uint8)
        room = np.empty((min(BATCH, self.decks), CARDS), np.uint8)
        for done in range(0, self.decks, BATCH):
            many = min(BATCH, self.decks - done)
            moves = kernel.permutations(CARDS, many, source, out=room[:many])
            decks, inputs = started(self.start, moves, last)
            counter.count(decks, inputs)
            last = decks[-1].copy()
        return counter.counted(self.number, self.start)


def started(start: str, moves: Decks, last: Decks) -> tuple[Decks, Decks]:
    """The decks that come out, and the orders that went in: `moves[b, j]` is the input place of the card at j."""
    if start == "factory":
        return moves, np.arange(CARDS, dtype=np.uint8)
    if start == "reversed":
        return (CARDS - 1 - moves).astype(np.uint8), np.arange(CARDS - 1, -1, -1, dtype=np.uint8)
    orders = one_after_another(last, moves)
    return orders[1:], orders[:-1]


def kernel_shards(plan: Plan, decks: int, mechanism: str, seed: int, *, stage: int = 0) -> Iterator[KernelShard]:
    """The shards of a run: the decks divided among the start orders, then into shards of the plan's size."""
    starts = plan.starts
    number, row = 0, 1
    for place, start in enumerate(starts):
        left = section = decks // len(starts) + (1 if place < decks % len(starts) else 0)
        wanted = Wanted.of(plan, section)
        size = shard_size(plan, section)
        while left > 0:
            many = min(left, size)
            yield KernelShard(
                number=number, start=start, decks=many, first_row=row, first_segment=(section - left) // SEGMENT,
                mechanism=mechanism, seed=seed, stage=stage, wanted=wanted,
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
    wanted: Wanted

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
        return counted


Shard = KernelShard | RecordedShard


def count(shard: Shard) -> Counted:
    """The function that engines call, here or in another process."""
    return shard.count()
