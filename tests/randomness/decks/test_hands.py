"""Three-card hands: categories, order, and the exact joint law of two hands."""

from collections import Counter
from itertools import combinations

import numpy as np

from randomness.decks.hands import CATEGORY_COUNTS, CATEGORY_PAIRS, HANDS, hand_values

VALUES = hand_values()


def value(*cards: tuple[int, int]) -> int:
    return int(VALUES[tuple(13 * suit + rank for rank, suit in cards)])


def test_categories_have_their_exact_frequencies() -> None:
    counted = Counter(int(VALUES[cards]) >> 10 for cards in combinations(range(52), 3))
    assert tuple(counted[category] for category in range(6)) == CATEGORY_COUNTS
    assert sum(CATEGORY_COUNTS) == HANDS
    assert len({int(VALUES[cards]) for cards in combinations(range(52), 3)}) == 741


def test_hands_beat_each_other_as_they_should() -> None:
    ladder = [
        value((3, 0), (1, 1), (0, 2)),  # 5 high, the poorest
        value((12, 0), (11, 1), (9, 2)),  # ace high
        value((0, 0), (0, 1), (1, 2)),  # a pair of deuces
        value((12, 0), (12, 1), (11, 2)),
        value((3, 0), (1, 0), (0, 0)),  # a flush
        value((12, 0), (1, 1), (0, 2)),  # 3-2-A, the lowest straight
        value((2, 0), (1, 1), (0, 2)),
        value((12, 0), (11, 1), (10, 2)),
        value((0, 0), (0, 1), (0, 2)),  # three of a kind
        value((12, 3), (1, 3), (0, 3)),  # straight flushes
        value((12, 3), (11, 3), (10, 3)),
    ]
    assert ladder == sorted(ladder)
    assert len(set(ladder)) == len(ladder)


def test_suits_and_the_order_of_cards_do_not_matter() -> None:
    assert value((4, 0), (7, 1), (9, 2)) == value((9, 3), (4, 1), (7, 0))


def test_two_hands_of_one_deck_have_the_counts_in_the_table() -> None:
    triples = np.array(list(combinations(range(52), 3)))
    kinds = (VALUES[triples[:, 0], triples[:, 1], triples[:, 2]] >> 10).astype(int)
    # Inclusion and exclusion over shared cards: no card shared = all - with one + with two - with three.
    one = np.zeros((52, 6))
    two = np.zeros((52, 52, 6))
    for (a, b, c), kind in zip(triples, kinds, strict=True):
        one[[a, b, c], kind] += 1
        two[a, b, kind] += 1
        two[a, c, kind] += 1
        two[b, c, kind] += 1
    apart = [
        [
            CATEGORY_COUNTS[k] * CATEGORY_COUNTS[m] - one[:, k] @ one[:, m] + (two[..., k] * two[..., m]).sum()
            - (CATEGORY_COUNTS[k] if k == m else 0)
            for m in range(6)
        ]
        for k in range(6)
    ]  # fmt: skip
    assert np.array_equal(apart, CATEGORY_PAIRS)
    assert np.sum(CATEGORY_PAIRS) == 22_100 * 18_424
