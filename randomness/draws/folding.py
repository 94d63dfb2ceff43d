"""Fewer, equally likely cells out of numbers below any bound, without bias: what does not divide evenly is left out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomness.errors import DrawsError

Draws = NDArray[np.int64]

LEAST_BOUND = 2
MOST_BOUND = 1 << 62


@dataclass(frozen=True, kw_only=True)
class Folding:
    """`cells` cells of `width` neighbouring numbers each; numbers from `kept` on are left out.

    Draws that are independent and uniform stay so: those that are kept are uniform over the cells.
    """

    bound: int
    cells: int
    width: int

    @property
    def kept(self) -> int:
        """How many of the numbers below the bound fall into a cell."""
        return self.cells * self.width

    def __call__(self, draws: Draws) -> Draws:
        """The cell of each draw, without those left out."""
        if self.kept < self.bound:
            draws = draws[draws < self.kept]
        return draws if self.width == 1 else draws // self.width

    def name(self, cell: int) -> str:
        """The numbers of a cell, for a reader."""
        first = cell * self.width
        return f"{first}" if self.width == 1 else f"{first} … {first + self.width - 1}"


def check_bound(bound: int) -> None:
    """Refuse a bound that numbers can't be drawn below."""
    if not LEAST_BOUND <= bound <= MOST_BOUND:
        raise DrawsError(f"numbers below a bound of {LEAST_BOUND} to 2^62, not {bound}")


def fold(bound: int, most: int, least: int = 2) -> Folding:
    """At most `most` cells: as many as leave out the fewest numbers, and of those the most cells."""
    check_bound(bound)
    cells = max(range(min(least, bound), min(most, bound) + 1), key=lambda k: (k * (bound // k), k))
    return Folding(bound=bound, cells=cells, width=bound // cells)
