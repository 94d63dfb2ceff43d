"""Counts of orders, by going through all of them."""

import json
import os
from collections import Counter
from itertools import permutations
from math import factorial
from pathlib import Path

import pytest

from randomness.errors import TheoryError
from randomness.theory import by_rising_sequences, by_valleys


def rising_sequences(order: tuple[int, ...]) -> int:
    return 1 + sum(order.index(card + 1) < order.index(card) for card in range(len(order) - 1))


def valleys(order: tuple[int, ...]) -> int:
    return sum(order[i - 1] > order[i] < order[i + 1] for i in range(1, len(order) - 1))


@pytest.mark.parametrize("cards", range(1, 8))
def test_the_counts_are_those_of_all_orders(cards: int) -> None:
    rising = Counter(rising_sequences(order) for order in permutations(range(cards)))
    assert by_rising_sequences(cards) == tuple(rising[r] for r in range(1, cards + 1))
    low = Counter(valleys(order) for order in permutations(range(cards)))
    assert by_valleys(cards) == tuple(low[v] for v in range(max(low) + 1))


def test_fifty_two_cards_are_counted_once() -> None:
    assert sum(by_rising_sequences(52)) == sum(by_valleys(52)) == factorial(52)


@pytest.mark.parametrize("cards", [0, -1, 1001])
def test_a_deck_out_of_reach_is_refused(cards: int) -> None:
    with pytest.raises(TheoryError):
        by_valleys(cards)


@pytest.mark.skipif("SHUFFLER_REFERENCE" not in os.environ, reason="SHUFFLER_REFERENCE names no folder")
def test_the_counts_of_52_cards_are_those_computed_elsewhere() -> None:
    kept = json.loads((Path(os.environ["SHUFFLER_REFERENCE"]) / "perm52_exact_counts.json").read_text())
    assert by_rising_sequences(52) == tuple(map(int, kept["descents"]))
    assert by_valleys(52) == tuple(map(int, kept["valleys"]))
