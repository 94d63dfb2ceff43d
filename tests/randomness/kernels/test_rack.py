"""The compartment rack."""

from collections import Counter
from fractions import Fraction
from math import comb, factorial
from typing import Any

import pytest

from randomness.kernels.rack import Rack


@pytest.mark.parametrize(("cards", "sizes"), [(4, "2+2"), (5, "1+3"), (5, "2"), (6, "3+3")])
def test_with_random_order_inside_every_order_is_equally_likely(laws: Any, cards: int, sizes: str) -> None:
    law = laws.of(f"rack:sizes={sizes}", cards)
    assert len(law) == factorial(cards)
    assert set(law.values()) == {Fraction(1, factorial(cards))}


def test_in_feed_order_every_set_is_equally_likely_and_every_group_ascends(laws: Any) -> None:
    law = laws.of("rack:sizes=2+3,order=feed", 6)
    assert len(law) == comb(6, 2) * comb(4, 3)
    assert set(law.values()) == {Fraction(1, 60)}
    assert all(list(part) == sorted(part) for order in law for part in (order[:2], order[2:5], order[5:]))


def test_groups_are_the_compartments_and_a_last_one_for_the_rest() -> None:
    assert Rack().groups(52) == (3,) * 9 + (25,)
    assert Rack(compartments=17).groups(51) == (3,) * 17
    assert Rack(sizes=(5, 2)).groups(10) == (5, 2, 3)


@pytest.mark.parametrize("order", ["random", "feed"])
def test_a_dead_compartment_collects_the_cards_fed_last(laws: Any, order: str) -> None:
    law = laws.of(f"rack:sizes=2+2+1,dead=1,order={order}", 5)
    held = Counter(frozenset(deck[2:4]) for deck in law)
    assert set(held) == {frozenset({3, 4})}


def test_a_sometimes_dead_compartment_lies_between(laws: Any) -> None:
    def share(spec: str) -> Fraction:
        law = laws.of(spec, 4)
        return sum((p for deck, p in law.items() if set(deck[:2]) == {2, 3}), Fraction(0))

    assert share("rack:sizes=2+2") == Fraction(1, 6)
    assert Fraction(1, 6) < share("rack:sizes=2+2,dead=0,dead_rate=1/2") < 1
    assert share("rack:sizes=2+2,dead=0") == 1
