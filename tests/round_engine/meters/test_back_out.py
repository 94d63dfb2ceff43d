"""An award backed out, keyed again or void, before and after its spot or the whole round was settled."""

import pytest

from round_engine.errors import MoveRefused
from round_engine.money.ledger import TRAY, EntryKind
from round_engine.round import operations as op
from round_engine.rules.ruleset import WagerName
from round_engine.table import Table
from tests.round_engine.support import (
    AKQ_SPADES,
    NINES,
    NOTHING,
    SUPERVISOR,
    TRIPS,
    bet,
    found,
    key_all,
    new_table,
    revealed,
)

LIT = {"ante": 500, "progressive": 100}
SYSTEMS = [
    ("south-dakota", {}),
    ("light-and-wonder", {}),
    ("light-and-wonder", {"house": {"systems": {"progressive": "nexus"}}}),
]
each = pytest.mark.parametrize(("name", "changes"), SYSTEMS, ids=["000", "004 GM", "004 Nexus"])


def settled(name: str, changes: dict[str, object], **more: object) -> Table:
    table = new_table(name, **changes, **more)
    revealed(table, [bet(1, **LIT), bet(2, **LIT)], {1: AKQ_SPADES, 2: NOTHING}, NINES)
    key_all(table)
    table.do(op.Settle())
    return table


def back_out(record: int, *, void: bool = False, wager: WagerName = "progressive") -> op.BackOut:
    return op.BackOut(wager=wager, record=record, by=SUPERVISOR, reason="review", void=void)


@each
def test_a_win_backed_out_after_the_settlement_is_keyed_again_paid_and_closed(name: str, changes: dict) -> None:  # type: ignore[type-arg]
    table = settled(name, changes)
    paid = {account: amount for account, amount in table.ledger.balances.items() if amount}
    meter = table.meters
    undone = table.do(back_out(1)).postings
    assert [(one.entry, one.spot, one.amount) for one in undone if one.note == "for spot 1"] == [
        (EntryKind.BACKED_OUT, 2, 10_000)
    ]
    with pytest.raises(MoveRefused, match="not recorded at the progressive keypad"):
        table.do(op.CloseRound())
    again = key_all(table)
    assert [one.amount for one in found(again, EntryKind.AWARDED)] == [100_028]
    assert [(one.spot, one.amount) for one in found(again, EntryKind.ENVY)] == [(2, 10_000)]
    table.do(op.CloseRound())
    assert {account: amount for account, amount in table.ledger.balances.items() if amount} == paid
    assert table.meters == meter


@each
def test_one_award_is_void_after_the_settlement_and_its_envy_recovered(name: str, changes: dict) -> None:  # type: ignore[type-arg]
    table = settled(name, changes)
    table.do(back_out(1, void=True))
    assert table.dues() == []
    assert table.ledger.balance("player:p2") == -1_100
    assert table.ledger.balance("player:p1") == 500 + 500 + 2_500 - 100
    assert table.meters["progressive"].amount == 100_028
    assert table.ledger.balance("payable:progressive") == 0
    table.do(op.CloseRound())
    assert [line.what for line in table.audit] == ["record 1 (akq_spades) void"]


def test_where_the_rule_set_says_so_an_award_is_not_backed_out_once_envy_is_paid_for_it() -> None:
    table = settled("south-dakota", {}, progressive={"backed_out_envy": "refuse"})
    with pytest.raises(MoveRefused, match="envy has been paid for spot 1"):
        table.do(back_out(1))
    table.do(op.CloseRound())


def test_a_misdeal_after_recovered_envy_takes_nothing_twice() -> None:
    table = settled("south-dakota", {})
    table.do(back_out(1))
    table.do(op.DeclareMisdeal(reason="late"))
    accounts = ("player:p1", "player:p2", TRAY, "layout", "payable:progressive")
    assert {table.ledger.balance(account) for account in accounts} == {0}
    table = settled("south-dakota", {})
    table.do(back_out(1))
    key_all(table)
    table.do(back_out(2))
    table.do(op.DeclareMisdeal(reason="late"))
    assert {table.ledger.balance(account) for account in accounts} == {0}


