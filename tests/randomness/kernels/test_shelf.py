"""The shelf shuffler against the law of Diaconis, Fulman and Holmes, by going through every throw."""

from fractions import Fraction
from itertools import permutations
from math import comb
from typing import Any

import pytest

from randomness.kernels.shelf import Shelf


def valleys(order: tuple[int, ...]) -> int:
    return sum(order[i - 1] > order[i] < order[i + 1] for i in range(1, len(order) - 1))


def published(shelves: int, order: tuple[int, ...]) -> Fraction:
    """Theorem 3.1: P(w) = 4^(v+1) / (2 (2m)^n) sum_a C(n+m-a-1, n) C(n-1-2v, a-v)."""
    n, v = len(order), valleys(order)
    total = sum(comb(n + shelves - a - 1, n) * comb(n - 1 - 2 * v, a - v) for a in range(v, shelves))
    return Fraction(4 ** (v + 1) * total, 2 * (2 * shelves) ** n)


@pytest.mark.parametrize(("shelves", "cards"), [(1, 4), (2, 4), (3, 4), (1, 6), (2, 5)])
def test_the_law_is_the_published_one(laws: Any, shelves: int, cards: int) -> None:
    law = laws.of(f"shelf:shelves={shelves}", cards)
    assert {
        order: published(shelves, order) for order in permutations(range(cards)) if published(shelves, order)
    } == law


def test_two_passes_are_one_with_twice_the_product_of_the_shelves(laws: Any) -> None:
    assert laws.of("shelf:shelves=1,passes=2", 4) == laws.of("shelf:shelves=2", 4)


def test_always_on_top_keeps_the_order_on_a_shelf_and_at_the_bottom_reverses_it() -> None:
    assert Shelf(shelves=2, placement="top").plain(5, [1, 0, 1, 0, 0]) == [1, 3, 4, 0, 2]
    assert Shelf(shelves=2, placement="bottom").plain(5, [1, 0, 1, 0, 0]) == [4, 3, 1, 2, 0]


def test_a_card_under_the_pile_comes_out_behind_it() -> None:
    # Fed from the bottom of the deck: 3 under shelf 0, 2 on it, 1 on shelf 1, 0 on shelf 0.
    assert Shelf(shelves=2).plain(4, [0, 2, 0, 1]) == [0, 2, 3, 1]


def test_a_dead_shelf_gives_its_cards_to_the_next(laws: Any) -> None:
    assert Shelf(shelves=3, dead=2).plain(3, [4, 5, 1]) == [0, 2, 1]
    sometimes = laws.of("shelf:shelves=2,dead=0,dead_rate=1/2", 2)
    # Shelf 1 holds a card with chance 3/4; together (5/8 of the time) two cards keep their order half the time.
    assert sometimes[(0, 1)] == Fraction(5, 8) / 2 + Fraction(3, 16)
