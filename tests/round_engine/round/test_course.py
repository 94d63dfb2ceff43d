"""The round's phases: every operation in every phase is either done or refused, and a refusal changes nothing."""

from itertools import product
from typing import Any

import pytest

from round_engine.errors import CardError, OutOfTurn, RoundEngineError, WagerRefused, WrongCardCount, WrongPhase
from round_engine.round import operations as op
from round_engine.round.course import MOVES, Phase, Round, open_round
from round_engine.round.decisions import options
from round_engine.rules.rulebook import load
from round_engine.wagers.paybook import PayBook
from tests.round_engine.support import NINES, NOTHING, PAIR, STRAIGHT, bet, hand

RULES = load("south-dakota", changes={"house": {"paytables": {"progressive": "none"}}})
BOOK = PayBook(RULES)

A_ROUND: list[op.Operation] = [
    op.PlaceWagers(wagers=bet(2, ante=500, pair_plus=500)),
    op.LockWagers(),
    op.DealGroup(spot=1, cards=hand(PAIR)),
    op.DealGroup(spot=2, cards=hand(NOTHING)),
    op.DealGroup(spot=0),
    op.Play(spot=1, amount=500),  # type: ignore[arg-type]
    op.Fold(spot=2),
    op.CollectFolds(spots=(2,), counted=(3,)),
    op.RevealDealer(cards=hand(NINES)),
    op.Settle(),
    op.CloseRound(),
]
PHASES = ["betting", "betting", "locked", "dealing", "dealing", "decisions", "decisions", "reveal", "reveal",
          "settlement", "settlement", "closed"]  # fmt: skip


def opening(**more: Any) -> op.OpenRound:
    return op.OpenRound(round_id="r", shuffle="s", dealer="dana", wagers=(bet(1, ante=500),), **more)


def played_to(step: int) -> Round:
    state = open_round(BOOK, opening())
    for operation in A_ROUND[:step]:
        state.do(operation)
    return state


def test_a_round_goes_through_its_phases() -> None:
    assert [played_to(step).phase for step in range(len(A_ROUND) + 1)] == PHASES


def test_a_round_replayed_from_its_operations_is_equal() -> None:
    state = played_to(len(A_ROUND))
    again = open_round(BOOK, state.operations[0])  # type: ignore[arg-type]
    for operation in state.operations[1:]:
        assert again != state
        again.do(operation)
    assert again == state


@pytest.mark.parametrize(("step", "kind"), list(product(range(len(A_ROUND) + 1), range(len(A_ROUND)))))
def test_an_operation_at_the_wrong_time_is_refused_and_changes_nothing(step: int, kind: int) -> None:
    state, operation = played_to(step), A_ROUND[kind]
    before = repr(state)
    if state.phase in MOVES[type(operation)].phases and state.can(operation):
        assert state.do(operation) is not None
        assert repr(state) != before
    else:
        with pytest.raises(RoundEngineError):
            state.do(operation)
        assert repr(state) == before


@pytest.mark.parametrize("step", range(len(A_ROUND)))
def test_a_misdeal_from_any_point_gives_everything_back(step: int) -> None:
    state = played_to(step)
    state.do(op.DeclareMisdeal(reason="any"))
    assert state.phase is Phase.VOID
    balances: dict[str, int] = {}
    for one in state.postings:
        balances[one.source] = balances.get(one.source, 0) - one.amount
        balances[one.target] = balances.get(one.target, 0) + one.amount
    assert set(balances.values()) <= {0}


def test_a_closed_round_is_no_misdeal_any_more_and_neither_is_a_void_one() -> None:
    with pytest.raises(WrongPhase, match="the round is in closed"):
        played_to(len(A_ROUND)).do(op.DeclareMisdeal(reason="late"))
    void = played_to(3)
    void.do(op.DeclareMisdeal(reason="one"))
    with pytest.raises(WrongPhase, match="the round is in void"):
        void.do(op.DeclareMisdeal(reason="two"))


def test_a_misdeal_needs_a_reason() -> None:
    with pytest.raises(WrongPhase, match="needs its reason"):
        played_to(3).do(op.DeclareMisdeal(reason=""))


