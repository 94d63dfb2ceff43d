"""The sensitivity proof at a small size: what must be found early is, and an ideal shuffle is not."""

from concurrent.futures import ProcessPoolExecutor

import pytest

from proofs import sensitivity
from randomness.decks import compiled_available
from randomness.result import Finding, Outcome, Result

pytestmark = pytest.mark.skipif(not compiled_available(), reason="numba is not installed")


def defect(what: str) -> sensitivity.Defect:
    return next(d for d in sensitivity.DEFECTS if d.what == what)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "decks"), [("riffle, 7 passes", 32), ("shelf, 10 shelves", 10), ("Sattolo", 10), ("naive swap", 1000)]
)
def test_what_must_be_found_early_is(what: str, decks: int) -> None:
    with ProcessPoolExecutor(1) as pool:
        row = sensitivity.climb(defect(what), pool, top=decks, pilot=20_000, tries=lambda _: 30)
    assert row.found_at is not None
    assert row.found_at <= decks
    assert row.as_predicted


@pytest.mark.slow
def test_an_ideal_shuffle_is_found_by_nothing() -> None:
    ideal = sensitivity.Defect(what="none", kernel="ideal", stated=float("inf"), why="nothing is wrong")
    with ProcessPoolExecutor(1) as pool:
        row = sensitivity.climb(ideal, pool, top=1000, pilot=1000, tries=lambda _: 10)
    assert row.found_at is None
    assert row.as_predicted


def result(test: str, p: float | None) -> Result:
    tested = p is not None
    return Result(test=test, outcome=Outcome.TESTED if tested else Outcome.TOO_FEW, samples=10, p=p, effect=0.5,
                  findings=(Finding(place="", observed=0, expected=0, z=0),))  # fmt: skip


def test_alarms_come_from_certain_tests_and_holms_rule() -> None:
    given = [result("deck-integrity", 1.0), result("suit-runs", 0.004), result("each-cell", 0.5), result("other", None)]
    assert sensitivity.alarms(given) == ("suit-runs",)
    assert sensitivity.alarms([result("deck-integrity", 0.0), *given[2:]]) == ("deck-integrity",)
    assert sensitivity.alarms([result("suit-runs", 0.006), result("each-cell", 0.5)]) == ()


def test_predictions_come_from_the_best_test_that_is_sure() -> None:
    made = sensitivity.predict([result("suit-runs", 1e-30), result("each-cell", 1e-3)])
    assert made is not None
    assert made.test == "suit-runs"
    assert sensitivity.predict([result("suit-runs", 1e-3)]) is None


def test_the_ladder_and_its_replicates_are_as_stated() -> None:
    assert sensitivity.LADDER[:4] == (10, 32, 100, 316)
    assert sensitivity.LADDER[-1] == 10_000_000
    assert [sensitivity.replicates(n) for n in (10, 100_000, 1_000_000, 10_000_000)] == [100, 20, 10, 5]
    assert sensitivity.allowed(29) == 100
    assert sensitivity.allowed(5) == 10


def test_the_table_says_what_is_out_of_reach() -> None:
    row = sensitivity.Row(what="x", predicted=1.5e9, predicted_by="theory", found_at=None, found=0, tried=5,
                          found_by="", as_predicted=True)  # fmt: skip
    assert "| x | 1.5e+09 | theory | not to 10,000,000 | 0 of 5 |" in sensitivity.report([row], 10_000_000)
