"""Wrong algorithms: each does exactly the wrong thing it says."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import factorial

import pytest

from randomness.errors import BadParameter
from randomness.weak.algorithms import Modulo, NaiveSwap, Sattolo


def law(mechanism: Sattolo | NaiveSwap | Modulo, cards: int) -> dict[tuple[int, ...], Fraction]:
    counts = Counter(
        tuple(mechanism.plain(cards, dice)) for dice in product(*(range(bound) for bound in mechanism.bounds(cards)))
    )
    return {order: Fraction(count, sum(counts.values())) for order, count in counts.items()}


def cycles(order: tuple[int, ...]) -> int:
    left, count = set(range(len(order))), 0
    while left:
        count += 1
        at = left.pop()
        while order[at] in left:
            at = order[at]
            left.remove(at)
    return count


@pytest.mark.parametrize("cards", [2, 3, 4, 5])
def test_sattolo_gives_every_single_cycle_equally_and_nothing_else(cards: int) -> None:
    found = law(Sattolo(), cards)
    assert set(found) == {order for order in permutations(range(cards)) if cycles(order) == 1}
    assert set(found.values()) == {Fraction(1, factorial(cards - 1))}


def test_sattolo_at_a_rate_is_a_mixture() -> None:
    found = law(Sattolo(rate=Fraction(1, 3)), 3)
    assert found[(0, 1, 2)] == Fraction(2, 3) / 6
    assert found[(1, 2, 0)] == Fraction(1, 3) / 2 + Fraction(2, 3) / 6


def test_the_naive_swap_of_three_cards_has_the_well_known_law() -> None:
    """27 throws for 6 orders: 4 or 5 each."""
    found = law(NaiveSwap(), 3)
    assert sorted(found.values()) == [Fraction(4, 27)] * 3 + [Fraction(5, 27)] * 3


def test_the_naive_swap_at_a_rate_is_a_mixture() -> None:
    always, half = law(NaiveSwap(), 3), law(NaiveSwap(rate=Fraction(1, 2)), 3)
    assert all(half[order] == (always[order] + Fraction(1, 6)) / 2 for order in always)


def test_modulo_favours_the_low_remainders() -> None:
    # 64 numbers over 3 places: 22, 21, 21. The last card goes to place 0 a little too often.
    found = law(Modulo(bits=6), 3)
    assert sum(p for order, p in found.items() if order[0] == 2) == Fraction(22, 64)
    assert sum(p for order, p in found.items() if order[2] == 2) == Fraction(21, 64)


def test_modulo_needs_bits_enough_for_the_deck() -> None:
    with pytest.raises(BadParameter, match="6 bits cannot reach 65 places"):
        Modulo(bits=6).bounds(65)
    for bits in (5, 33):
        with pytest.raises(BadParameter):
            Modulo(bits=bits)


def test_none_claims_to_be_exact() -> None:
    assert not any(mechanism.exact() for mechanism in (Sattolo(), NaiveSwap(), Modulo()))