def test_an_operation_that_is_not_the_rounds() -> None:
    with pytest.raises(WrongPhase, match="PressKey is not a move of a round"):
        played_to(3).do(op.PressKey(wager="progressive", key="J-POT", by="sam"))


@pytest.mark.parametrize("missing", ["round_id", "shuffle", "dealer"])
def test_an_opening_without_a_name(missing: str) -> None:
    names = {"round_id": "r", "shuffle": "s", "dealer": "d"} | {missing: ""}
    with pytest.raises(RoundEngineError, match="a round needs the name of its"):
        open_round(BOOK, op.OpenRound(**names))  # type: ignore[arg-type]


# --- cards -----------------------------------------------------------------------------------------------------------


def refused(state: Round, operation: op.Operation, error: type[Exception], says: str) -> None:
    before = repr(state)
    with pytest.raises(error, match=says):
        state.do(operation)
    assert repr(state) == before


def misdealt(state: Round, operation: op.Operation, says: str) -> None:
    """The operation is on the record, a second try is refused, and the misdeal is all that is left."""
    assert state.do(operation) == []
    assert (state.phase, state.miscount, state.operations[-1]) == ("misdealt", says, operation)
    for again in (*A_ROUND, op.DealGroup(spot=2, cards=hand(NOTHING)), op.ExposeCard(spot=1)):
        refused(state, again, WrongPhase, "the round is a misdeal|is for")
    state.do(op.DeclareMisdeal(reason="wrong count"))
    assert state.phase == "void"


def test_duplicate_cards() -> None:
    state = played_to(3)
    refused(state, op.DealGroup(spot=2, cards=hand("Ac Kc 2d")), CardError, "K♣ has already been dealt")
    refused(state, op.DealGroup(spot=2, cards=(5, 6, 5)), CardError, "7♣ has already been dealt")


def test_faces_that_are_no_cards() -> None:
    for faces in ((52, 1, 2), (-1, 1, 2), (1.0, 2, 3), (True, 2, 3)):
        refused(played_to(3), op.DealGroup(spot=2, cards=faces), CardError, "is not a card")  # type: ignore[arg-type]


@pytest.mark.parametrize("cards", [(), (1,), (1, 3), (1, 3, 5, 7)])
def test_wrong_counts_with_faces(cards: tuple[int, ...]) -> None:
    misdealt(played_to(3), op.DealGroup(spot=2, cards=cards), f"spot 2 was dealt {len(cards)} cards instead of 3")


@pytest.mark.parametrize("count", [0, 2, 4])
def test_wrong_counts_without_faces(count: int) -> None:
    misdealt(played_to(4), op.DealGroup(spot=0, count=count), f"the dealer was dealt {count} cards instead of 3")


@pytest.mark.parametrize("step", [4, 5, 6, 7, 8])
def test_a_second_group_is_six_cards_however_late_it_comes(step: int) -> None:
    misdealt(played_to(step), op.DealGroup(spot=1), "spot 1 was dealt 6 cards instead of 3")


def test_a_fourth_card_in_rotation() -> None:
    turning = open_round(BOOK, opening(dealing="rotation"))
    turning.do(op.LockWagers())
    for card in range(6):
        turning.do(op.DealCard(spot=1 if card % 2 == 0 else 0, card=card * 3))
    misdealt(turning, op.DealCard(spot=1), "spot 1 was dealt 4 cards instead of 3")


def test_cards_to_a_spot_without_wagers_or_out_of_turn() -> None:
    refused(played_to(2), op.DealGroup(spot=5), OutOfTurn, "there is no wager on spot 5")
    refused(played_to(2), op.DealGroup(spot=2), OutOfTurn, "spot 1 gets the next cards, not spot 2")
    refused(played_to(2), op.DealGroup(spot=0), OutOfTurn, "spot 1 gets the next cards, not the dealer")


def test_single_cards_where_groups_are_dealt_and_the_other_way_round() -> None:
    refused(played_to(2), op.DealCard(spot=1), WrongPhase, "is dealt as groups, not as rotation")
    turning = open_round(BOOK, opening(dealing="rotation"))
    turning.do(op.LockWagers())
    refused(turning, op.DealGroup(spot=1), WrongPhase, "is dealt as rotation, not as groups")


