"""The tables that the scalar engine fills."""

from round_engine.batch import Stakes
from round_engine.batch.cells import STATES, make_cells
from round_engine.money import Cents
from round_engine.rules.rulebook import load
from round_engine.wagers.paybook import PayBook


def test_without_a_six_card_bonus_the_category_does_not_matter() -> None:
    book = PayBook(load("ten-dollar-house"))
    plain = make_cells(book, [Stakes.of(ante=Cents(500))])
    with_bonus = make_cells(book, [Stakes.of(ante=Cents(500), six_card_bonus=Cents(500))])
    assert (plain.per_state, with_bonus.per_state) == (1, 10)
    assert len(plain.net) == plain.kinds * STATES
    assert len(with_bonus.net) == with_bonus.per_pattern == plain.kinds * STATES * 10


def test_hands_that_take_the_same_rows_are_of_one_kind() -> None:
    book = PayBook(load("ten-dollar-house"))
    # Straight flush, three of a kind, straight, and what takes no row of the ante bonus; pair plus adds flush and pair.
    assert make_cells(book, [Stakes.of(ante=Cents(500))]).kinds == 4
    assert make_cells(book, [Stakes.of(ante=Cents(500), pair_plus=Cents(500))]).kinds == 6
