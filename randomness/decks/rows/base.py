"""What a row of the registry is, the groups that rows belong to, and the clauses that ask for such tests."""

from dataclasses import dataclass
from enum import Enum

from randomness.decks.judges.base import Judge
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
class DeckTest:
    """One row of the registry."""

    name: str
    group: Subject
    sees: str
    tally: str
    judge: Judge
    least: int
    clause: str = ""
    declarable: bool = False
    """Whether a device profile may declare the test not applicable (its mechanism does not promise the property)."""
    over: Over = Over.ALL
    also: tuple[str, ...] = ()
    """Further tallies that are judged together with the first, each by stretch or phase."""
    twin: str = ""
    """The test that this one repeats where its tally and that one's hold the same counts (decks from factory order)."""
    blocks: bool = True
    """Whether the p-values of the blocks of a run are compared with uniform, too (second level)."""

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
        """The longest runs count one segment in this many."""
        return TALLIES[self.tally].every

    @property
    def reference(self) -> str:
        """The plain twin of the counting, in `reference.py`."""
        return TALLIES[self.tally].function


# ----- clauses --------------------------------------------------------------------------------------------------------

POSITION_RULE = "S.D. 48:02:08:02 (each card position, chi-square); 25 CFR 547.14; COMAR 36.05.02.17"
PAIR_RULE = "S.D. 48:02:08:02 (each pair of positions); GLI-19 3.2.2 interplay correlation"
SERIAL_RULE = "S.D. 48:02:08:02 (same position, previous game); GLI-19 3.2.2 serial correlation"
RUNS_RULE = "GLI-19 3.2.2 runs; S.D. 48:02:08:02 runs"
ADJACENCY_RULE = "58 Pa. Code 810a.5 adjacency criterion"
PERMUTATION_RULE = "25 CFR 547.14 permutation test"
OUTCOME_RULE = "GLI-19 3.2.2 final outcomes; 3.4.2 mechanical shufflers"
REPEAT_RULE = "GLI-19 3.2.2 duplicates; 25 CFR 547.14 non-repeatability"