def test_duplicate_cards_and_faces_that_are_none_in_rotation() -> None:
    turning = open_round(BOOK, opening(dealing="rotation"))
    turning.do(op.LockWagers())
    turning.do(op.DealCard(spot=1, card=7))
    refused(turning, op.DealCard(spot=0, card=7), CardError, "9♣ has already been dealt")
    refused(turning, op.DealCard(spot=0, card=52), CardError, "is not a card")
    refused(turning, op.DealCard(spot=1, card=8), OutOfTurn, "the dealer gets the next cards, not spot 1")


def test_cards_of_another_shuffle() -> None:
    refused(played_to(3), op.DealGroup(spot=2, shuffle="other"), CardError, "the cards are of shuffle 'other'")
    assert played_to(3).can(op.DealGroup(spot=2, shuffle="s"))


def test_the_dealer_shows_other_cards_than_were_dealt() -> None:
    state = played_to(4)
    state.do(op.DealGroup(spot=0, cards=hand(NINES)))
    state.do(op.Play(spot=1, amount=500))  # type: ignore[arg-type]
    state.do(op.Play(spot=2, amount=500))  # type: ignore[arg-type]
    refused(state, op.RevealDealer(cards=hand("9c 9d 5h")), CardError, "the dealer shows other cards than were dealt")
    state.do(op.RevealDealer())
    assert state.dealer.cards == hand(NINES)


def test_a_reveal_with_wrong_or_unknown_cards() -> None:
    state = played_to(8)
    refused(state, op.RevealDealer(), WrongPhase, "the dealer's cards are not known")
    refused(state, op.RevealDealer(cards=hand("9c 9d Kc")), CardError, "K♣ has already been dealt")
    refused(state, op.RevealDealer(cards=(7, 7, 20)), CardError, "shows a card twice")
    misdealt(state, op.RevealDealer(cards=hand("9c 9d")), "the dealer shows 2 cards instead of 3")


# --- hands that are shown late ---------------------------------------------------------------------------------------


def dealt_blind() -> Round:
    state = played_to(2)
    for spot in (1, 2, 0):
        state.do(op.DealGroup(spot=spot))
    state.do(op.Play(spot=1, amount=500))  # type: ignore[arg-type]
    state.do(op.Fold(spot=2))
    state.do(op.CollectFolds(spots=(2,), counted=(3,)))
    state.do(op.RevealDealer(cards=hand(NINES)))
    return state


def test_hands_can_be_shown_at_the_showdown_and_a_forfeited_one_need_not_be() -> None:
    state = dealt_blind()
    refused(state, op.Settle(), WrongPhase, "the hand of spot 1 is not known: show it before settling")
    refused(state, op.ShowHand(spot=1, cards=hand(NINES)), CardError, "has already been dealt")
    misdealt(dealt_blind(), op.ShowHand(spot=1, cards=hand("Kc Kd")), "spot 1 shows 2 cards instead of 3")
    refused(state, op.ShowHand(spot=0, cards=hand(PAIR)), WrongPhase, "the dealer's hand is shown by the reveal")
    state.do(op.ShowHand(spot=1, cards=hand(PAIR)))
    state.do(op.Settle())


def test_a_shown_hand_must_agree_with_what_is_known() -> None:
    state = played_to(5)
    refused(state, op.ShowHand(spot=1, cards=hand("Kc Kd 3s")), CardError, "shows other cards than were dealt")
    refused(played_to(3), op.ShowHand(spot=2, cards=hand(PAIR)), WrongPhase, "spot 2 has 0 cards")


def test_an_exposed_card_is_somebodys() -> None:
    state = played_to(4)
    refused(state, op.ExposeCard(spot=2, card=hand(PAIR)[0]), CardError, "K♣ is not spot 2's")
    refused(state, op.ExposeCard(spot=2, card=99), CardError, "is not a card")
    refused(state, op.ExposeCard(spot=7), OutOfTurn, "there is no wager on spot 7")
    state.do(op.ExposeCard(spot=0))
    assert state.exposed == [(0, None)]
    refused(state, op.ExposeCard(spot=1, card=hand("5h")[0]), CardError, "5♥ is not spot 1's")


