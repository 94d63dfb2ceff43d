"""A house with a $10 limit and a $5,000 cap (002), paragraph by paragraph."""

import pytest

from round_engine.errors import WagerRefused
from round_engine.hands import rank3
from round_engine.money.ledger import EntryKind
from round_engine.round import operations as op
from tests.round_engine.support import (
    FLUSH,
    JACK_HIGH,
    NINES,
    NOTHING,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPS,
    bet,
    dealt,
    found,
    hand,
    net,
    new_table,
    only,
    opened,
    played,
)

HOUSE = "ten-dollar-house"


@pytest.mark.clause("002 Bets")
@pytest.mark.parametrize("stakes", [{"ante": 1000}, {"pair_plus": 1000}, {"ante": 500, "pair_plus": 1000}])
def test_bets_are_independent_and_up_to_ten_dollars(stakes: dict[str, int]) -> None:
    opened(new_table(HOUSE), bet(1, **stakes))


@pytest.mark.clause("002 Bets")
@pytest.mark.parametrize("wager", ["ante", "pair_plus"])
def test_bets_lie_between_the_posted_minimum_and_ten_dollars(wager: str) -> None:
    posted = {"house": {"limits": {wager: {"minimum": "$5"}}}}
    opened(new_table(HOUSE, **posted), bet(1, **{wager: 500}))
    for amount in (499, 1001):
        with pytest.raises(WagerRefused):
            opened(new_table(HOUSE, **posted), bet(1, **{wager: amount}))


@pytest.mark.clause("002 Bets")
@pytest.mark.parametrize(("amount", "allowed"), [(499, False), (500, True), (1000, True), (1001, False)])
def test_the_six_card_bonus_is_five_to_ten_dollars(amount: int, allowed: bool) -> None:
    table = new_table(HOUSE)
    opened(table)
    assert table.can(op.PlaceWagers(wagers=bet(1, ante=500, six_card_bonus=amount))) is allowed


@pytest.mark.clause("002 Bets")
def test_hands_rank_from_straight_flush_down_to_nothing() -> None:
    ranks = [rank3(*hand(one)) for one in (STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR, NOTHING)]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.clause("002 Bets")
def test_there_are_no_tips_and_no_progressive() -> None:
    for stakes in ({"tip_ante": 100}, {"progressive": 100}, {"bad_beat": 100}):
        with pytest.raises(WagerRefused):
            opened(new_table(HOUSE), bet(1, ante=500, **stakes))


@pytest.mark.clause("002 Pair Plus")
@pytest.mark.parametrize(
    ("own", "pays"), [(STRAIGHT_FLUSH, 40), (TRIPS, 30), (STRAIGHT, 6), (FLUSH, 3), (PAIR, 1), (NOTHING, -1)]
)
@pytest.mark.parametrize("dealer", [NINES, JACK_HIGH])
def test_pair_plus_is_decided_by_the_players_hand_alone(own: str, pays: int, dealer: str) -> None:
    clash = {"5d 4c 3h": "5h 4s 3c"}
    postings = played(new_table(HOUSE), [bet(1, pair_plus=500)], {1: clash.get(own, own)}, dealer.replace("5c", "2c"))
    assert net(postings, "player:p1") == 500 * pays


@pytest.mark.clause("002 Ante and Play (1)")
def test_a_fold_forfeits_the_ante_and_only_the_ante() -> None:
    wagers = [bet(1, ante=500, pair_plus=500, six_card_bonus=500)]
    postings = played(new_table(HOUSE), wagers, {1: PAIR}, NINES, fold=[1])
    assert [one.wager for one in found(postings, EntryKind.FORFEITED)] == ["ante"]
    assert only(postings, EntryKind.WON, "pair_plus").amount == 500
    assert only(postings, EntryKind.LOST, "six_card_bonus").amount == 500


@pytest.mark.clause("002 Ante and Play (2)")
def test_play_is_a_further_wager_equal_to_the_ante() -> None:
    table = new_table(HOUSE)
    dealt(table, [bet(1, ante=700)], {1: PAIR})
    assert not table.can(op.Play(spot=1, amount=500))
    assert only(table.do(op.Play(spot=1, amount=700)).postings, EntryKind.PLACED, "play").amount == 700


@pytest.mark.clause("002 Ante and Play")
@pytest.mark.parametrize(("dealer", "plays"), [("Qd 3c 2h", True), ("Jd Tc 8s", False)])
def test_the_dealer_qualifies_with_queen_high(dealer: str, plays: bool) -> None:
    postings = played(new_table(HOUSE), [bet(1, ante=500)], {1: PAIR}, dealer)
    assert bool(found(postings, EntryKind.WON, "play")) is plays


