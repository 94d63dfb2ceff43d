"""The decision: one verdict for the whole family by Holm's rule, a re-test that keeps its level, literal readings.

The re-test combines two looks at the product of their adjusted p-values, as P. Bauer and K. Köhne do ("Evaluation of
experiments with adaptive interim analyses", Biometrics 50 (1994) 1029-1041). With first level a, doubt up to b and
product limit c an ideal device fails with a probability of at most a + c ln(b / a), which is the plan's level.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from randomness.certification.plan import Plan
from randomness.decks.tails import upper_z
from randomness.holm import Collective, chance_of_an_alarm, holm
from randomness.result import Finding, Outcome, Result
from randomness.special import chi_square_tail, kolmogorov_tail

INTEGRITY = "deck-integrity"
BLOCKS = " (p-values of blocks)"
MOST_NAMED = 6
LOWEST_NAMED = 3


class Verdict(Enum):
    """What a run says of its subject. A record, a terminal and a report use these words."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One result, with the part of the run that it belongs to. `label` names it in the family."""

    section: str
    result: Result
    second_level: bool = False
    needs: int | None = None
    """Decks from which the test can be made; None for tests on bits."""

    @property
    def label(self) -> str:
        """`factory: each-cell`, or `factory: each-cell (p-values of blocks)`."""
        return f"{self.section}: {self.result.test}" + (BLOCKS if self.second_level else "")


@dataclass(frozen=True, kw_only=True)
class ConfidenceReading:
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
    """Failed by Holm's rejections and by what fails a run whatever its p-values; else inconclusive where something
    that the plan asks for is missing; else passed."""

    collective: Collective
    failures: tuple[str, ...]
    doubtful: tuple[str, ...]
    """Not rejected, but within the plan's margin: what its re-test rule is about."""
    untested: tuple[str, ...]
    readings: tuple[ConfidenceReading, ...]
    missing: tuple[str, ...] = ()
    """What keeps a run without a rejection from passing."""

    @property
    def verdict(self) -> Verdict:
        """The one word."""
        if self.failures or not self.collective.passed:
            return Verdict.FAILED
        return Verdict.INCONCLUSIVE if self.missing else Verdict.PASSED


def decide(
    plan: Plan,
    judged: Sequence[Judged],
    *,
    decks: int | None = None,
    malformed_rows: int = 0,
    misread_share: float = 0.0,
) -> Decision:
    """The verdict of a first look at so many decks (None: the plan's least sample does not apply).

    Tests that were not performed count neither as passed nor as failed; they are listed. A run can't pass without a
    test that the plan's least sample allows.
    """
    family = {one.label: one.result.p for one in judged if one.result.p is not None and one.result.test != INTEGRITY}
    collective = holm(family, plan.first_level)
    failures = [f"{one.label}: {one.result.statistic:,.0f} decks are not whole" for one in judged if _broken(one)]
    if malformed_rows:
        failures.append(f"{malformed_rows:,} decks have a wrong number of cards")
    doubtful = [name for name, p in collective.adjusted.items() if plan.first_level < p <= plan.retest_below]
    untested = [f"{one.label}: {why}" for one in judged if (why := _why_untested(one.result))]
    return Decision(
        collective=collective,
        failures=tuple(failures),
        doubtful=tuple(doubtful),
        untested=tuple(untested),
        readings=tuple(_reading(family, confidence) for confidence in plan.readings),
        missing=() if decks is None else (*_missing(plan, judged, decks), *_misread(plan, misread_share)),
    )


@dataclass(frozen=True, kw_only=True)
class TwoLooks:
    """One doubtful statistic on two samples."""

    judged: Judged
    first: float
    """Its adjusted p in the first look."""
    second: float | None
    """Its adjusted p among the statistics that were tested again; None where it could not be tested."""
    combined: float | None
    rejected: bool


def combined_p(plan: Plan, first: float, second: float) -> float:
    """The p-value of both looks: at or below the plan's level when their product is at or below the limit."""
    return plan.retest_first + first * second * math.log(plan.retest_below / plan.retest_first)


