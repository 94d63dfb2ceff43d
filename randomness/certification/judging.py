"""Results of a run as members of one family: which part each belongs to, and what it is about in words."""

from dataclasses import replace

from randomness.bits import named as named_bits
from randomness.certification import clauses, generator_bits
from randomness.certification.decision import Judged, second_level
from randomness.certification.plan import Plan
from randomness.certification.runs import Run
from randomness.certification.shards import evenly_drawn
from randomness.certification.totals import RunSection, Totals
from randomness.decks import CERTAIN_TESTS, DECK_TESTS
from randomness.draws import named
from randomness.result import Outcome, Result

OUTSIDE = "generator, outside engines"
FIRST_CARDS = ", first cards"
DECLARED = "declared not applicable: the device does not promise it"
UNEVEN = "faces are on different numbers of cards, so a first card is no number drawn evenly"


def judge(run: Run, totals: Totals) -> list[Judged]:
    """Every result: certain tests, deck tests, tests on first cards, then the second level."""
    found: list[Judged] = []
    for name, section in totals.sections.items():
        least = {test.name: test.least for test in section.battery.tests}
        results = section.battery.evaluate()
        found += [Judged(section=name, result=result, needs=least.get(result.test, 1)) for result in results]
        found += [
            Judged(section=name, result=_none(test, DECLARED))
            for test in run.subject.not_promised
            if test in run.plan.deck_tests
        ]
        found += [
            Judged(section=name + FIRST_CARDS, result=result, needs=section.draws.tests[result.test].least_draws)
            for result in section.draws.evaluate()
        ]
        if not evenly_drawn(run.subject.kind):
            found += [
                Judged(section=name + FIRST_CARDS, result=_none(test, UNEVEN)) for test in run.plan.draw_tests
            ]
        again = {result.test for result in results if result.outcome is Outcome.SAME}
        found += _second_levels(run.plan, name, section, again)
    return found


def outside_verdict(result: Result) -> Judged:
    """Without the bytes fed: some are left in a pipe, which differs from run to run."""
    return Judged(section=OUTSIDE, result=replace(result, samples=0))


def _none(test: str, why: str) -> Result:
    return Result(test=test, outcome=Outcome.NOT_APPLICABLE, samples=0, unmet=(why,))


def _second_levels(plan: Plan, name: str, section: RunSection, again: set[str]) -> list[Judged]:
    """Of every test with enough blocks, but for those that repeat another."""
    return [
        Judged(section=name, second_level=True, result=second_level(test, kept, section.battery.integrity.decks))
        for test, kept in section.blocks.items()
        if len(kept) >= plan.least_blocks and test not in again
    ]


def sees(one: Judged) -> str:
    """What a test is about, in words."""
    if one.section.endswith(FIRST_CARDS):
        return named(one.result.test).sees
    if one.section == generator_bits.SECTION:
        test = named_bits(one.result.test)
        return "" if test is None else test.sees
    if one.section == OUTSIDE:
        return "what an outside engine makes of the generator's bits"
    if one.result.test in CERTAIN_TESTS:
        return CERTAIN_TESTS[one.result.test].sees
    said = DECK_TESTS[one.result.test].sees
    return f"whether p-values of blocks are uniform: {said}" if one.second_level else said


def clause_name(section: str, test: str) -> str:
    """How the clauses name a statistic."""
    if section.endswith(FIRST_CARDS):
        return clauses.FIRST_CARDS + test
    return (clauses.BITS if section == generator_bits.SECTION else "") + test
