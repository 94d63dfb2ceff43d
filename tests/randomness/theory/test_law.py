"""Distances and decks needed, on a law small enough to work by hand."""

from collections import defaultdict
from fractions import Fraction

import pytest

from randomness.errors import TheoryError
from randomness.theory import ClassLaw, riffle_law

# Three cards: one order with 1/2, three with 1/6 each, two that never come.
LAW = ClassLaw(cards=3, sizes=(1, 3, 2), ways=(3, 1, 0), total=6)


def test_distances_worked_by_hand() -> None:
    assert LAW.chances == (Fraction(1, 2), Fraction(1, 6), 0)
    assert LAW.ratios == (3, 1, 0)
    assert LAW.total_variation() == Fraction(1, 3)
    assert LAW.separation() == 1
    assert LAW.l_infinity() == 2
    # 3^2 * 1/6 + 1 * 3/6 - 1
    assert LAW.chi_square() == 1


def test_the_best_test_on_one_deck() -> None:
    # The likeliest order has uniform chance 1/6: at that level the test says no to it alone.
    assert LAW.power_of_one_deck(Fraction(1, 6)) == Fraction(1, 2)
    assert LAW.power_of_one_deck(Fraction(1, 12)) == Fraction(1, 4)
    assert LAW.power_of_one_deck(Fraction(1)) == 1


def best_power(law: ClassLaw, decks: int, alpha: float) -> float:
    """In exact fractions: every product of ratios that can come out, with its chance under a perfect shuffle."""
    joint = {Fraction(1): Fraction(1)}
    for _ in range(decks):
        longer: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
        for ratio, uniform in zip(law.ratios, law.uniform_classes(), strict=True):
            for before, chance in joint.items():
                longer[before * ratio] += chance * uniform
        joint = longer
    left, power = Fraction(alpha), Fraction(0)
    for ratio, uniform in sorted(joint.items(), reverse=True):
        share = min(Fraction(1), left / uniform)
        power += share * uniform * ratio
        left -= share * uniform
        if left <= 0:
            break
    return float(power)


@pytest.mark.parametrize(("law", "alpha", "power"), [(LAW, 0.01, 0.8), (LAW, 0.05, 0.9), (riffle_law(4, 2), 0.05, 0.6)])
def test_a_few_decks_are_counted_as_by_going_through_all(law: ClassLaw, alpha: float, power: float) -> None:
    needed = law.decks_needed(alpha, power)
    assert needed.method == "exact"
    assert best_power(law, needed.decks - 1, alpha) < power <= best_power(law, needed.decks, alpha) + 0.01


def test_many_decks_follow_the_normal_approximation() -> None:
    law = riffle_law(52, 10)
    # (2.3263 + 0.8416)^2 = 10.036
    assert law.decks_needed(0.01, 0.80).decks == pytest.approx(10.036 / float(law.chi_square()), rel=0.001)


@pytest.mark.parametrize(("alpha", "power"), [(0, 0.8), (0.01, 1), (0.5, 0.5), (2, 3)])
def test_impossible_levels_are_refused(alpha: float, power: float) -> None:
    with pytest.raises(TheoryError):
        LAW.decks_needed(alpha, power)


def test_a_perfect_law_is_never_noticed() -> None:
    perfect = ClassLaw(cards=3, sizes=(6,), ways=(1,), total=6)
    assert perfect.total_variation() == 0
    with pytest.raises(TheoryError, match="no number of decks"):
        perfect.decks_needed()