def test_an_exposed_face_belongs_to_its_hand() -> None:
    state = played_to(3)
    queen = hand("Qh")[0]
    state.do(op.ExposeCard(spot=2, card=queen))
    refused(state, op.ExposeCard(spot=1, card=queen), CardError, "Q♥ is not spot 1's")
    refused(state, op.DealGroup(spot=2, cards=hand("Qd 5h 3s")), CardError, "Q♥ was exposed in this hand")
    state.do(op.DealGroup(spot=2))
    refused(state, op.DealGroup(spot=0, cards=hand("Qh 5h 3s")), CardError, "Q♥ has already been dealt")
    state.do(op.DealGroup(spot=0))
    refused(state, op.ShowHand(spot=2, cards=hand("Qd 5h 3s")), CardError, "Q♥ was exposed in this hand")
    state.do(op.ShowHand(spot=2, cards=hand("Qh 5h 3s")))


def test_an_exposed_face_belongs_to_its_hand_in_rotation() -> None:
    turning = open_round(BOOK, opening(dealing="rotation"))
    turning.do(op.LockWagers())
    turning.do(op.ExposeCard(spot=1, card=7))
    for card in (1, 2, 3, 4):
        turning.do(op.DealCard(spot=1 if card % 2 else 0, card=card))
    refused(turning, op.DealCard(spot=1, card=8), CardError, "9♣ was exposed in this hand")
    turning.do(op.DealCard(spot=1, card=7))


# --- decisions -------------------------------------------------------------------------------------------------------


def test_decisions_out_of_turn() -> None:
    state = played_to(5)
    refused(state, op.Fold(spot=2), OutOfTurn, "it is spot 1's turn, not spot 2's")
    refused(state, op.Play(spot=2, amount=500), OutOfTurn, "it is spot 1's turn")  # type: ignore[arg-type]
    refused(state, op.Fold(spot=3), OutOfTurn, "spot 3 has nothing to decide")
    state.do(op.Fold(spot=1))
    refused(state, op.Fold(spot=1), OutOfTurn, "spot 1 has nothing to decide")


@pytest.mark.parametrize("amount", [0, 499, 501, -500, 500.0, "500", None, True])
def test_play_other_than_the_ante(amount: Any) -> None:
    refused(played_to(5), op.Play(spot=1, amount=amount), WagerRefused, "play equals the ante of")


@pytest.mark.parametrize("tip", [-1, 0.5, True, "x"])
def test_a_tip_on_play_that_is_no_amount(tip: Any) -> None:
    refused(played_to(5), op.Play(spot=1, amount=500, tip=tip), WagerRefused, "a tip is whole cents")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spots", "counted", "error", "says"),
    [
        ((), (), OutOfTurn, "in the order of folding"),
        ((1,), (3,), OutOfTurn, "in the order of folding"),
        ((2,), (), WrongCardCount, "every folded hand is counted"),
    ],
)
def test_folds_collected_wrongly(spots: Any, counted: Any, error: type[Exception], says: str) -> None:
    refused(played_to(7), op.CollectFolds(spots=spots, counted=counted), error, says)


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_folded_hand_with_a_wrong_count(count: int) -> None:
    says = f"the folded hand of spot 2 has {count} cards instead of 3"
    misdealt(played_to(7), op.CollectFolds(spots=(2,), counted=(count,)), says)


def test_folds_are_collected_once_and_before_the_reveal() -> None:
    refused(played_to(7), op.RevealDealer(cards=hand(NINES)), OutOfTurn, "are collected before the reveal")
    refused(played_to(8), op.CollectFolds(spots=(2,), counted=(3,)), OutOfTurn, "have been collected")


@pytest.mark.parametrize(("cards", "must_fold"), [("2c 2d 3h", False), ("5h 3d 2c", True), ("Ac Kd Jh", True)])
def test_the_lowest_pair_stays_and_the_lowest_and_the_highest_hand_below_it_fold(cards: str, must_fold: bool) -> None:
    wagers = (bet(1, pair_plus=500),)
    state = open_round(BOOK, op.OpenRound(round_id="r", shuffle="s", dealer="d", wagers=wagers))
    state.do(op.LockWagers())
    state.do(op.DealGroup(spot=1, cards=hand(cards)))
    state.do(op.DealGroup(spot=0))
    assert (options(state, 1) == ("fold",)) is must_fold


