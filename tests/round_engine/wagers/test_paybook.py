"""Every hand finds the row that reading the paytable from the top finds."""

from itertools import combinations

import pytest

from round_engine.hands import ThreeCardCategory, category3, rank3
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand, Paytable, WagerName
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.shown import paying_rank

MINI_ROYALS = {"paytables": {"pair_plus": {"A": {
    "akq_spades": {"pays": "100 to 1", "clause": "house"}, "akq_suited": {"pays": "50 to 1", "clause": "house"},
}}}}  # fmt: skip


def by_reading(table: Paytable, cards: tuple[int, ...]) -> str:
    """The row a person finds, from the top."""
    category = category3(*cards)
    ranks = {face % 13 for face in cards}
    suits = {face // 13 for face in cards}
    high = 1 if ranks == {12, 0, 1} else max(ranks)
    for row in table.rows:
        royal = ranks == {10, 11, 12} and len(suits) == 1
        fits = {
            Hand.AKQ_SPADES: royal and suits == {3},
            Hand.AKQ_SUITED: royal,
            Hand.TOP_STRAIGHT_FLUSH: category is ThreeCardCategory.STRAIGHT_FLUSH and high >= (row.least_high or 0),
        }.get(Hand(row.hand), category.name.lower() == row.hand)
        if fits:
            return row.label if row.wins else "nothing"
    return "nothing"


@pytest.mark.slow
@pytest.mark.parametrize("wager", ["ante_bonus", "pair_plus", "progressive", "bad_beat"])
@pytest.mark.parametrize("progressive", ["1", "2"])
def test_all_22100_hands_find_the_row_that_reading_finds(wager: WagerName, progressive: str) -> None:
    changes = MINI_ROYALS | {"house": {"paytables": {"progressive": progressive}}}
    rules = load("south-dakota", sides=["bad-beat"], changes=changes)
    rows, table = PayBook(rules).rows[wager], rules.paytable(wager)
    for cards in combinations(range(52), 3):
        row = rows[paying_rank(cards, rank3(*cards))]
        assert (row.label if row is not None else "nothing") == by_reading(table, cards)
