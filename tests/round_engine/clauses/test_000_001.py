"""South Dakota 20:18:16:15.02, current text (000) and 2015 text (001): paragraph by paragraph."""

from itertools import pairwise

import pytest

from round_engine.errors import MoveRefused, OutOfTurn, RoleRefused, WagerRefused, WrongPhase
from round_engine.hands import rank3
from round_engine.hands.cards import names
from round_engine.money.ledger import LAYOUT, TIPS, TRAY, EntryKind
from round_engine.round import operations as op
from round_engine.round.showdown import dealers_hand
from round_engine.rules.ruleset import Hand
from round_engine.table import Table, replay
from tests.round_engine.support import (
    AKQ_CLUBS,
    AKQ_HEARTS,
    AKQ_SPADES,
    DEALER_NAME,
    FLUSH,
    JACK_HIGH,
    NINES,
    NOTHING,
    PAIR,
    QUEEN_HIGH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    SUPERVISOR,
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
    triggering,
)

TEXTS = pytest.mark.parametrize("text", ["south-dakota", "south-dakota-2015"])
pytestmark = TEXTS


# --- (1) tables, decks, hands ----------------------------------------------------------------------------------------


@pytest.mark.clause("000 (1)", "001 (1)")
def test_1_a_card_of_the_single_deck_is_dealt_once(text: str) -> None:
    table = new_table(text)
    opened(table, bet(1, ante=500), bet(2, ante=500))
    table.do(op.LockWagers())
    table.do(op.DealGroup(spot=1, cards=hand("Ac Kd 7h")))
    assert not table.can(op.DealGroup(spot=2, cards=hand("Ac 2d 3h")))
    assert table.can(op.DealGroup(spot=2, cards=hand("As 2d 3h")))


@pytest.mark.clause("000 (1)", "001 (1)")
def test_1_a_player_may_play_two_hands_at_the_operators_discretion(text: str) -> None:
    opened(new_table(text), bet(1, "ann", ante=500), bet(4, "ann", ante=500))
    with pytest.raises(WagerRefused, match="a player may have 2"):
        opened(new_table(text), *(bet(spot, "ann", ante=500) for spot in (1, 2, 3)))
    with pytest.raises(WagerRefused, match="a player may have 1"):
        opened(new_table(text, house={"spots_per_player": 1}), bet(1, "ann", ante=500), bet(4, "ann", ante=500))


@pytest.mark.clause("000 (1)", "001 (1)")
def test_1_hands_rank_from_straight_flush_down_to_high_card(text: str) -> None:
    ladder = [STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR, NOTHING]
    ranks = [rank3(*hand(one)) for one in ladder]
    assert ranks == sorted(ranks, reverse=True)
    for higher, lower in pairwise(ladder):
        postings = played(new_table(text), [bet(1, ante=500)], {1: higher.replace("6c 6d 6s", "6c 6d 6h")}, lower)
        assert only(postings, EntryKind.WON, "ante").amount == 500


# --- (2) the wagers --------------------------------------------------------------------------------------------------


@pytest.mark.clause("000 (2)", "001 (2)")
@pytest.mark.parametrize("stakes", [{"ante": 500}, {"pair_plus": 500}, {"ante": 500, "pair_plus": 1000}])
def test_2_ante_or_pair_plus_or_both(text: str, stakes: dict[str, int]) -> None:
    opened(new_table(text), bet(1, **stakes))


@pytest.mark.clause("000 (2)", "001 (2)")
@pytest.mark.parametrize("stakes", [{}, {"six_card_bonus": 500}, {"progressive": 100}])
def test_2_at_least_one_initial_bet(text: str, stakes: dict[str, int]) -> None:
    with pytest.raises(WagerRefused, match="an ante or a pair plus wager comes first"):
        opened(new_table(text), bet(1, **stakes))


@pytest.mark.clause("000 (2)", "001 (2)")
def test_2_in_the_amount_specified_at_the_table(text: str) -> None:
    posted = {"house": {"limits": {"ante": {"minimum": "$5", "maximum": "$100"}}}}
    opened(new_table(text, **posted), bet(1, ante=500))
    for amount, problem in ((499, "below the minimum of \\$5"), (10_001, "above the maximum of \\$100")):
        with pytest.raises(WagerRefused, match=problem):
            opened(new_table(text, **posted), bet(1, ante=amount))


@pytest.mark.clause("000 (2)", "001 (2)")
def test_2_pair_plus_and_progressive_play_for_hand_value_the_ante_against_the_dealer(text: str) -> None:
    wagers = [bet(1, ante=500, pair_plus=500, progressive=100)]
    postings = played(new_table(text), wagers, {1: "5c 5d 5h"}, "8h 7h 6h")
    assert only(postings, EntryKind.LOST, "ante").amount == 500
    assert only(postings, EntryKind.WON, "pair_plus").amount == 15_000
    assert only(postings, EntryKind.AWARDED, "progressive").amount == 6_000