def look_again(plan: Plan, doubtful: Mapping[str, float], again: Sequence[Judged]) -> tuple[TwoLooks, ...]:
    """Every doubtful statistic with its second look; raises LookupError for one that was not tested again."""
    by_label = {one.label: one for one in again}
    if lost := [label for label in doubtful if label not in by_label]:
        raise LookupError(lost[0])
    second = holm({label: p for label in doubtful if (p := by_label[label].result.p) is not None}, plan.level).adjusted
    looks = []
    for label, first in doubtful.items():
        both = None if (p := second.get(label)) is None else combined_p(plan, first, p)
        looks.append(
            TwoLooks(
                judged=by_label[label], first=first, second=p, combined=both,
                rejected=both is not None and both <= plan.level,
            )
        )  # fmt: skip
    return tuple(looks)


def decide_again(decision: Decision, looks: Sequence[TwoLooks]) -> Decision:
    """The verdict of both looks; `decision` is that of the second sample by itself, whose broken decks count."""
    rejected = tuple(look.judged.label for look in looks if look.rejected)
    untested = tuple(f"{look.judged.label} could not be tested again" for look in looks if look.second is None)
    return replace(
        decision,
        collective=replace(decision.collective, rejected=rejected),
        doubtful=(),
        missing=(*decision.missing, *untested),
    )


def _misread(plan: Plan, share: float) -> tuple[str, ...]:
    if share <= plan.most_misread:
        return ()
    return (f"cards were not read in {100 * share:.3g} % of the rows; at most {100 * plan.most_misread:g} % may be",)


def _missing(plan: Plan, judged: Sequence[Judged], decks: int) -> list[str]:
    """What the plan needs and the sample does not have."""
    said = []
    if decks < plan.least_decks:
        many = "1 deck is" if decks == 1 else f"{decks:,} decks are"
        said.append(f"{many} fewer than the plan's least sample of {plan.least_decks:,}")
    few = [one for one in judged if one.result.outcome is Outcome.TOO_FEW]
    owed = list(
        dict.fromkeys(one.result.test for one in few if one.needs is not None and one.needs <= plan.least_decks)
    )
    if owed:
        more = f" and {len(owed) - MOST_NAMED} more" if len(owed) > MOST_NAMED else ""
        tests = "test needs" if len(owed) == 1 else "tests need"
        said.append(f"{len(owed)} {tests} more decks: {', '.join(owed[:MOST_NAMED])}{more}")
    return said


def _broken(one: Judged) -> bool:
    return one.result.test == INTEGRITY and one.result.p is not None and one.result.p < 1.0


def _why_untested(result: Result) -> str:
    if result.outcome is Outcome.TESTED:
        return ""
    return f"{result.outcome.value}: {'; '.join(result.unmet)}"


def _reading(family: Mapping[str, float], confidence: float) -> ConfidenceReading:
    level = 1.0 - confidence
    return ConfidenceReading(
        confidence=confidence,
        tests=len(family),
        below=tuple(name for name, p in family.items() if p <= level),
        expected=len(family) * level,
        chance_of_an_alarm=chance_of_an_alarm(len(family), level),
    )


def read_positions(
    section: str, table: NDArray[np.int64], confidence: float, copies: Sequence[int]
) -> PositionReading:
    """Chi-square for each row (position) of a card × position table; `copies` of each card are in the deck."""
    expected = table.sum(axis=1, keepdims=True) * np.array(copies) / sum(copies)
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
    given = list(p_values)
    ordered = np.sort(np.array(given, float))
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
        findings=_blocks_to_look_at(np.array(given, float)),
    )


def _blocks_to_look_at(p_values: NDArray[np.float64]) -> tuple[Finding, ...]:
    """Where the p-values of blocks are farthest from uniform, and the blocks with the lowest."""
    blocks, ordered = len(p_values), np.sort(p_values)
    above, below = np.arange(1, blocks + 1) / blocks - ordered, ordered - np.arange(blocks) / blocks
    many = bool(above.max() >= below.max())
    at = float(ordered[above.argmax() if many else below.argmax()])
    seen = int((p_values <= at).sum()) if many else int((p_values < at).sum())
    spread = max(blocks * at * (1 - at), 1e-9) ** 0.5
    found = [
        Finding(place=f"blocks with p up to {at:.3g}", observed=float(seen), expected=blocks * at,
                z=(seen - blocks * at) / spread)
    ]  # fmt: skip
    for block in p_values.argsort()[:LOWEST_NAMED]:
        p = float(p_values[block])
        found.append(Finding(place=f"block {block + 1} of {blocks}, p", observed=p, expected=0.5, z=upper_z(p / 2)))
    return tuple(found)
