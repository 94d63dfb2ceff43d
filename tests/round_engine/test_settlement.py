"""The settlement against a second one written from the documents, on random rounds of every rule set."""

import random
from typing import Any

import pytest

from round_engine import operations as op
from round_engine.ledger import LAYOUT, TIPS, Entry
from round_engine.ruleset import Wager
from round_engine.table import Table
from tests.round_engine import reference
from tests.round_engine.support import (
    NINES,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
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
    rules_for,
)

GAMES = {
    "south-dakota": ({}, reference.Game(
        ante_bonus="A", pair_plus="A", six_card="TCP-6B1", fold_forfeits_pair_plus=True, progressive="1",
    )),
    "south-dakota, pair plus D, 6B3, paytable 2": (
        {"house": {"paytables": {"pair_plus": "D", "six_card_bonus": "TCP-6B3", "progressive": "2"}}},
        reference.Game(
            ante_bonus="A", pair_plus="D", six_card="TCP-6B3", fold_forfeits_pair_plus=True, progressive="2",
        ),
    ),
    "south-dakota-2015": (
        {"house": {"paytables": {"six_card_bonus": "TCP-6B4"}}},
        reference.Game(
            ante_bonus="A", pair_plus="A", six_card="TCP-6B4", fold_forfeits_pair_plus=True, progressive="1",
        ),
    ),
    "ten-dollar-house": ({}, reference.Game(
        ante_bonus="C", pair_plus="D", six_card="TCP-6B2", fold_forfeits_pair_plus=False, cap=500_000,
    )),
    "light-and-wonder, TCP-06, game manager": (
        {"house": {"designator": "TCP-06", "paytables": {"six_card_bonus": "TCP-6B2"}}},
        reference.Game(
            ante_bonus="C", pair_plus="B", six_card="TCP-6B2", fold_forfeits_pair_plus=True, progressive="1",
            envy_to_own_spot=True,
        ),
    ),
    "light-and-wonder, TCP-08, nexus": (
        {"house": {"designator": "TCP-08", "systems": {"progressive": "nexus"}, "paytables": {"progressive": "2"}}},
        reference.Game(
            ante_bonus="B", pair_plus="C", six_card="TCP-6B1", fold_forfeits_pair_plus=True, progressive="2",
            folded_progressive_lives=False,
        ),
    ),
}  # fmt: skip
ROUNDS = 150
HIGH_HANDS = ["As Ks Qs", "Ah Kh Qh", "Js Ts 9s", "7h 6h 5h", "6d 5d 4d", "3c 3d 3h", "8c 8s 2c", "Jc Td 9c"]


def random_round(table: Table, chance: random.Random) -> tuple[list[reference.Spot], tuple[int, ...]]:
    """Play one round with random wagers, cards and decisions; the spots as the reference sees them."""
    rules = table.rules
    seats = sorted(chance.sample(range(1, 8), chance.randint(1, 7)))
    deck = chance.sample(range(52), 52)
    if chance.random() < 0.4:  # high hands all round, so that jackpots, several winners and envy occur
        chance.shuffle(HIGH_HANDS)
        deck = [face for text in HIGH_HANDS for face in hand(text)]
    wagers = {}
    for at, spot in enumerate(seats):
        ante = chance.choice([0, 500, 700, 1000])
        pair_plus = chance.choice([0, 500, 900]) if ante else 600
        neighbour = seats[at - 1] if at and seats[at - 1] == spot - 1 else None
        twice = neighbour is not None and rules.house.spots_per_player == 2 and at % 2 == 1 and chance.random() < 0.4
        tips = rules.settings.tips and chance.random() < 0.3
        wagers[spot] = bet(
            spot,
            wagers[neighbour].player if twice else f"p{spot}",
            ante=ante,
            pair_plus=pair_plus,
            six_card_bonus=chance.choice([0, 500]),
            progressive=100 * (Wager.PROGRESSIVE in rules.progressives and chance.random() < 0.7),
            bad_beat=100 * (chance.random() < 0.7),
            tip_ante=100 if tips and ante else 0,
            tip_pair_plus=200 if tips and pair_plus else 0,
        )
    opened(table, *wagers.values())
    table.do(op.LockWagers())
    hands = {spot: tuple(deck[3 * at : 3 * at + 3]) for at, spot in enumerate([op.DEALER, *seats])}
    for spot in [*seats, op.DEALER]:
        table.do(op.DealGroup(spot=spot, cards=hands[spot]))
    state = table.in_play()
    tip_plays = {}
    for spot in list(state.undecided):
        if not wagers[spot].ante or chance.random() < 0.3:
            table.do(op.Fold(spot=spot))
        else:
            tip_plays[spot] = chance.choice([0, wagers[spot].tip_ante])
            table.do(op.Play(spot=spot, amount=wagers[spot].ante, tip=tip_plays[spot]))
    if state.folds:
        table.do(op.CollectFolds(spots=tuple(state.folds), counted=(3,) * len(state.folds)))
    table.do(op.RevealDealer())
    key_all(table)
    table.do(op.Settle())
    table.do(op.CloseRound())
    amounts = ("ante", "pair_plus", "six_card_bonus", "progressive", "bad_beat", "tip_ante", "tip_pair_plus")
    return [
        reference.Spot(
            spot=spot,
            player=one.player,
            cards=hands[spot],
            folded=spot in state.folds,
            tip_play=tip_plays.get(spot, 0),
            **{name: getattr(one, name) for name in amounts},
        )
        for spot, one in wagers.items()
    ], hands[op.DEALER]


