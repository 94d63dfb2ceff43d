"""The decision: Holm over the family, what fails a run regardless, and what counts as neither."""

import numpy as np
import pytest

from randomness.certification import Judged, decide, load_plan
from randomness.certification.decision import INTEGRITY, read_positions, second_level
from randomness.result import Outcome, Result

PLAN = load_plan("quick")


def judged(name: str, p: float | None) -> Judged:
    outcome = Outcome.TESTED if p is not None else Outcome.NOT_APPLICABLE
    unmet = () if p is not None else ("no input order",)
    return Judged(section="s", result=Result(test=name, outcome=outcome, samples=10, statistic=2.0, p=p, unmet=unmet))


def test_one_small_p_among_many_is_judged_against_all_of_them() -> None:
    many = [judged(f"t{n}", 0.5) for n in range(99)]
    assert decide(PLAN, [*many, judged("low", 0.00011)]).passed
    failed = decide(PLAN, [*many, judged("low", 0.0001)])
    assert not failed.passed
    assert failed.collective.rejected == ("s: low",)


def test_what_could_not_be_tested_is_listed_and_is_in_no_count() -> None:
    decision = decide(PLAN, [judged("a", 0.5), judged("b", None)])
    assert decision.collective.tests == 1
    assert decision.untested == ("s: b: not applicable: no input order",)
    assert decision.readings[0].tests == 1


def test_an_integrity_failure_fails_the_run_whatever_else_says() -> None:
    assert decide(PLAN, [judged("a", 0.5), judged(INTEGRITY, 1.0)]).passed
    decision = decide(PLAN, [judged("a", 0.5), judged(INTEGRITY, 0.0)])
    assert not decision.passed
    assert "2 decks are not whole" in decision.failures[0]
    assert decision.collective.tests == 1


def test_a_malformed_row_fails_the_run() -> None:
    assert not decide(PLAN, [judged("a", 0.5)], malformed_rows=1).passed


def test_between_the_level_and_the_margin_is_doubtful() -> None:
    decision = decide(PLAN, [judged("a", 0.02)])
    assert decision.passed
    assert decision.doubtful == ("s: a",)
    assert not decide(PLAN, [judged("a", 0.06)]).doubtful


def test_52_positions_at_99_percent_fail_a_perfect_device_41_percent_of_the_time() -> None:
    table = np.full((52, 52), 1000)
    table[6] = 500
    table[6, ::2] = 1500
    reading = read_positions("s", table, 0.99)
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
