"""The riffle against the law of Bayer and Diaconis, by going through every throw."""

from fractions import Fraction
from itertools import permutations
from math import comb
from typing import Any

import pytest

from randomness.kernels.riffle import Riffle


def rising_sequences(order: tuple[int, ...]) -> int:
    place = {card: i for i, card in enumerate(order)}
    return 1 + sum(place[card + 1] < place[card] for card in range(len(order) - 1))


@pytest.mark.parametrize(("passes", "cards"), [(1, 4), (1, 7), (2, 4), (3, 4), (2, 5)])
def test_the_law_is_the_published_one(laws: Any, passes: int, cards: int) -> None:
    packets = 2**passes
    expected = {
        order: Fraction(comb(packets + cards - rising_sequences(order), cards), packets**cards)
        for order in permutations(range(cards))
    }
    assert laws.of(f"riffle:passes={passes}", cards) == {order: p for order, p in expected.items() if p}


def test_a_riffle_worked_by_hand() -> None:
    # Three zeros: the upper packet is 0 1 2.
    assert Riffle(passes=1).plain(5, [1, 0, 0, 1, 0]) == [3, 0, 1, 4, 2]
