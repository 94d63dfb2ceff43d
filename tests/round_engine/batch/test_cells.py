"""The tables that the scalar engine fills."""

import pytest

from round_engine.batch import Stakes
from round_engine.batch.cells import EXAMPLES, STATES, make_cells
from round_engine.hands import FiveCardCategory, best_five, category5_of_rank
from round_engine.hands.cards import parse_hand
from round_engine.money import Cents
from round_engine.rules.rulebook import load
from round_engine.wagers.paybook import PayBook


@pytest.mark.parametrize("category", FiveCardCategory)
def test_an_example_of_each_category(category: FiveCardCategory) -> None:
    assert category5_of_rank(best_five(parse_hand(EXAMPLES[category]))) is category


def test_without_a_six_card_bonus_the_category_does_not_matter() -> None:
    book = PayBook(load("ten-dollar-house"))
    plain = make_cells(book, [Stakes(ante=Cents(500))])
    with_bonus = make_cells(book, [Stakes(ante=Cents(500), six_card_bonus=Cents(500))])
    assert (plain.categories, with_bonus.categories) == (1, 10)
    assert len(plain.net) == plain.kinds * STATES
    assert len(with_bonus.net) == with_bonus.per_pattern == plain.kinds * STATES * 10


def test_hands_that_take_the_same_rows_are_of_one_kind() -> None:
    # Straight flush, three of a kind, straight, flush, pair, and what takes no row.
    assert make_cells(PayBook(load("ten-dollar-house")), [Stakes(ante=Cents(500))]).kinds == 6