# --- (3) dealer tips -------------------------------------------------------------------------------------------------


@pytest.mark.clause("000 (3)", "001 (3)")
def test_3_a_tip_needs_the_players_own_wager_on_the_same_hand(text: str) -> None:
    opened(new_table(text), bet(1, ante=500, tip_ante=100))
    opened(new_table(text), bet(1, pair_plus=500, tip_pair_plus=100))
    for stakes in ({"pair_plus": 500, "tip_ante": 100}, {"ante": 500, "tip_pair_plus": 100}):
        with pytest.raises(WagerRefused, match="needs the player's own"):
            opened(new_table(text), bet(1, **stakes))


@pytest.mark.clause("000 (3)", "001 (3)")
@pytest.mark.parametrize("tip_play", [0, 100])
def test_3_a_tip_ante_stays_in_play_with_or_without_a_tip_on_play(text: str, tip_play: int) -> None:
    table = new_table(text)
    dealt(table, [bet(1, ante=500, tip_ante=100)], {1: PAIR})
    table.do(op.Play(spot=1, amount=500, tip=tip_play))
    table.do(op.RevealDealer(cards=hand(NINES)))
    table.do(op.Settle())
    assert table.ledger.balance(TIPS) == 200 + 2 * tip_play
    assert table.ledger.balance("player:p1") == 1000 - 100 - tip_play


@pytest.mark.clause("000 (3)", "001 (3)")
def test_3_a_tip_on_play_equals_the_tip_on_the_ante(text: str) -> None:
    table = new_table(text)
    dealt(table, [bet(1, ante=500, tip_ante=100), bet(2, ante=500)], {1: PAIR, 2: NOTHING})
    for tip in (50, 200):
        with pytest.raises(WagerRefused, match="a tip on play equals that on the ante"):
            table.do(op.Play(spot=1, amount=500, tip=tip))
    table.do(op.Play(spot=1, amount=500, tip=100))
    with pytest.raises(WagerRefused, match="a tip on play needs a tip on the ante"):
        table.do(op.Play(spot=2, amount=500, tip=100))


@pytest.mark.clause("000 (3)", "001 (3)")
def test_3_tips_are_paid_as_the_wager_and_folding_forfeits_them(text: str) -> None:
    tipped = bet(1, ante=500, pair_plus=500, tip_ante=100, tip_pair_plus=100)
    postings = played(new_table(text), [tipped], {1: STRAIGHT}, NINES)
    assert net(postings, TIPS) == (100 + 100) + 100 + (100 + 600)  # ante, its bonus, pair plus
    postings = played(new_table(text), [tipped], {1: PAIR}, NINES, fold=[1])
    assert net(postings, TIPS) == 0
    assert net(postings, "player:p1") == -1200


# --- (4) shuffle, lock, deal -----------------------------------------------------------------------------------------


@pytest.mark.clause("000 (4)", "001 (4)")
def test_4_every_round_needs_a_shuffle_of_its_own(text: str) -> None:
    table = new_table(text)
    played(table, [bet(1, ante=500)], {1: PAIR}, NINES)
    used = table.in_play()
    played(table, [bet(1, ante=500)], {1: PAIR}, NINES)
    with pytest.raises(MoveRefused, match="every round needs a shuffle of its own"):
        table.do(op.OpenRound(round_id="next", shuffle=used.shuffle, dealer=DEALER_NAME))
    with pytest.raises(MoveRefused, match="every round needs an id of its own"):
        table.do(op.OpenRound(round_id=used.round_id, shuffle="next", dealer=DEALER_NAME))


@pytest.mark.clause("000 (4)", "001 (4)")
def test_4_the_key_locks_the_wagers_lights_the_sensors_and_collects_the_progressive(text: str) -> None:
    table = new_table(text)
    opened(table, bet(1, ante=500, progressive=100), bet(2, ante=500), bet(3, pair_plus=500, progressive=100))
    assert table.jackpots["progressive"].keypad.mode == "open"
    postings = table.do(op.LockWagers()).postings
    assert table.jackpots["progressive"].keypad.lit == (1, 3)
    assert [one.spot for one in found(postings, EntryKind.COLLECTED)] == [1, 3]
    for late in (op.PlaceWagers(wagers=bet(4, ante=500)), op.WithdrawWagers(spot=2)):
        with pytest.raises(WrongPhase):
            table.do(late)


@pytest.mark.clause("000 (4)", "001 (4)")
def test_4_dealt_in_three_card_groups_from_the_dealers_left_the_dealer_last(text: str) -> None:
    table = new_table(text)
    opened(table, bet(6, ante=500), bet(2, ante=500))
    table.do(op.LockWagers())
    for spot in (6, op.DEALER):
        with pytest.raises(OutOfTurn, match="spot 2 gets the next cards"):
            table.do(op.DealGroup(spot=spot))
    for spot in (2, 6, op.DEALER):
        table.do(op.DealGroup(spot=spot))
    assert table.round is not None
    assert table.round.phase == "decisions"


