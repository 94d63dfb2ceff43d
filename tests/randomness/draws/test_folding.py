"""Folding keeps draws uniform: cells of equal width, the rest left out."""

import numpy as np
import pytest

from randomness.draws.folding import fold


@pytest.mark.parametrize(
    ("bound", "most", "cells", "width"),
    [
        (52, 64, 52, 1),
        (52, 32, 26, 2),
        (52, 16, 13, 4),
        (6, 16, 6, 1),
        (37, 32, 18, 2),
        (2, 2, 2, 1),
        (1 << 40, 64, 64, 1 << 34),
    ],
)
def test_the_number_of_cells(bound: int, most: int, cells: int, width: int) -> None:
    chosen = fold(bound, most)
    assert (chosen.cells, chosen.width) == (cells, width)


def test_a_fold_may_be_asked_for_many_cells() -> None:
    assert fold(1 << 20, 4_096, least=2_048).cells == 4_096
    assert fold(5_003, 4_096, least=2_048).kept > 4_900


@pytest.mark.parametrize(("bound", "most"), [(52, 32), (37, 32), (7, 2), (10, 10)])
def test_every_cell_gets_the_same_numbers(bound: int, most: int) -> None:
    chosen = fold(bound, most)
    cells = chosen(np.arange(bound))
    assert np.bincount(cells).tolist() == [chosen.width] * chosen.cells


def test_names_of_cells() -> None:
    assert fold(52, 64).name(7) == "7"
    assert fold(52, 16).name(1) == "4 … 7"
