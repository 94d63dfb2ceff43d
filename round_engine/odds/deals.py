"""Every deal counted: all player hands against all dealer hands, and all sets of six cards.

Nothing here knows a rule or a pay. Counts are exact integers. Instead of visiting 22,100 × 18,424 deals, a dealer's
hands below a rank are counted by inclusion and exclusion over the player's three cards: all hands below it, less those
that hold one of the cards, plus those that hold two, less those that hold all three. Sets of six are counted by their
ranks, each weighted with the number of ways to give it suits.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from round_engine.hands import FIVE_CARD_RANKS, THREE_CARD_RANKS, rank3_array
from round_engine.hands.five_card import rank_sets, tables
from round_engine.wagers.aspects import LEAST_PAIR, Ways
from round_engine.wagers.shown import AKQ_SPADES_RANK, AKQ_SUITED_RANK, LOWEST_SPADE

PLAYER_HANDS: Final = comb(52, 3)
"""22,100."""
DEALER_HANDS: Final = comb(49, 3)
"""18,424 that share no card with the player's hand."""
DEALS: Final = PLAYER_HANDS * DEALER_HANDS
"""407,170,400."""
SIX_CARD_SETS: Final = comb(52, 6)
"""20,358,520."""

Counts = NDArray[np.int64]
_A = TypeVar("_A", bound=NDArray[Any])


@cache
def hands() -> NDArray[np.uint8]:
    """All 22,100 three-card hands, faces rising in each row."""
    return _read_only(np.array(list(combinations(range(52), 3)), dtype=np.uint8))


@cache
def ranks() -> NDArray[np.uint16]:
    """The rank of each of `hands`."""
    return _read_only(rank3_array(hands()))


@cache
def payings() -> NDArray[np.uint16]:
    """The rank to look a pay up by, of each of `hands`."""
    in_spades = (ranks() == AKQ_SUITED_RANK) & (hands()[:, 0] >= LOWEST_SPADE)
    return _read_only(np.where(in_spades, np.uint16(AKQ_SPADES_RANK), ranks()))


def own_hand_ways(classes: Sequence[int], alive: NDArray[np.bool_] | None) -> Ways:
    """The 22,100 hands by the class of the rank to look a pay up by."""
    of_hand = np.array(classes, dtype=np.intp)[payings()]
    counted = of_hand if alive is None else of_hand[alive]
    return Ways(PLAYER_HANDS, np.bincount(counted, minlength=max(classes) + 1).tolist())


def best_five_ways(classes: Sequence[int]) -> Ways:
    """The 20,358,520 sets of six cards by the class of the category of their best five."""
    of_rank = np.array(classes, dtype=np.intp)[np.array(tables().categories)]
    ways = np.zeros(max(classes) + 1, dtype=np.int64)
    np.add.at(ways, of_rank, six_card_counts())
    return Ways(SIX_CARD_SETS, ways.tolist())


def lower_hand_ways(classes: Sequence[int], alive: NDArray[np.bool_] | None) -> Ways:
    """All deals by the class of the lower hand, where both hold a pair or better and do not tie; else the last."""
    own = ranks().astype(np.intp)
    of_rank = np.array(classes, dtype=np.intp)[:THREE_CARD_RANKS]
    held = own >= LEAST_PAIR if alive is None else alive & (own >= LEAST_PAIR)
    ways = np.zeros(max(classes) + 1, dtype=np.int64)
    np.add.at(ways, of_rank[own[held]], (DEALER_HANDS - dealer_hands_below(own + 1))[held])
    for low, high in _runs(of_rank):
        below = dealer_hands_below(np.minimum(high, own)) - dealer_hands_below(np.minimum(low, own))
        ways[of_rank[low]] += int(below[held].sum())
    alive_hands = PLAYER_HANDS if alive is None else int(alive.sum())
    ways[classes[-1]] += alive_hands * DEALER_HANDS - int(ways.sum())
    return Ways(DEALS, ways.tolist())


