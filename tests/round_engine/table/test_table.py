"""A table from round to round: openings, replays, meters shared, wagers that stand from a misdeal."""

import json
from typing import Any

import pytest

from round_engine.errors import MoveRefused, OperationError, RuleError, WrongPhase
from round_engine.money.ledger import ELSEWHERE, HOUSE, TRAY, EntryKind
from round_engine.round import operations as op
from round_engine.rules.rulebook import RULE_SETS
from round_engine.table import Table, replay
from round_engine.table.state import TableState
from tests.round_engine.support import (
    AKQ_HEARTS,
    AKQ_SPADES,
    DEALER_NAME,
    NINES,
    NOTHING,
    PAIR,
    STAFF,
    SUPERVISOR,
    TRIPS,
    bet,
    dealt,
    found,
    key_all,
    net,
    new_table,
    opened,
    played,
    revealed,
    rules_for,
)

LIT = {"ante": 500, "progressive": 100}
SEED = 100_000


# --- opening ---------------------------------------------------------------------------------------------------------


def test_a_new_tables_meters_are_seeded_by_the_house() -> None:
    table = new_table("south-dakota", sides=["bad-beat"])
    assert [(one.entry, one.amount, one.source) for one in table.opening_postings] == [
        (EntryKind.SEEDED, 100_000, HOUSE),
        (EntryKind.SEEDED, 1_000_000, HOUSE),
    ]
    assert table.ledger.balance(HOUSE) == -1_100_000


def test_nothing_happens_without_a_round() -> None:
    for move in (op.LockWagers(), op.Settle(), op.CloseRound(), op.DeclareMisdeal(reason="x"), op.Fold(spot=1)):
        with pytest.raises(WrongPhase, match="no round is open"):
            new_table().do(move)
    assert new_table().dues() == []


def test_one_round_at_a_time() -> None:
    table = new_table()
    opened(table, bet(1, ante=500))
    with pytest.raises(WrongPhase, match="close it before the next"):
        opened(table, bet(1, ante=500))


def test_a_void_round_makes_room_for_the_next() -> None:
    table = new_table()
    opened(table, bet(1, ante=500))
    table.do(op.DeclareMisdeal(reason="the deck fell down"))
    opened(table, bet(1, ante=500))


def test_asking_agrees_with_doing_for_the_operations_of_table_and_round_together() -> None:
    table = new_table()
    played(table, [bet(1, ante=500)], {1: PAIR}, NINES)
    for move in (op.LockWagers(), op.Settle(), op.CloseRound(), op.DeclareMisdeal(reason="x")):
        assert not table.can(move)
    opened(table, bet(1, ante=500))
    assert not table.can(op.DeclareMisdeal(reason=""))
    assert table.can(op.DeclareMisdeal(reason="x"))


# --- replay ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_table_replayed_from_its_operations_is_equal(name: str) -> None:
    table = new_table(name, sides=["bad-beat"])
    done: list[op.Operation] = []
    lit = {"ante": 500, "bad_beat": 100}
    for hands, dealer in (({1: TRIPS, 2: "8h 7h 6h"}, "Qs Js Ts"), ({1: PAIR, 2: NOTHING}, NINES)):
        played(table, [bet(1, **lit), bet(2, **lit)], hands, dealer, fold=[2])
        done += table.in_play().operations
    assert replay(table.rules, done, staff=STAFF) == table
    assert replay(table.rules, done[:-1], staff=STAFF) != table


