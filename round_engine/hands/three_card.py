"""Three-card poker order, one hand at a time: 22,100 hands in 741 ranks.

Straight flush, three of a kind, straight, flush, pair, high card; a straight beats a flush; the ace is high, and low
only in 3-2-A, the lowest straight (Light & Wonder manual, "Ranking of Hands"; 20:18:16:15.02 (1)). Suits break no tie.
"""

from bisect import bisect_right
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import permutations
from typing import Final

from round_engine.hands.symbols import RANK_SYMBOLS

JACK: Final = 9
QUEEN: Final = 10
KING: Final = 11
ACE: Final = 12

THREE_CARD_RANKS: Final = 741
"""274 high cards, 156 pairs, 274 flushes, 12 straights, 13 threes of a kind, 12 straight flushes."""


class ThreeCardCategory(IntEnum):
    """Kinds of three-card hand, weakest first."""

    HIGH_CARD = 0
    PAIR = 1
    FLUSH = 2
    STRAIGHT = 3
    THREE_OF_A_KIND = 4
    STRAIGHT_FLUSH = 5


_Key = tuple[ThreeCardCategory, int, int, int]
"""A hand's place in the order as a sortable value: category, then its cards' ranks as ties are broken."""

TRIPLES: Final = 13**3
"""Ordered triples of card ranks."""


@dataclass(frozen=True, kw_only=True)
class ThreeCardTables:
    """What `rank3` looks up, in the form that array look-ups are made from."""

    ranks: tuple[int, ...]
    """Rank by suited × first × second × third card's rank."""
    keys: tuple[_Key, ...]
    """The 741 distinct keys, weakest first."""
    starts: tuple[int, ...]
    """The weakest rank of each category."""


def rank3(a: int, b: int, c: int) -> int:
    """The rank, 0 … 740, of three different faces in any order."""
    suited = TRIPLES if a // 13 == b // 13 == c // 13 else 0
    return tables().ranks[suited + (a % 13) * 169 + (b % 13) * 13 + c % 13]


def category3(a: int, b: int, c: int) -> ThreeCardCategory:
    """The category of three different faces."""
    return category3_of_rank(rank3(a, b, c))


def category3_of_rank(rank: int) -> ThreeCardCategory:
    """The category that a rank of `rank3` belongs to."""
    return ThreeCardCategory(bisect_right(tables().starts, rank) - 1)


def lowest_rank3(category: ThreeCardCategory) -> int:
    """The weakest rank of a category."""
    return tables().starts[category]


def lowest_rank3_with_high_card(high: int) -> int:
    """The weakest rank whose highest card is `high` (a card's rank, 0 … 12) and which has no pair or better."""
    return next(rank for rank, key in enumerate(tables().keys) if key[1] == high)


def dealer_qualifies(a: int, b: int, c: int, high: int = QUEEN) -> bool:
    """Whether three faces are `high`-high or better."""
    return rank3(a, b, c) >= lowest_rank3_with_high_card(high)


def name_of_rank3(rank: int) -> str:
    """A rank in words and card symbols, as "pair 9-9-K" or "high card Q-6-4"."""
    category, *cards = tables().keys[rank]
    if category in (ThreeCardCategory.STRAIGHT, ThreeCardCategory.STRAIGHT_FLUSH):
        top = cards[0]
        cards = [top, top - 1, (top - 2) % 13]
    return f"{category.name.lower().replace('_', ' ')} {'-'.join(RANK_SYMBOLS[card] for card in cards)}"


def _key(first: int, second: int, third: int, *, suited: bool) -> _Key:
    """The sortable key of three card ranks given high to low; suited ranks are different."""
    if first == second == third:
        return ThreeCardCategory.THREE_OF_A_KIND, first, first, first
    if first == second or second == third:
        return ThreeCardCategory.PAIR, second, second, third if first == second else first
    straight_high = 0
    if first - third == 2:
        straight_high = first
    elif (first, second, third) == (ACE, 1, 0):
        straight_high = 1
    if straight_high:
        category = ThreeCardCategory.STRAIGHT_FLUSH if suited else ThreeCardCategory.STRAIGHT
        return category, straight_high, 0, 0
    return ThreeCardCategory.FLUSH if suited else ThreeCardCategory.HIGH_CARD, first, second, third


@cache
def tables() -> ThreeCardTables:
    """Every triple of card ranks, suited and not, ranked under all its orders; made at the first call."""
    hands = [
        (_key(first, second, third, suited=suited), suited, first, second, third)
        for first in range(13)
        for second in range(first + 1)
        for third in range(second + 1)
        for suited in (False, True)
        if not suited or first > second > third
    ]
    keys = sorted({hand[0] for hand in hands})
    rank_of = {key: rank for rank, key in enumerate(keys)}
    ranks = [0] * (2 * TRIPLES)
    for key, suited, *cards in hands:
        for first, second, third in permutations(cards):
            ranks[TRIPLES * suited + first * 169 + second * 13 + third] = rank_of[key]
    starts = [next(rank for rank, key in enumerate(keys) if key[0] is category) for category in ThreeCardCategory]
    return ThreeCardTables(ranks=tuple(ranks), keys=tuple(keys), starts=tuple(starts))
