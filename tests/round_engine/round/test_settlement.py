"""Kinds of pay, tips, folded hands, and what a posting says; random rounds are in proofs/settlement.py."""

from typing import Any

import pytest

from round_engine.money.ledger import TIPS, EntryKind
from round_engine.round import operations as op
from tests.round_engine.support import (
    NINES,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    bet,
    found,
    net,
    new_table,
    only,
    played,
    revealed,
)

# --- to 1, for 1, fixed sums, odds that do not divide ----------------------------------------------------------------


def with_pair_row(pays: str) -> Any:
    """A pair plus table whose lowest row pays something else."""
    return {"pair_plus": {"A": {"pair": {"pays": pays}}}}


@pytest.mark.parametrize(
    ("pays", "gain"), [("1 to 1", 505), ("1 for 1", 0), ("$3", 300 - 505), ("3 to 2", 757), ("nothing", -505)]
)
def test_to_one_returns_the_stake_and_for_one_keeps_it(pays: str, gain: int) -> None:
    table = new_table("south-dakota", paytables=with_pair_row(pays))
    assert net(played(table, [bet(1, pair_plus=505)], {1: PAIR}, NINES), "player:p1") == gain


def test_every_posting_names_its_wager_row_and_clause() -> None:
    every = bet(1, ante=500, pair_plus=500, six_card_bonus=500, progressive=100, tip_ante=100, tip_pair_plus=100)
    postings = played(new_table(), [every], {1: STRAIGHT}, NINES)
    assert all(one.wager and one.row and one.clause.startswith("000 (") and one.amount > 0 for one in postings)
    assert only(found(postings, spot=1), EntryKind.AWARDED, "progressive").row == "straight 6 for 1"
    bonus = found(postings, EntryKind.WON, "ante_bonus")
    assert [(one.row, one.clause, one.note) for one in bonus] == [
        ("straight 1 to 1", "000 (13)(c)", ""),
        ("straight 1 to 1", "000 (13)(c)", "a tip for the dealer"),
    ]


@pytest.mark.parametrize(("setting", "to"), [("player", "player:p1"), ("dealer", TIPS)])
def test_a_pushed_tip_goes_where_the_setting_says(setting: str, to: str) -> None:
    table = new_table(settings={"tip_push": setting})
    postings = played(table, [bet(1, ante=500, tip_ante=100)], {1: "9h 9s 4d"}, NINES)
    assert [one.target for one in found(postings, EntryKind.PUSHED, "ante") if one.note] == [to]


TIPS_ALIVE = {"tip_ante": True, "tip_pair_plus": True}


@pytest.mark.parametrize(
    ("settings", "tips"),
    [({}, 0), ({"alive_after_fold": TIPS_ALIVE}, 200 + 100 + 700), ({"tip_earns_ante_bonus": False}, 0)],
)
def test_tips_of_a_folded_hand(settings: dict[str, Any], tips: int) -> None:
    """Left alive they are played without the player: the ante against the dealer, pair plus on the hand."""
    alive = {"ante_bonus": True, **settings.get("alive_after_fold", {})}
    table = new_table(settings={**settings, "alive_after_fold": alive})
    tipped = bet(1, ante=500, pair_plus=500, tip_ante=100, tip_pair_plus=100)
    assert net(played(table, [tipped], {1: STRAIGHT}, NINES, fold=[1]), TIPS) == tips


def test_a_tip_ante_may_go_without_the_bonus() -> None:
    table = new_table(settings={"tip_earns_ante_bonus": False})
    assert net(played(table, [bet(1, ante=500, tip_ante=100)], {1: STRAIGHT}, NINES), TIPS) == 200


def test_six_card_bonus_dies_with_the_fold_where_the_setting_says_so() -> None:
    table = new_table(settings={"alive_after_fold": {"six_card_bonus": False}})
    postings = played(table, [bet(1, ante=500, six_card_bonus=500)], {1: "9s 9h 2c"}, NINES, fold=[1])
    assert net(postings, "player:p1") == -1000


@pytest.mark.parametrize(("setting", "order"), [("end", [3, 1, 2]), ("in-turn", [3, 2, 1])])
def test_wagers_of_folded_hands_are_settled_last_or_in_turn(setting: str, order: list[int]) -> None:
    table = new_table(settings={"folded_wagers": setting})
    wagers = [bet(spot, ante=500, six_card_bonus=500) for spot in (1, 2, 3)]
    revealed(table, wagers, {1: PAIR, 2: STRAIGHT, 3: STRAIGHT_FLUSH}, NINES, fold=[2])
    postings = found(table.do(op.Settle()).postings, wager="six_card_bonus")
    assert list(dict.fromkeys(one.spot for one in postings)) == order
