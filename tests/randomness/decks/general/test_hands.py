"""Groups from any deck: categories by exact counting, and many at once."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from randomness.decks import hands as three
from randomness.decks.general.hands import categories, dealt
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
    assert dict(zip(found.names, found.counts, strict=True)) == dict(
        zip(three.CATEGORIES, three.CATEGORY_COUNTS, strict=True)
    )


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
