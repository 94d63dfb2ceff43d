"""What the monitor says: the evidence, its alarm, and which questions carry it."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from randomness.monitoring.bets import reserve
from randomness.monitoring.intervals import excess_interval
from randomness.monitoring.monitor import CELL_STARTS, Monitor, QuestionTally
from randomness.monitoring.questions import WEIGHT, cell_name

CELLS = int(CELL_STARTS[-1])
"""Cells with a confidence sequence; each gets an equal part of the level, so that all hold together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The cell of a question with the largest capital."""

    cell: str
    evidence: float
    """Its own capital, had it started with 1."""
    proven: bool
    """Whether its part of the total alone reaches 1/level: true with the level's guarantee for all cells together."""
    seen: int
    expected: float
    trials: int
    excess_low: float
    excess_high: float
    """Average of true chance - fair chance since the monitor started; all cells and all rounds hold together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEvidence:
    """One question."""

    name: str
    asks: str
    evidence: float
    share: float
    """Of the total evidence: descriptive."""
    proven: bool
    """Whether this question's part of the total alone reaches 1/level."""
    since: int
    """The last round at which its evidence was below 1: descriptive."""
    top: Named | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorEvidence:
    """All of it."""

    rounds: int
    cards: int
    level: float
    threshold: float
    evidence: float
    peak: float
    alarm: bool
    alarm_round: int | None
    questions: tuple[QuestionEvidence, ...]
    """Largest evidence first."""

    @property
    def p_value(self) -> float:
        """1/peak: valid at any time."""
        return min(1.0, 1.0 / self.peak)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "p_value": self.p_value}


def evidence_of(monitor: Monitor, *, most: int | None = None) -> MonitorEvidence:
    """The state of a monitor, with its `most` telling questions (all)."""
    total = monitor.evidence
    found = sorted((_question(monitor, tally, total) for tally in monitor.tallies), key=lambda one: -one.evidence)
    return MonitorEvidence(
        rounds=monitor.rounds, cards=monitor.cards, level=monitor.level, threshold=1 / monitor.level, evidence=total,
        peak=monitor.peak, alarm=monitor.alarmed, alarm_round=monitor.alarm_round, questions=tuple(found[:most]),
    )  # fmt: skip


def _question(monitor: Monitor, tally: QuestionTally, total: float) -> QuestionEvidence:
    own = tally.evidence(monitor.rounds)
    return QuestionEvidence(
        name=tally.question.name, asks=tally.question.asks, evidence=own, share=WEIGHT * own / total,
        proven=WEIGHT * own >= 1 / monitor.level, since=tally.since, top=_top(monitor, tally),
    )  # fmt: skip


def _top(monitor: Monitor, tally: QuestionTally) -> Named | None:
    if tally.question.overall:
        return None
    capital = tally.capital.mean(axis=2)
    at = int(np.argmax(capital))
    place, label = (int(one) for one in np.unravel_index(at, capital.shape))
    own = float(capital[place, label]) + reserve(monitor.rounds)
    hits, expected, spread, trials = (
        float(array[place, label]) for array in (tally.hits, tally.expected, tally.spread, tally.trials)
    )
    low, high = excess_interval(hits, expected, spread, trials, monitor.level / CELLS)
    return Named(
        cell=cell_name(tally.question, place, label), evidence=own,
        proven=WEIGHT * own / capital.size >= 1 / monitor.level, seen=int(hits), expected=expected,
        trials=int(trials), excess_low=low, excess_high=high,
    )  # fmt: skip