@pytest.mark.clause("002 Results")
@pytest.mark.parametrize(
    ("own", "dealer", "ante", "play"),
    [
        ("9h 7d 2c", JACK_HIGH, 500, 0),
        (PAIR, NINES, 500, 500),
        ("9h 9s 4d", NINES, 0, 0),
        (NOTHING, NINES, -500, -500),
    ],
)
def test_results_of_ante_and_play(own: str, dealer: str, ante: int, play: int) -> None:
    postings = played(new_table(HOUSE), [bet(1, ante=500)], {1: own}, dealer)
    assert net(found(postings, wager="ante"), "player:p1") == ante
    assert net(found(postings, wager="play"), "player:p1") == play


@pytest.mark.clause("002 Ante Bonus")
@pytest.mark.parametrize(("own", "pays"), [(STRAIGHT_FLUSH, 4), (TRIPS, 3), (STRAIGHT, 1)])
@pytest.mark.parametrize("dealer", ["Jd 9c 2s", "Ac Ad Ah", "Ts 9s 8s"])
def test_the_ante_bonus_is_paid_whether_the_player_wins_or_loses(own: str, pays: int, dealer: str) -> None:
    postings = played(new_table(HOUSE), [bet(1, ante=500)], {1: own}, dealer)
    assert only(postings, EntryKind.WON, "ante_bonus").amount == 500 * pays


@pytest.mark.clause("002 6 Card Bonus")
@pytest.mark.parametrize(
    ("own", "dealer", "pays"),
    [
        ("Ts Js Qs", "Ks As 2d", 1000),
        ("4s 5s 6s", "7s 8s 2d", 200),
        ("9c 9d 9h", "9s 2d 5h", 50),
        ("9c 9d 9h", "2s 2d 5h", 25),
        ("2s 5s 9s", "Ks Js 3d", 15),
        ("2s 3d 4h", "5s 6d Qc", 10),
        ("9c 9d 4h", "9s 2d Qh", 5),
        ("9c 9d 4h", "4s 2d Qh", -1),
    ],
)
def test_the_six_card_bonus_combines_both_hands(own: str, dealer: str, pays: int) -> None:
    table = new_table(HOUSE, settings={"cap": "none"})
    postings = played(table, [bet(1, ante=500, six_card_bonus=500)], {1: own}, dealer)
    assert net(found(postings, wager="six_card_bonus"), "player:p1") == 500 * pays


@pytest.mark.clause("002 6 Card Bonus")
def test_the_six_card_bonus_is_settled_after_pair_plus_and_ante_and_play() -> None:
    wagers = [bet(1, ante=500, pair_plus=500, six_card_bonus=500)]
    postings = played(new_table(HOUSE), wagers, {1: PAIR}, NINES)
    assert postings[-1].wager == "six_card_bonus"


@pytest.mark.clause("002 Cap")
def test_payouts_of_a_hand_are_capped_at_five_thousand_dollars_in_settlement_order() -> None:
    wagers = [bet(1, ante=1000, pair_plus=1000, six_card_bonus=1000)]
    postings = played(new_table(HOUSE), wagers, {1: "Ts Js Qs"}, "Ks As 2d")
    won = {one.wager: one for one in found(postings, EntryKind.WON)}
    due = {"play": 1000, "ante_bonus": 4000, "ante": 1000, "pair_plus": 40_000}
    assert {wager: one.amount for wager, one in won.items()} == {**due, "six_card_bonus": 500_000 - 46_000}
    assert won["six_card_bonus"].note == "$10,000 cut by the cap on a hand (002 Cap)"
    assert net(postings, "player:p1") == 500_000  # stakes come back beside it


@pytest.mark.clause("002 Cap")
def test_the_cap_is_for_each_player_and_hand() -> None:
    wagers = [bet(1, ante=1000, six_card_bonus=1000), bet(2, ante=1000, six_card_bonus=1000)]
    postings = played(new_table(HOUSE), wagers, {1: "Ts Js Qs", 2: "3s 4s 5s"}, "Ks As 2d")
    assert net(postings, "player:p1") == 500_000
    assert net(postings, "player:p2") == 1000 + 1000 + 4000 + 1000 * 15  # ante, play, bonus, a flush of five


@pytest.mark.clause("002 Cap")
@pytest.mark.parametrize(
    ("settings", "paid"),
    [
        ({"cap_order": "settlement"}, [1000, 4000, 1000, 4000]),
        ({"cap_order": "largest-first"}, [0, 0, 0, 10_000]),
        ({"cap_counts_stakes": True}, [1000, 4000, 1000, 1000]),
    ],
)
def test_the_caps_order_and_what_it_counts_are_settings(settings: dict[str, object], paid: list[int]) -> None:
    table = new_table(HOUSE, settings={"cap": "$100", **settings})
    postings = played(table, [bet(1, ante=1000, pair_plus=1000)], {1: STRAIGHT_FLUSH}, NINES)
    assert [one.amount for one in found(postings, EntryKind.WON)] == paid