@pytest.mark.parametrize("name", GAMES)
def test_random_rounds_come_out_as_in_the_reference(name: str) -> None:
    changes, game = GAMES[name]
    chance = random.Random(f"settlement {name}")
    table = Table(rules_for(name.split(",")[0], sides=["bad-beat"], **changes))
    share = {"1": 14, "2": 20, "": 0}[game.progressive]
    for _ in range(ROUNDS):
        before = dict(table.ledger.balances)
        meters = {wager: meter.amount for wager, meter in table.meters.items()}
        spots, dealer = random_round(table, chance)
        expected = reference.settle(
            game,
            spots,
            dealer,
            meters.get(Wager.PROGRESSIVE, 0) + share * sum(spot.progressive > 0 for spot in spots),
            meters[Wager.BAD_BEAT] + 26 * sum(spot.bad_beat > 0 for spot in spots),
        )
        gained = {
            player: table.ledger.balance(f"player:{player}") - before.get(f"player:{player}", 0)
            for player in {spot.player for spot in spots}
        }
        assert gained == expected.players, (spots, dealer)
        assert table.ledger.balance(TIPS) - before.get(TIPS, 0) == expected.tips
        assert table.meters[Wager.BAD_BEAT].amount == expected.bad_beat_meter
        if game.progressive:
            assert table.meters[Wager.PROGRESSIVE].amount == expected.meter
        assert table.ledger.total() == 0
        assert table.ledger.balance(LAYOUT) == 0


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
    assert only(found(postings, spot=1), Entry.AWARDED, Wager.PROGRESSIVE).row == "straight 6 for 1"
    bonus = found(postings, Entry.WON, Wager.ANTE_BONUS)
    assert [(one.row, one.clause, one.note) for one in bonus] == [
        ("straight 1 to 1", "000 (13)(c)", ""),
        ("straight 1 to 1", "000 (13)(c)", "a tip for the dealer"),
    ]


@pytest.mark.parametrize(("setting", "to"), [("player", "player:p1"), ("dealer", TIPS)])
def test_a_pushed_tip_goes_where_the_setting_says(setting: str, to: str) -> None:
    table = new_table(settings={"tip_push": setting})
    postings = played(table, [bet(1, ante=500, tip_ante=100)], {1: "9h 9s 4d"}, NINES)
    assert [one.target for one in found(postings, Entry.PUSHED, Wager.ANTE) if one.note] == [to]


@pytest.mark.parametrize(
    ("settings", "tips"),
    [({}, 0), ({"tips_forfeited_on_fold": False}, 200 + 100 + 700), ({"tip_earns_ante_bonus": False}, 0)],
)
def test_tips_of_a_folded_hand(settings: dict[str, Any], tips: int) -> None:
    """Left alive they are played without the player: the ante against the dealer, pair plus on the hand."""
    table = new_table(settings={**settings, "ante_bonus_on_fold": True})
    tipped = bet(1, ante=500, pair_plus=500, tip_ante=100, tip_pair_plus=100)
    assert net(played(table, [tipped], {1: STRAIGHT}, NINES, fold=[1]), TIPS) == tips


def test_a_tip_ante_may_go_without_the_bonus() -> None:
    table = new_table(settings={"tip_earns_ante_bonus": False})
    assert net(played(table, [bet(1, ante=500, tip_ante=100)], {1: STRAIGHT}, NINES), TIPS) == 200


def test_six_card_bonus_dies_with_the_fold_where_the_setting_says_so() -> None:
    table = new_table(settings={"six_card_survives_fold": False})
    postings = played(table, [bet(1, ante=500, six_card_bonus=500)], {1: "9s 9h 2c"}, NINES, fold=[1])
    assert net(postings, "player:p1") == -1000


@pytest.mark.parametrize(("setting", "order"), [("end", [3, 1, 2]), ("in-turn", [3, 2, 1])])
def test_wagers_of_folded_hands_are_settled_last_or_in_turn(setting: str, order: list[int]) -> None:
    table = new_table(settings={"folded_wagers": setting})
    wagers = [bet(spot, ante=500, six_card_bonus=500) for spot in (1, 2, 3)]
    revealed(table, wagers, {1: PAIR, 2: STRAIGHT, 3: STRAIGHT_FLUSH}, NINES, fold=[2])
    postings = found(table.do(op.Settle()).postings, wager=Wager.SIX_CARD_BONUS)
    assert list(dict.fromkeys(one.spot for one in postings)) == order