@pytest.mark.clause("000 (4)", "001 (4)")
def test_4_dealt_one_at_a_time_in_rotation(text: str) -> None:
    table = new_table(text)
    opened(table, bet(2, ante=500), bet(6, ante=500), dealing="rotation")
    table.do(op.LockWagers())
    cards = iter(hand("Ac Kc Qc Ad Kd Qd Ah"))
    for _ in range(3):
        for spot in (2, 6, op.DEALER):
            if table.in_play().to_receive[-1] != 6 or len(table.in_play().to_receive) > 3:
                assert not table.can(op.DealCard(spot=8 - spot))
            table.do(op.DealCard(spot=spot, card=None if spot == op.DEALER else next(cards)))
    assert table.round is not None
    assert table.round.phase == "decisions"
    assert table.round.spots[2].cards == hand("Ac Qc Kd")
    assert table.round.spots[6].cards == hand("Kc Ad Qd")


# --- (5) misdeal and exposed card ------------------------------------------------------------------------------------


@pytest.mark.clause("000 (5)", "001 (5)")
@pytest.mark.parametrize("spot", [1, op.DEALER])
@pytest.mark.parametrize("count", [2, 4])
def test_5_a_wrong_number_of_cards_is_always_a_misdeal(text: str, spot: int, count: int) -> None:
    table = new_table(text)
    opened(table, bet(1, ante=500, progressive=100))
    meter = table.meters["progressive"]
    table.do(op.LockWagers())
    if spot == op.DEALER:
        table.do(op.DealGroup(spot=1, cards=hand(PAIR)))
    table.do(op.DealGroup(spot=spot, count=count))
    with pytest.raises(WrongPhase, match=f"the round is a misdeal, .* was dealt {count} cards instead of 3"):
        table.do(op.DealGroup(spot=spot, count=3))
    postings = table.do(op.DeclareMisdeal(reason="wrong count")).postings
    assert net(postings, "player:p1") == 600
    assert {one.entry for one in postings} == {EntryKind.VOID}
    assert table.meters["progressive"] == meter
    assert table.ledger.balance("player:p1") == table.ledger.balance(TRAY) == table.ledger.balance(LAYOUT) == 0


@pytest.mark.clause("000 (5)", "001 (5)")
def test_5_an_exposed_card_is_turned_over_and_the_deal_goes_on(text: str) -> None:
    table = new_table(text)
    opened(table, bet(1, ante=500), bet(2, ante=500))
    table.do(op.LockWagers())
    table.do(op.DealGroup(spot=1, cards=hand(PAIR)))
    table.do(op.ExposeCard(spot=1, card=hand(PAIR)[0]))
    table.do(op.DealGroup(spot=2, cards=hand(NOTHING)))
    assert table.round is not None
    assert table.round.phase == "dealing"
    assert table.round.exposed == [(1, hand(PAIR)[0])]


# --- (6) order -------------------------------------------------------------------------------------------------------


@pytest.mark.clause("000 (6)", "001 (6)")
def test_6_play_ante_bonus_ante_pair_plus_six_card_then_the_progressive_at_the_end(text: str) -> None:
    table = new_table(text)
    every = {"ante": 500, "pair_plus": 500, "six_card_bonus": 500, "progressive": 100}
    revealed(table, [bet(1, **every), bet(2, **every)], {1: STRAIGHT, 2: TRIPS}, NINES)
    key_all(table)
    postings = [one for one in table.do(op.Settle()).postings if one.entry is not EntryKind.RETURNED]
    spot = ["play", "ante_bonus", "ante", "pair_plus", "six_card_bonus"]
    assert [one.wager for one in postings] == [*spot, *spot, "progressive", "progressive"]
    assert [one.spot for one in postings] == [2] * 5 + [1] * 5 + [2, 1]


@pytest.mark.clause("000 (6)", "001 (6)")
def test_6_the_progressive_is_collected_before_the_cards_and_the_sensor_stays_lit(text: str) -> None:
    table = new_table(text)
    postings = revealed(table, [bet(1, ante=500, progressive=100)], {1: NOTHING}, NINES)
    assert found(postings, EntryKind.COLLECTED)
    assert table.jackpots["progressive"].keypad.lit == (1,)
    table.do(op.Settle())
    assert table.jackpots["progressive"].keypad.lit == (1,)
    table.do(op.CloseRound())
    assert table.jackpots["progressive"].keypad.lit == ()


# --- (7) the dealer qualifies ----------------------------------------------------------------------------------------


@pytest.mark.clause("000 (7)", "001 (7)")
@pytest.mark.parametrize(("dealer", "plays"), [("Qd 3c 2s", True), ("Jd Tc 8s", False), ("2d 2c 3s", True)])
def test_7_the_dealer_plays_with_queen_high_or_better(text: str, dealer: str, plays: bool) -> None:
    postings = played(new_table(text), [bet(1, ante=500)], {1: "Ac Kd Jh"}, dealer)
    play = found(postings, wager="play")
    assert (EntryKind.PUSHED in {one.entry for one in play}) is not plays


