"""A meter never goes below its seed and never charges a winner, whatever moves it while a round is on."""

from typing import Any

import pytest

from round_engine.errors import MoveRefused, StateRefused
from round_engine.money.ledger import HOUSE, EntryKind
from round_engine.round import operations as op
from round_engine.table import Table
from round_engine.table.state import TableState
from tests.round_engine.support import (
    AKQ_SPADES,
    NINES,
    NOTHING,
    PAIR,
    SUPERVISOR,
    bet,
    dealt,
    found,
    key_all,
    net,
    new_table,
    played,
    revealed,
    rules_for,
)

LIT = {"ante": 500, "progressive": 100}
SEED = 100_000
ROYAL = "Qd Jd Td"


def fixed() -> tuple[Table, op.Operation]:
    """A jackpot recorded by J-POT, and the key back to RUN that takes it off the meter."""
    table = new_table()
    revealed(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    *keys, to_run = table.keys_for(table.dues()[0], supervisor=SUPERVISOR)
    for press in keys:
        table.do(press)
    return table, to_run


@pytest.mark.parametrize(
    "move",
    [
        op.LinkMeter(wager="progressive", change=-14, table="t2", percent=100),
        op.LinkMeter(wager="progressive", change=-1, table="t2"),
        op.AdjustMeter(wager="progressive", change=-1, by=SUPERVISOR, reason="x"),
    ],
)
def test_a_fixed_prize_stays_on_the_meter_until_it_is_paid(move: op.Operation) -> None:
    table, to_run = fixed()
    with pytest.raises(MoveRefused, match=r"\$1,000.14 of it must stay \(a prize is fixed at it\)"):
        table.do(move)
    table.do(to_run)
    assert table.meters["progressive"].amount == SEED
    assert net(table.do(op.Settle()).postings, "player:p1") > SEED


def test_wagers_of_other_tables_go_on_top_of_a_fixed_prize_and_another_win_takes_only_those() -> None:
    table, to_run = fixed()
    table.do(op.LinkMeter(wager="progressive", change=700, table="t2"))
    table.do(op.LinkMeter(wager="progressive", change=-700, table="t2", percent=100))
    table.do(to_run)
    assert table.meters["progressive"].amount == SEED
    table.do(op.Settle())
    table.do(op.CloseRound())
    postings = played(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    assert [one.amount for one in found(postings, EntryKind.AWARDED)] == [SEED + 14]


def test_a_misdeal_after_a_linked_reset_leaves_the_seed_and_the_house_bears_the_share() -> None:
    table = new_table(progressive={"reserve": "2%"})
    before = table.ledger.balance(HOUSE)
    dealt(table, [bet(1, **LIT)], {1: PAIR})
    assert table.meters["progressive"].amount == SEED + 14
    table.do(op.LinkMeter(wager="progressive", change=-12, table="t2", percent=100, reserve_change=-2))
    postings = table.do(op.DeclareMisdeal(reason="late")).postings
    assert table.meters["progressive"].amount == SEED == table.ledger.balance("meter:progressive")
    assert table.meters["progressive"].reserve == 0 == table.ledger.balance("reserve:progressive")
    assert table.ledger.balance("player:p1") == table.ledger.balance("tray") == 0
    assert before - table.ledger.balance(HOUSE) == 14
    assert any("won at another table meanwhile" in one.note for one in postings)
    assert table.ledger.total() == 0


def test_a_back_out_after_wins_elsewhere_takes_no_more_seed_than_is_there() -> None:
    table = new_table("ten-dollar-house", sides=["bad-beat"])
    lit = {"ante": 500, "bad_beat": 100}
    for _ in range(6):  # a meter that awards of 25% have drained
        drained = table.meters["bad_beat"].amount // 4
        table.do(op.LinkMeter(wager="bad_beat", change=-drained, table="t2", percent=25))
    revealed(table, [bet(1, **lit)], {1: "7h 6h 5h"}, ROYAL)
    before = table.meters["bad_beat"]
    key_all(table)
    assert table.meters["bad_beat"].amount == 1_000_000
    table.do(op.LinkMeter(wager="bad_beat", change=-250_000, table="t2", percent=25))
    table.do(op.BackOut(wager="bad_beat", record=1, by=SUPERVISOR, reason="x"))
    after = table.meters["bad_beat"]
    assert after.amount == table.ledger.balance("meter:bad_beat") >= after.floor > 0
    assert after.amount == before.floor
    key_all(table)
    table.do(op.Settle())
    table.do(op.CloseRound())


def test_awards_by_percentage_lower_the_floor_and_a_full_one_restores_it() -> None:
    table = new_table("ten-dollar-house", sides=["bad-beat"])
    lit = {"ante": 500, "bad_beat": 100}
    played(table, [bet(1, **lit)], {1: "6h 5h 4h"}, ROYAL)
    assert table.meters["bad_beat"].floor == table.meters["bad_beat"].amount == 750_020
    assert not table.can(op.AdjustMeter(wager="bad_beat", change=-1, by=SUPERVISOR, reason="x"))
    played(table, [bet(1, **lit)], {1: "7h 6h 5h"}, ROYAL)
    assert table.meters["bad_beat"].floor == table.meters["bad_beat"].amount == 1_000_000


def test_another_table_can_only_win_what_the_paytable_pays() -> None:
    with pytest.raises(MoveRefused, match=r"no progressive award takes 25% of the meter; there are \[100\]"):
        new_table().do(op.LinkMeter(wager="progressive", change=-25_000, table="t2", percent=25))
    with pytest.raises(MoveRefused, match="does not raise the meter"):
        new_table("ten-dollar-house", sides=["bad-beat"]).do(
            op.LinkMeter(wager="bad_beat", change=5, table="t2", percent=25)
        )


def test_a_server_that_adds_moves_up_tells_the_floor_after_them() -> None:
    table = new_table("ten-dollar-house", sides=["bad-beat"])
    table.do(op.LinkMeter(wager="bad_beat", change=-250_000, table="floor-1", floor=750_000))
    assert (table.meters["bad_beat"].amount, table.meters["bad_beat"].floor) == (750_000, 750_000)
    table.do(op.LinkMeter(wager="bad_beat", change=250_100, table="floor-1", floor=1_000_000))
    assert (table.meters["bad_beat"].amount, table.meters["bad_beat"].floor) == (1_000_100, 1_000_000)


@pytest.mark.parametrize(
    ("change", "percent", "floor", "says"),
    [
        (-1, 0, 1_000_000, "of it must stay"),
        (0, 0, 1_000_000, "not by 0"),
        (0, 0, 1_000_001, "cannot be told"),
        (0, 0, -1, "cannot be told"),
        (-250_000, 25, 750_000, "cannot be told"),
        (5, 0, True, "whole cents"),
    ],
)
def test_a_floor_that_cannot_be_is_refused(change: int, percent: int, floor: int, says: str) -> None:
    table = new_table("ten-dollar-house", sides=["bad-beat"])
    before = table.meters["bad_beat"]
    with pytest.raises(MoveRefused, match=says):
        table.do(op.LinkMeter(wager="bad_beat", change=change, table="t2", percent=percent, floor=floor))
    assert table.meters["bad_beat"] == before


# --- saved states ----------------------------------------------------------------------------------------------------


def meter(**changes: Any) -> Any:
    return lambda data: data["meters"][0].update(changes)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (meter(amount=-300_014), "meter's amount cannot be -300014"),
        (meter(amount=99_999, floor=99_999), "no award leaves it under the seed"),
        (meter(amount=99_999), "cannot be below its floor"),
        (meter(reserve=-1), "meter's reserve cannot be -1"),
        (meter(carry=10_000), "carries a cent or more"),
        (meter(floor=100_001, amount=100_001), "nor its floor above the seed"),
        (meter(amount=100_001), "meter:progressive holds \\$1,000 in the books, and \\$1,000.01 at the meter"),
        (meter(reserve=5), "reserve:progressive holds"),
        (lambda data: data["balances"].update(tray=1), "the accounts sum to \\$0.01"),
        (lambda data: data["balances"].update(tray=-5, layout=5), "has \\$0.05 on the layout"),
        (lambda data: data["balances"].update({"tray": -5, "payable:progressive": 5}), r"in payable:progressive"),
    ],
)
def test_a_state_that_no_table_can_be_in_is_refused(spoil: Any, says: str) -> None:
    data = new_table().state().to_json()
    spoil(data)
    with pytest.raises(StateRefused, match=says):
        Table(rules_for("south-dakota"), TableState.from_json(data))


def test_a_state_keeps_ids_shuffles_and_staff() -> None:
    table = new_table()
    played(table, [bet(1, **LIT)], {1: NOTHING}, NINES)
    used = table.in_play()
    again = Table(table.rules, TableState.from_json(table.state().to_json()))
    for name, shuffle in ((used.round_id, "fresh"), ("fresh", used.shuffle)):
        with pytest.raises(MoveRefused, match="every round needs"):
            again.do(op.OpenRound(round_id=name, shuffle=shuffle, dealer="dana"))
    assert again.staff == table.staff
