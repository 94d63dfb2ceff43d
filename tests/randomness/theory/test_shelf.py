"""The shelf law against the published table, and against all orders of small decks."""

from fractions import Fraction
from itertools import permutations, product

import pytest

from randomness.errors import TheoryError
from randomness.kernels.shelf import Shelf
from randomness.theory import shelf_law, uniform_guesses
from randomness.theory.shelf import equivalent_shelves, expected_guesses, top_card_positions

# Diaconis, Fulman and Holmes (2013), table of distances for 52 cards: total variation, separation, l-infinity (the
# paper prints infinity where it is astronomically large); more digits recomputed independently.
PUBLISHED = {
    10: (0.9999992752, 1.0, 1.43628e13),
    15: (0.9426701630, 1.0, 5.38836e8),
    20: (0.7200889863, 1.0, 1.69139e6),
    30: (0.3909796755, 0.99975437, 3960.86),
    50: (0.1585542029, 0.90995993, 38.8716),
    100: (0.0409315371, 0.43085176, 1.85167),
    200: (0.0102784321, 0.12960075, 0.313155),
    300: (0.0045711903, 0.05966801, 0.129770),
}

DIVERGENCE_AND_TOP_CARD = {
    10: (1.70881e7, 0.070916), 15: (1591.01, 0.034592), 20: (32.9824, 0.020289), 30: (1.68776, 0.009344),
    50: (0.165056, 0.003395), 100: (0.0102186, 0.000850),
}  # fmt: skip


@pytest.mark.parametrize(("shelves", "published"), PUBLISHED.items())
def test_distances_are_the_published_ones(shelves: int, published: tuple[float, float, float]) -> None:
    law = shelf_law(52, shelves)
    variation, separation, reach = published
    assert float(law.total_variation()) == pytest.approx(variation, abs=1e-10)
    assert float(law.separation()) == pytest.approx(separation, abs=1e-8)
    assert float(law.l_infinity()) == pytest.approx(reach, rel=1e-5)
    assert sum(law.classes()) == 1


def test_divergence_and_top_card() -> None:
    for shelves, (divergence, top) in DIVERGENCE_AND_TOP_CARD.items():
        positions = top_card_positions(52, shelves)
        assert sum(positions) == 1
        assert float(shelf_law(52, shelves).chi_square()) == pytest.approx(divergence, rel=1e-5)
        assert float(sum(abs(p - Fraction(1, 52)) for p in positions)) / 2 == pytest.approx(top, abs=1e-6)


def test_the_top_cards_law_is_that_over_all_throws() -> None:
    found = [Fraction(0)] * 4
    for dice in product(range(6), repeat=4):
        found[Shelf(shelves=3).plain(4, dice).index(0)] += Fraction(1, 6**4)
    assert top_card_positions(4, 3) == tuple(found)


def test_ten_shelves_twice_are_two_hundred_once() -> None:
    assert equivalent_shelves(10, 2) == 200
    assert shelf_law(52, 10, 2) == shelf_law(52, 200)


def guessed(order: tuple[int, ...]) -> int:
    """The next larger card that is left until a descent, the next smaller until an ascent; the top card first."""
    left = sorted(order)
    guess, score, rising = left[0], 0, True
    previous: int | None = None
    for card in order:
        score += guess == card
        left.remove(card)
        rising = rising if previous is None else card > previous
        previous = card
        above, below = [c for c in left if c > card], [c for c in left if c < card]
        if rising:
            guess = above[0] if above else (below[-1] if below else -1)
        else:
            guess = below[-1] if below else (above[0] if above else -1)
    return score


@pytest.mark.parametrize(("cards", "shelves"), [(1, 1), (2, 1), (4, 1), (5, 2), (6, 3), (7, 2)])
def test_guesses_are_those_over_all_orders(cards: int, shelves: int) -> None:
    law = shelf_law(cards, shelves)
    mean = square = Fraction(0)
    for order in permutations(range(cards)):
        valleys = sum(order[i - 1] > order[i] < order[i + 1] for i in range(1, cards - 1))
        mean += law.chances[valleys] * guessed(order)
        square += law.chances[valleys] * guessed(order) ** 2
    found = expected_guesses(cards, shelves)
    assert found is not None
    assert (found.mean, found.variance) == (mean, square - mean**2)


def test_ten_shelves_give_the_published_score() -> None:
    """Diaconis, Fulman and Holmes: 9.3 right guesses on average, variance 4.7."""
    found = expected_guesses(52, 10)
    assert found is not None
    assert float(found.mean) == pytest.approx(9.3, abs=0.05)
    assert float(found.variance) == pytest.approx(4.7, abs=0.05)


def test_one_shelf_gives_three_quarters_of_the_deck() -> None:
    found = expected_guesses(52, 1)
    assert found is not None
    assert found.mean == pytest.approx(39, abs=1e-9)


def test_a_perfect_shuffle_gives_the_harmonic_number() -> None:
    assert float(uniform_guesses(52).mean) == pytest.approx(4.538044, abs=1e-6)
    assert float(uniform_guesses(52).variance) == pytest.approx(2.912157, abs=1e-6)


def test_the_game_is_not_counted_for_large_decks() -> None:
    assert expected_guesses(208, 10) is None


@pytest.mark.parametrize(("shelves", "passes"), [(0, 1), (10, 0), (10**9, 2)])
def test_shelves_out_of_reach_are_refused(shelves: int, passes: int) -> None:
    with pytest.raises(TheoryError):
        shelf_law(52, shelves, passes)
