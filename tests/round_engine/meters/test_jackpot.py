"""Keys at the table: wrong hands, wrong order, wrong time; records and their backing out."""

from typing import Any

import pytest

from round_engine.errors import KeyRefused, MoveRefused, OutOfTurn, RoleRefused, RoundEngineError, WrongPhase
from round_engine.keypads import Key
from round_engine.round import operations as op
from round_engine.rules.ruleset import Hand, WagerName
from round_engine.table import Table
from tests.round_engine.support import (
    AKQ_SPADES,
    DEALER_NAME,
    NINES,
    SUPERVISOR,
    TRIPS,
    bet,
    dealt,
    key_all,
    new_table,
    opened,
    played,
    revealed,
)

LIT = {"ante": 500, "progressive": 100}
BEAT = {"ante": 500, "bad_beat": 100}


CONFIRMING = ("KEY TO JPH", "J-POT", "KEY TO RUN", "CONFIRM", "SUPERVISOR CARD")


def press(key: Key | str, wager: WagerName = "progressive", **more: Any) -> op.PressKey:
    return op.PressKey(wager=wager, key=key, by=SUPERVISOR if key in CONFIRMING else DEALER_NAME, **more)


def refused(table: Table, operation: op.Operation, error: type[RoundEngineError], says: str) -> None:
    before = repr((table.round, table.jackpots, table.ledger, table.audit))
    with pytest.raises(error, match=says):
        table.do(operation)
    assert repr((table.round, table.jackpots, table.ledger, table.audit)) == before


