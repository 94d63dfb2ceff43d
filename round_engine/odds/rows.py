"""Which row of a paytable each hand takes: the first one it fits."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from round_engine.hands import (
    ACE,
    THREE_CARD_RANKS,
    FiveCardCategory,
    ThreeCardCategory,
    category3_of_rank_array,
    lowest_rank3,
)
from round_engine.rules.ruleset import Hand, PayRow, Paytable

NO_ROW: Final = -1
SPADES: Final = 3
MINI_ROYAL: Final = THREE_CARD_RANKS - 1
"""The rank of A-K-Q of one suit."""

THREE_CARD_HANDS: Final = {
    Hand.STRAIGHT_FLUSH: ThreeCardCategory.STRAIGHT_FLUSH,
    Hand.THREE_OF_A_KIND: ThreeCardCategory.THREE_OF_A_KIND,
    Hand.STRAIGHT: ThreeCardCategory.STRAIGHT,
    Hand.FLUSH: ThreeCardCategory.FLUSH,
    Hand.PAIR: ThreeCardCategory.PAIR,
    Hand.HIGH_CARD: ThreeCardCategory.HIGH_CARD,
}
FIVE_CARD_HANDS: Final = {
    Hand.ROYAL_FLUSH: FiveCardCategory.ROYAL_FLUSH,
    Hand.STRAIGHT_FLUSH: FiveCardCategory.STRAIGHT_FLUSH,
    Hand.FOUR_OF_A_KIND: FiveCardCategory.FOUR_OF_A_KIND,
    Hand.FULL_HOUSE: FiveCardCategory.FULL_HOUSE,
    Hand.FLUSH: FiveCardCategory.FLUSH,
    Hand.STRAIGHT: FiveCardCategory.STRAIGHT,
    Hand.THREE_OF_A_KIND: FiveCardCategory.THREE_OF_A_KIND,
    Hand.TWO_PAIR: FiveCardCategory.TWO_PAIR,
    Hand.PAIR: FiveCardCategory.PAIR,
    Hand.HIGH_CARD: FiveCardCategory.HIGH_CARD,
}

Rows = NDArray[np.int8]


def rows_by_rank3(rows: Sequence[PayRow], *, spades: bool = False) -> Rows:
    """The row that each of the 741 ranks takes, for a hand of spades or of any other suits; `NO_ROW` where none."""
    ranks = np.arange(THREE_CARD_RANKS)
    taken = np.full(THREE_CARD_RANKS, NO_ROW, dtype=np.int8)
    for index in reversed(range(len(rows))):
        taken[_fits(rows[index], ranks, spades)] = index
    return taken


def rows_of_hands(table: Paytable, faces: NDArray[Any], ranks: NDArray[Any]) -> Rows:
    """The row that each three-card hand takes."""
    taken = rows_by_rank3(table.rows).take(ranks)
    royal = np.flatnonzero(ranks == MINI_ROYAL)
    in_spades = royal[(faces[royal] // 13 == SPADES).all(axis=1)]
    taken[in_spades] = rows_by_rank3(table.rows, spades=True)[MINI_ROYAL]
    return taken


def rows_by_category5(table: Paytable) -> Rows:
    """The row that each `FiveCardCategory` takes."""
    by_category = {FIVE_CARD_HANDS[Hand(row.hand)]: index for index, row in enumerate(table.rows)}
    return np.array([by_category.get(category, NO_ROW) for category in FiveCardCategory], dtype=np.int8)


def _fits(row: PayRow, ranks: NDArray[np.int64], spades: bool) -> NDArray[np.bool_]:
    fits: NDArray[np.bool_]
    if row.hand is Hand.AKQ_SPADES:
        fits = (ranks == MINI_ROYAL) & spades
    elif row.hand is Hand.AKQ_SUITED:
        fits = ranks == MINI_ROYAL
    elif row.hand is Hand.TOP_STRAIGHT_FLUSH:
        high = ACE if row.least_high is None else row.least_high
        # Straight flushes rise one rank with each high card, from the three of 3-2-A.
        fits = ranks >= lowest_rank3(ThreeCardCategory.STRAIGHT_FLUSH) + high - 1
    else:
        fits = category3_of_rank_array(ranks) == THREE_CARD_HANDS[Hand(row.hand)]
    return fits
