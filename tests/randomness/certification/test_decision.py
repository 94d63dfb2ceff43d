"""The decision: Holm over the family, what fails a run regardless, and what counts as neither."""

import numpy as np
import pytest

from randomness.certification import Judged, Verdict, decide, load_plan
from randomness.certification.decision import INTEGRITY, read_positions, second_level
from randomness.result import Outcome, Result

PLAN = load_plan("quick")


def judged(name: str, p: float | None) -> Judged:
    outcome = Outcome.TESTED if p is not None else Outcome.NOT_APPLICABLE
    unmet = () if p is not None else ("no input order",)
    return Judged(section="s", result=Result(test=name, outcome=outcome, samples=10, statistic=2.0, p=p, unmet=unmet))


def test_one_small_p_among_many_is_judged_against_all_of_them() -> None:
    many = [judged(f"t{n}", 0.5) for n in range(99)]
    assert decide(PLAN, [*many, judged("low", 0.000091)]).verdict is Verdict.PASSED
    failed = decide(PLAN, [*many, judged("low", 0.000089)])
    assert failed.verdict is Verdict.FAILED
    assert failed.collective.rejected == ("s: low",)


def test_what_could_not_be_tested_is_listed_and_is_in_no_count() -> None:
    decision = decide(PLAN, [judged("a", 0.5), judged("b", None)])
    assert decision.collective.tests == 1
    assert decision.untested == ("s: b: not applicable: no input order",)
    assert decision.readings[0].tests == 1


def test_an_integrity_failure_fails_the_run_whatever_else_says() -> None:
    assert decide(PLAN, [judged("a", 0.5), judged(INTEGRITY, 1.0)]).verdict is Verdict.PASSED
    decision = decide(PLAN, [judged("a", 0.5), judged(INTEGRITY, 0.0)])
    assert decision.verdict is Verdict.FAILED
    assert "2 decks are not whole" in decision.failures[0]
    assert decision.collective.tests == 1


def test_a_malformed_row_fails_the_run() -> None:
    assert decide(PLAN, [judged("a", 0.5)], malformed_rows=1).verdict is Verdict.FAILED


def too_few(name: str, needs: int | None) -> Judged:
    result = Result(test=name, outcome=Outcome.TOO_FEW, samples=9, unmet=("needs more decks, has 9",))
    return Judged(section="s", result=result, needs=needs)


def test_below_the_least_sample_a_run_can_fail_but_not_pass() -> None:
    few = decide(PLAN, [judged("a", 0.5)], decks=9_999)
    assert few.verdict is Verdict.INCONCLUSIVE
    assert few.missing == ("9,999 decks are fewer than the plan's least sample of 10,000",)
    assert decide(PLAN, [judged("a", 0.5)], decks=10_000).verdict is Verdict.PASSED
    assert decide(PLAN, [judged("a", 1e-9)], decks=9).verdict is Verdict.FAILED


def test_a_run_does_not_pass_without_a_test_that_the_least_sample_allows() -> None:
    decision = decide(PLAN, [judged("a", 0.5), too_few("b", 10_000), too_few("c", 99)], decks=20_000)
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.missing == ("2 tests need more decks: b, c",)
    for other in (judged("b", None), too_few("b", 10_001), too_few("b", None)):
        decision = decide(PLAN, [judged("a", 0.5), other], decks=20_000)
        assert decision.verdict is Verdict.PASSED
        assert len(decision.untested) == 1


def test_between_the_level_and_the_margin_is_doubtful() -> None:
    decision = decide(PLAN, [judged("a", 0.02)])
    assert decision.verdict is Verdict.PASSED
    assert decision.doubtful == ("s: a",)
    assert not decide(PLAN, [judged("a", 0.06)]).doubtful


def test_52_positions_at_99_percent_fail_a_perfect_device_41_percent_of_the_time() -> None:
    table = np.full((52, 52), 1000)
    table[6] = 500
    table[6, ::2] = 1500
    reading = read_positions("s", table, 0.99, [1] * 52)
    assert reading.below == (7,)
    assert reading.chance_of_an_alarm == pytest.approx(0.407, abs=0.0005)


def test_literal_readings_count_each_test_alone() -> None:
    decision = decide(PLAN, [judged("a", 0.04), judged("b", 0.009), judged("c", 0.5)])
    at95, at99 = decision.readings
    assert at95.below == ("s: a", "s: b")
    assert at99.below == ("s: b",)
    assert at99.expected == pytest.approx(0.03)


def test_the_second_level_sees_p_values_that_crowd_at_either_end() -> None:
    even = [(n + 0.5) / 50 for n in range(50)]
    assert (second_level("t", even, 50).p or 0) > 0.99
    assert (second_level("t", [p**3 for p in even], 50).p or 1) < 1e-3
    assert (second_level("t", [p ** (1 / 3) for p in even], 50).p or 1) < 1e-3


def test_a_second_level_names_where_p_values_crowd_and_the_lowest_blocks() -> None:
    found = second_level("t", [0.4, 0.001, 0.003, 0.9, 0.002, 0.6, 0.004, 0.005], 50).findings
    assert found[0].place == "blocks with p up to 0.005"
    assert found[0].observed == 5.0
    assert [one.place for one in found[1:]] == ["block 2 of 8, p", "block 5 of 8, p", "block 3 of 8, p"]
    few = second_level("t", [0.9, 0.91, 0.95, 0.99, 0.97], 50).findings
    assert (few[0].observed, few[0].expected) == (0.0, 4.5)