@pytest.mark.clause("000 (7)", "001 (7)")
def test_7_without_a_dealer_antes_win_and_plays_push_whatever_the_hand(text: str) -> None:
    postings = played(new_table(text), [bet(1, ante=500)], {1: "9h 7d 2c"}, JACK_HIGH)
    assert only(postings, EntryKind.WON, "ante").amount == 500
    assert only(postings, EntryKind.PUSHED, "play").amount == 500
    assert net(postings, "player:p1") == 500


# --- (8) folding -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("000 (8)", "001 (8)")
def test_8_a_fold_forfeits_ante_and_pair_plus_and_the_six_card_bonus_stays(text: str) -> None:
    wagers = [bet(1, ante=500, pair_plus=500, six_card_bonus=500)]
    postings = played(new_table(text), wagers, {1: PAIR}, "Kh Ks 9c", fold=[1])
    assert {one.wager for one in found(postings, EntryKind.FORFEITED)} == {"ante", "pair_plus"}
    assert only(postings, EntryKind.WON, "six_card_bonus").amount == 25_000
    assert not found(postings, EntryKind.WON, "pair_plus")


@pytest.mark.clause("000 (8)", "001 (8)")
def test_8_pair_plus_alone_without_a_pair_must_fold(text: str) -> None:
    table = new_table(text)
    dealt(table, [bet(1, pair_plus=500), bet(2, pair_plus=500)], {1: NOTHING, 2: PAIR})
    assert table.round is not None
    assert table.round.undecided == [1]
    with pytest.raises(WagerRefused, match="it must fold"):
        table.do(op.Play(spot=1, amount=0))
    table.do(op.Fold(spot=1))
    assert only(table.do(op.CollectFolds(spots=(1,), counted=(3,))).postings, EntryKind.FORFEITED, "pair_plus")


@pytest.mark.clause("000 (8)", "001 (8)")
def test_8_taken_literally_every_pair_plus_bettor_without_a_pair_must_fold(text: str) -> None:
    both = [bet(1, ante=500, pair_plus=500)]
    table = new_table(text)
    dealt(table, both, {1: NOTHING})
    assert table.can(op.Play(spot=1, amount=500))
    table = new_table(text, settings={"forced_fold": "every-pair-plus"})
    dealt(table, both, {1: NOTHING})
    assert not table.can(op.Play(spot=1, amount=500))
    assert table.can(op.Fold(spot=1))


@pytest.mark.clause("000 (8)", "001 (8)")
def test_8_bets_are_collected_in_the_order_of_folding_and_the_cards_counted(text: str) -> None:
    table = new_table(text, settings={"decision_order": "any"})
    dealt(table, [bet(spot, ante=500) for spot in (1, 2, 3)], {1: NOTHING, 2: "2c 4h 8s", 3: "3d 5h 9s"})
    for move in (op.Fold(spot=3), op.Play(spot=2, amount=500), op.Fold(spot=1)):
        table.do(move)
    with pytest.raises(OutOfTurn, match="are collected before the reveal"):
        table.do(op.RevealDealer(cards=hand(NINES)))
    with pytest.raises(OutOfTurn, match="in the order of folding"):
        table.do(op.CollectFolds(spots=(1, 3), counted=(3, 3)))
    short = replay(table.rules, table.in_play().operations, staff=table.staff)
    short.do(op.CollectFolds(spots=(3, 1), counted=(3, 2)))
    with pytest.raises(WrongPhase, match="the folded hand of spot 1 has 2 cards instead of 3"):
        short.do(op.CollectFolds(spots=(3, 1), counted=(3, 3)))
    assert [one.spot for one in table.do(op.CollectFolds(spots=(3, 1), counted=(3, 3))).postings] == [3, 1]


@pytest.mark.clause("000 (8)", "001 (8)")
def test_8_a_player_may_ask_to_view_the_folded_hands(text: str) -> None:
    table = new_table(text)
    dealt(table, [bet(1, ante=500)], {1: NOTHING})
    table.do(op.Fold(spot=1))
    assert table.round is not None
    table.do(op.CollectFolds(spots=(1,), counted=(3,)))
    assert table.round.folds == [1]
    assert names(table.round.spots[1].cards) == "A♣ J♥ 7♦"


# --- (9) play --------------------------------------------------------------------------------------------------------


@pytest.mark.clause("000 (9)", "001 (9)")
def test_9_the_play_wager_equals_the_ante(text: str) -> None:
    table = new_table(text)
    dealt(table, [bet(1, ante=500)], {1: PAIR})
    for amount in (0, 499, 501, 1000):
        with pytest.raises(WagerRefused, match="play equals the ante of \\$5"):
            table.do(op.Play(spot=1, amount=amount))
    assert only(table.do(op.Play(spot=1, amount=500)).postings, EntryKind.PLACED, "play").amount == 500


