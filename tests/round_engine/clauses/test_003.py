"""Three Card Poker Bad Beat Progressive, TCP-BBP01 (003), paragraph by paragraph, on top of another rule set."""

from collections.abc import Iterable
from typing import Any

import pytest

from round_engine.errors import KeyRefused, MoveRefused, OutOfTurn, RoleRefused, WagerRefused
from round_engine.keypads import Key
from round_engine.money.ledger import TRAY, EntryKind
from round_engine.round import operations as op
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand
from round_engine.table import Table
from tests.round_engine.support import (
    DEALER_NAME,
    SUPERVISOR,
    bet,
    found,
    hand,
    key_all,
    net,
    new_table,
    only,
    opened,
    played,
    revealed,
    triggering,
)

LIT = {"ante": 500, "bad_beat": 100}
SEED = 1_000_000
ROYAL = "Qs Js Ts"  # a straight flush that beats all hands of this file
BYSTANDERS = {2: "2c 5d 9h", 3: "3c 8d Th"}  # nobody holds a pair


def bad_beat_table(**changes: Any) -> Table:
    """The ten-dollar house has no progressive of its own, so this one is alone."""
    return new_table("ten-dollar-house", sides=["bad-beat"], **changes)


def verified(table: Table, spot: int, hand: Hand, by: str = SUPERVISOR) -> None:
    table.do(op.VerifyWin(wager="bad_beat", spot=spot, hand=hand, by=by))


def press(table: Table, key: Key, *, by: str = DEALER_NAME, hand: Hand | None = None, spot: int | None = None) -> None:
    table.do(op.PressKey(wager="bad_beat", key=key, by=by, hand=hand, spot=spot))


def beat(own: str, dealer: str, fold: Iterable[int] = ()) -> int:
    """What the side wager of spot 1 pays."""
    postings = played(bad_beat_table(), [bet(1, **LIT)], {1: own}, dealer, fold)
    return net(found(postings, wager="bad_beat"), "player:p1") + 100


@pytest.mark.clause("003 (1)")
def test_1_an_optional_wager_of_one_dollar() -> None:
    opened(bad_beat_table(), bet(1, ante=500), bet(2, **LIT))
    for amount in (50, 200):
        with pytest.raises(WagerRefused, match="the bad_beat wager is \\$1"):
            opened(bad_beat_table(), bet(1, ante=500, bad_beat=amount))


@pytest.mark.clause("003 (2)")
def test_2_wins_when_player_and_dealer_are_in_a_bad_beat() -> None:
    assert beat("3c 3d 9h", "4c 4d 9s") == 400
    assert beat("Ac Kd Jh", "4c 4d 9s") == 0


@pytest.mark.clause("003 (2)(a)")
@pytest.mark.parametrize(
    ("own", "dealer", "pays"),
    [("3c 3d 9h", "Ac Kd Jh", 0), ("3c 3d 9h", "3h 3s 9c", 0), ("3c 3d 9h", "3h 3s 8c", 400)],
)
def test_2a_both_have_a_pair_or_better_and_do_not_tie(own: str, dealer: str, pays: int) -> None:
    assert beat(own, dealer) == pays


@pytest.mark.clause("003 (2)(b)")
@pytest.mark.parametrize(("one", "other", "pays"), [("8h 7h 6h", "9c 9d 4h", 400), ("5c 4d 3h", "Ac Tc 2c", 2000)])
def test_2b_the_lower_hand_is_paid_whoever_holds_it(one: str, other: str, pays: int) -> None:
    assert beat(one, other) == beat(other, one) == pays


