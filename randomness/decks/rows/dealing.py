"""Tests of dealt groups: cards and hands at seats, strength within a deal, and the order of the cards in a group."""

import math
from collections.abc import Callable

from randomness.decks import hands
from randomness.decks.judges import dealing
from randomness.decks.judges.base import Judge
from randomness.decks.judges.seats import TwoSeatsJudge
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.rows.base import OUTCOME_RULE, PERMUTATION_RULE, BatteryRow, Made, Maker, Subject
from randomness.decks.rows.makers import NOT_APART, ONE_SEAT, table
from randomness.decks.rows.names import cards, ranks

MOST_ORDERED = 5
"""Cards of a group of which every order is counted apart: 120 orders."""


def with_hands(make: Maker, *, several: bool = False) -> Maker:
    """For groups that have categories, and, where asked, two seats."""

    def maker(kind: DeckKind) -> Made | str:
        if not hands.LEAST <= kind.group <= hands.MOST:
            return f"hands have categories from {hands.LEAST} to {hands.MOST} cards, not with {kind.group}"
        return ONE_SEAT if several and kind.groups < 2 else make(kind)

    return maker


def _hands(judge: Callable[[DeckKind], Judge], *, least: int, together: bool) -> Maker:
    """`together`: how the hands of one deck depend on each other is needed, from the decks where no law is known."""

    def make(kind: DeckKind) -> Made:
        if not together or hands.two_hands(kind) is not None:
            return Made(tally="hands", least=least, judge=judge(kind))
        return Made(tally="hands", also=("hand_products",), least=max(least, 1_000), judge=judge(kind))

    return make


def _strength(judge: Callable[[DeckKind], Judge], *, dealer: bool) -> Maker:
    def make(kind: DeckKind) -> Made | str:
        if dealer and not kind.dealer:
            return "no hand is dealt to a dealer"
        return ONE_SEAT if kind.groups < 2 else Made(tally="seat_scores", least=100, judge=judge(kind))

    return with_hands(make)


def _two_seats(kind: DeckKind) -> Made | str:
    if hands.two_hands(kind) is None:
        return f"the exact law of two hands is counted for groups of three from one deck of up to {hands.MOST_PAIRED}"
    return Made(tally="hand_pairs", least=100, judge=TwoSeatsJudge(kind=kind))


def _order(tally: str, by: str) -> Maker:
    def make(kind: DeckKind) -> Made | str:
        if not 2 <= kind.group <= MOST_ORDERED:
            return f"the orders inside a group are counted for 2 to {MOST_ORDERED} cards, not for {kind.group}"
        if tally.startswith(("input.", "previous.")) and not kind.simple:
            return NOT_APART
        least = max(100, 17 * math.factorial(kind.group))
        return Made(tally=tally, least=least, judge=dealing.group_order(kind, by))

    return make


D = Subject.DEALING

ROWS = (
    BatteryRow(name="card-by-seat", group=D, clause=OUTCOME_RULE, make=table(cards, seats=True),
        sees="a card that goes to a seat"),
    BatteryRow(name="rank-by-seat", group=D, clause=OUTCOME_RULE, make=table(ranks, seats=True),
        sees="a rank that goes to a seat"),
    BatteryRow(name="hand-categories", group=D, clause=OUTCOME_RULE,
        make=with_hands(_hands(dealing.all_hands, least=100, together=True)),
        sees="hands too good or too poor over the whole table"),
    BatteryRow(name="hands-by-seat", group=D, clause=OUTCOME_RULE,
        make=with_hands(_hands(dealing.each_seat, least=520, together=False)),
        sees="one seat with the wrong mix of hands"),
    BatteryRow(name="seats-alike", group=D, clause=OUTCOME_RULE,
        make=with_hands(_hands(dealing.seats_alike, least=520, together=True), several=True),
        sees="seats that get different mixes of hands"),
    BatteryRow(name="hands-of-two-seats", group=D, clause=OUTCOME_RULE, make=with_hands(_two_seats, several=True),
        sees="two seats whose hands go together"),
    BatteryRow(name="seat-strength", group=D, clause=OUTCOME_RULE, make=_strength(dealing.seat_strength, dealer=False),
        sees="a seat that is dealt better or poorer hands than the others of the same deal"),
    BatteryRow(name="dealer-against-players", group=D, clause=OUTCOME_RULE,
        make=_strength(lambda kind: dealing.DealersJudge(kind=kind), dealer=True),
        sees="a dealer who beats the players too often or too seldom"),
    BatteryRow(name="group-order", group=D, clause=PERMUTATION_RULE, declarable=True,
        make=_order("faces.group_order", "face"), sees="groups of cards that come sorted by face"),
    BatteryRow(name="group-order-by-rank", group=D, clause=PERMUTATION_RULE, declarable=True,
        make=_order("rank_order", "rank"), sees="groups of cards that come sorted by rank"),
    BatteryRow(name="group-order-by-input", group=D, clause=PERMUTATION_RULE, declarable=True, twin="group-order",
        make=_order("input.group_order", "input place"), sees="groups of cards that come in feed order"),
    BatteryRow(name="group-order-by-previous", group=D, clause=PERMUTATION_RULE, declarable=True,
        twin="group-order-by-input", make=_order("previous.group_order", "previous place"),
        sees="groups of cards in the order of the deck before"),
)  # fmt: skip
