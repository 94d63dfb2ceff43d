"""Verdicts as values, and in the shape of every other result."""

import pytest

from randomness.outside import OutsideRun, OutsideVerdict, ToolAssessment
from randomness.outside.verdicts import assess
from randomness.result import Outcome


def a_run(*verdicts: OutsideVerdict, unmet: tuple[str, ...] = ()) -> OutsideRun:
    return OutsideRun(
        engine="dieharder",
        version="3",
        command=("dieharder",),
        bytes_fed=9,
        seconds=1.0,
        verdicts=verdicts,
        unmet=unmet,
    )


@pytest.mark.parametrize(
    ("p", "word"),
    [(0.5, "PASSED"), (0.006, "PASSED"), (0.004, "WEAK"), (0.996, "WEAK"), (1e-7, "FAILED"), (1.0, "FAILED")],
)
def test_both_ends_are_bad_news(p: float, word: str) -> None:
    assert assess(p) is ToolAssessment[word]


def test_results_fold_both_ends_and_number_repeated_names() -> None:
    run = a_run(
        OutsideVerdict(test="runs", p=0.9, assessment=ToolAssessment.PASSED),
        OutsideVerdict(test="runs", p=0.001, assessment=ToolAssessment.WEAK),
        OutsideVerdict(test="fips", p=0.9, assessment=ToolAssessment.PASSED, two_sided=False),
        OutsideVerdict(test="all", p=None, assessment=ToolAssessment.PASSED),
    )
    first, second, third, last = run.results()
    assert [result.test for result in run.results()] == [
        "dieharder/runs", "dieharder/runs#2", "dieharder/fips", "dieharder/all"
    ]  # fmt: skip
    assert (first.p, second.p, third.p) == pytest.approx((0.2, 0.002, 0.9))
    assert (last.outcome, last.p) == (Outcome.NOT_APPLICABLE, None)
    assert run.worst is ToolAssessment.WEAK


def test_an_engine_that_said_nothing_is_not_a_pass() -> None:
    run = a_run(unmet=("not installed: dieharder",))
    (result,) = run.results()
    assert (result.outcome, result.unmet) == (Outcome.NOT_APPLICABLE, ("not installed: dieharder",))
    assert run.worst is None
