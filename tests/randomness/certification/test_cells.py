"""Many cells at once: the same codes as one by one, whatever the names, and every odd line left to the slow way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randomness.certification.recorded.cards import BadRow, card_code
from randomness.certification.recorded.cells import LONGEST, CellCodes

RANKS = ("two", "three", "ten", "jack", "queen", "ace", "9", "10", "K")
SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")
CELLS = st.sampled_from([str(n) for n in range(52)] + [f"{rank} of {suit}" for rank in RANKS for suit in SUITS]
                        + ["QH", "10c", "A♠", "NR", "", "joker", "♥Q"])  # fmt: skip


@given(st.lists(st.lists(CELLS, min_size=5, max_size=5), min_size=1, max_size=20))
def test_the_same_codes_as_cell_by_cell(rows: list[list[str]]) -> None:
    cells = CellCodes(card_code)
    for _ in range(2):  # fresh, and from what is known
        text = "\n".join(",".join(row) for row in rows).encode()
        found = cells.table(text, b",", 5, (0, 1, 2, 3, 4))
        assert found is not None
        assert found.tolist() == [[card_code(cell) for cell in row] for row in rows]


def test_columns_are_chosen_before_cells_are_read() -> None:
    found = CellCodes(card_code).table(b"2026-11-18T14:00:00.000000Z no card,QH,1\nx,2C,3", b",", 3, (2, 1))
    assert found is not None
    assert found.tolist() == [[1, 36], [3, 0]]


def test_a_line_of_another_width_or_a_long_cell_is_left_to_the_slow_way() -> None:
    cells = CellCodes(card_code)
    for text in (b"1,2\n3", b"1,2,3\n4", b"1\n2,3,4", b"1," + b"9" * (LONGEST + 1)):
        assert cells.table(text, b",", 2, (0, 1)) is None
    with pytest.raises(BadRow):
        cells.table(b"1,QX", b",", 2, (0, 1))


def test_a_cell_that_was_refused_is_refused_again_and_the_rest_is_not_lost() -> None:
    cells = CellCodes(card_code)
    for _ in range(2):
        with pytest.raises(BadRow):
            cells.table(b"1,QX", b",", 2, (0, 1))
    assert np.array_equal(cells.table(b"QH,10", b",", 2, (0, 1)), [[36, 10]])
