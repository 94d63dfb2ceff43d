"""Favours: the chances are exactly those that the parameters name."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from randomness.errors import BadParameter
from randomness.weak.favours import FavouredCard, FavouredCell, FavouredPosition, TopCardKept, WrongCard

CARDS = 4


def cell_chances(mechanism: Any) -> list[list[Fraction]]:
    """Row: position; column: card."""
    counts = [Counter[int]() for _ in range(CARDS)]
    total = 0
    for dice in product(*(range(bound) for bound in mechanism.bounds(CARDS))):
        total += 1
        for position, card in enumerate(mechanism.plain(CARDS, dice)):
            counts[position][card] += 1
    return [[Fraction(count[card], total) for card in range(CARDS)] for count in counts]


def test_the_top_card_stays_at_its_rate() -> None:
    cells = cell_chances(TopCardKept(rate=Fraction(1, 3)))
    assert cells[0][0] == Fraction(1, 3) + Fraction(2, 3) / 4


def test_a_favoured_cell_has_its_relative_excess_and_rows_and_columns_still_sum_to_one() -> None:
    cells = cell_chances(FavouredCell(card=2, position=1, relative=Fraction(1, 5)))
    assert cells[1][2] == Fraction(1, 4) * Fraction(6, 5)
    assert [sum(row) for row in cells] == [1] * 4
    assert [sum(column) for column in zip(*cells, strict=True)] == [1] * 4


def test_a_favoured_card_has_its_excess_spread_over_the_span() -> None:
    cells = cell_chances(FavouredCard(card=3, span=2, relative=Fraction(1, 5)))
    assert [row[3] for row in cells] == [Fraction(3, 10), Fraction(3, 10), Fraction(1, 5), Fraction(1, 5)]


def test_a_favoured_position_has_its_excess_spread_over_the_cards() -> None:
    cells = cell_chances(FavouredPosition(position=3, span=2, relative=Fraction(1, 5)))
    assert cells[3] == [Fraction(3, 10), Fraction(3, 10), Fraction(1, 5), Fraction(1, 5)]


def test_a_wrong_card_is_there_twice_and_the_other_not_at_all() -> None:
    mechanism = WrongCard(missing=0, extra_card=3)
    assert sorted(mechanism.plain(4, [0, 0, 0, 0])) == [1, 2, 3, 3]
    half = WrongCard(missing=0, extra_card=3, rate=Fraction(1, 2))
    assert sorted(half.plain(4, [0, 0, 0, 1])) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "mechanism",
    [
        FavouredCell(card=4),
        FavouredCell(position=4),
        FavouredCard(card=-1),
        FavouredCard(span=4),
        FavouredPosition(position=9),
        FavouredPosition(span=0),
        FavouredCard(span=3, relative=Fraction(1)),
        WrongCard(missing=4),
        WrongCard(extra_card=4),
    ],
)
def test_places_that_the_deck_does_not_have_are_refused(mechanism: Any) -> None:
    with pytest.raises(BadParameter):
        mechanism.bounds(4)
