"""Light & Wonder training manual (004): rules, dealing, irregularities, exceptions, paytables, 6 Card Bonus."""

import pytest

from round_engine.errors import RuleError, WagerRefused, WrongPhase
from round_engine.hands import rank3
from round_engine.money.ledger import TRAY, EntryKind
from round_engine.round import operations as op
from round_engine.round.showdown import dealers_hand
from round_engine.rules.rulebook import load
from round_engine.table import Table
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
    key_all,
    net,
    new_table,
    only,
    opened,
    played,
    revealed,
)

LW = "light-and-wonder"


# --- overview of the rules -------------------------------------------------------------------------------------------


@pytest.mark.clause("004 Introduction")
@pytest.mark.parametrize("stakes", [{"ante": 500}, {"pair_plus": 500}, {"ante": 500, "pair_plus": 500}])
def test_three_ways_to_play(stakes: dict[str, int]) -> None:
    played(new_table(LW), [bet(1, **stakes)], {1: PAIR}, NINES)


@pytest.mark.clause("004 Ranking")
def test_a_straight_beats_a_flush_and_the_ace_is_low_only_in_3_2_ace() -> None:
    ladder = ["Ks Qs Js", "6c 6d 6s", "5d 4c 3h", "Ad 2c 3h", "Ah Th 2h", "2c 2d 3s", "Ac 4h 2d", "Kc Jh 9d"]
    ranks = [rank3(*hand(one)) for one in ladder]
    assert ranks == sorted(ranks, reverse=True)
    assert rank3(*hand("Ad Kc Qh")) > rank3(*hand("4d 3c 2h")) > rank3(*hand("Ad 2c 3h"))


@pytest.mark.clause("004 Ranking")
def test_without_a_pair_the_highest_cards_win() -> None:
    postings = played(new_table(LW), [bet(1, ante=500)], {1: "Ac 4h 2d"}, "Kd Qc 9s")
    assert net(postings, "player:p1") == 1000


@pytest.mark.clause("004 Rules (1)")
@pytest.mark.parametrize(
    ("own", "dealer", "fold", "gain"),
    [
        (PAIR, NINES, True, -500),
        ("9h 7d 2c", JACK_HIGH, False, 500),
        (PAIR, NINES, False, 1000),
        (NOTHING, NINES, False, -1000),
        ("9h 9s 4d", NINES, False, 0),
    ],
)
def test_1_playing_against_the_dealer(own: str, dealer: str, fold: bool, gain: int) -> None:
    postings = played(new_table(LW), [bet(1, ante=500)], {1: own}, dealer, fold=[1] if fold else [])
    assert net(postings, "player:p1") == gain


@pytest.mark.clause("004 Rules (1)")
@pytest.mark.parametrize("dealer", [JACK_HIGH, "Ac Ad Ah", "Ts 9s 8s"])
def test_1_the_ante_bonus_is_paid_regardless_of_the_dealers_hand(dealer: str) -> None:
    postings = played(new_table(LW), [bet(1, ante=500)], {1: "6c 6d 6h"}, dealer)
    assert only(postings, EntryKind.WON, "ante_bonus").amount == 2000


@pytest.mark.clause("004 Rules (2)")
@pytest.mark.parametrize("dealer", [JACK_HIGH, "Ac Ad Ah"])
def test_2_pair_plus_is_paid_regardless_of_the_dealers_hand(dealer: str) -> None:
    assert net(played(new_table(LW), [bet(1, pair_plus=500)], {1: PAIR}, dealer), "player:p1") == 500
    assert net(played(new_table(LW), [bet(1, pair_plus=500)], {1: "Kc 9h 7d"}, dealer), "player:p1") == -500


@pytest.mark.clause("004 Rules (3)")
def test_3_ante_and_pair_plus_need_not_be_equal_but_play_equals_the_ante() -> None:
    table = new_table(LW)
    dealt(table, [bet(1, ante=500, pair_plus=2500)], {1: PAIR})
    assert not table.can(op.Play(spot=1, amount=2500))
    assert table.can(op.Play(spot=1, amount=500))


@pytest.mark.clause("004 Rules (3)", "004 Dealing (4)")
def test_3_without_a_play_wager_ante_and_pair_plus_are_both_forfeited() -> None:
    postings = played(new_table(LW), [bet(1, ante=500, pair_plus=700)], {1: PAIR}, NINES, fold=[1])
    assert [one.amount for one in found(postings, EntryKind.FORFEITED)] == [500, 700]
    assert net(postings, "player:p1") == -1200