# --- (10) the showdown -----------------------------------------------------------------------------------------------


@pytest.mark.clause("000 (10)", "001 (10)")
def test_10_the_dealer_exposes_after_all_have_acted(text: str) -> None:
    table = new_table(text)
    dealt(table, [bet(1, ante=500), bet(2, ante=500)], {1: PAIR, 2: NOTHING})
    table.do(op.Play(spot=1, amount=500))
    with pytest.raises(WrongPhase, match="the round is in decisions"):
        table.do(op.RevealDealer(cards=hand(NINES)))
    table.do(op.Play(spot=2, amount=500))
    table.do(op.RevealDealer(cards=hand("4h 9c 9d")))
    assert table.round is not None
    assert dealers_hand(table.round) == "Dealer plays with pair 9-9-4."


@pytest.mark.clause("000 (10)(a)", "001 (10)(a)")
def test_10a_without_a_qualifying_hand(text: str) -> None:
    wagers = [bet(1, ante=500, pair_plus=500, six_card_bonus=500)]
    postings = played(new_table(text), wagers, {1: STRAIGHT}, "Jd 8c 2s")
    assert only(postings, EntryKind.PUSHED, "play").amount == 500
    assert only(postings, EntryKind.WON, "ante_bonus").amount == 500
    assert only(postings, EntryKind.WON, "ante").amount == 500
    assert only(postings, EntryKind.WON, "pair_plus").amount == 3000
    assert only(postings, EntryKind.LOST, "six_card_bonus").amount == 500


@pytest.mark.clause("000 (10)(b)", "001 (10)(b)")
def test_10b_with_a_qualifying_hand(text: str) -> None:
    wagers = [bet(1, ante=500, pair_plus=500, six_card_bonus=500)]
    postings = played(new_table(text), wagers, {1: "7d 6c 5h"}, "Td 9c 8s")
    assert only(postings, EntryKind.LOST, "play").amount == 500
    assert only(postings, EntryKind.WON, "ante_bonus").amount == 500
    assert only(postings, EntryKind.LOST, "ante").amount == 500
    assert only(postings, EntryKind.WON, "pair_plus").amount == 3000
    assert only(postings, EntryKind.WON, "six_card_bonus").amount == 5000


# --- (11), (12) ties, wins, losses -----------------------------------------------------------------------------------


@pytest.mark.clause("000 (11)", "001 (11)")
@pytest.mark.parametrize(("third", "result"), [("4h", EntryKind.WON), ("3h", EntryKind.PUSHED), ("2h", EntryKind.LOST)])
def test_11_the_third_card_decides_when_two_tie(text: str, third: str, result: EntryKind) -> None:
    postings = played(new_table(text), [bet(1, ante=500)], {1: f"Kc 9d {third}"}, "Ks 9c 3d")
    for wager in ("play", "ante"):
        assert found(postings, result, wager)


@pytest.mark.clause("000 (11)", "001 (11)")
def test_11_a_tie_pushes_play_and_ante_and_still_pays_bonus_and_pair_plus(text: str) -> None:
    postings = played(new_table(text), [bet(1, ante=500, pair_plus=500)], {1: "5d 4c 3h"}, "5h 4s 3d")
    assert only(postings, EntryKind.PUSHED, "play").amount == 500
    assert only(postings, EntryKind.PUSHED, "ante").amount == 500
    assert only(postings, EntryKind.WON, "ante_bonus").amount == 500
    assert only(postings, EntryKind.WON, "pair_plus").amount == 3000


@pytest.mark.clause("000 (12)", "001 (12)")
@pytest.mark.parametrize(("own", "gain"), [(PAIR, 1000), ("8c 8d Ah", -1000), ("9h 9s 4d", 0)])
def test_12_ante_and_play_are_won_lost_or_pushed_together(text: str, own: str, gain: int) -> None:
    assert net(played(new_table(text), [bet(1, ante=500)], {1: own}, NINES), "player:p1") == gain


# --- (13), (14), (15) paytables --------------------------------------------------------------------------------------


@pytest.mark.clause("000 (13)", "001 (13)")
def test_13_the_bonus_is_paid_when_the_hand_loses_but_not_on_a_folded_one(text: str) -> None:
    beaten = {1: "7d 6c 5h"}
    postings = played(new_table(text), [bet(1, ante=500)], beaten, "Td 9c 8s")
    assert only(postings, EntryKind.WON, "ante_bonus").amount == 500
    assert not found(played(new_table(text), [bet(1, ante=500)], beaten, "Td 9c 8s", fold=[1]), EntryKind.WON)
    paid = new_table(text, settings={"alive_after_fold": {"ante_bonus": True}})
    assert found(played(paid, [bet(1, ante=500)], beaten, "Td 9c 8s", fold=[1]), EntryKind.WON, "ante_bonus")


