"""The riffle law against the published tables, and against all orders of small decks."""

from fractions import Fraction
from itertools import permutations

import pytest

from randomness.errors import TheoryError
from randomness.theory import riffle_law
from randomness.theory.riffle import expected_guesses, top_card_positions

# Bayer and Diaconis (1992), table 1, k = 1 … 10; and other decks as quoted from the same authors.
PUBLISHED_TOTAL_VARIATION = {
    (52, 1): 1.000, (52, 2): 1.000, (52, 3): 1.000, (52, 4): 1.000, (52, 5): 0.924,
    (52, 6): 0.614, (52, 7): 0.334, (52, 8): 0.167, (52, 9): 0.085, (52, 10): 0.043,
    (25, 3): 0.999, (25, 4): 0.775, (25, 5): 0.437, (25, 6): 0.231, (25, 7): 0.114, (25, 8): 0.056,
    (32, 4): 0.929, (32, 5): 0.597, (32, 6): 0.322, (32, 7): 0.164, (32, 8): 0.084,
}  # fmt: skip

# Assaf, Diaconis and Soundararajan, "A rule of thumb for riffle shuffling": separation of the whole deck, and total
# variation and separation of one card (the top one), k = 4 … 12.
SEPARATION = {6: 1.000000, 7: 0.999995, 8: 0.996177, 9: 0.931528, 10: 0.732114, 11: 0.479496, 12: 0.277542}
ONE_CARD = {
    1: (0.87260, 1.000), 2: (0.75184, 0.99999), 3: (0.57747, 0.99283), 4: (0.36744, 0.87544), 5: (0.20036, 0.60486),
    6: (0.10268, 0.35283), 7: (0.05167, 0.18967), 8: (0.02587, 0.09819), 9: (0.01294, 0.04994), 10: (0.00647, 0.02518),
}  # fmt: skip

# l-infinity and chi-square divergence, recomputed independently.
REACH = {4: (6.780e19, 2.198e10), 6: (1.768e7, 13.6267), 7: (9857.94, 1.03963), 9: (11.2697, 0.0465429)}


@pytest.mark.parametrize(("deck", "published"), PUBLISHED_TOTAL_VARIATION.items())
def test_total_variation_is_the_published_one(deck: tuple[int, int], published: float) -> None:
    assert float(riffle_law(*deck).total_variation()) == pytest.approx(published, abs=0.0005)


def test_separation_is_the_published_one() -> None:
    for passes, published in SEPARATION.items():
        assert float(riffle_law(52, passes).separation()) == pytest.approx(published, abs=1e-6)


def test_one_card_is_the_published_one() -> None:
    for passes, (variation, separation) in ONE_CARD.items():
        positions = top_card_positions(52, passes)
        assert sum(positions) == 1
        assert float(sum(abs(p - Fraction(1, 52)) for p in positions)) / 2 == pytest.approx(variation, abs=1e-5)
        assert float(1 - 52 * min(positions)) == pytest.approx(separation, abs=1e-5)


def test_reach_and_divergence() -> None:
    for passes, (reach, divergence) in REACH.items():
        law = riffle_law(52, passes)
        assert float(law.l_infinity()) == pytest.approx(reach, rel=1e-3)
        assert float(law.chi_square()) == pytest.approx(divergence, rel=1e-3)


@pytest.mark.parametrize("passes", [1, 2, 7, 20])
def test_the_law_sums_to_one(passes: int) -> None:
    assert sum(riffle_law(52, passes).classes()) == 1


def test_eight_decks_have_a_law_too() -> None:
    assert sum(riffle_law(416, 9).classes()) == 1


def guessed(order: tuple[int, ...]) -> int:
    """The next larger card that is left, or else the smallest; the top card first."""
    left = sorted(order)
    guess, score = left[0], 0
    for card in order:
        score += guess == card
        left.remove(card)
        larger = [other for other in left if other > card]
        guess = (larger or left or [0])[0]
    return score


@pytest.mark.parametrize(("cards", "passes"), [(1, 1), (2, 1), (4, 1), (5, 2), (6, 3), (6, 1)])
def test_expected_guesses_are_those_over_all_orders(cards: int, passes: int) -> None:
    law = riffle_law(cards, passes)
    total = Fraction(0)
    for order in permutations(range(cards)):
        rising = 1 + sum(order.index(card + 1) < order.index(card) for card in range(cards - 1))
        total += law.chances[rising - 1] * guessed(order)
    assert expected_guesses(cards, passes) == total


def test_one_riffle_of_52_cards_gives_27_right_guesses_and_many_give_the_harmonic_number() -> None:
    one, many = expected_guesses(52, 1), expected_guesses(52, 14)
    assert one is not None
    assert many is not None
    assert float(one) == pytest.approx(27, abs=1e-9)
    assert float(many) == pytest.approx(4.538, abs=0.002)
    assert expected_guesses(52, 15) is None


@pytest.mark.parametrize("passes", [0, 61])
def test_passes_out_of_reach_are_refused(passes: int) -> None:
    with pytest.raises(TheoryError):
        riffle_law(52, passes)
