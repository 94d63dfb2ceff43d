"""What a statistical test says: one frozen value, the same for decks, bits and drawn numbers."""

from dataclasses import dataclass
from enum import Enum


class Null(Enum):
    """How the p-value is known."""

    EXACT = "exact"
    ASYMPTOTIC = "asymptotic"


class Outcome(Enum):
    """Whether there is a p-value to judge."""

    TESTED = "tested"
    NOT_APPLICABLE = "not applicable"
    TOO_FEW = "too few"
    SAME = "the same as another"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Where to look: the cell, card, position, seat, lag or order that stands out most, and by how much."""

    place: str
    observed: float
    expected: float
    z: float


@dataclass(frozen=True, kw_only=True)
class Result:
    """One test on one sample. `p` is None exactly when the outcome is not TESTED; `unmet` then says why."""

    test: str
    outcome: Outcome
    samples: int
    statistic: float | None = None
    p: float | None = None
    null: Null | None = None
    effect: float | None = None
    effect_low: float | None = None
    effect_high: float | None = None
    effect_unit: str = ""
    unmet: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