def test_a_state_between_rounds_goes_through_json_and_carries_on() -> None:
    table = new_table(settings={"misdeal_progressive": "stand"})
    played(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    dealt(table, [bet(1, **LIT)], {1: PAIR})
    table.do(op.DeclareMisdeal(reason="x"))
    table.do(op.AdjustMeter(wager="progressive", change=5, by=SUPERVISOR, reason="y"))
    state = TableState.from_json(json.loads(json.dumps(table.state().to_json())))
    assert state == table.state()
    again = Table(table.rules, state)
    for one in (table, again):
        played(one, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    assert again.state().meters == table.state().meters
    assert again.ledger == table.ledger


def test_no_state_in_the_middle_of_a_round() -> None:
    table = new_table()
    opened(table, bet(1, ante=500))
    with pytest.raises(WrongPhase, match="keep a table between rounds"):
        table.state()


def test_a_state_of_other_meters_or_other_sums_is_refused() -> None:
    state = new_table("south-dakota").state()
    with pytest.raises(RuleError, match="has meters that the rule set does not"):
        Table(rules_for("ten-dollar-house"), state)
    data = state.to_json()
    data["meters"][0]["amount"] += 1
    with pytest.raises(RuleError, match="does not balance"):
        Table(rules_for("south-dakota"), TableState.from_json(data))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("meters"),
        lambda data: data.update(format=3),
        lambda data: data.update(balances=7),
        lambda data: data.update(meters=[{"wager": "lottery"}]),
        lambda data: data.update(audit=[{"who": "me"}]),
    ],
)
def test_data_that_is_no_state_is_refused(spoil: Any) -> None:
    data = new_table().state().to_json()
    spoil(data)
    with pytest.raises(OperationError):
        TableState.from_json(data)


# --- two progressives ------------------------------------------------------------------------------------------------


def test_two_progressives_on_one_layout_keep_their_meters_and_keypads_apart() -> None:
    table = new_table("south-dakota", sides=["bad-beat"])
    both = {**LIT, "bad_beat": 100}
    revealed(table, [bet(1, **both), bet(2, **both)], {1: AKQ_SPADES, 2: "7h 6h 5h"}, "Qd Jd Td")
    assert {(due.wager, due.spot) for due in table.dues()} == {
        ("progressive", 2), ("progressive", 1), ("bad_beat", 2), ("bad_beat", 1),
    }  # fmt: skip
    recorded = found(key_all(table), EntryKind.RECORDED)
    assert [(one.wager, one.spot, one.amount) for one in recorded] == [
        ("progressive", 1, SEED + 28),
        ("bad_beat", 2, 1_000_052),
        ("bad_beat", 1, 1_000_000),
    ]
    table.do(op.Settle())
    table.do(op.CloseRound())


# --- misdeals and progressives ---------------------------------------------------------------------------------------


def test_a_misdeal_gives_the_parts_of_a_cent_back_too() -> None:
    table = new_table(paytables={"progressive": {"1": {"contribution": "14.37%"}}}, progressive={"reserve": "0.01%"})
    before = table.meters
    dealt(table, [bet(1, **LIT)], {1: PAIR})
    assert table.meters["progressive"].carry == 3_700
    table.do(op.DeclareMisdeal(reason="x"))
    assert table.meters == before


def test_after_a_misdeal_that_gave_them_back_progressive_wagers_are_collected_anew() -> None:
    table = new_table()
    for _ in range(2):
        dealt(table, [bet(1, **LIT)], {1: PAIR})
        assert table.ledger.balance("player:p1") == -600
        assert table.meters["progressive"].amount == SEED + 14
        table.do(op.DeclareMisdeal(reason="x"))
        assert table.standing == ()


def test_progressive_wagers_may_stand_for_the_next_round() -> None:
    table = new_table(settings={"misdeal_progressive": "stand"})
    dealt(table, [bet(1, **LIT), bet(2, **LIT), bet(3, **LIT)], {1: PAIR, 2: NOTHING, 3: TRIPS})
    table.do(op.DeclareMisdeal(reason="x"))
    assert table.ledger.balance("player:p1") == -100
    assert table.meters["progressive"].amount == SEED + 42
    # Spot 1 plays on, spot 2 leaves the wager out, spot 3 is another player's now, spot 4 is new.
    opened(table, bet(1, **LIT), bet(2, ante=500), bet(3, "new", **LIT), bet(4, **LIT))
    postings = table.do(op.LockWagers()).postings
    assert [one.spot for one in found(postings, EntryKind.COLLECTED)] == [3, 4]
    back = [(one.spot, one.target, one.amount) for one in found(postings, EntryKind.GIVEN_BACK)]
    assert back == [(2, "player:p2", 100), (3, "player:p3", 100)]
    assert table.jackpots["progressive"].keypad.lit == (1, 3, 4)
    assert table.standing == ()


