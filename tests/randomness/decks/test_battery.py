"""The battery as its users meet it: update, merge, keep, evaluate; unmet conditions said, never passed over."""

import numpy as np
import pytest

from randomness.decks import DECK_TESTS, DeckBattery, DeckShapeError, MergeError, UnknownTest
from randomness.result import Outcome

QUICK = ["face-valleys", "input-valleys", "previous-fixed-points", "lag-matches", "card-by-position", "suit-runs"]


def decks(many: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def run(rows: np.ndarray, orders: np.ndarray | None = None, tests: list[str] | None = None) -> DeckBattery:
    made = DeckBattery(tests or QUICK, compiled=False)
    made.update(rows, orders)
    return made


def by_name(battery: DeckBattery) -> dict:
    return {result.test: result for result in battery.evaluate()}


def test_a_test_that_needs_the_input_order_is_not_applicable_without_it() -> None:
    result = by_name(run(decks(30)))["input-valleys"]
    assert result.outcome is Outcome.NOT_APPLICABLE
    assert result.p is None
    assert "before each shuffle" in result.unmet[0]


def test_a_test_with_too_few_decks_says_how_many_it_needs() -> None:
    result = by_name(run(decks(30)))["card-by-position"]
    assert result.outcome is Outcome.TOO_FEW
    assert result.p is None
    assert result.unmet == ("needs 100 decks, has 30",)


def test_every_result_of_good_decks_is_whole() -> None:
    for result in run(decks(120), decks(120, 1)).evaluate():
        assert result.outcome is Outcome.TESTED
        assert result.p is not None
        assert 0 < result.p <= 1
        assert result.effect is not None
        if result.effect_low is not None and result.effect_high is not None:
            assert result.effect_low <= result.effect <= result.effect_high


def test_a_bad_deck_is_left_out_reported_and_ends_the_sequence() -> None:
    rows = decks(11)
    rows[4] = 0
    made = run(rows)
    results = by_name(made)
    assert results["deck-integrity"].p == 0.0
    assert results["deck-integrity"].findings[-1].place.startswith("row 4:")
    assert results["face-valleys"].samples == 10
    assert results["previous-fixed-points"].samples == 8


def test_a_bad_input_order_is_reported_too() -> None:
    orders = decks(10, 1)
    orders[3, 0] = orders[3, 1]
    results = by_name(run(decks(10), orders))
    assert results["deck-integrity"].p == 0.0
    assert results["input-valleys"].samples == 9


def test_rows_are_numbered_from_the_first_row_given() -> None:
    made = DeckBattery(QUICK, first_row=5000, compiled=False)
    rows = decks(4)
    rows[3] = rows[1]
    made.update(rows)
    assert by_name(made)["repeated-decks"].findings[0].place == "rows 5001 and 5003 are the same deck"


def test_results_do_not_depend_on_chunks_or_on_a_checkpoint() -> None:
    rows, orders = decks(60, 2), decks(60, 3)
    whole, parts = run(rows, orders), DeckBattery(QUICK, compiled=False)
    parts.update(rows[:7], orders[:7])
    kept = DeckBattery.from_state(parts.to_state(), compiled=False)
    kept.update(rows[7:], orders[7:])
    assert kept.evaluate() == whole.evaluate()


def test_shards_merge_to_the_same_results_in_any_order() -> None:
    shards = [(decks(20, seed), decks(20, seed + 50)) for seed in range(4)]

    def merged(order: list[int]) -> tuple:
        first, *rest = (run(*shards[i]) for i in order)
        for other in rest:
            first.merge(other)
        return first.evaluate()

    assert merged([0, 1, 2, 3]) == merged([3, 1, 0, 2])


def test_p_values_repeat_and_are_those_of_the_results() -> None:
    one, two = run(decks(120)), run(decks(120))
    assert one.evaluate() == two.evaluate()
    for result in one.evaluate()[4:]:
        assert one.p_value(DECK_TESTS[result.test]) == result.p


def test_long_plans_thin_out_costly_tests_and_short_ones_do_not() -> None:
    assert set(DeckBattery(planned=199_999).tallies.every.values()) == {1}
    assert set(DeckBattery().tallies.every.values()) == {1}
    longer, longest = DeckBattery(planned=1_000_000).tallies.every, DeckBattery(planned=10**9).tallies.every
    assert (longer["position_pairs"], longest["position_pairs"]) == (10, 256)
    assert (longer["faces.lehmer"], longest["faces.lehmer"]) == (1, 8)
    assert longest["faces.by_position"] == 1


def test_what_cannot_be_is_refused_with_a_reason() -> None:
    with pytest.raises(UnknownTest, match="spade-test"):
        DeckBattery(["spade-test"])
    with pytest.raises(DeckShapeError, match="int64"):
        DeckBattery(QUICK).update(np.zeros((2, 52), np.int64))
    with pytest.raises(MergeError):
        DeckBattery(QUICK).merge(DeckBattery(QUICK[:2]))


def test_what_is_one_statistic_on_these_decks_is_judged_once() -> None:
    names = ["face-valleys", "input-valleys", "input-descents-spread"]
    factory = by_name(run(decks(120), np.arange(52, dtype=np.uint8), names))
    assert factory["face-valleys"].p is not None
    assert factory["input-valleys"].outcome is Outcome.SAME
    assert factory["input-valleys"].unmet == ("on these decks face-valleys is the same statistic",)
    assert factory["input-descents-spread"].outcome is Outcome.TESTED  # its twin is not among the tests asked for
    assert by_name(run(decks(120), decks(120, 1), names))["input-valleys"].outcome is Outcome.TESTED


def test_every_twin_reads_the_same_tally_of_the_faces() -> None:
    twins = [test for test in DECK_TESTS.values() if test.twin]
    assert len(twins) == 18
    for test in twins:
        other = DECK_TESTS[test.twin]
        assert other.tally == test.tally.replace("input.", "faces.")
        assert (type(other.judge), other.over, other.unit) == (type(test.judge), test.over, test.unit)