def at_showdown() -> Table:
    table = new_table()
    revealed(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    return table


def test_a_key_that_no_keypad_has() -> None:
    refused(at_showdown(), press("SELF DESTRUCT"), KeyRefused, "the game-manager keypad has no SELF DESTRUCT key")


def test_hand_buttons_are_the_rows_that_pay() -> None:
    refused(at_showdown(), press("HAND", hand=Hand.PAIR), KeyRefused, "no hand button for pair; there are akq_spades")
    second = new_table(house={"paytables": {"progressive": "2"}})
    revealed(second, [bet(1, **LIT)], {1: TRIPS}, NINES)
    refused(second, press("HAND", hand=Hand.STRAIGHT), KeyRefused, "no hand button for straight")


def test_lock_end_and_misdeal_keys_belong_to_the_round() -> None:
    table = new_table(sides=["bad-beat"])
    opened(table, bet(1, **LIT))
    refused(table, press("COIN IN"), KeyRefused, "pressed by the round's own operation")
    table.do(op.LockWagers())
    refused(table, press("GAME OVER"), KeyRefused, "pressed by the round's own operation")
    refused(table, press("MISDEAL", "bad_beat"), KeyRefused, "pressed by the round's own operation")


def test_wins_are_recorded_between_reveal_and_settlement() -> None:
    table = new_table()
    dealt(table, [bet(1, **LIT)], {1: TRIPS})
    table.do(press("HAND", hand=Hand.THREE_OF_A_KIND))
    table.do(press("KEY TO JPH"))
    refused(table, press("J-POT"), WrongPhase, "after the reveal and before the round is closed")
    table = at_showdown()
    key_all(table)
    table.do(op.Settle())
    table.do(press("HAND", hand=Hand.STRAIGHT))
    table.do(press("KEY TO JPH"))
    refused(table, press("J-POT"), WrongPhase, "the round is settled, and nobody is due that hand")
    refused(table, op.CloseRound(), MoveRefused, "keypad is not done: key at JPH")


def test_an_entered_win_is_not_undone_after_the_settlement() -> None:
    table = new_table("ten-dollar-house", sides=["bad-beat"])
    revealed(table, [bet(1, **BEAT)], {1: TRIPS}, "Qs Js Ts")
    key_all(table)
    table.do(op.Settle())
    refused(table, press("UNDO", "bad_beat"), WrongPhase, "only a manual adjustment takes it back")


def test_a_wrong_record_blocks_the_settlement_until_it_is_backed_out() -> None:
    table = at_showdown()
    for one in (press("HAND", hand=Hand.AKQ_SPADES), press("KEY TO JPH"), press("J-POT"), press("KEY TO RUN")):
        table.do(one)
    record = table.jackpots["progressive"].records[0]
    assert (record.spot, record.due, record.prize) == (None, None, 100_014)
    key_all(table)
    refused(table, op.Settle(), MoveRefused, r"record 1 of progressive \(akq_spades\) is no win on this table")
    refused(
        table,
        op.BackOut(wager="progressive", record=1, by=SUPERVISOR, reason="x"),
        OutOfTurn,
        "record 2 is the newest of progressive",
    )
    for number in (2, 1):
        table.do(op.BackOut(wager="progressive", record=number, by=SUPERVISOR, reason="wrong button"))
    assert table.meters["progressive"].amount == 100_014
    key_all(table)
    table.do(op.Settle())
    assert [line.what for line in table.audit] == [
        "record 2 (three_of_a_kind) backed out",
        "record 1 (akq_spades) backed out",
    ]


def test_a_win_backed_out_before_the_settlement_concerns_no_player() -> None:
    table = new_table()
    revealed(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    player, meter = table.ledger.balance("player:p1"), table.meters
    key_all(table)
    table.do(op.BackOut(wager="progressive", record=1, by=SUPERVISOR, reason="x"))
    assert (table.ledger.balance("player:p1"), table.ledger.balance("payable:progressive")) == (player, 0)
    assert table.meters == meter


def test_backed_out_while_the_key_is_at_jph() -> None:
    table = at_showdown()
    for one in (press("HAND", hand=Hand.AKQ_SPADES), press("KEY TO JPH"), press("J-POT")):
        table.do(one)
    table.do(op.BackOut(wager="progressive", record=1, by=SUPERVISOR, reason="wrong button"))
    assert table.do(press("KEY TO RUN")).postings == ()
    assert table.meters["progressive"].amount == 100_014
    key_all(table)
    table.do(op.Settle())


def test_after_a_manual_adjustment_undo_has_nothing_left() -> None:
    table = new_table("ten-dollar-house", sides=["bad-beat"])
    revealed(table, [bet(1, **BEAT)], {1: TRIPS}, "Qs Js Ts")
    key_all(table)
    table.do(op.BackOut(wager="bad_beat", record=1, by=SUPERVISOR, reason="x"))
    refused(table, press("UNDO", "bad_beat"), KeyRefused, "there is no function to undo")


def test_a_hand_or_spot_sent_along_with_another_key_means_nothing() -> None:
    table = at_showdown()
    table.do(press("HAND", hand=Hand.THREE_OF_A_KIND))
    table.do(press("KEY TO JPH", hand=Hand.AKQ_SPADES, spot=7))
    table.do(press("J-POT", hand=Hand.AKQ_SPADES, spot=7))
    record = table.jackpots["progressive"].records[0]
    assert (record.hand, record.spot, record.prize) == (Hand.THREE_OF_A_KIND, 1, 6_000)


@pytest.mark.parametrize("needed", [True, False])
def test_a_hand_left_lit_holds_the_round_up_unless_the_setting_lets_it_go(needed: bool) -> None:
    table = new_table(progressive={"end_needs_confirmation": needed})
    revealed(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    key_all(table)
    table.do(press("HAND", hand=Hand.STRAIGHT))
    if needed:
        refused(table, op.Settle(), MoveRefused, "the progressive keypad is not done: hand lit")
        table.do(press("HAND", hand=Hand.STRAIGHT))
    table.do(op.Settle())
    table.do(op.CloseRound())


def test_a_key_off_run_holds_the_round_up_whatever_the_setting() -> None:
    table = new_table(progressive={"end_needs_confirmation": False})
    revealed(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    key_all(table)
    table.do(press("HAND", hand=Hand.STRAIGHT))
    table.do(press("KEY TO JPH"))
    refused(table, op.Settle(), MoveRefused, "the progressive keypad is not done: key at JPH")


def test_no_dues_before_the_reveal() -> None:
    table = new_table()
    dealt(table, [bet(1, **LIT)], {1: TRIPS})
    assert table.dues() == []


def test_nothing_to_back_out() -> None:
    move = op.BackOut(wager="progressive", record=1, by=SUPERVISOR, reason="x")
    refused(at_showdown(), move, MoveRefused, "no progressive win is recorded in this round")
    table = new_table()
    played(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    refused(table, move, WrongPhase, "adjust the meter instead")


def test_a_dealer_does_not_back_out_alone() -> None:
    table = at_showdown()
    key_all(table)
    move = op.BackOut(wager="progressive", record=1, by=DEALER_NAME, reason="x")
    refused(table, move, RoleRefused, "BackOut is for the supervisor or the executive")


def test_the_same_win_is_recorded_once() -> None:
    table = new_table("ten-dollar-house", sides=["bad-beat"])
    revealed(table, [bet(1, **BEAT)], {1: TRIPS}, "Qs Js Ts")
    key_all(table)
    again = [press("HAND", "bad_beat", hand=Hand.THREE_OF_A_KIND), press("POSITION", "bad_beat", spot=1),
             press("ENTER", "bad_beat")]  # fmt: skip
    for one in again:
        table.do(one)
    refused(table, op.Settle(), MoveRefused, "record 2 of bad_beat")
    table.do(press("UNDO", "bad_beat"))
    table.do(op.Settle())


def test_two_with_the_same_hand_are_keyed_one_after_the_other_on_a_keypad_without_positions() -> None:
    table = new_table()
    revealed(table, [bet(1, **LIT), bet(2, **LIT)], {1: TRIPS, 2: "4c 4d 4s"}, "9c 9d 8h")
    assert [due.spot for due in table.dues()] == [2, 1]
    key_all(table)
    assert [record.spot for record in table.jackpots["progressive"].records] == [2, 1]


def test_records_are_forgotten_with_the_next_round() -> None:
    table = new_table()
    played(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    assert len(table.jackpots["progressive"].records) == 1
    opened(table, bet(1, **LIT))
    assert table.jackpots["progressive"].records == []
