"""The sensitivity proof at a small size: what must be found early is, and an ideal shuffle is not."""

import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from proofs import planted, sensitivity
from randomness.decks import IN_FULL, compiled_available
from randomness.result import Finding, Outcome, Result

pytestmark = pytest.mark.skipif(not compiled_available(), reason="numba is not installed")


def defect(what: str) -> planted.Defect:
    return next(d for d in planted.DEFECTS if d.what == what)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "decks"), [("riffle, 7 passes", 32), ("shelf, 10 shelves", 10), ("Sattolo", 10), ("naive swap", 1000)]
)
def test_what_must_be_found_early_is(what: str, decks: int) -> None:
    with ProcessPoolExecutor(1) as pool:
        row = sensitivity.climb(defect(what), pool, top=decks, pilots=(20_000,), tries=lambda _: 30)
    assert row.found_at is not None
    assert row.found_at <= decks
    assert row.as_predicted


@pytest.mark.slow
def test_an_ideal_shuffle_is_found_by_nothing() -> None:
    ideal = planted.Defect(what="none", kernel="ideal", stated=float("inf"), why="nothing is wrong")
    with ProcessPoolExecutor(1) as pool:
        row = sensitivity.climb(ideal, pool, top=1000, pilots=(1000,), tries=lambda _: 10)
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


def stand_where_seen_from(least: int) -> tuple[list[int], Callable[[int], sensitivity.Rung]]:
    tried: list[int] = []

    def stand(step: int) -> sensitivity.Rung:
        tried.append(step)
        return sensitivity.Rung(size=step, found=10 if step >= least else 2, tried=10, by="x")

    return tried, stand


@pytest.mark.parametrize(
    ("predicted", "seen_from", "found_at", "tried"),
    [
        (1_500, 1_000, 1_000, [316, 1_000]),
        (1_500, 10, 10, [316, 100, 32, 10]),
        (1_500, 50_000, 100_000, [316, 1_000, 3_162, 10_000, 31_623, 100_000]),
        (1e9, 1e12, None, [10_000_000]),
        (2, 10, 10, [10]),
    ],
)
def test_a_climb_begins_a_decade_below_the_prediction_and_ends_at_the_lowest_rung_that_sees(
    predicted: float, seen_from: int, found_at: int | None, tried: list[int]
) -> None:
    steps, stand = stand_where_seen_from(seen_from)
    rung = sensitivity.climb_ladder(predicted, sensitivity.LADDER, stand)
    assert steps == tried
    assert (rung.size if rung.seen else None) == found_at


def test_found_later_than_twice_the_prediction_is_not_as_predicted() -> None:
    foreseen = sensitivity.Prediction(decks=40, test="x")
    late = sensitivity.Rung(size=316, found=9, tried=10, by="x")
    assert not sensitivity.row("d", foreseen, late, sensitivity.LADDER).as_predicted
    in_time = sensitivity.Rung(size=100, found=9, tried=10, by="x")
    assert sensitivity.row("d", foreseen, in_time, sensitivity.LADDER).as_predicted
    never = sensitivity.Rung(size=10_000_000, found=1, tried=2, by="x")
    assert not sensitivity.row("d", foreseen, never, sensitivity.LADDER).as_predicted


def test_sub_samples_need_more_decks_shuffled_than_counted() -> None:
    assert sensitivity.shuffled_for(90_000, 256) == 90_000
    assert sensitivity.shuffled_for(2_000_000, 256) == 2_000_000
    assert sensitivity.shuffled_for(IN_FULL + 1_000, 8) == IN_FULL + 8_000
    assert sensitivity.shuffled_for(3_000_000, 1) == 3_000_000


@pytest.mark.slow
def test_the_bit_battery_finds_a_generator_that_shows_its_states() -> None:
    lcg = next(d for d in planted.BIT_DEFECTS if d.source == "defect:lcg")
    with ProcessPoolExecutor(1) as pool:
        row = sensitivity.climb_bits(lcg, pool, top=3_160, tries=5)
    assert row.found_at == 3_160
    assert row.found_by == "congruential"


def test_finished_rows_are_not_made_twice(tmp_path: Path) -> None:
    row = sensitivity.Row(what="x", predicted=math.inf, predicted_by="theory", found_at=None, found=0, tried=5,
                          found_by="", as_predicted=True)  # fmt: skip
    sensitivity.Kept(tmp_path / "rows").done("x", lambda: row)

    def again() -> sensitivity.Row:
        raise AssertionError

    assert sensitivity.Kept(tmp_path / "rows").done("x", again) == row


def test_the_table_says_what_is_out_of_reach() -> None:
    row = sensitivity.Row(what="x", predicted=1.5e9, predicted_by="theory", found_at=None, found=0, tried=5,
                          found_by="", as_predicted=True)  # fmt: skip
    assert "| x | 1.5e+09 | theory | not to 10,000,000 | 0 of 5 |" in sensitivity.report([row], [], 10_000_000)