LEFT_ALIVE: dict[str, tuple[dict[str, Any], dict[str, int], bool]] = {
    "nothing": ({}, {}, False),
    "pair plus forfeited": ({}, {"pair_plus": 500}, False),
    "pair plus alive": ({"alive_after_fold": {"pair_plus": True}}, {"pair_plus": 500}, True),
    "six card alive": ({}, {"six_card_bonus": 500}, True),
    "six card dead": ({"alive_after_fold": {"six_card_bonus": False}}, {"six_card_bonus": 500}, False),
    "tips forfeited": ({}, {"tip_ante": 100}, False),
    "tips alive": ({"alive_after_fold": {"tip_ante": True}}, {"tip_ante": 100}, True),
    "tips alive but none": ({"alive_after_fold": {"tip_ante": True}}, {}, False),
    "ante bonus": ({"alive_after_fold": {"ante_bonus": True}}, {}, True),
    "progressive": ({}, {"progressive": 100}, True),
}


@pytest.mark.parametrize("case", LEFT_ALIVE)
def test_a_folded_hand_must_be_shown_when_something_hangs_on_it(case: str) -> None:
    settings, stakes, needed = LEFT_ALIVE[case]
    book = PayBook(load("south-dakota", changes={"settings": settings}))
    wagers = (bet(1, ante=500, **stakes),)
    state = open_round(book, op.OpenRound(round_id="r", shuffle="s", dealer="d", wagers=wagers))
    for operation in (
        op.LockWagers(),
        op.DealGroup(spot=1),
        op.DealGroup(spot=0),
        op.Fold(spot=1),
        op.CollectFolds(spots=(1,), counted=(3,)),
        op.RevealDealer(cards=hand(NINES)),
    ):
        state.do(operation)
    assert state.can(op.Settle()) is not needed
    state.do(op.ShowHand(spot=1, cards=hand(PAIR)))
    assert state.can(op.Settle())


def test_a_spots_options() -> None:
    wagers = (bet(1, ante=500), bet(2, pair_plus=500), bet(3, pair_plus=500))
    state = open_round(BOOK, op.OpenRound(round_id="r", shuffle="s", dealer="d", wagers=wagers))
    state.do(op.LockWagers())
    for spot, cards in ((1, PAIR), (2, NOTHING), (3, STRAIGHT)):
        state.do(op.DealGroup(spot=spot, cards=hand(cards)))
    assert options(state, 1) == ()
    state.do(op.DealGroup(spot=0))
    assert [options(state, spot) for spot in (1, 2, 3)] == [("play", "fold"), ("fold",), ()]


def test_without_antes_nobody_decides() -> None:
    state = open_round(BOOK, op.OpenRound(round_id="r", shuffle="s", dealer="d", wagers=(bet(1, pair_plus=500),)))
    state.do(op.LockWagers())
    state.do(op.DealGroup(spot=1, cards=hand(STRAIGHT)))
    state.do(op.DealGroup(spot=0))
    assert state.phase is Phase.REVEAL


def test_settled_once_and_closed_after_it() -> None:
    refused(played_to(9), op.CloseRound(), WrongPhase, "the round is not settled")
    refused(played_to(10), op.Settle(), WrongPhase, "the round is settled")


def test_forfeits_may_stand_at_a_misdeal() -> None:
    rules = load("south-dakota", changes={"settings": {"misdeal_forfeits": "stand"}})
    state = open_round(PayBook(rules), opening())
    for operation in A_ROUND[:8]:
        state.do(operation)
    state.do(op.DeclareMisdeal(reason="late"))
    gained: dict[str, int] = {}
    for one in state.postings:
        gained[one.source] = gained.get(one.source, 0) - one.amount
        gained[one.target] = gained.get(one.target, 0) + one.amount
    assert {account: amount for account, amount in gained.items() if amount} == {"player:p2": -1000, "tray": 1000}
