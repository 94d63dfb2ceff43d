"""The battery for any deck: as that for 52 cards where it is one, whole decks only, the same in any parts."""

import numpy as np
import pytest

from randomness.decks import DeckBattery
from randomness.decks.errors import DeckShapeError, MergeError
from randomness.decks.general import KindBattery, battery_from_state, battery_of
from randomness.decks.kinds import STANDARD, DeckKind, deck_kind
from randomness.result import Outcome

# Their law or their strength is made another way for any deck.
OTHERWISE = {"hand-categories", "seats-alike", "hands-of-two-seats", "seat-strength", "dealer-against-players"}


def ideal(kind: DeckKind, decks: int, seed: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(kind.factory, (decks, 1)), axis=1)


@pytest.mark.slow
def test_52_cards_get_the_same_results_as_from_the_battery_for_them() -> None:
    decks, orders = ideal(STANDARD, 600), ideal(STANDARD, 600, 5)
    plain, found = DeckBattery(), KindBattery(STANDARD)
    plain.update(decks, orders)
    found.update(decks, orders)
    expected = {result.test: result for result in plain.evaluate()}
    for result in found.evaluate():
        if result.p is not None and result.test not in OTHERWISE and expected[result.test].p is not None:
            assert result.statistic == pytest.approx(expected[result.test].statistic, rel=1e-9), result.test
            assert result.effect == pytest.approx(expected[result.test].effect, rel=1e-6, abs=1e-9), result.test


@pytest.mark.parametrize("kind", [deck_kind(36), deck_kind(52, shoe=6), deck_kind(36, shoe=2, told_apart=True)])
def test_parts_merged_and_kept_are_the_whole(kind: DeckKind) -> None:
    names = ["card-by-position", "each-cell", "rank-runs", "hand-categories", "lag-matches", "input-fixed-points"]
    rows = ideal(kind, 200)
    parts = []
    for part in (rows[:90], rows[90:]):
        battery = KindBattery(kind, names, first_row=1)
        battery.update(part, kind.factory)
        parts.append(battery_from_state(battery.to_state()))
    one, two = parts
    assert isinstance(one, KindBattery)
    assert isinstance(two, KindBattery)
    one.merge(two)
    whole = KindBattery(kind, names, first_row=1)
    whole.update(rows, kind.factory)
    assert one.digest == whole.digest
    for a, b in zip(one.evaluate(), whole.evaluate(), strict=True):
        if a.test != "lag-matches":
            assert a == b
    with pytest.raises(MergeError):
        one.merge(KindBattery(deck_kind(40), names))


def test_a_deck_that_is_not_whole_is_named_and_left_out() -> None:
    kind = deck_kind(36)
    rows = ideal(kind, 50)
    rows[7, 0] = rows[7, 1]
    battery = KindBattery(kind, ["card-by-position"], first_row=1)
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
    battery = KindBattery(kind, ["input-fixed-points"], first_row=1)
    battery.update(rows, orders)
    assert battery.integrity.bad_inputs == 1
    assert battery.tallies.decks["input.fixed_points"] == 19


def test_a_deck_that_comes_twice_is_found_in_a_shoe() -> None:
    kind = deck_kind(52, shoe=6)
    rows = ideal(kind, 30)
    rows[25] = rows[4]
    battery = KindBattery(kind, [], first_row=1)
    battery.update(rows)
    found = battery.evaluate()[1]
    assert found.p is not None
    assert found.p < 1e-9
    assert found.findings[0].place == "rows 5 and 26 are the same deck"


def test_cut_decks_and_permutations_that_come_again_are_found() -> None:
    kind = deck_kind(36)
    rows, orders = ideal(kind, 40), ideal(kind, 40, 8)
    rows[30] = np.roll(rows[3][::-1], 7)
    battery = KindBattery(kind, [], first_row=1)
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
    shoe = KindBattery(deck_kind(36, shoe=2), [])
    shoe.update(ideal(deck_kind(36, shoe=2), 5))
    assert shoe.evaluate()[3].outcome is Outcome.NOT_APPLICABLE


def test_tests_without_a_law_are_there_with_the_reason() -> None:
    battery = KindBattery(deck_kind(52, shoe=2), ["face-parity", "input-fixed-points", "hands-of-two-seats"])
    battery.update(ideal(deck_kind(52, shoe=2), 10))
    for result in battery.evaluate()[4:]:
        assert result.outcome is Outcome.NOT_APPLICABLE
        assert result.unmet[0]


def test_rows_of_another_deck_are_refused() -> None:
    with pytest.raises(DeckShapeError, match="rows of 36 cards"):
        KindBattery(deck_kind(36)).update(ideal(STANDARD, 2))
    assert isinstance(battery_of(STANDARD, [], planned=None, first_row=1, first_segment=0), DeckBattery)