@pytest.mark.parametrize(
    ("own", "pays", "letter"),
    [
        pytest.param(STRAIGHT_FLUSH, 5, "a", marks=pytest.mark.clause("000 (13)(a)", "001 (13)(a)")),
        pytest.param(TRIPS, 4, "b", marks=pytest.mark.clause("000 (13)(b)", "001 (13)(b)")),
        pytest.param(STRAIGHT, 1, "c", marks=pytest.mark.clause("000 (13)(c)", "001 (13)(c)")),
    ],
)
def test_13_ante_bonus_pays(text: str, own: str, pays: int, letter: str) -> None:
    bonus = only(played(new_table(text), [bet(1, ante=500)], {1: own}, NINES), EntryKind.WON, "ante_bonus")
    assert bonus.amount == 500 * pays
    assert bonus.clause.endswith(f"(13)({letter})")


@pytest.mark.clause("000 (14)", "001 (14)")
@pytest.mark.parametrize("dealer", [NINES, JACK_HIGH, "Kh Qc Js"])
def test_14_pair_plus_wins_with_a_pair_or_better_regardless_of_the_dealer(text: str, dealer: str) -> None:
    postings = played(new_table(text), [bet(1, pair_plus=500)], {1: "3c 3d 2s"}, dealer)
    assert net(postings, "player:p1") == 500
    assert net(played(new_table(text), [bet(1, pair_plus=500)], {1: NOTHING}, dealer), "player:p1") == -500


PAIR_PLUS_1 = [(STRAIGHT_FLUSH, 40, "a"), (TRIPS, 30, "b"), (STRAIGHT, 6, "c"), (FLUSH, 4, "d"), (PAIR, 1, "e")]


@pytest.mark.parametrize(
    ("own", "pays"),
    [
        pytest.param(own, pays, marks=pytest.mark.clause("000 (14)", f"001 (14)({letter})"))
        for own, pays, letter in PAIR_PLUS_1
    ],
)
def test_14_pair_plus_pays_by_paytable_1(text: str, own: str, pays: int) -> None:
    postings = played(new_table(text), [bet(1, pair_plus=500)], {1: own}, NINES)
    assert net(postings, "player:p1") == 500 * pays


@pytest.mark.clause("000 (14)", "001 (14)")
def test_14_the_current_text_has_a_second_paytable_and_the_2015_text_has_not(text: str) -> None:
    tables = new_table(text).rules.paytables["pair_plus"]
    assert list(tables) == (["A", "D"] if text == "south-dakota" else ["A"])
    if text == "south-dakota":
        second = new_table(text, house={"paytables": {"pair_plus": "D"}})
        assert net(played(second, [bet(1, pair_plus=500)], {1: FLUSH}, NINES), "player:p1") == 1500


SIX_CARDS = [
    ("royal_flush", "Ts Js Qs", "Ks As 2d", (1000, 1000, 1000, 1000)),
    ("straight_flush", "4s 5s 6s", "7s 8s 2d", (200, 200, 200, 200)),
    ("four_of_a_kind", "9c 9d 9h", "9s 2d 5h", (50, 50, 100, 100)),
    ("full_house", "9c 9d 9h", "2s 2d 5h", (25, 25, 20, 20)),
    ("flush", "2s 5s 9s", "Ks Js 3d", (20, 15, 15, 15)),
    ("straight", "2s 3d 4h", "5s 6d Qc", (10, 10, 9, 10)),
    ("three_of_a_kind", "9c 9d 4h", "9s 2d Qh", (5, 5, 8, 7)),
    ("two_pair", "9c 9d 4h", "4s 2d Qh", (-1, -1, -1, -1)),
]


@pytest.mark.clause("000 (15)", "001 (15)")
@pytest.mark.parametrize(("best", "own", "dealer", "pays"), SIX_CARDS)
@pytest.mark.parametrize("column", range(4))
def test_15_six_card_bonus_pays_the_best_five_of_six(
    text: str, column: int, best: str, own: str, dealer: str, pays: tuple[int, ...]
) -> None:
    table = new_table(text, house={"paytables": {"six_card_bonus": f"TCP-6B{column + 1}"}})
    postings = played(table, [bet(1, ante=500, six_card_bonus=100)], {1: own}, dealer)
    postings = found(postings, wager="six_card_bonus")
    assert net(postings, "player:p1") == 100 * pays[column]
    assert postings[1].row.startswith(best if pays[column] > 0 else "nothing")


# --- (16) the progressive --------------------------------------------------------------------------------------------

PROGRESSIVE = [
    (AKQ_SPADES, ("100%", "100%")),
    (AKQ_CLUBS, (500, 500)),
    (AKQ_HEARTS, (500, 500)),
    ("Ad Kd Qd", (500, 500)),
    (STRAIGHT_FLUSH, (70, 100)),
    (TRIPS, (60, 90)),
    (STRAIGHT, (6, 0)),
    (FLUSH, (0, 0)),
    (PAIR, (0, 0)),
]