def _runs(of_rank: NDArray[np.intp]) -> list[tuple[int, int]]:
    """The first rank of each run of one class from the lowest pair up, and the first after it."""
    starts = [LEAST_PAIR, *(np.flatnonzero(np.diff(of_rank[LEAST_PAIR:])) + LEAST_PAIR + 1).tolist()]
    return list(zip(starts, [*starts[1:], THREE_CARD_RANKS], strict=True))


def dealer_hands_below(limits: NDArray[Any] | int) -> Counts:
    """For each player hand, how many of the 18,424 dealer hands rank below its limit: one for all, or one each."""
    below = np.broadcast_to(np.asarray(limits, dtype=np.intp), (PLAYER_HANDS,))
    all_below, card_below, pair_below = _below_tables()
    x, y, z = hands().T.astype(np.intp)
    counts: Counts = all_below[below]
    counts -= card_below[x, below]
    counts -= card_below[y, below]
    counts -= card_below[z, below]
    counts += pair_below[x * 52 + y, below]
    counts += pair_below[x * 52 + z, below]
    counts += pair_below[y * 52 + z, below]
    counts -= ranks() < below
    return counts


@cache
def six_card_counts() -> Counts:
    """How many of the 20,358,520 sets of six cards have each rank as their best five; index is the rank."""
    counts = np.zeros(FIVE_CARD_RANKS, dtype=np.int64)
    looked_up = tables()
    for mask, rank in looked_up.rank_by_flush.items():
        # Six of the suit, or five of it with one of the 39 cards of other suits.
        counts[rank] += 4 if mask.bit_count() == 6 else 4 * 39
    rank_of_set = np.fromiter(looked_up.rank_by_sum.values(), dtype=np.intp)
    np.add.at(counts, rank_of_set, _suit_ways_without_flush(np.array(list(rank_sets(6)), dtype=np.int8)))
    return _read_only(counts)


def _suit_ways_without_flush(sets: NDArray[np.int8]) -> Counts:
    """In how many ways each set of six ranks can have suits with no five in one suit."""
    of_each_rank = (sets[:, :, None] == np.arange(13)).sum(axis=1)
    different = np.count_nonzero(of_each_rank, axis=1)
    ways: Counts = np.array([comb(4, count) for count in range(5)])[of_each_rank].prod(axis=1)
    # Six different ranks: all of one suit, or five of one and the sixth, any of the six, of one of three others.
    ways[different == 6] -= 4 + 4 * 6 * 3
    # A pair and four more: the five ranks in one suit, and the pair's other card of one of three others.
    ways[different == 5] -= 4 * 3
    return ways


@cache
def _below_tables() -> tuple[Counts, Counts, Counts]:
    """Hands below each rank: all; those with a card (52 rows); those with two cards (52 × 52 rows, first < second)."""
    x, y, z = hands().T.astype(np.intp)
    rank = ranks().astype(np.intp)
    by_card = _counted(52, np.concatenate([x, y, z]), np.tile(rank, 3))
    by_pair = _counted(52 * 52, np.concatenate([x * 52 + y, x * 52 + z, y * 52 + z]), np.tile(rank, 3))
    return _cumulated(by_card.sum(axis=0, keepdims=True) // 3)[0], _cumulated(by_card), _cumulated(by_pair)


def _counted(rows: int, row: NDArray[np.intp], rank: NDArray[np.intp]) -> Counts:
    cells = np.bincount(row * THREE_CARD_RANKS + rank, minlength=rows * THREE_CARD_RANKS)
    return cells.reshape(rows, THREE_CARD_RANKS).astype(np.int64)


def _cumulated(counts: Counts) -> Counts:
    """Running totals with a zero first: entry r counts what ranks below r."""
    totals = np.zeros((len(counts), THREE_CARD_RANKS + 1), dtype=np.int64)
    np.cumsum(counts, axis=1, out=totals[:, 1:])
    return totals


def _read_only(array: _A) -> _A:
    array.flags.writeable = False
    return array