@pytest.mark.clause("004 Side bets")
def test_no_posting_goes_from_player_to_player() -> None:
    wagers = [bet(spot, ante=500, pair_plus=500, progressive=100) for spot in (1, 2, 3)]
    postings = played(new_table(LW), wagers, {1: TRIPS, 2: NOTHING, 3: "As Ks Qs"}, NINES)
    assert postings
    assert not [one for one in postings if one.source.startswith("player:") and one.target.startswith("player:")]


# --- dealing procedures ----------------------------------------------------------------------------------------------


@pytest.mark.clause("004 Dealing")
def test_it_must_be_dealt_from_a_shuffler_not_in_rotation() -> None:
    with pytest.raises(RuleError, match="is dealt as groups, not as rotation"):
        opened(new_table(LW), bet(1, ante=500), dealing="rotation")


@pytest.mark.clause("004 Dealing (1)")
def test_d1_wagers_follow_the_posted_limits() -> None:
    posted = {"house": {"limits": {"pair_plus": {"minimum": "$5", "maximum": "$50"}}}}
    opened(new_table(LW, **posted), bet(1, pair_plus=5000))
    with pytest.raises(WagerRefused, match="above the maximum"):
        opened(new_table(LW, **posted), bet(1, pair_plus=5001))


@pytest.mark.clause("004 Dealing (1)")
def test_d1_two_adjacent_positions_at_the_casinos_discretion() -> None:
    opened(new_table(LW), bet(3, "ann", ante=500), bet(4, "ann", ante=500))
    with pytest.raises(WagerRefused, match="must be neighbours"):
        opened(new_table(LW), bet(3, "ann", ante=500), bet(5, "ann", ante=500))
    single = new_table(LW, house={"spots_per_player": 1})
    with pytest.raises(WagerRefused, match="a player may have 1"):
        opened(single, bet(3, "ann", ante=500), bet(4, "ann", ante=500))


@pytest.mark.clause("004 Dealing (2)")
def test_d2_no_more_bets_and_those_without_pair_plus_are_known() -> None:
    table = new_table(LW)
    opened(table, *(bet(spot, ante=500, pair_plus=500 if spot in (1, 4) else 0) for spot in (1, 2, 3, 4, 5)))
    table.do(op.LockWagers())
    assert table.round is not None
    assert [spot for spot, held in table.round.spots.items() if "pair_plus" not in held.stakes] == [2, 3, 5]
    assert not table.can(op.PlaceWagers(wagers=bet(6, ante=500)))


@pytest.mark.clause("004 Dealing (3)")
def test_d3_from_the_dealers_left_to_right_and_the_dealers_cards_stay_unknown() -> None:
    table = new_table(LW)
    dealt(table, [bet(2, ante=500), bet(5, ante=500)], {2: PAIR, 5: NOTHING})
    assert table.round is not None
    dealing = [one for one in table.round.operations if isinstance(one, op.DealGroup)]
    assert [one.spot for one in dealing] == [2, 5, op.DEALER]
    assert table.round.dealer.cards == ()


@pytest.mark.clause("004 Dealing (4)")
def test_d4_play_equal_to_the_ante_or_fold() -> None:
    table = new_table(LW)
    dealt(table, [bet(1, ante=500)], {1: PAIR})
    assert [table.can(op.Play(spot=1, amount=amount)) for amount in (499, 500, 501)] == [False, True, False]
    assert table.can(op.Fold(spot=1))


@pytest.mark.clause("004 Dealing (5)")
def test_d5_forfeits_are_collected_when_all_have_decided() -> None:
    table = new_table(LW)
    dealt(table, [bet(1, ante=500), bet(2, ante=500)], {1: NOTHING, 2: PAIR})
    assert table.do(op.Fold(spot=1)).postings == ()
    assert not table.can(op.CollectFolds(spots=(1,), counted=(3,)))
    table.do(op.Play(spot=2, amount=500))
    assert net(table.do(op.CollectFolds(spots=(1,), counted=(3,))).postings, TRAY) == 500


@pytest.mark.clause("004 Dealing (6)")
@pytest.mark.parametrize(
    ("dealer", "call"),
    [
        ("3s Qd 5c", "Dealer plays with high card Q-5-3."),
        ("3s Jd 5c", "Dealer doesn't play: high card J-5-3."),
        ("2h Ad 3c", "Dealer plays with straight 3-2-A."),
    ],
)
def test_d6_the_dealer_announces_the_hand_from_the_highest_card(dealer: str, call: str) -> None:
    table = new_table(LW)
    revealed(table, [bet(1, ante=500)], {1: PAIR}, dealer)
    assert table.round is not None
    assert dealers_hand(table.round) == call


