"""Cards on a terminal: as many hands in a row as fit, and never a broken line."""

import pytest

from shuffler.cli.cards_art import DrawnHand, draw, fit

HANDS = [DrawnHand(f"seat {seat}", (seat, 13 + seat, 26 + seat)) for seat in range(1, 8)]


@pytest.mark.parametrize(("width", "a_row"), [(21, 1), (44, 1), (45, 2), (80, 3), (120, 5), (300, 12)])
def test_hands_stand_side_by_side_as_far_as_the_width_goes(width: int, a_row: int) -> None:
    assert fit(width) == a_row
    lines = draw(HANDS, width).plain.split("\n")
    assert max(map(len, lines)) <= width
    assert len(lines) == 5 * -(-len(HANDS) // a_row)
    assert lines[0].count("seat") == min(a_row, len(HANDS))


def test_where_not_even_one_fits_the_cards_are_named() -> None:
    lines = draw(HANDS[:2], 20).plain.split("\n")
    assert lines == ["seat 1: 3♣ 3♦ 3♥", "seat 2: 4♣ 4♦ 4♥"]


def test_black_suits_have_the_terminals_own_colour() -> None:
    drawn = draw([DrawnHand("dealer", (0, 13, 51))], 80)
    assert {str(span.style) for span in drawn.spans if span.style} == {"bold", "bold red"}


def test_a_hand_that_is_not_named_lies_face_down() -> None:
    assert draw([DrawnHand("dealer", ())], 80).plain.count("▒▒▒▒") == 6


def test_what_could_not_be_read_is_not_drawn_as_a_card() -> None:
    assert "unre" in draw([DrawnHand("seat 1", (254, 0, 1))], 80).plain
