"""What a row of the registry is, what it makes for a kind of deck, and the clauses that ask for such tests."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from randomness.decks.judges.base import Judge
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.layout import TALLIES
from randomness.result import Null


class Subject(Enum):
    """What a test is about."""

    POSITIONS = "positions"
    ORDER = "order"
    GUESSING = "guessing"
    MEMORY = "memory"
    DEALING = "dealing"
    TIME = "time"


class Over(Enum):
    """What a test compares."""

    ALL = "all decks together"
    STRETCHES = "stretches of the run"
    PHASES = "rows that take turns"


@dataclass(frozen=True, kw_only=True)
class Made:
    """A test as it is for one kind of deck: what it counts, from how many decks on, and who judges it."""

    tally: str
    judge: Judge
    least: int = 1
    also: tuple[str, ...] = ()
    """Further tallies that are judged together with the first."""


Maker = Callable[[DeckKind], Made | str]
"""Makes a test for a kind of deck, or says why there is none."""


@dataclass(frozen=True, kw_only=True)
class BatteryRow:
    """One row of the registry."""

    name: str
    group: Subject
    sees: str
    make: Maker
    clause: str = ""
    declarable: bool = False
    """Whether a device profile may declare the test not applicable (its mechanism does not promise the property)."""
    over: Over = Over.ALL
    twin: str = ""
    """The test that this one repeats where decks come from factory order (input) or from the deck before (previous)."""
    blocks: bool = True
    """Whether the p-values of the blocks of a run are compared with uniform, too (second level)."""


@dataclass(frozen=True, kw_only=True)
class DeckTest:
    """A row as it is for one kind of deck."""

    row: BatteryRow
    made: Made

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def group(self) -> Subject:
        return self.row.group

    @property
    def sees(self) -> str:
        return self.row.sees

    @property
    def clause(self) -> str:
        return self.row.clause

    @property
    def declarable(self) -> bool:
        return self.row.declarable

    @property
    def over(self) -> Over:
        return self.row.over

    @property
    def twin(self) -> str:
        return self.row.twin

    @property
    def blocks(self) -> bool:
        return self.row.blocks

    @property
    def tally(self) -> str:
        return self.made.tally

    @property
    def tallies(self) -> tuple[str, ...]:
        """Everything it counts."""
        return (self.made.tally, *self.made.also)

    @property
    def judge(self) -> Judge:
        return self.made.judge

    @property
    def least(self) -> int:
        return self.made.least

    @property
    def needs_input(self) -> bool:
        return TALLIES[self.tally].needs_input

    @property
    def null(self) -> Null:
        return self.judge.null

    @property
    def unit(self) -> str:
        return self.judge.unit

    @property
    def every(self) -> int:
        """Beyond the first two million decks one segment in this many is counted."""
        return TALLIES[self.tally].every


# ----- clauses --------------------------------------------------------------------------------------------------------

POSITION_RULE = "S.D. 48:02:08:02 (each card position, chi-square); 25 CFR 547.14; COMAR 36.05.02.17"
PAIR_RULE = "S.D. 48:02:08:02 (each pair of positions); GLI-19 3.2.2 interplay correlation"
SERIAL_RULE = "S.D. 48:02:08:02 (same position, previous game); GLI-19 3.2.2 serial correlation"
RUNS_RULE = "GLI-19 3.2.2 runs; S.D. 48:02:08:02 runs"
ADJACENCY_RULE = "58 Pa. Code 810a.5 adjacency criterion"
PERMUTATION_RULE = "25 CFR 547.14 permutation test"
OUTCOME_RULE = "GLI-19 3.2.2 final outcomes; 3.4.2 mechanical shufflers"
REPEAT_RULE = "GLI-19 3.2.2 duplicates; 25 CFR 547.14 non-repeatability"
