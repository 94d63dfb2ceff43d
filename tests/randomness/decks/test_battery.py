"""The battery as its users meet it: update, merge, keep, evaluate; unmet conditions said, never passed over."""

import numpy as np
import pytest

from randomness.decks import DECK_TESTS, DeckBattery, DeckShapeError, MergeError, UnknownTest
from randomness.decks.kinds import STANDARD, DeckKind, deck_kind
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


def test_a_plan_for_more_decks_never_counts_fewer_of_those_it_gets() -> None:
    """A defect that a file of 190,000 decks shows must not be lost in one of 1,000,000."""
    names = ["position-pairs", "lag-descents", "serial-correlation", "lehmer-digits", "card-by-position"]
    for planned in (None, 190_000, 1_000_000, 2_000_000, 10**9):
        for segment in (0, 1, 48, 243, 487):
            made = DeckBattery(names, planned=planned, first_segment=segment, compiled=False)
            made.update(decks(20))
            assert made.tallies.decks["position_pairs"] == made.tallies.decks["faces.lehmer"] == 20
            assert made.tallies.decks["lag_order"] == made.tallies.decks["serial"] == 19


def test_what_cannot_be_is_refused_with_a_reason() -> None:
    with pytest.raises(UnknownTest, match="spade-test"):
        DeckBattery(["spade-test"])
    with pytest.raises(DeckShapeError, match="float64"):
        DeckBattery(QUICK).update(np.zeros((2, 52)))
    with pytest.raises(DeckShapeError, match=r"0 … 255"):
        DeckBattery(QUICK).update(np.full((2, 52), 300))
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


def test_decks_shuffled_from_the_one_before_are_judged_once() -> None:
    """Read against the input and against the deck before they are one statistic, but for the first deck."""
    rows = decks(400, 5)
    names = [name for name in DECK_TESTS if name.startswith(("input-", "previous-", "group-order"))]
    chained = by_name(run(rows[1:], rows[:-1], names))
    previous = {name for name in names if DECK_TESTS[name].tally.startswith("previous.")}
    few = {name for name, result in chained.items() if result.outcome is Outcome.TOO_FEW}
    made = {name for name in previous - few if DECK_TESTS[name].twin in names}
    assert made == {name for name, result in chained.items() if result.outcome is Outcome.SAME}
    assert len(made) >= 15
    assert chained["input-valleys"].outcome is Outcome.TESTED
    orders = rows[:-1].copy()
    orders[200] = rows[0]  # one deck came from another order: two statistics
    mixed = by_name(run(rows[1:], orders, names))
    assert mixed["previous-valleys"].outcome is Outcome.TESTED
    merged = run(rows[1:200], rows[:199], names)
    merged.merge(run(rows[201:], rows[200:-1], names))
    assert by_name(merged)["previous-valleys"].outcome is Outcome.SAME


def test_every_twin_reads_the_same_tally_in_another_view() -> None:
    twins = [test for test in DECK_TESTS.values() if test.twin]
    assert len(twins) == 18 + sum(test.tally.startswith("previous.") for test in DECK_TESTS.values())
    for test in twins:
        other = DECK_TESTS[test.twin]
        if test.tally.startswith("previous."):
            assert other.tally == test.tally.replace("previous.", "input.")
        else:
            assert other.tally == test.tally.replace("input.", "faces.")
        assert (type(other.judge), other.over, other.unit) == (type(test.judge), test.over, test.unit)


# ----- other decks ----------------------------------------------------------------------------------------------------


def ideal(kind: DeckKind, decks: int, seed: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(kind.factory, (decks, 1)), axis=1)