@pytest.mark.clause("004 Dealing (7)")
def test_d7_from_the_dealers_right_play_ante_bonus_ante_pair_plus() -> None:
    table = new_table(LW)
    revealed(table, [bet(spot, ante=500, pair_plus=500) for spot in (1, 2)], {1: STRAIGHT, 2: TRIPS}, NINES)
    order = [(one.spot, one.wager) for one in table.do(op.Settle()).postings if one.entry is EntryKind.WON]
    wagers = ["play", "ante_bonus", "ante", "pair_plus"]
    assert order == [(2, wager) for wager in wagers] + [(1, wager) for wager in wagers]


@pytest.mark.clause("004 Dealing (7)")
def test_d7_the_house_may_resolve_in_the_order_it_wishes() -> None:
    wished = ["six_card_bonus", "pair_plus", "ante", "ante_bonus", "play"]
    table = new_table(LW, settings={"settlement_order": wished, "settlement_start": "dealers-left"})
    revealed(table, [bet(spot, ante=500, pair_plus=500) for spot in (1, 2)], {1: STRAIGHT, 2: TRIPS}, NINES)
    order = [(one.spot, one.wager) for one in table.do(op.Settle()).postings if one.entry is EntryKind.WON]
    assert order == [(1, wager) for wager in wished[1:]] + [(2, wager) for wager in wished[1:]]


# --- irregularities and exceptions -----------------------------------------------------------------------------------


@pytest.mark.clause("004 Irregularities (1)")
def test_i1_a_wrong_number_of_cards_voids_all_hands_and_asks_for_a_new_shuffle() -> None:
    table = new_table(LW)
    dealt(table, [bet(1, ante=500), bet(2, ante=500)], {1: PAIR, 2: NOTHING})
    table.do(op.Play(spot=1, amount=500))
    table.do(op.Fold(spot=2))
    table.do(op.CollectFolds(spots=(2,), counted=(4,)))
    with pytest.raises(WrongPhase, match="has 4 cards instead of 3: declare it"):
        table.do(op.CollectFolds(spots=(2,), counted=(3,)))
    used = table.in_play().shuffle
    table.do(op.DeclareMisdeal(reason="four cards in the folded hand"))
    assert table.ledger.balance("player:p1") == table.ledger.balance("player:p2") == table.ledger.balance(TRAY) == 0
    assert not table.can(op.OpenRound(round_id="again", shuffle=used, dealer="dana"))
    assert table.can(op.OpenRound(round_id="again", shuffle="a new one", dealer="dana"))


@pytest.mark.clause("004 Exceptions")
def test_the_ante_can_be_mandatory() -> None:
    table = new_table(LW, house={"ante_mandatory": True})
    opened(table, bet(1, ante=500, pair_plus=500))
    with pytest.raises(WagerRefused, match="the ante is mandatory"):
        table.do(op.PlaceWagers(wagers=bet(2, pair_plus=500)))


@pytest.mark.clause("004 Exceptions", "004 6CB Limits", "004 GM Limits", "004 Nexus Limits")
def test_no_table_without_the_authorised_limit_and_no_wager_above_it() -> None:
    with pytest.raises(RuleError, match=r"needs house\.limit_ceiling"):
        Table(load(LW))
    table = new_table(LW, house={"limit_ceiling": "$50"}, progressive={"denomination": "$60"})
    opened(table, bet(1, ante=5000, pair_plus=5000, six_card_bonus=5000))
    for stakes in ({"ante": 5001}, {"pair_plus": 5001}, {"ante": 100, "six_card_bonus": 5001},
                   {"ante": 100, "progressive": 6000}):  # fmt: skip
        with pytest.raises(WagerRefused, match="above the ceiling"):
            table.do(op.PlaceWagers(wagers=bet(2, **stakes)))


# --- the paytable summary --------------------------------------------------------------------------------------------

ANTE_BONUS = {"A": (5, 4, 1), "B": (5, 3, 1), "C": (4, 3, 1)}
PAIR_PLUS = {"A": (40, 30, 6, 4, 1), "B": (40, 25, 6, 4, 1), "C": (40, 30, 5, 4, 1), "D": (40, 30, 6, 3, 1)}
SUMMARY = {
    "TCP-01": "AA", "TCP-02": "AB", "TCP-03": "BA", "TCP-04": "BB", "TCP-05": "CA", "TCP-06": "CB",
    "TCP-07": "AC", "TCP-08": "BC", "TCP-09": "CC", "TCP-10": "AD", "TCP-11": "BD", "TCP-12": "CD",
}  # fmt: skip