def test_a_wager_that_stood_wins_like_any_other() -> None:
    table = new_table(settings={"misdeal_progressive": "stand"})
    dealt(table, [bet(1, **LIT)], {1: PAIR})
    table.do(op.DeclareMisdeal(reason="x"))
    postings = played(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    assert net(found(postings, wager="progressive"), "player:p1") == 6000
    assert table.ledger.balance("player:p1") == 6000 - 100 + 1000 + 2000


def test_a_misdeal_after_a_settled_jackpot_takes_it_back_from_the_player() -> None:
    table = new_table()
    meter = table.meters
    revealed(table, [bet(1, **LIT), bet(2, **LIT)], {1: AKQ_SPADES, 2: TRIPS}, NINES)
    key_all(table)
    table.do(op.Settle())
    assert not table.can(op.DeclareMisdeal(reason="late"))
    for record in (2, 1):
        table.do(op.BackOut(wager="progressive", record=record, by=SUPERVISOR, reason="late"))
    with pytest.raises(MoveRefused, match="not recorded at the progressive keypad"):
        table.do(op.CloseRound())
    table.do(op.DeclareMisdeal(reason="late"))
    assert table.meters == meter
    assert {table.ledger.balance(account) for account in ("player:p1", "player:p2", TRAY, "payable:progressive")} == {0}


def test_where_a_recorded_jackpot_rules_a_misdeal_out() -> None:
    table = new_table(settings={"misdeal_after_jackpot": "refused"})
    revealed(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    assert table.can(op.DeclareMisdeal(reason="x"))
    key_all(table)
    table.do(op.BackOut(wager="progressive", record=1, by=SUPERVISOR, reason="x"))
    with pytest.raises(MoveRefused, match="it cannot be a misdeal any more"):
        table.do(op.DeclareMisdeal(reason="x"))


# --- meters moved by hand and from elsewhere -------------------------------------------------------------------------


def test_a_manual_adjustment_moves_the_meter_against_the_house_with_an_audit_line() -> None:
    table = new_table()
    table.do(op.LinkMeter(wager="progressive", change=1_000, table="t2"))
    applied = table.do(op.AdjustMeter(wager="progressive", change=-250, by=SUPERVISOR, reason="display was wrong"))
    assert applied.audit == table.audit[0]
    assert applied.audit == ("meter adjusted", "progressive", -250, SUPERVISOR, "display was wrong")
    assert table.meters["progressive"].amount == SEED + 750
    assert table.ledger.balance(HOUSE) == -SEED + 250


@pytest.mark.parametrize("change", [1, -1])
def test_a_meter_moves_by_a_single_cent(change: int) -> None:
    table = new_table()
    table.do(op.LinkMeter(wager="progressive", change=14, table="t2"))
    table.do(op.AdjustMeter(wager="progressive", change=change, by=SUPERVISOR, reason="x"))
    table.do(op.LinkMeter(wager="progressive", change=change, table="t2"))
    assert table.meters["progressive"].amount == table.ledger.balance("meter:progressive") == SEED + 14 + 2 * change


@pytest.mark.parametrize("change", [0, 0.5, True, "5", -1, -SEED - 1])
def test_a_meter_moves_by_whole_cents_and_not_below_its_seed(change: Any) -> None:
    for move in (
        op.AdjustMeter(wager="progressive", change=change, by=SUPERVISOR, reason="x"),
        op.LinkMeter(wager="progressive", change=change, table="t2"),
    ):
        with pytest.raises(MoveRefused):
            new_table().do(move)


def test_adjustments_are_signed_and_links_named() -> None:
    for by, reason, says in (("", "x", "say who does it"), (SUPERVISOR, "", "needs a name and a reason")):
        with pytest.raises(MoveRefused, match=says):
            new_table().do(op.AdjustMeter(wager="progressive", change=5, by=by, reason=reason))
    with pytest.raises(MoveRefused, match="say which table"):
        new_table().do(op.LinkMeter(wager="progressive", change=5, table=""))


def test_a_meter_that_is_not_there() -> None:
    with pytest.raises(RuleError, match="this layout has no bad_beat wager"):
        new_table().do(op.LinkMeter(wager="bad_beat", change=5, table="t2"))


def test_linked_tables_can_both_win_all_of_the_meter_one_after_the_other() -> None:
    """Each table sees the other's moves as they happen; the second winner gets what then stands on the meter."""
    one, other = new_table(), new_table()
    for table in (one, other):
        revealed(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    for table in (one, other):
        table.do(op.LinkMeter(wager="progressive", change=14, table="the other"))
    first = found(key_all(one), EntryKind.RECORDED)[0].amount
    other.do(op.LinkMeter(wager="progressive", change=-28, table="one"))
    second = found(key_all(other), EntryKind.RECORDED)[0].amount
    assert (first, second) == (SEED + 28, SEED)
    assert other.ledger.balance(ELSEWHERE) == 14
    for table in (one, other):
        table.do(op.Settle())
        table.do(op.CloseRound())
        assert table.ledger.total() == 0


def test_a_link_between_j_pot_and_run_does_not_change_the_recorded_prize() -> None:
    table = new_table()
    revealed(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    *keys, to_run = table.keys_for(table.dues()[0], supervisor=SUPERVISOR)
    for press in keys:
        table.do(press)
    table.do(op.LinkMeter(wager="progressive", change=14, table="next door"))
    table.do(to_run)
    assert table.meters["progressive"].amount == SEED + 14
    assert net(table.do(op.Settle()).postings, "player:p1") > SEED


# --- envy from the meter, wins that need no key ----------------------------------------------------------------------


def test_envy_may_come_off_the_meter_as_far_as_it_reaches() -> None:
    table = new_table(progressive={"envy_source": "meter"})
    table.do(op.LinkMeter(wager="progressive", change=3_000 - 42, table="t2"))
    postings = played(table, [bet(1, **LIT), bet(2, **LIT), bet(3, **LIT)], {1: AKQ_HEARTS, 2: NOTHING, 3: PAIR}, NINES)
    paid = [(one.spot, one.amount, one.source) for one in found(postings, EntryKind.ENVY)]
    assert paid == [(3, 2_500, "meter:progressive"), (2, 500, "meter:progressive"), (2, 2_000, TRAY)]
    assert table.meters["progressive"].amount == SEED == table.ledger.balance("meter:progressive")


def test_wins_from_the_tray_may_go_without_a_key() -> None:
    table = new_table(progressive={"tray_wins_keyed": False})
    wagers = [bet(1, **LIT), bet(2, **LIT)]
    revealed(table, wagers, {1: TRIPS, 2: AKQ_HEARTS}, NINES)
    assert table.dues() == []
    paid = found(table.do(op.Settle()).postings, EntryKind.WON, "progressive")
    assert [(one.spot, one.amount) for one in paid] == [(2, 50_000), (1, 6_000)]
    assert table.can(op.DeclareMisdeal(reason="x"))


def test_a_triggering_hand_may_do_without_the_wager_where_the_setting_says_so() -> None:
    table = new_table(progressive={"envy_needs_wager": False})
    postings = played(table, [bet(1, ante=500), bet(2, **LIT)], {1: AKQ_SPADES, 2: NOTHING}, NINES)
    assert [(one.spot, one.amount) for one in found(postings, EntryKind.ENVY)] == [(2, 10_000)]
    assert not found(postings, EntryKind.RECORDED)


def test_the_dealers_name_is_what_keeps_a_dealer_from_confirming() -> None:
    table = new_table(progressive={"confirmer_is_not_the_dealer": False})
    revealed(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    for press in table.keys_for(table.dues()[0], supervisor=DEALER_NAME):
        table.do(press)
    table.do(op.Settle())