@pytest.mark.parametrize("kind", [deck_kind(36), deck_kind(52, shoe=6), deck_kind(36, shoe=2, told_apart=True)])
def test_parts_merged_and_kept_are_the_whole(kind: DeckKind) -> None:
    names = ["card-by-position", "each-cell", "rank-runs", "hand-categories", "lag-matches", "input-fixed-points"]
    rows = ideal(kind, 200)
    parts = []
    for part in (rows[:90], rows[90:]):
        battery = DeckBattery(names, kind=kind, first_row=1)
        battery.update(part, kind.factory)
        parts.append(DeckBattery.from_state(battery.to_state()))
    one, two = parts
    one.merge(two)
    whole = DeckBattery(names, kind=kind, first_row=1)
    whole.update(rows, kind.factory)
    assert one.digest == whole.digest
    for a, b in zip(one.evaluate(), whole.evaluate(), strict=True):
        if a.test != "lag-matches":
            assert a == b
    with pytest.raises(MergeError):
        one.merge(DeckBattery(names, kind=deck_kind(40)))


def test_a_deck_that_is_not_whole_is_named_and_left_out() -> None:
    kind = deck_kind(36)
    rows = ideal(kind, 50)
    rows[7, 0] = rows[7, 1]
    battery = DeckBattery(["card-by-position"], kind=kind, first_row=1)
    battery.update(rows)
    result = battery.evaluate()[0]
    assert result.p == 0.0
    assert any(finding.place.startswith("row 8: missing") for finding in result.findings)
    assert battery.tallies.decks["faces.by_position"] == 49
    assert battery.whole(rows).sum() == 49


def test_a_wrong_input_order_is_named_too() -> None:
    kind = deck_kind(36)
    rows, orders = ideal(kind, 20), ideal(kind, 20, 6)
    orders[3, 0] = orders[3, 1]
    battery = DeckBattery(["input-fixed-points"], kind=kind, first_row=1)
    battery.update(rows, orders)
    assert battery.integrity.bad_inputs == 1
    assert battery.tallies.decks["input.fixed_points"] == 19


def test_a_deck_that_comes_twice_is_found_in_a_shoe() -> None:
    kind = deck_kind(52, shoe=6)
    rows = ideal(kind, 30)
    rows[25] = rows[4]
    battery = DeckBattery([], kind=kind, first_row=1)
    battery.update(rows)
    found = battery.evaluate()[1]
    assert found.p is not None
    assert found.p < 1e-9
    assert found.findings[0].place == "rows 5 and 26 are the same deck"


def test_cut_decks_and_permutations_that_come_again_are_found() -> None:
    kind = deck_kind(36)
    rows, orders = ideal(kind, 40), ideal(kind, 40, 8)
    rows[30] = np.roll(rows[3][::-1], 7)
    battery = DeckBattery([], kind=kind, first_row=1)
    battery.update(rows, orders)
    by_name = {result.test: result for result in battery.evaluate()}
    assert by_name["repeated-decks"].p == 1.0
    assert by_name["repeated-rings"].findings[0].place == "rows 4 and 31 are the same deck, cut or turned over"
    rows = ideal(kind, 40)
    move = np.random.default_rng(1).permutation(36)
    rows[2], rows[20] = orders[2][move], orders[20][move]
    battery.clear()
    battery.update(rows, orders)
    by_name = {result.test: result for result in battery.evaluate()}
    assert by_name["repeated-permutations"].findings[0].place == "rows 3 and 21 were made by the same permutation"
    shoe = DeckBattery([], kind=deck_kind(36, shoe=2))
    shoe.update(ideal(deck_kind(36, shoe=2), 5))
    assert shoe.evaluate()[3].outcome is Outcome.NOT_APPLICABLE


def test_tests_without_a_law_are_there_with_the_reason() -> None:
    battery = DeckBattery(["face-parity", "input-fixed-points", "hands-of-two-seats"], kind=deck_kind(52, shoe=2))
    battery.update(ideal(deck_kind(52, shoe=2), 10))
    for result in battery.evaluate()[4:]:
        assert result.outcome is Outcome.NOT_APPLICABLE
        assert result.unmet[0]


def test_rows_of_another_deck_are_refused() -> None:
    with pytest.raises(DeckShapeError, match="rows of 36 cards"):
        DeckBattery(kind=deck_kind(36)).update(ideal(STANDARD, 2))