def test_a_win_is_void_before_the_settlement_too() -> None:
    table = new_table()
    revealed(table, [bet(1, **LIT), bet(2, **LIT)], {1: AKQ_SPADES, 2: TRIPS}, NINES)
    key_all(table)
    with pytest.raises(MoveRefused, match="record 2 is the newest"):
        table.do(back_out(1, void=True))
    table.do(back_out(2, void=True))
    postings = table.do(op.Settle()).postings
    assert [(one.spot, one.amount) for one in found(postings, EntryKind.AWARDED)] == [(2, 6_000)]
    assert not found(postings, EntryKind.ENVY)
    table.do(op.CloseRound())


def test_a_wrong_record_is_no_award_to_void() -> None:
    table = new_table()
    revealed(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    wrong = new_table()
    revealed(wrong, [bet(1, **LIT)], {1: TRIPS}, NINES)
    for press in table.keys_for(table.dues()[0], supervisor=SUPERVISOR):
        wrong.do(press)
    with pytest.raises(MoveRefused, match="is no win: back it out without voiding"):
        wrong.do(back_out(1, void=True))


# --- spot by spot ----------------------------------------------------------------------------------------------------


@each
def test_spot_by_spot_comes_to_the_same_as_all_at_once(name: str, changes: dict) -> None:  # type: ignore[type-arg]
    wagers = [bet(1, pair_plus=500, six_card_bonus=500, **LIT), bet(2, **LIT), bet(3, **LIT)]
    hands = {1: AKQ_SPADES, 2: "Kd Jc 7d", 3: TRIPS}
    tables = []
    for spots in ((), (3,), (3, 2), (3, 2, 1)):
        table = new_table(name, **changes)
        revealed(table, wagers, hands, NINES, fold=[1] if name == "south-dakota" else [])
        key_all(table)
        order = sorted(spots, key=lambda spot: table.in_play().spots[spot].folded)
        for spot in order:
            with pytest.raises(MoveRefused, match=r"is next, not spot|every spot is settled"):
                table.do(op.SettleSpot(spot=4 - spot if spot != 2 else 3))
            table.do(op.SettleSpot(spot=spot))
        table.do(op.Settle())
        table.do(op.CloseRound())
        tables.append({account: amount for account, amount in table.ledger.balances.items() if amount})
    assert all(one == tables[0] for one in tables)


def test_a_spot_waits_for_its_award_to_be_recorded_and_another_does_not() -> None:
    table = new_table("light-and-wonder")
    revealed(table, [bet(1, **LIT), bet(2, **LIT)], {1: AKQ_SPADES, 2: NOTHING}, NINES)
    table.do(op.SettleSpot(spot=2))
    with pytest.raises(MoveRefused, match="not recorded at the progressive keypad: spot 1 with akq_spades"):
        table.do(op.SettleSpot(spot=1))
    key_all(table)
    assert found(table.do(op.SettleSpot(spot=1)).postings, EntryKind.AWARDED)
    table.do(back_out(1))
    assert found(key_all(table), EntryKind.AWARDED)
    table.do(op.Settle())
    table.do(op.CloseRound())


# --- split awards ----------------------------------------------------------------------------------------------------

BEAT = {"ante": 500, "bad_beat": 100}
ROYAL = "Qd Jd Td"


def split_table(**changes: object) -> Table:
    return new_table("ten-dollar-house", sides=["bad-beat"], bad_beat={"several_meter_wins": "split", **changes})


def test_several_full_awards_are_split_as_a_house_rule_and_the_meter_restarts_once() -> None:
    table = split_table()
    revealed(table, [bet(spot, **BEAT) for spot in (1, 2, 3)], {1: "9h 8h 7h", 2: "8s 7s 6s", 3: "7c 6c 5c"}, ROYAL)
    pot = 1_000_000 + 78
    recorded = found(key_all(table), EntryKind.RECORDED)
    assert [(one.spot, one.amount) for one in recorded] == [(3, 333_360), (2, 333_359), (1, 333_359)]
    assert sum(one.amount for one in recorded) == pot
    assert table.meters["bad_beat"].amount == 1_000_000
    table.do(op.Settle())
    table.do(op.CloseRound())


def test_while_an_award_is_split_nobody_else_takes_the_rest_and_wagers_go_on_top() -> None:
    table = split_table()
    revealed(table, [bet(spot, **BEAT) for spot in (1, 2)], {1: "9h 8h 7h", 2: "8s 7s 6s"}, ROYAL)
    for press in table.keys_for(table.dues()[0], supervisor=SUPERVISOR):
        table.do(press)
    assert table.meters["bad_beat"].amount == 500_026
    table.do(op.LinkMeter(wager="bad_beat", change=40, table="t2"))
    with pytest.raises(MoveRefused, match="must stay"):
        table.do(op.LinkMeter(wager="bad_beat", change=-41, table="t2"))
    key_all(table)
    assert table.meters["bad_beat"].amount == 1_000_040
    table.do(op.Settle())
    table.do(op.CloseRound())


def test_when_one_of_two_is_void_the_other_is_keyed_again_for_the_whole() -> None:
    table = split_table()
    revealed(table, [bet(spot, **BEAT) for spot in (1, 2)], {1: "9h 8h 7h", 2: "8s 7s 6s"}, ROYAL)
    key_all(table)
    table.do(op.Settle())
    table.do(back_out(2, void=True, wager="bad_beat"))
    with pytest.raises(MoveRefused, match="splits the award among 2: back it out and key it again"):
        table.do(op.CloseRound())
    table.do(back_out(1, wager="bad_beat"))
    again = found(key_all(table), EntryKind.AWARDED)
    assert [(one.spot, one.amount) for one in again] == [(2, 1_000_052)]
    table.do(op.CloseRound())
    assert table.meters["bad_beat"].amount == 1_000_000


# --- the cap and awards ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counts", "paid"), [(False, 1_000_026), (True, 500_000 - 1_000 - 2_000)])
def test_the_cap_counts_awards_of_a_progressive_only_where_the_setting_says_so(counts: bool, paid: int) -> None:
    table = new_table("ten-dollar-house", sides=["bad-beat"], settings={"cap_counts_awards": counts})
    revealed(table, [bet(1, **BEAT)], {1: "Qd Jd Td"}, "8s 7s 6s")
    key_all(table)
    postings = table.do(op.Settle()).postings
    assert [one.amount for one in found(postings, EntryKind.AWARDED)] == [paid]
    assert sum(one.amount for one in found(postings, EntryKind.WITHHELD)) == 1_000_026 - paid
    assert table.ledger.balance("payable:bad_beat") == 0
    table.do(back_out(1, wager="bad_beat"))
    assert table.meters["bad_beat"].amount == 1_000_026
    key_all(table)
    table.do(op.CloseRound())
    assert table.ledger.total() == 0


# --- hands told late -------------------------------------------------------------------------------------------------


def test_a_hand_told_by_show_hand_must_fold_where_the_rules_leave_no_choice() -> None:
    table = new_table()
    wagers = [bet(1, ante=500), bet(2, pair_plus=500)]
    table.do(op.OpenRound(round_id="late", shuffle="late", dealer="dana", wagers=tuple(wagers)))
    table.do(op.LockWagers())
    for spot in (1, 2, 0):
        table.do(op.DealGroup(spot=spot))
    table.do(op.Fold(spot=1))
    table.do(op.CollectFolds(spots=(1,), counted=(3,)))
    table.do(op.ShowHand(spot=2, cards=(0, 15, 31)))
    assert table.in_play().undecided == [2]
    assert not table.can(op.Play(spot=2, amount=0))  # type: ignore[arg-type]
    table.do(op.Fold(spot=2))
    assert not table.can(op.RevealDealer(cards=(7, 20, 28)))
    assert [one.spot for one in table.do(op.CollectFolds(spots=(2,), counted=(3,))).postings] == [2]
    table.do(op.RevealDealer(cards=(7, 20, 28)))
    table.do(op.Settle())
    table.do(op.CloseRound())
    assert table.ledger.balance("player:p2") == -500
