"""The decision: one verdict for the whole family by Holm's rule, and the standards' literal readings beside it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomness.certification.plan import Plan
from randomness.holm import Collective, chance_of_an_alarm, holm
from randomness.result import Outcome, Result
from randomness.special import chi_square_tail, kolmogorov_tail

INTEGRITY = "deck-integrity"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One result, with the part of the run that it belongs to. `label` names it in the family."""

    section: str
    result: Result
    second_level: bool = False

    @property
    def label(self) -> str:
        """`factory: each-cell`, or `factory: each-cell (p-values of blocks)`."""
        return f"{self.section}: {self.result.test}" + (" (p-values of blocks)" if self.second_level else "")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Every test read alone at one confidence level, as a standard's text has it."""

    confidence: float
    tests: int
    below: tuple[str, ...]
    expected: float
    chance_of_an_alarm: float
    """How often an ideal device fails this reading, were the tests independent."""


@dataclass(frozen=True, kw_only=True)
class PositionReading:
    """Each position's chi-square alone: the reading that A.R.S.D. 48:02:08:02 describes."""

    section: str
    confidence: float
    positions: int
    below: tuple[int, ...]
    chance_of_an_alarm: float


@dataclass(frozen=True, kw_only=True)
class Decision:
    """`passed` is the verdict; the reasons are Holm's rejections and whatever fails a run whatever its p-values."""

    passed: bool
    collective: Collective
    failures: tuple[str, ...]
    doubtful: tuple[str, ...]
    """Not rejected, but within the plan's margin: what its re-test rule is about."""
    untested: tuple[str, ...]
    readings: tuple[Reading, ...]


def decide(plan: Plan, judged: Sequence[Judged], *, malformed_rows: int = 0) -> Decision:
    """The verdict. Tests that could not be made count neither as passed nor as failed; they are listed."""
    family = {one.label: one.result.p for one in judged if one.result.p is not None and one.result.test != INTEGRITY}
    collective = holm(family, plan.level)
    failures = [f"{one.label}: {one.result.statistic:,.0f} decks are not whole" for one in judged if _broken(one)]
    if malformed_rows:
        failures.append(f"{malformed_rows:,} rows could not be read as decks")
    doubtful = [name for name, p in collective.adjusted.items() if plan.level < p <= plan.retest_below]
    untested = [f"{one.label}: {why}" for one in judged if (why := _why_untested(one.result))]
    return Decision(
        passed=not failures and collective.passed,
        collective=collective,
        failures=tuple(failures),
        doubtful=tuple(doubtful),
        untested=tuple(untested),
        readings=tuple(_reading(family, confidence) for confidence in plan.readings),
    )


def _broken(one: Judged) -> bool:
    return one.result.test == INTEGRITY and one.result.p is not None and one.result.p < 1.0


def _why_untested(result: Result) -> str:
    if result.outcome is Outcome.TESTED:
        return ""
    return f"{result.outcome.value}: {'; '.join(result.unmet)}"


def _reading(family: Mapping[str, float], confidence: float) -> Reading:
    level = 1.0 - confidence
    return Reading(
        confidence=confidence,
        tests=len(family),
        below=tuple(name for name, p in family.items() if p <= level),
        expected=len(family) * level,
        chance_of_an_alarm=chance_of_an_alarm(len(family), level),
    )


def read_positions(section: str, table: NDArray[np.int64], confidence: float) -> PositionReading:
    """Chi-square with 51 degrees of freedom for each row (position) of a card × position table."""
    expected = table.sum(axis=1, keepdims=True) / table.shape[1]
    statistics = ((table - expected) ** 2 / np.maximum(expected, 1e-300)).sum(axis=1)
    tails = [chi_square_tail(float(statistic), table.shape[1] - 1) for statistic in statistics]
    return PositionReading(
        section=section,
        confidence=confidence,
        positions=len(tails),
        below=tuple(number + 1 for number, p in enumerate(tails) if p <= 1.0 - confidence),
        chance_of_an_alarm=chance_of_an_alarm(len(tails), 1.0 - confidence),
    )


def second_level(test: str, p_values: Iterable[float], samples: int) -> Result:
    """Whether the p-values of independent blocks are uniform: two-sided Kolmogorov–Smirnov."""
    ordered = np.sort(np.fromiter(p_values, float))
    blocks = len(ordered)
    above = float((np.arange(1, blocks + 1) / blocks - ordered).max())
    below = float((ordered - np.arange(blocks) / blocks).max())
    distance = max(above, below)
    return Result(
        test=test,
        outcome=Outcome.TESTED,
        samples=samples,
        statistic=distance,
        p=kolmogorov_tail(distance, blocks),
        effect=distance,
        effect_unit=f"distance from uniform of {blocks} p-values",
    )
