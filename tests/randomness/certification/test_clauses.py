"""Clauses: every one has its scope and its source, and what a run shows of it follows from its own tests."""

import pytest

from randomness.bits import TESTS as BIT_TESTS
from randomness.certification.clauses import WHOLE, Clause, RunShown, all_clauses, chosen, clause_rows
from randomness.certification.errors import PlanError
from randomness.certification.model import ClauseRow, TestRow
from randomness.decks import CERTAIN_TESTS, DECK_TESTS
from randomness.draws import TESTS as DRAW_TESTS

NAMES = [*DECK_TESTS, *CERTAIN_TESTS, *(f"draws/{test.name}" for test in DRAW_TESTS)]
NAMES += [f"bits/{test.name}" for test in BIT_TESTS]


def a_clause(**changes: object) -> Clause:
    said = {
        "id": "c", "standard": "S", "number": "1", "applies_to": "card shufflers", "gist": "g", "source": "s",
        "certainty": "read", "shuffler": True, "shows": "met", "tests": {"chi-square": ("a",), "runs": ("b*",)},
    }  # fmt: skip
    return Clause(**{**said, **changes})  # type: ignore[arg-type]


def row(test: str, p: float | None) -> TestRow:
    return TestRow(
        label=f"s: {test}", section="s", test=test, second_level=False, clauses=(), sees="", samples=10, p=p,
        outcome="tested" if p is not None else "not applicable", statistic=1.0, adjusted_p=p, null=None, effect=None,
        effect_low=None, effect_high=None, effect_unit="", unmet=(), findings=(),
    )  # fmt: skip


def shown(clause: Clause, p_values: dict[str, float | None], outcome: str = "passed", level: float = 0.01,
          rejected: tuple[str, ...] = ()) -> ClauseRow:  # fmt: skip
    rows = [row(test, p) for test, p in p_values.items()]
    said = RunShown(
        outcome=outcome, decks=20_000, level=level, family=3, rejected=tuple(f"s: {test}" for test in rejected),
        adjusted={one.label: one.p for one in rows if one.p is not None}, names={one.label: one.test for one in rows},
    )  # fmt: skip
    (found,) = clause_rows([clause], rows, said)
    return found


def test_every_pattern_of_every_clause_names_a_test_and_ids_are_unique() -> None:
    ids = [clause.id for clause in all_clauses()]
    assert len(set(ids)) == len(ids)
    for clause in all_clauses():
        for named, patterns in clause.tests.items():
            for pattern in patterns:
                one = a_clause(tests={named: (pattern,)})
                assert pattern == WHOLE or any(one.covers(name) for name in NAMES), (clause.id, pattern)


def test_a_report_on_a_card_shuffler_cites_no_clause_for_other_machines() -> None:
    usual = {clause.id for clause in chosen(())}
    assert {"comar-36.05.02.17-f", "ukgc-casino-2.2", "agco-21.1", "gli-29-2.1.1"} <= usual
    for other in ("arsd-48.02.08.02", "pa-810a.5", "cfr-547.14-b", "ukgc-rts-7a"):
        assert other not in usual
    assert {clause.id for clause in chosen(("cfr-547.14-b",))} == {*usual, "cfr-547.14-b"}


def test_a_cover_limits_the_standards_and_unknown_ones_are_refused() -> None:
    assert {clause.standard for clause in chosen((), "COMAR, GLI-19")} == {"COMAR (Maryland)", "GLI-19 v3.0"}
    with pytest.raises(PlanError, match="no clause of 'gli-99'"):
        chosen((), "GLI-99")
    with pytest.raises(PlanError, match="no clause 'x'; there are gli-29"):
        chosen(("x",))


def test_a_text_that_was_not_read_is_not_evaluated() -> None:
    unread = [clause for clause in all_clauses() if clause.certainty == "not read"]
    assert [clause.standard for clause in unread] == ["GLI-29 v1.0"]
    found = shown(a_clause(certainty="not read"), {"a": 0.5, "b": 0.5})
    assert found.verdict == "not evaluated"


def test_a_clause_is_met_when_all_its_tests_were_performed_and_none_is_rejected() -> None:
    assert shown(a_clause(), {"a": 0.5, "b1": 0.4}).verdict == "met"
    assert shown(a_clause(), {"a": 0.5, "b1": 0.4}, outcome="inconclusive").verdict == "inconclusive"
    assert shown(a_clause(), {"a": None, "b1": None}).verdict == "not tested"
    partly = shown(a_clause(), {"a": 0.5, "b1": None})
    assert (partly.verdict, partly.evidence[-20:]) == ("partly tested", "; not performed: runs"[-20:])
    assert shown(a_clause(), {"a": 1e-9, "b1": 0.4}, rejected=("a",)).verdict == "not met"
    assert shown(a_clause(), {"a": 0.5, "b1": 0.4, "other": 1e-9}, rejected=("other",)).verdict == "met"


def test_a_sample_can_be_consistent_with_a_requirement_that_it_cannot_establish() -> None:
    assert shown(a_clause(shows="consistent with"), {"a": 0.5, "b1": 0.4}).verdict == "consistent with"
    repeats = next(clause for clause in all_clauses() if clause.id == "cfr-547.14-cd")
    assert repeats.shows == "consistent with"  # non-repeatability is about seeding


def test_a_clause_is_judged_at_the_level_that_it_names() -> None:
    """95 % asks for more than the collective 99 %: 0.03 is not rejected by the plan and does not meet the clause."""
    strict = a_clause(level=0.05, tests={"chi-square": ("a",)})
    assert shown(strict, {"a": 0.03}).verdict == "not met"
    assert shown(strict, {"a": 0.06}).verdict == "met"
    assert shown(a_clause(tests={"chi-square": ("a",)}), {"a": 0.03}).verdict == "met"


def test_the_collective_clause_needs_the_collective_level() -> None:
    whole = a_clause(level=0.01, shows="consistent with", tests={"all": (WHOLE,), "chi-square": ("a",)})
    assert shown(whole, {"a": 0.5}).verdict == "consistent with"
    assert shown(whole, {"a": 0.5}, level=0.001).verdict == "inconclusive"
    assert shown(whole, {"a": 0.5}, outcome="failed").verdict == "not met"


def test_a_broken_deck_is_against_its_clause_whatever_the_level() -> None:
    clause = a_clause(tests={"whole decks": ("deck-integrity",)})
    one = row("deck-integrity", 0.0)
    said = RunShown(outcome="failed", decks=9, level=0.01, family=0, rejected=(), adjusted={},
                 names={one.label: "deck-integrity"})  # fmt: skip
    assert clause_rows([clause], [one], said)[0].verdict == "not met"
