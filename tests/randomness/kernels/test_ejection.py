"""Random ejection from a stack."""

from fractions import Fraction
from math import factorial
from typing import Any

import pytest

from randomness.kernels.ejection import Ejection


@pytest.mark.parametrize("cards", [1, 2, 3, 4, 5])
def test_every_order_is_equally_likely(laws: Any, cards: int) -> None:
    law = laws.of("ejection", cards)
    assert len(law) == factorial(cards)
    assert set(law.values()) == {Fraction(1, factorial(cards))}


def test_heights_are_of_the_remaining_stack() -> None:
    assert Ejection().plain(5, [4, 0, 1, 1]) == [4, 0, 2, 3, 1]


def test_a_dead_position_pushes_the_next_card_and_at_the_end_the_one_before() -> None:
    assert Ejection(dead=1).plain(4, [1, 0, 0]) == [2, 0, 1, 3]
    assert Ejection(dead=1).plain(4, [0, 0, 1]) == [0, 1, 2, 3]


def test_under_a_dead_position_a_card_never_leaves_first_and_its_neighbour_twice_as_often(laws: Any) -> None:
    law = laws.of("ejection:dead=1", 5)
    first = [sum((p for order, p in law.items() if order[0] == card), Fraction(0)) for card in range(5)]
    assert first == [Fraction(k, 5) for k in (1, 0, 2, 1, 1)]


def test_a_sometimes_dead_position_fails_at_its_rate(laws: Any) -> None:
    law = laws.of("ejection:dead=1,dead_rate=1/3", 3)
    first = [sum((p for order, p in law.items() if order[0] == card), Fraction(0)) for card in range(3)]
    assert first == [Fraction(1, 3), Fraction(2, 9), Fraction(4, 9)]
