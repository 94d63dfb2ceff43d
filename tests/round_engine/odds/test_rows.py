"""The first row a hand fits is the one it takes."""

import numpy as np
import pytest

from round_engine.hands import FiveCardCategory, rank3
from round_engine.hands.cards import parse_hand
from round_engine.odds.deals import hands, ranks
from round_engine.odds.rows import NO_ROW, rows_by_category5, rows_of_hands
from round_engine.rules import rulebook
from round_engine.rules.ruleset import Hand, Paytable, RuleSet, Wager
from round_engine.wagers.paybook import PayBook, paying_rank


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return rulebook.load("light-and-wonder", sides=rulebook.SIDE_WAGERS)


def row_of(table: Paytable, text: str) -> Hand | None:
    hand = parse_hand(text)
    (index,) = rows_of_hands(table, np.array([hand]), np.array([rank3(*hand)]))
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
    assert row_of(rules.paytables[Wager.PROGRESSIVE]["1"], text) is row


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
    assert row_of(rules.paytables[Wager.BAD_BEAT]["TCP-BBP01"], text) is row


def test_six_card_rows(rules: RuleSet) -> None:
    table = rules.paytables[Wager.SIX_CARD_BONUS]["TCP-6B1"]
    rows = rows_by_category5(table)
    assert table.rows[rows[FiveCardCategory.ROYAL_FLUSH]].hand is Hand.ROYAL_FLUSH
    assert table.rows[rows[FiveCardCategory.THREE_OF_A_KIND]].hand is Hand.THREE_OF_A_KIND
    assert rows[FiveCardCategory.TWO_PAIR] == NO_ROW


@pytest.mark.parametrize("name", rulebook.RULE_SETS)
def test_every_hand_takes_the_row_that_the_settlement_gives_it(name: str) -> None:
    house = rulebook.load(name, sides=rulebook.SIDE_WAGERS)
    book = PayBook(house)
    for wager, settled in book.rows.items():
        table = house.paytable(wager)
        taken = rows_of_hands(table, hands(), ranks()).tolist()
        for index, faces, rank in zip(taken, hands().tolist(), ranks().tolist(), strict=True):
            row = None if index == NO_ROW else table.rows[index]
            assert (row if row is not None and row.wins else None) is settled[paying_rank(tuple(faces), rank)]
