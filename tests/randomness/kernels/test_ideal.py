"""The ideal shuffle, by going through every throw of the dice."""

from fractions import Fraction
from math import factorial
from typing import Any

import pytest

from randomness.kernels.ideal import Ideal


@pytest.mark.parametrize("cards", [1, 2, 3, 4, 5, 6])
def test_every_order_is_equally_likely(laws: Any, cards: int) -> None:
    law = laws.of("ideal", cards)
    assert len(law) == factorial(cards)
    assert set(law.values()) == {Fraction(1, factorial(cards))}


def test_a_throw_worked_by_hand() -> None:
    # Card 1 takes place 0, so card 0 moves to 1; card 2 takes place 1, so card 0 moves on to 2.
    assert Ideal().plain(3, [0, 1]) == [1, 2, 0]
