"""Clause by clause: every clause of every plan is a row, and its verdict follows from its tests."""

import pytest

from randomness.certification import PLANS, Judged, decide, load_plan
from randomness.certification.clauses import STANDARDS, clause_rows, clauses_in
from randomness.result import Outcome, Result

PLAN = load_plan("quick")
NAMED = {
    "s: a": "GLI-19 3.2.2 runs; S.D. 48:02:08:02 runs",
    "s: b": "25 CFR 547.14; 3.4.2 x",
    "s: c": "GLI-19 3.2.2 runs",
}


def judged(name: str, p: float | None) -> Judged:
    outcome = Outcome.TESTED if p is not None else Outcome.NOT_APPLICABLE
    return Judged(section="s", result=Result(test=name, outcome=outcome, samples=10, statistic=2.0, p=p))


def verdicts(p_values: dict[str, float | None], decks: int = 20_000, level: float = 0.01) -> dict[tuple[str, str], str]:
    from dataclasses import replace

    tests = [judged(name, p) for name, p in p_values.items()]
    decision = decide(replace(PLAN, level=level), tests, decks=decks)
    return {(row["clause"], row["asks"]): row["verdict"] for row in clause_rows(tests, decision, NAMED, decks)}


def test_how_a_clause_is_read() -> None:
    assert list(clauses_in("GLI-19 3.2.2 final outcomes; 3.4.2 mechanical shufflers")) == [
        ("GLI-19 v3.0", "3.2.2", "final outcomes"), ("GLI-19 v3.0", "3.4.2", "mechanical shufflers"),
    ]  # fmt: skip
    assert list(clauses_in("S.D. 48:02:08:02 (each pair of positions)")) == [
        ("A.R.S.D. (South Dakota)", "48:02:08:02", "each pair of positions")
    ]
    assert list(clauses_in("25 CFR 547.14")) == [("25 CFR (United States, class II)", "547.14", "tests that it names")]


@pytest.mark.parametrize("name", PLANS)
def test_every_clause_of_a_plan_names_a_known_standard_and_a_number(name: str) -> None:
    plan, known = load_plan(name), {standard for _, standard in STANDARDS}
    for test in (*plan.deck_tests, *plan.draw_tests):
        for standard, clause, _ in clauses_in(test.clause):
            assert standard in known
            assert clause


def test_a_clause_is_met_by_its_tests_and_by_no_other() -> None:
    good = verdicts({"a": 0.5, "b": 0.5, "c": 0.5})
    assert good["3.2.2", "runs"] == good["547.14", "test: b"] == "met"
    bad = verdicts({"a": 0.5, "b": 1e-6, "c": 0.5})
    assert bad["547.14", "test: b"] == "not met"
    assert bad["3.2.2", "runs"] == "met"
    assert bad["3.2.2", "final outcomes evaluated collectively at a 99 % confidence level"] == "not met"


def test_a_clause_without_a_test_is_not_tested_and_a_small_sample_meets_nothing() -> None:
    assert verdicts({"a": 0.5, "b": None})["547.14", "test: b"] == "not tested"
    few = verdicts({"a": 0.5, "b": 0.5}, decks=100)
    assert few["3.2.2", "runs"] == "inconclusive"
    assert few["3.4.2", "mechanical shufflers: at least 10,000 game outcomes"] == "inconclusive"


def test_a_laxer_level_does_not_meet_the_collective_clause() -> None:
    asked = ("3.2.2", "final outcomes evaluated collectively at a 99 % confidence level")
    assert verdicts({"a": 0.005}, level=0.001)[asked] == "inconclusive"
    assert verdicts({"a": 0.5}, level=0.001)["3.2.2", "runs"] == "inconclusive"
    assert verdicts({"a": 0.5}, level=0.05)[asked] == "met"


def test_a_clause_is_met_in_part_where_one_of_its_tests_needs_more_decks() -> None:
    few = Judged(section="s", result=Result(test="c", outcome=Outcome.TOO_FEW, samples=9, unmet=("u",)), needs=99_999)
    tests = [judged("a", 0.5), few]
    rows = {
        (row["clause"], row["asks"]): row
        for row in clause_rows(tests, decide(PLAN, tests, decks=20_000), NAMED, 20_000)
    }
    assert rows["3.2.2", "runs"]["verdict"] == "met in part"
    assert rows["48:02:08:02", "runs"]["verdict"] == "met"
