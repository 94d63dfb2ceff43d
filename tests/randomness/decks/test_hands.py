"""Groups from any deck: categories by exact counting, and many at once."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from randomness.decks.columns import hand_values
from randomness.decks.hands import MOST_PAIRED, categories, dealt, two_hands
from randomness.decks.kinds import STANDARD, DeckKind, deck_kind

KINDS = {
    "36 in threes": deck_kind(36),
    "54 in threes": deck_kind(54),
    "54 with jokers alike": deck_kind(54, jokers_alike=True, group=2),
    "2 × 24 in fours": deck_kind(24, ranks="9TJQKA", shoe=2, group=4),
    "32 in fives": deck_kind(32, group=5),
}


def test_three_cards_of_52_are_the_six_usual_categories() -> None:
    found = categories(STANDARD)
    assert dict(zip(found.names, found.counts, strict=True)) == {
        "high card": 16_440, "pair": 3_744, "flush": 1_096, "straight": 720, "three of a kind": 52,
        "straight flush": 48,
    }  # fmt: skip


def test_five_cards_of_52_are_those_of_poker() -> None:
    found = categories(deck_kind(52, group=5))
    assert dict(zip(found.names, found.counts, strict=True)) == {
        "high card": 1_302_540, "pair": 1_098_240, "two pairs": 123_552, "three of a kind": 54_912,
        "straight": 10_200, "flush": 5_108, "full house": 3_744, "four of a kind": 624, "straight flush": 40,
    }  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_the_counts_are_those_of_every_group(name: str) -> None:
    kind = KINDS[name]
    cards = kind.whole_row
    groups = np.array(list(combinations(range(kind.cards), kind.group)))
    chosen = groups if len(groups) < 60_000 else groups[:: len(groups) // 60_000]
    alone = DeckKind(faces=kind.faces, shoe=kind.shoe, group=kind.group, seats=1, dealer=False)
    found = np.bincount(dealt(alone, cards[chosen]).category.ravel(), minlength=len(categories(kind).names))
    counts = np.array(categories(kind).counts)
    assert counts.sum() == comb(kind.cards, kind.group)
    if len(chosen) == len(groups):
        assert found.tolist() == counts.tolist()
    else:
        share = counts / counts.sum()
        assert np.abs(found / found.sum() - share).max() < 0.01


def test_the_stronger_hand_is_the_rarer_then_the_higher() -> None:
    kind = deck_kind(36, seats=3, dealer=False)
    names = [kind.card_name(card) for card in range(36)]

    def deck(*hands: str) -> np.ndarray:
        first = [names.index(card) for hand in hands for card in hand.split()]
        return np.array([[*first, *(card for card in range(36) if card not in first)]])

    strength = dealt(kind, deck("K♣ K♦ 6♠", "Q♣ Q♦ A♠", "6♥ 7♥ 8♥")).strength[0]
    assert strength[2] > strength[0] > strength[1]
    strength = dealt(kind, deck("A♣ 6♦ 7♠", "9♣ T♦ J♠", "A♥ K♦ 9♠")).strength[0]
    assert strength[0] > strength[2]  # the ace below the six is a straight
    assert strength[1] > strength[2]


# ----- three cards of 52, by the accelerator's table ------------------------------------------------------------------

VALUES = hand_values()


def value(*cards: tuple[int, int]) -> int:
    return int(VALUES[tuple(13 * suit + rank for rank, suit in cards)])


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


# Ordered pairs of disjoint hands by category, 22,100 × 18,424 in all.
CATEGORY_PAIRS = (
    (225_461_472, 51_194_160, 15_004_008, 9_867_264, 706_920, 656_736),
    (51_194_160, 11_812_320, 3_412_944, 2_242_080, 168_480, 149_472),
    (15_004_008, 3_412_944, 1_027_024, 656_736, 47_128, 44_864),
    (9_867_264, 2_242_080, 656_736, 439_104, 30_960, 29_136),
    (706_920, 168_480, 47_128, 30_960, 2_496, 2_064),
    (656_736, 149_472, 44_864, 29_136, 2_064, 2_080),
)


def test_two_hands_of_one_deck_have_the_counts_in_the_table() -> None:
    pairs = two_hands(STANDARD)
    assert pairs is not None
    assert np.array_equal((pairs * 22_100 * 18_424).round(), CATEGORY_PAIRS)


def test_two_hands_of_a_small_deck_are_those_of_every_two_groups() -> None:
    kind = deck_kind(24, ranks="9TJQKA", seats=2, dealer=False)
    groups = list(combinations(range(24), 3))
    rows = np.array([[*one, *other, *[0] * 18] for one in groups[::40] for other in groups if not {*one} & {*other}])
    category = dealt(kind, rows).category
    many = len(categories(kind).names)
    found = np.bincount(category[:, 0] * many + category[:, 1], minlength=many**2).reshape(many, many)
    exact = two_hands(kind)
    assert exact is not None
    given = exact / exact.sum(1, keepdims=True)
    for one in range(2):
        assert np.allclose(found[one] / found[one].sum(), given[one], atol=0.01)
    assert two_hands(deck_kind(52, shoe=2)) is None
    assert MOST_PAIRED >= 54
