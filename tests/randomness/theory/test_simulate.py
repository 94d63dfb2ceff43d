"""Simulation beside the formulas."""

from itertools import permutations

import numpy as np
import pytest

from randomness.errors import TheoryError
from randomness.kernels import make
from randomness.sources import seeded_source
from randomness.theory import riffle_law, shelf_law
from randomness.theory.simulate import (
    SimulatedFigure,
    guess_both_ways,
    guess_upwards,
    rising_sequences,
    simulate,
    valleys,
)

ALL = np.array(list(permutations(range(6))), np.uint8)


def test_classes_of_every_order_of_six_cards() -> None:
    for order, rising, low in zip(ALL.tolist(), rising_sequences(ALL), valleys(ALL), strict=True):
        assert rising == sum(order.index(card + 1) < order.index(card) for card in range(5))
        assert low == sum(order[i - 1] > order[i] < order[i + 1] for i in range(1, 5))


def played(order: list[int], both_ways: bool) -> int:
    left, guess, score, rising = sorted(order), 0, 0, True
    for j, card in enumerate(order):
        score += guess == card
        left.remove(card)
        rising = not both_ways or j == 0 or card > order[j - 1]
        above, below = [c for c in left if c > card], [c for c in left if c < card]
        if both_ways:
            guess = (above or below[-1:] or [-1])[0] if rising else (below[-1:] or above or [-1])[0]
        else:
            guess = (above or left or [-1])[0]
    return score


def test_scores_of_every_order_of_six_cards() -> None:
    upwards, both = guess_upwards(ALL), guess_both_ways(ALL)
    for order, up, two in zip(ALL.tolist(), upwards, both, strict=True):
        assert up == played(order, both_ways=False)
        assert two == played(order, both_ways=True)


@pytest.mark.slow
def test_kernels_agree_with_the_formulas() -> None:
    law = riffle_law(52, 7)
    told = simulate(make("riffle"), law, rising_sequences, guess_upwards, 20_000, seeded_source(1))
    assert told.total_variation.agrees(law.total_variation())
    assert told.guesses.agrees(4.743993613146563)
    assert told.total_variation.error < 0.01


def test_a_kernel_that_is_not_the_laws_disagrees() -> None:
    law = shelf_law(52, 10)
    told = simulate(make("shelf", shelves=11), law, valleys, guess_both_ways, 20_000, seeded_source(1))
    assert not told.guesses.agrees(9.29659687925484)


def test_an_estimate_agrees_within_its_errors() -> None:
    assert SimulatedFigure(value=1.0, error=0.1).agrees(1.39)
    assert not SimulatedFigure(value=1.0, error=0.1).agrees(1.41)


@pytest.mark.parametrize(("cards", "decks"), [(65, 100), (52, 1)])
def test_impossible_simulations_are_refused(cards: int, decks: int) -> None:
    with pytest.raises(TheoryError):
        simulate(make("riffle"), riffle_law(cards, 7), rising_sequences, guess_upwards, decks, seeded_source(1))