@pytest.mark.clause("003 (3)")
@pytest.mark.parametrize(
    ("lower", "pays"),
    [
        ("7h 6h 5h", SEED + 26),
        ("6h 5h 4h", (SEED + 26) * 25 // 100),
        ("3h 2h Ah", (SEED + 26) * 25 // 100),
        ("5c 5d 5s", 200_000),
        ("5c 4d 3h", 5_000),
        ("Ah Th 2h", 2_000),
        ("3c 3d 9h", 400),
    ],
)
def test_3_pays_by_the_paytable_and_the_wager_is_not_returned(lower: str, pays: int) -> None:
    assert beat(lower, ROYAL) == beat(ROYAL, lower) == pays


@pytest.mark.clause("003 (3)")
def test_3_the_meter_starts_at_ten_thousand_dollars() -> None:
    assert bad_beat_table().meters["bad_beat"].amount == SEED


@pytest.mark.clause("003 (4)")
def test_4_the_meter_is_reseeded_when_the_full_award_hits() -> None:
    table = bad_beat_table()
    played(table, [bet(1, **LIT)], {1: "7h 6h 5h"}, ROYAL)
    assert table.meters["bad_beat"].amount == SEED


@pytest.mark.clause("003 (5)")
def test_5_the_standard_wagers_come_with_it() -> None:
    with pytest.raises(WagerRefused, match="an ante or a pair plus wager comes first"):
        opened(bad_beat_table(), bet(1, bad_beat=100))
    opened(bad_beat_table(), bet(1, pair_plus=500, bad_beat=100))


@pytest.mark.clause("003 (6)")
def test_6_lock_out_lights_the_sensors_and_the_wagers_are_removed() -> None:
    table = bad_beat_table()
    opened(table, bet(1, **LIT), bet(2, ante=500), bet(3, **LIT))
    postings = table.do(op.LockWagers()).postings
    assert table.jackpots["bad_beat"].dialect.lock_key == "LOCK OUT"
    assert table.jackpots["bad_beat"].keypad.lit == (1, 3)
    collected = found(postings, EntryKind.COLLECTED)
    assert [(one.spot, one.amount, one.target) for one in collected] == [(1, 100, TRAY), (3, 100, TRAY)]


@pytest.mark.clause("003 (8)")
def test_8_a_beaten_or_folded_spot_stays_lit_and_is_paid_envy() -> None:
    table = bad_beat_table()
    wagers = [bet(1, **LIT), bet(2, **LIT), bet(3, **LIT)]
    postings = played(table, wagers, {1: "7h 6h 5h", 2: BYSTANDERS[2], 3: BYSTANDERS[3]}, ROYAL, fold=[2])
    assert {one.spot: one.amount for one in found(postings, EntryKind.ENVY)} == {2: 100_000, 3: 100_000}


@pytest.mark.clause("003 (8)(a)")
def test_8a_a_triggering_hand_is_left_face_up() -> None:
    table = bad_beat_table()
    revealed(table, [bet(1, **LIT), bet(2, **LIT)], {1: "5c 5d 5s", 2: BYSTANDERS[3]}, ROYAL)
    assert triggering(table, "bad_beat") == [1]


@pytest.mark.clause("003 (8)(b)")
@pytest.mark.parametrize(("lower", "envy"), [("7h 6h 5h", 100_000), ("6h 5h 4h", 25_000), ("5c 5d 5s", 5_000)])
def test_8b_envy_is_paid_from_the_tray_at_the_end(lower: str, envy: int) -> None:
    wagers = [bet(1, **LIT), bet(3, **LIT), bet(4, ante=500)]
    postings = played(bad_beat_table(), wagers, {1: lower, 3: BYSTANDERS[3], 4: "2s 7c Jd"}, ROYAL)
    paid = found(postings, EntryKind.ENVY)
    assert [(one.spot, one.amount, one.source) for one in paid] == [(3, envy, TRAY)]
    assert postings[-1] == paid[0]


@pytest.mark.clause("003 (8)(b)")
def test_8b_several_bad_beats_pay_several_envies() -> None:
    wagers = [bet(1, **LIT), bet(2, **LIT), bet(3, **LIT)]
    hands = {1: "7h 6h 5h", 2: "5c 5d 5s", 3: BYSTANDERS[3]}
    postings = played(bad_beat_table(), wagers, hands, ROYAL)
    paid = sorted((one.spot, one.amount) for one in found(postings, EntryKind.ENVY))
    assert paid == [(1, 5_000), (2, 100_000), (3, 5_000), (3, 100_000)]


@pytest.mark.clause("003 (8)(c)")
def test_8c_no_envy_for_ones_own_hand_but_for_ones_other_spot() -> None:
    def table(**settings: Any) -> Table:
        alone = {"paytables": {"progressive": "none"}}
        return new_table("south-dakota", sides=["bad-beat"], house=alone, bad_beat=settings)

    wagers = [bet(1, "ann", **LIT), bet(2, "ann", **LIT)]
    hands = {1: "5c 5d 5s", 2: BYSTANDERS[3]}
    assert [one.spot for one in found(played(table(), wagers, hands, ROYAL), EntryKind.ENVY)] == [2]
    assert not found(played(table(envy_own_other_spot=False), wagers, hands, ROYAL), EntryKind.ENVY)


@pytest.mark.clause("003 (9)(a)")
@pytest.mark.parametrize(("lower", "left"), [("7h 6h 5h", SEED), ("6h 5h 4h", SEED + 26 - (SEED + 26) // 4)])
def test_9a_the_top_two_come_off_the_meter(lower: str, left: int) -> None:
    table = bad_beat_table()
    played(table, [bet(1, **LIT)], {1: lower}, ROYAL)
    assert table.meters["bad_beat"].amount == left


@pytest.mark.clause("003 (9)(b)")
@pytest.mark.parametrize("lower", ["5c 5d 5s", "5c 4d 3h", "Ah Th 2h", "3c 3d 9h"])
def test_9b_the_others_come_from_the_tray(lower: str) -> None:
    table = bad_beat_table()
    postings = played(table, [bet(1, **LIT)], {1: lower}, ROYAL)
    assert only(postings, EntryKind.AWARDED, "bad_beat").source == TRAY
    assert table.meters["bad_beat"].amount == SEED + 26


@pytest.mark.clause("003 (9)(c)")
def test_9c_no_winner_is_recorded_while_a_hand_farther_right_has_not_been_shown() -> None:
    table = bad_beat_table()
    opened(table, bet(1, **LIT), bet(2, **LIT), bet(3, ante=500))
    table.do(op.LockWagers())
    table.do(op.DealGroup(spot=1, cards=hand("7h 6h 5h")))
    table.do(op.DealGroup(spot=2))
    table.do(op.DealGroup(spot=3))  # has no bad beat wager: nobody waits for it
    table.do(op.DealGroup(spot=op.DEALER))
    for spot in (1, 2, 3):
        table.do(op.Play(spot=spot, amount=500))
    table.do(op.RevealDealer(cards=hand("Qd Jd Td")))
    press(table, "HAND", hand=Hand.TOP_STRAIGHT_FLUSH)
    press(table, "POSITION", spot=1)
    verified(table, 1, Hand.TOP_STRAIGHT_FLUSH)
    with pytest.raises(OutOfTurn, match="spot 2 may be paid from the meter first, and its hand has not been shown"):
        press(table, "ENTER")
    table.do(op.ShowHand(spot=2, cards=hand("6s 5s 4s")))
    assert [due.spot for due in table.dues()] == [2, 1]
    with pytest.raises(OutOfTurn, match="spot 2 with straight_flush is paid from the meter first"):
        press(table, "ENTER")


@pytest.mark.clause("003 (9)(c)")
def test_9c_several_winners_are_paid_from_the_dealers_far_right() -> None:
    table = bad_beat_table()
    wagers = [bet(1, **LIT), bet(4, **LIT), bet(6, **LIT)]
    revealed(table, wagers, {1: "8h 7h 6h", 4: "6s 5s 4s", 6: "9d 8d 7d"}, ROYAL)
    assert [due.spot for due in table.dues()] == [6, 4, 1]
    press(table, "HAND", hand=Hand.STRAIGHT_FLUSH)
    press(table, "POSITION", spot=4)
    verified(table, 4, Hand.STRAIGHT_FLUSH)
    with pytest.raises(OutOfTurn, match="spot 6 with top_straight_flush is paid from the meter first"):
        press(table, "ENTER")
    press(table, "UNDO")
    press(table, "UNDO")
    recorded = found(key_all(table), EntryKind.RECORDED)
    quarter = SEED // 4
    assert [(one.spot, one.amount) for one in recorded] == [(6, SEED + 78), (4, quarter), (1, SEED - quarter)]
    assert table.meters["bad_beat"].amount == SEED


@pytest.mark.clause("003 (9)(d)")
def test_9d_a_supervisor_verifies() -> None:
    table = bad_beat_table()
    revealed(table, [bet(1, **LIT)], {1: "3c 3d 9h"}, ROYAL)
    press(table, "HAND", hand=Hand.PAIR)
    press(table, "POSITION", spot=1)
    with pytest.raises(MoveRefused, match="no supervisor has verified pair at spot 1"):
        press(table, "ENTER")
    for by in (DEALER_NAME, "p1", "a passer-by"):
        with pytest.raises(RoleRefused, match="VerifyWin is for the supervisor"):
            verified(table, 1, Hand.PAIR, by=by)
    verified(table, 1, Hand.STRAIGHT)
    with pytest.raises(MoveRefused, match="no supervisor has verified pair at spot 1"):
        press(table, "ENTER")
    verified(table, 1, Hand.PAIR)
    for by in (SUPERVISOR, "p1"):
        with pytest.raises(RoleRefused, match="ENTER is for the dealer"):
            press(table, "ENTER", by=by)
    press(table, "ENTER")
    assert table.jackpots["bad_beat"].records[0].by == SUPERVISOR


@pytest.mark.clause("003 (9)(e)")
def test_9e_hand_position_enter_deducts_from_the_meter() -> None:
    table = bad_beat_table()
    revealed(table, [bet(1, **LIT)], {1: "6h 5h 4h"}, ROYAL)
    verified(table, 1, Hand.STRAIGHT_FLUSH)
    press(table, "HAND", hand=Hand.STRAIGHT_FLUSH)
    press(table, "POSITION", spot=1)
    assert table.meters["bad_beat"].amount == SEED + 26
    press(table, "ENTER")
    assert table.meters["bad_beat"].amount == SEED + 26 - (SEED + 26) // 4


@pytest.mark.clause("003 (9)(e)")
@pytest.mark.parametrize(
    ("lower", "expected"),
    [("8h 7h 6h", Hand.TOP_STRAIGHT_FLUSH), ("7h 6h 5h", Hand.TOP_STRAIGHT_FLUSH), ("6h 5h 4h", Hand.STRAIGHT_FLUSH)],
)
def test_9e_the_paytables_seven_high_stands_against_the_buttons_nine_high(lower: str, expected: Hand) -> None:
    table = bad_beat_table()
    revealed(table, [bet(1, **LIT)], {1: lower}, ROYAL)
    assert table.dues()[0].row.hand is expected
    nine_high = {"bad_beat": {"TCP-BBP01": {"top_straight_flush": {"from": "9"}}}}
    rules = load("ten-dollar-house", sides=["bad-beat"], changes={"paytables": nine_high})
    other = Table(rules, staff=table.staff)
    revealed(other, [bet(1, **LIT)], {1: lower}, ROYAL)
    assert other.dues()[0].row.hand is Hand.STRAIGHT_FLUSH


@pytest.mark.clause("003 (9)(f)")
def test_9f_game_over_resets_the_system() -> None:
    table = bad_beat_table()
    played(table, [bet(1, **LIT)], {1: "3c 3d 9h"}, ROYAL)
    assert table.jackpots["bad_beat"].dialect.end_key == "GAME OVER"
    assert table.jackpots["bad_beat"].keypad.mode == "open"


@pytest.mark.clause("003 (9)(g)")
def test_9g_undo_cancels_the_previous_function_an_entered_win_included() -> None:
    table = bad_beat_table()
    revealed(table, [bet(1, **LIT)], {1: "6h 5h 4h"}, ROYAL)
    meter = table.meters["bad_beat"]
    verified(table, 1, Hand.TOP_STRAIGHT_FLUSH)
    press(table, "HAND", hand=Hand.TOP_STRAIGHT_FLUSH)
    press(table, "POSITION", spot=1)
    press(table, "ENTER")
    assert table.meters["bad_beat"].amount == SEED
    with pytest.raises(MoveRefused, match="is no win on this table: back it out"):
        table.do(op.Settle())
    press(table, "UNDO")
    assert table.meters["bad_beat"] == meter
    assert table.ledger.balance("payable:bad_beat") == 0
    with pytest.raises(KeyRefused, match="UNDO goes one function back"):
        press(table, "UNDO")
    key_all(table)
    table.do(op.Settle())


@pytest.mark.clause("003 (9)(h)")
def test_9h_misdeal_kills_the_hand_and_gives_everything_back() -> None:
    table = bad_beat_table()
    meter = table.meters["bad_beat"]
    revealed(table, [bet(1, **LIT), bet(2, **LIT)], {1: "6h 5h 4h", 2: BYSTANDERS[3]}, ROYAL, fold=[2])
    press(table, "HAND", hand=Hand.STRAIGHT_FLUSH)
    table.do(op.DeclareMisdeal(reason="the wrong hand was mucked"))
    assert table.jackpots["bad_beat"].dialect.misdeal_key == "MISDEAL"
    assert table.jackpots["bad_beat"].keypad.mode == "open"
    assert table.meters["bad_beat"] == meter
    assert table.ledger.balance("player:p1") == table.ledger.balance("player:p2") == 0


@pytest.mark.clause("003 (9)(h)")
def test_9h_after_a_recorded_jackpot_a_misdeal_needs_a_manual_adjustment_first() -> None:
    table = bad_beat_table()
    revealed(table, [bet(1, **LIT)], {1: "6h 5h 4h"}, ROYAL)
    key_all(table)
    with pytest.raises(MoveRefused, match="back it out by a manual adjustment before the misdeal"):
        table.do(op.DeclareMisdeal(reason="late"))
    applied = table.do(op.BackOut(wager="bad_beat", record=1, by=SUPERVISOR, reason="hand killed"))
    assert applied.audit is not None
    assert (applied.audit.by, applied.audit.reason) == (SUPERVISOR, "hand killed")
    table.do(op.DeclareMisdeal(reason="late"))
    assert table.meters["bad_beat"].amount == SEED


@pytest.mark.clause("003 (8)")
@pytest.mark.parametrize(("folded", "pays"), [("alive", 400), ("disqualified", 0)])
def test_8_a_folded_hand_stays_alive_unless_the_house_says_otherwise(folded: str, pays: int) -> None:
    table = bad_beat_table(bad_beat={"folded_hands": folded})
    postings = played(table, [bet(1, **LIT)], {1: "3c 3d 9h"}, ROYAL, fold=[1])
    assert net(found(postings, wager="bad_beat"), "player:p1") == pays - 100