@pytest.mark.parametrize(
    ("designator", "letters"),
    [pytest.param(name, pair, marks=pytest.mark.clause(f"004 Summary {name}")) for name, pair in SUMMARY.items()],
)
def test_a_designator_names_its_two_paytables(designator: str, letters: str) -> None:
    ante_bonus, pair_plus = ANTE_BONUS[letters[0]], PAIR_PLUS[letters[1]]
    for at, own in enumerate((STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR)):
        table = new_table(LW, house={"designator": designator})
        postings = played(table, [bet(1, ante=100, pair_plus=100)], {1: own}, NINES)
        assert only(postings, EntryKind.WON, "pair_plus").amount == 100 * pair_plus[at]
        bonus = found(postings, EntryKind.WON, "ante_bonus")
        assert [one.amount for one in bonus] == ([100 * ante_bonus[at]] if at < 3 else [])


# --- 6 Card Bonus ----------------------------------------------------------------------------------------------------


@pytest.mark.clause("004 6CB (1)", "004 6CB (6)")
def test_6cb_1_optional_beside_the_standard_wagers() -> None:
    table = new_table(LW)
    opened(table, bet(1, ante=500), bet(2, pair_plus=500, six_card_bonus=500))
    with pytest.raises(WagerRefused, match="an ante or a pair plus wager comes first"):
        table.do(op.PlaceWagers(wagers=bet(3, six_card_bonus=500)))
    without = new_table(LW, house={"paytables": {"six_card_bonus": "none"}})
    with pytest.raises(WagerRefused, match="no six_card_bonus"):
        opened(without, bet(1, ante=500, six_card_bonus=500))


@pytest.mark.clause("004 6CB (2)")
def test_6cb_2_the_best_five_of_the_players_and_the_dealers_six() -> None:
    postings = played(new_table(LW), [bet(1, ante=500, six_card_bonus=100)], {1: "9c 9d 4h"}, "9s 9h 4d")
    assert only(postings, EntryKind.WON, "six_card_bonus").row == "four_of_a_kind 50 to 1"


@pytest.mark.clause("004 6CB (3)")
def test_6cb_3_a_folded_hand_is_still_eligible() -> None:
    postings = played(new_table(LW), [bet(1, ante=500, six_card_bonus=100)], {1: "9c 9d 4h"}, "9s Kh 2d", fold=[1])
    assert only(postings, EntryKind.WON, "six_card_bonus").amount == 500


@pytest.mark.clause("004 6CB (4)")
@pytest.mark.parametrize(
    ("own", "dealer", "pays"),
    [
        ("Ts Js Qs", "Ks As 2d", (1000, 1000, 1000, 1000)),
        ("4s 5s 6s", "7s 8s 2d", (200, 200, 200, 200)),
        ("9c 9d 9h", "9s 2d 5h", (50, 50, 100, 100)),
        ("9c 9d 9h", "2s 2d 5h", (25, 25, 20, 20)),
        ("2s 5s 9s", "Ks Js 3d", (20, 15, 15, 15)),
        ("2s 3d 4h", "5s 6d Qc", (10, 10, 9, 10)),
        ("9c 9d 4h", "9s 2d Qh", (5, 5, 8, 7)),
    ],
)
def test_6cb_4_paytables(own: str, dealer: str, pays: tuple[int, ...]) -> None:
    for column, odds in enumerate(pays, 1):
        table = new_table(LW, house={"paytables": {"six_card_bonus": f"TCP-6B{column}"}})
        postings = played(table, [bet(1, ante=500, six_card_bonus=100)], {1: own}, dealer)
        assert only(postings, EntryKind.WON, "six_card_bonus").amount == 100 * odds


@pytest.mark.clause("004 6CB (8)(a)")
@pytest.mark.parametrize(("dealer", "entry"), [("9s Kh 2d", EntryKind.RETURNED), ("Ks Th 2d", EntryKind.LOST)])
def test_6cb_8a_paid_or_taken(dealer: str, entry: EntryKind) -> None:
    table = new_table(LW)
    revealed(table, [bet(1, ante=500, six_card_bonus=100)], {1: "9c 9d 4h"}, dealer)
    key_all(table)
    assert only(table.do(op.Settle()).postings, entry, "six_card_bonus").amount == 100