@pytest.mark.clause("000 (16)", "001 (16)")
@pytest.mark.parametrize(("own", "pays"), PROGRESSIVE)
@pytest.mark.parametrize("column", [0, 1])
def test_16_progressive_pays_and_the_wager_is_not_returned(
    text: str, column: int, own: str, pays: tuple[object, ...]
) -> None:
    table = new_table(text, house={"paytables": {"progressive": str(column + 1)}})
    postings = found(played(table, [bet(1, ante=500, progressive=100)], {1: own}, NINES), wager="progressive")
    share = (14, 20)[column]
    expected = 100_000 + share if pays[column] == "100%" else 100 * int(str(pays[column]))
    assert net(postings, "player:p1") == expected - 100


@pytest.mark.clause("000 (16)", "001 (16)")
def test_16_seeded_and_reseeded_at_1000_dollars(text: str) -> None:
    table = new_table(text)
    assert table.meters["progressive"].amount == 100_000
    played(table, [bet(1, ante=500, progressive=100)], {1: AKQ_SPADES}, NINES)
    assert table.meters["progressive"].amount == 100_000
    five = new_table(text, progressive={"denomination": "$5"})
    assert five.meters["progressive"].amount == 100_000


@pytest.mark.clause("000 (16)(a)(i)", "001 (16)(a)(i)")
def test_16a_i_percentage_pays_come_from_the_meter(text: str) -> None:
    table = new_table(text)
    postings = played(table, [bet(1, ante=500, progressive=100)], {1: AKQ_SPADES}, NINES)
    recorded = only(postings, EntryKind.RECORDED, "progressive")
    assert (recorded.amount, recorded.source) == (100_014, "meter:progressive")
    assert only(postings, EntryKind.AWARDED, "progressive").amount == 100_014


@pytest.mark.clause("000 (16)(a)(ii)", "001 (16)(a)(ii)")
def test_16a_ii_other_hands_are_paid_from_the_tray_and_leave_the_meter_alone(text: str) -> None:
    table = new_table(text)
    postings = played(table, [bet(1, ante=500, progressive=100)], {1: AKQ_HEARTS}, NINES)
    assert only(postings, EntryKind.AWARDED, "progressive").source == TRAY
    assert table.meters["progressive"].amount == 100_014


@pytest.mark.clause("000 (16)(a)(iii)", "001 (16)(a)(iii)")
def test_16a_iii_the_hand_button_again_turns_it_off_and_a_supervisor_is_needed(text: str) -> None:
    table = new_table(text)
    revealed(table, [bet(1, ante=500, progressive=100)], {1: TRIPS}, NINES)
    press = op.PressKey(wager="progressive", key="HAND", by=DEALER_NAME, hand=Hand.STRAIGHT)
    table.do(press)
    assert table.jackpots["progressive"].keypad.hand is Hand.STRAIGHT
    table.do(press)
    assert table.jackpots["progressive"].keypad.hand is None
    table.do(op.PressKey(wager="progressive", key="HAND", by=DEALER_NAME, hand=Hand.THREE_OF_A_KIND))
    with pytest.raises(RoleRefused, match="KEY TO JPH is for the supervisor"):
        table.do(op.PressKey(wager="progressive", key="KEY TO JPH", by=DEALER_NAME))
    table.do(op.PressKey(wager="progressive", key="KEY TO JPH", by=SUPERVISOR))


@pytest.mark.clause("000 (16)(a)(iv)", "001 (16)(a)(iv)")
@pytest.mark.parametrize(("order", "first"), [("dealers-right", 5), ("dealers-left", 2)])
def test_16a_iv_several_meter_wins_follow_the_houses_order(text: str, order: str, first: int) -> None:
    quarter = {"akq_suited": {"pays": "25% of meter"}}
    table = new_table(
        text, progressive={"meter_win_order": order}, paytables={"progressive": {"1": quarter}}
    )
    lit = {"ante": 500, "progressive": 100}
    postings = revealed(table, [bet(2, **lit), bet(5, **lit)], {2: AKQ_HEARTS, 5: AKQ_SPADES}, NINES)
    postings += key_all(table)
    recorded = found(postings, EntryKind.RECORDED)
    assert [one.spot for one in recorded] == [first, 7 - first]
    whole, quarter = 100_028, 100_028 // 4
    assert [one.amount for one in recorded] == ([whole, 25_000] if first == 5 else [quarter, whole - quarter])


@pytest.mark.clause("000 (16)(a)(v)", "001 (16)(a)(v)")
def test_16a_v_a_full_award_resets_the_meter_to_the_seed_plus_the_reserve(text: str) -> None:
    table = new_table(text, progressive={"reserve": "2%"})
    played(table, [bet(1, ante=500, progressive=100)], {1: NOTHING}, NINES)
    assert table.meters["progressive"].reserve == 2
    played(table, [bet(1, ante=500, progressive=100)], {1: AKQ_SPADES}, NINES)
    assert (table.meters["progressive"].amount, table.meters["progressive"].reserve) == (100_004, 0)


