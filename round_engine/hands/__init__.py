"""Poker hands: three-card order, best five of six; one hand at a time, or millions as arrays.

A face is an integer 0 … 51: rank = face % 13 with 0 = deuce and 12 = ace, suit = face // 13. A hand's rank is a dense
integer, higher wins, equal ties. Single hands need no numpy; it is imported when an array function is first asked for.
"""

from typing import TYPE_CHECKING

from round_engine.hands.errors import HandError
from round_engine.hands.five_card import (
    FIVE_CARD_RANKS,
    FiveCardCategory,
    best_five,
    category5_of_rank,
    lowest_rank5,
)
from round_engine.hands.symbols import RANK_SYMBOLS, SUIT_LETTERS, SUIT_SYMBOLS
from round_engine.hands.three_card import (
    ACE,
    JACK,
    KING,
    QUEEN,
    THREE_CARD_RANKS,
    ThreeCardCategory,
    category3,
    category3_of_rank,
    dealer_qualifies,
    lowest_rank3,
    lowest_rank3_with_high_card,
    name_of_rank3,
    rank3,
)

if TYPE_CHECKING:
    from round_engine.hands.arrays import (
        best_five_array,
        category3_of_rank_array,
        category5_of_keys,
        category5_of_rank_array,
        key3_table,
        rank3_array,
        rank3_table,
    )

__all__ = [
    "ACE",
    "FIVE_CARD_RANKS",
    "JACK",
    "KING",
    "QUEEN",
    "RANK_SYMBOLS",
    "SUIT_LETTERS",
    "SUIT_SYMBOLS",
    "THREE_CARD_RANKS",
    "FiveCardCategory",
    "HandError",
    "ThreeCardCategory",
    "best_five",
    "best_five_array",
    "category3",
    "category3_of_rank",
    "category3_of_rank_array",
    "category5_of_keys",
    "category5_of_rank",
    "category5_of_rank_array",
    "dealer_qualifies",
    "key3_table",
    "lowest_rank3",
    "lowest_rank3_with_high_card",
    "lowest_rank5",
    "name_of_rank3",
    "rank3",
    "rank3_array",
    "rank3_table",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        from round_engine.hands import arrays

        return getattr(arrays, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
