"""Three-card hands for the dealing tests: a value for every ordered triple, and the exact law of categories.

A value is `category << 10 | strength`: categories 0 … 5 in ascending order (high card, pair, flush, straight, three
of a kind, straight flush), strength 0 … 740 over the distinct hands, suits never breaking a tie.
"""

from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS, rank_of, suit_of

CATEGORIES = ("high card", "pair", "flush", "straight", "three of a kind", "straight flush")
# Of the 22,100 hands of three cards.
HANDS = 22_100
CATEGORY_COUNTS = (16_440, 3_744, 1_096, 720, 52, 48)

# Ordered pairs of disjoint hands by category, 22,100 × 18,424 in all; a test counts them again.
CATEGORY_PAIRS = (
    (225_461_472, 51_194_160, 15_004_008, 9_867_264, 706_920, 656_736),
    (51_194_160, 11_812_320, 3_412_944, 2_242_080, 168_480, 149_472),
    (15_004_008, 3_412_944, 1_027_024, 656_736, 47_128, 44_864),
    (9_867_264, 2_242_080, 656_736, 439_104, 30_960, 29_136),
    (706_920, 168_480, 47_128, 30_960, 2_496, 2_064),
    (656_736, 149_472, 44_864, 29_136, 2_064, 2_080),
)


def _order(cards: tuple[int, int, int]) -> tuple[int, ...]:
    """Sorts hands by strength: category first, then what breaks a tie within it."""
    ranks = sorted((rank_of(card) for card in cards), reverse=True)
    flush = len({suit_of(card) for card in cards}) == 1
    wheel = ranks == [12, 1, 0]
    straight = wheel or (ranks[0] - ranks[2] == 2 and len(set(ranks)) == 3)
    if straight:
        return (5 if flush else 3, 1 if wheel else ranks[0])
    if ranks[0] == ranks[2]:
        return (4, ranks[0])
    if flush:
        return (2, *ranks)
    if len(set(ranks)) == 2:
        pair = ranks[1]
        return (1, pair, ranks[0] + ranks[2] - pair)
    return (0, *ranks)


@lru_cache
def hand_values() -> NDArray[np.uint16]:
    """values[a, b, c] for three different cards in any order; 0 elsewhere."""
    orders = {cards: _order(cards) for cards in combinations(range(CARDS), 3)}
    strength = {order: place for place, order in enumerate(sorted(set(orders.values())))}
    values = np.zeros((CARDS, CARDS, CARDS), np.uint16)
    for cards, order in orders.items():
        for a, b, c in permutations(cards):
            values[a, b, c] = order[0] << 10 | strength[order]
    values.flags.writeable = False
    return values