@pytest.mark.clause("000 (16)(a)(v)", "001 (16)(a)(v)")
def test_16a_v_every_winner_is_keyed_and_awards_go_counter_clockwise(text: str) -> None:
    table = new_table(text)
    lit = {"ante": 500, "progressive": 100}
    revealed(table, [bet(1, **lit), bet(4, **lit)], {1: STRAIGHT, 4: TRIPS}, NINES)
    assert [due.spot for due in table.dues()] == [4, 1]
    with pytest.raises(MoveRefused, match="at the progressive keypad: spot 4 with three_of_a_kind, spot 1"):
        table.do(op.Settle())
    key_all(table)
    table.do(op.Settle())


@pytest.mark.clause("000 (16)(a)(vi)", "001 (16)(a)(vi)")
def test_16a_vi_the_end_key_resets_the_system_for_the_next_hand(text: str) -> None:
    table = new_table(text)
    revealed(table, [bet(1, ante=500, progressive=100)], {1: NOTHING}, NINES)
    with pytest.raises(WrongPhase, match="the round is not settled"):
        table.do(op.CloseRound())
    table.do(op.Settle())
    table.do(op.CloseRound())
    assert table.jackpots["progressive"].keypad.mode == "open"
    assert table.round is not None
    assert isinstance(table.round.operations[-1], op.CloseRound)
    opened(table, bet(1, ante=500))


def envies(table: Table, wagers: list[object], hands: dict[int, str], dealer: str = NINES) -> dict[int, int]:
    postings = played(table, wagers, hands, dealer)  # type: ignore[arg-type]
    paid: dict[int, int] = {}
    for one in found(postings, EntryKind.ENVY):
        paid[one.spot] = paid.get(one.spot, 0) + one.amount
    return paid


@pytest.mark.clause("000 (16)(b)", "001 (16)(b)")
def test_16b_every_other_player_with_the_wager_is_paid_envy(text: str) -> None:
    lit = {"ante": 500, "progressive": 100}
    wagers = [bet(1, **lit), bet(2, **lit), bet(3, ante=500), bet(4, **lit)]
    hands = {1: NOTHING, 2: AKQ_SPADES, 3: "2c 5d 9h", 4: "3c 8d Th"}
    assert envies(new_table(text), wagers, hands) == {1: 10_000, 4: 10_000}
    assert envies(new_table(text), wagers, {**hands, 2: AKQ_HEARTS}) == {1: 2_500, 4: 2_500}


@pytest.mark.clause("000 (16)(b)", "001 (16)(b)")
def test_16b_no_envy_without_the_triggering_hands_wager_nor_from_the_dealer(text: str) -> None:
    lit = {"ante": 500, "progressive": 100}
    unlit = [bet(1, **lit), bet(2, ante=500)]
    assert envies(new_table(text), unlit, {1: NOTHING, 2: AKQ_SPADES}) == {}
    assert envies(new_table(text), [bet(1, **lit), bet(2, **lit)], {1: NOTHING, 2: PAIR}, "As Ks Qs") == {}


@pytest.mark.clause("000 (16)(b)", "001 (16)(b)")
def test_16b_no_envy_from_yourself_at_a_second_spot(text: str) -> None:
    lit = {"ante": 500, "progressive": 100}
    wagers = [bet(1, "ann", **lit), bet(2, "ann", **lit), bet(3, "bob", **lit)]
    hands = {1: AKQ_SPADES, 2: NOTHING, 3: "2c 5d 9h"}
    assert envies(new_table(text), wagers, hands) == {3: 10_000}
    own = new_table(text, progressive={"envy_own_other_spot": True})
    assert envies(own, wagers, hands) == {2: 10_000, 3: 10_000}


@pytest.mark.clause("000 (16)(b)", "001 (16)(b)")
def test_16b_several_triggering_hands_pay_several_envies_at_the_end_of_the_round(text: str) -> None:
    lit = {"ante": 500, "progressive": 100}
    wagers = [bet(1, **lit), bet(2, **lit), bet(3, **lit)]
    hands = {1: AKQ_SPADES, 2: AKQ_HEARTS, 3: "2c 5d 9h"}
    assert envies(new_table(text), wagers, hands) == {1: 2_500, 2: 10_000, 3: 12_500}
    table = new_table(text)
    revealed(table, wagers, hands, NINES)
    assert triggering(table, "progressive") == [1, 2]
    key_all(table)
    assert [one.entry for one in table.do(op.Settle()).postings][-4:] == [EntryKind.ENVY] * 4


@pytest.mark.clause("000 (7)", "001 (7)")
def test_7_a_queen_high_dealer_loses_to_a_better_queen(text: str) -> None:
    assert net(played(new_table(text), [bet(1, ante=500)], {1: "Qc 6h 4d"}, QUEEN_HIGH), "player:p1") == 1000
