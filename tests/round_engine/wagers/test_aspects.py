"""The first row that a hand fits is the one it takes."""

import pytest

from round_engine.hands import FiveCardCategory, rank3
from round_engine.hands.cards import parse_hand
from round_engine.rules import rulebook
from round_engine.rules.ruleset import Hand, Paytable, RuleSet
from round_engine.wagers import WAGERS
from round_engine.wagers.aspects import BEST_FIVE, NO_ROW
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.shown import paying_rank


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return rulebook.load("light-and-wonder", sides=rulebook.SIDE_WAGERS)


def row_of(table: Paytable, text: str) -> Hand | None:
    hand = parse_hand(text)
    index = WAGERS[table.wager].aspect.taken(table)[paying_rank(hand, rank3(*hand))]
    return None if index == NO_ROW else Hand(table.rows[index].hand)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("A♠ K♠ Q♠", Hand.AKQ_SPADES),
        ("A♥ K♥ Q♥", Hand.AKQ_SUITED),
        ("A♣ K♣ Q♣", Hand.AKQ_SUITED),
        ("K♠ Q♠ J♠", Hand.STRAIGHT_FLUSH),
        ("3♦ 2♦ A♦", Hand.STRAIGHT_FLUSH),
        ("2♦ 2♠ 2♥", Hand.THREE_OF_A_KIND),
        ("A♠ K♠ Q♥", Hand.STRAIGHT),
        ("A♠ K♠ J♠", None),
        ("A♠ A♥ J♠", None),
    ],
)
def test_progressive_rows(rules: RuleSet, text: str, row: Hand | None) -> None:
    assert row_of(rules.paytables["progressive"]["1"], text) is row


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("7♦ 6♦ 5♦", Hand.TOP_STRAIGHT_FLUSH),
        ("A♠ K♠ Q♠", Hand.TOP_STRAIGHT_FLUSH),
        ("6♦ 5♦ 4♦", Hand.STRAIGHT_FLUSH),
        ("3♦ 2♦ A♦", Hand.STRAIGHT_FLUSH),
        ("2♦ 2♠ 3♥", Hand.PAIR),
        ("A♦ 2♦ 4♦", Hand.FLUSH),
        ("A♦ 2♦ 4♥", None),
    ],
)
def test_bad_beat_rows(rules: RuleSet, text: str, row: Hand | None) -> None:
    assert row_of(rules.paytables["bad_beat"]["TCP-BBP01"], text) is row


def test_six_card_rows(rules: RuleSet) -> None:
    table = rules.paytables["six_card_bonus"]["TCP-6B1"]
    rows = BEST_FIVE.taken(table)
    assert table.rows[rows[FiveCardCategory.ROYAL_FLUSH]].hand is Hand.ROYAL_FLUSH
    assert table.rows[rows[FiveCardCategory.THREE_OF_A_KIND]].hand is Hand.THREE_OF_A_KIND
    assert rows[FiveCardCategory.TWO_PAIR] == NO_ROW


@pytest.mark.parametrize("name", rulebook.RULE_SETS)
def test_a_row_that_pays_nothing_is_taken_and_wins_nothing(name: str) -> None:
    house = rulebook.load(name, sides=rulebook.SIDE_WAGERS)
    for wager, settled in PayBook(house).rows.items():
        if wager in house.house.paytables:
            table = house.paytable(wager)
            for index, row in zip(WAGERS[wager].aspect_of(table).taken(table), settled, strict=True):
                assert row is (table.rows[index] if index != NO_ROW and table.rows[index].wins else None)
