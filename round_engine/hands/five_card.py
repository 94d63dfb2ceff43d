"""The best five-card poker hand in six cards, one set at a time: a sum of card keys, then one look-up.

Each card adds a number to a key. The rank parts are chosen so that no two different sets of six ranks (at most four of
a kind) have the same sum, so the sum alone names the set; the suit parts so that the sum tells each suit's count.
A set with five or six cards of one suit is looked up by those cards, any other by its ranks.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final

from round_engine.hands.errors import HandError
from round_engine.hands.three_card import ACE


class FiveCardCategory(IntEnum):
    """Kinds of five-card hand, weakest first; the royal flush has a row of its own on the 6 Card Bonus paytables."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9


FIVE_CARD_RANKS: Final = 7462
"""1,277 high cards, 2,860 pairs, 858 two pairs, 858 threes, 10 straights, 1,277 flushes, 156 full houses, 156 fours,
9 straight flushes, 1 royal flush."""

RANK_WEIGHTS: Final = (0, 1, 5, 22, 98, 422, 1734, 5760, 14270, 37951, 90838, 206930, 436437)
"""By greedy search: each is the smallest number that keeps all sums of six (at most four equal) apart."""
SUIT_WEIGHTS: Final = (0, 1, 7, 49)
"""Powers of seven: six cards put at most 6 in each digit of base 7."""
RANK_BITS: Final = 22
"""4 × 436,437 + 2 × 206,930 = 2,159,608 < 2²²."""
RANK_MASK: Final = (1 << RANK_BITS) - 1

CARD_KEYS: Final = tuple(SUIT_WEIGHTS[face // 13] << RANK_BITS | RANK_WEIGHTS[face % 13] for face in range(52))

_Key = tuple[int, ...]
"""A hand's place in the order as a sortable value: category, then card ranks as ties are broken."""


@dataclass(frozen=True, kw_only=True)
class FiveCardTables:
    """What `best_five` looks up, in the form that array look-ups are made from."""

    rank_by_sum: dict[int, int]
    """Rank of every set of six card ranks without a flush, by the sum of its rank weights: 18,395 sets."""
    rank_by_flush: dict[int, int]
    """Rank of five or six cards of one suit, by the bit mask of their ranks: 3,003 masks."""
    flush_suit_by_sum: dict[int, int]
    """The suit that has five or six cards, by the sum of suit weights; no entry where none has."""
    starts: tuple[int, ...]
    """The weakest rank of each category."""
    categories: tuple[int, ...]
    """The category of each rank."""


def best_five(cards: Sequence[int]) -> int:
    """The rank, 0 … 7461, of the best five-card hand in six different faces."""
    if len(cards) != 6:
        raise HandError(f"the best five are taken from six cards, not from {len(cards)}")
    looked_up = tables()
    key = 0
    for face in cards:
        key += CARD_KEYS[face]
    suit = looked_up.flush_suit_by_sum.get(key >> RANK_BITS)
    if suit is None:
        return looked_up.rank_by_sum[key & RANK_MASK]
    mask = 0
    for face in cards:
        if face // 13 == suit:
            mask |= 1 << face % 13
    return looked_up.rank_by_flush[mask]


def category5_of_rank(rank: int) -> FiveCardCategory:
    """The category that a rank of `best_five` belongs to."""
    return FiveCardCategory(bisect_right(tables().starts, rank) - 1)


def lowest_rank5(category: FiveCardCategory) -> int:
    """The weakest rank of a category."""
    return tables().starts[category]


def rank_sets(size: int) -> Iterator[tuple[int, ...]]:
    """Every set of `size` card ranks with at most four of a kind, each high to low; always in the same order."""
    for ranks in combinations_with_replacement(range(ACE, -1, -1), size):
        if size < 5 or (ranks[0] != ranks[4] and ranks[-5] != ranks[-1]):
            yield ranks


def _straight_high(different: Sequence[int]) -> int:
    """The top of the best straight in different ranks, high to low, or 0; 5-4-3-2-A is the lowest, the five its top."""
    for high, low in zip(different, different[4:], strict=False):
        if high - low == 4:
            return high
    return 3 if different[0] == ACE and tuple(different[-4:]) == (3, 2, 1, 0) else 0


def _key_of_ranks(ranks: tuple[int, ...]) -> _Key:
    """The sortable key of the best five without a flush, from five or six card ranks high to low."""
    different = tuple(dict.fromkeys(ranks))
    if len(different) >= 5 and (high := _straight_high(different)):
        return FiveCardCategory.STRAIGHT, high
    if len(different) == len(ranks):
        return FiveCardCategory.HIGH_CARD, *ranks[:5]
    by_count: list[list[int]] = [[], [], [], [], []]
    for rank in different:
        by_count[ranks.count(rank)].append(rank)
    _, singles, pairs, threes, fours = by_count
    if fours:
        return FiveCardCategory.FOUR_OF_A_KIND, fours[0], *(singles or pairs)[:1]
    if threes:
        if pairs or len(threes) == 2:
            return FiveCardCategory.FULL_HOUSE, threes[0], (pairs or threes)[-1]
        return FiveCardCategory.THREE_OF_A_KIND, threes[0], *singles[:2]
    if len(pairs) > 1:
        return FiveCardCategory.TWO_PAIR, *pairs[:2], max(singles + pairs[2:])
    return FiveCardCategory.PAIR, pairs[0], *singles[:3]


def _key_of_flush(ranks: tuple[int, ...]) -> _Key:
    """The sortable key of the best five cards of one suit, from their ranks high to low."""
    if high := _straight_high(ranks):
        return FiveCardCategory.ROYAL_FLUSH if high == ACE else FiveCardCategory.STRAIGHT_FLUSH, high
    return FiveCardCategory.FLUSH, *ranks[:5]


@cache
def tables() -> FiveCardTables:
    """Every five-card hand ranked, then every set of six ranks and every flush; made when first asked for."""
    flush_keys = {
        sum(1 << rank for rank in ranks): _key_of_flush(ranks)
        for size in (5, 6)
        for ranks in combinations(range(ACE, -1, -1), size)
    }
    keys = sorted({_key_of_ranks(ranks) for ranks in rank_sets(5)} | set(flush_keys.values()))
    rank_of = {key: rank for rank, key in enumerate(keys)}
    flush_suit_by_sum = {6 * weight: suit for suit, weight in enumerate(SUIT_WEIGHTS)}
    for suit, weight in enumerate(SUIT_WEIGHTS):
        flush_suit_by_sum |= {5 * weight + other: suit for other in SUIT_WEIGHTS if other != weight}
    return FiveCardTables(
        rank_by_sum={
            sum(map(RANK_WEIGHTS.__getitem__, ranks)): rank_of[_key_of_ranks(ranks)] for ranks in rank_sets(6)
        },
        rank_by_flush={mask: rank_of[key] for mask, key in flush_keys.items()},
        flush_suit_by_sum=flush_suit_by_sum,
        starts=tuple(next(rank for rank, key in enumerate(keys) if key[0] == kind) for kind in FiveCardCategory),
        categories=tuple(int(key[0]) for key in keys),
    )
