"""The counts behind the fifteen tests, and who makes them: numba where it is installed, numpy elsewhere.

numba is an extra and slow to import, so nobody asks for it before the first bits.
"""

from functools import cache
from importlib import import_module
from typing import NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from randomness.extras import numba_installed

BitArray = NDArray[np.uint8]
Counts = NDArray[np.int64]

CYCLE_STATES = (-4, -3, -2, -1, 1, 2, 3, 4)  # SP 800-22 section 2.14
VISIT_STATES = (-9, -8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9)  # section 2.15
MOST_VISITS = 5  # five visits or more in a cycle are one class


class Walk(NamedTuple):
    """The walk of +1 for a one and -1 for a zero, from 0.

    `cycles` counts the returns to 0 and the unfinished rest, if any, as one more (section 2.14.4). `cycle_visits[s][k]`
    is the number of cycles that visit CYCLE_STATES[s] exactly k times (k = 5: or more); `visits[s]` all visits to
    VISIT_STATES[s].
    """

    highest: int
    lowest: int
    end: int
    cycles: int
    cycle_visits: Counts
    visits: Counts


class BitEngine(Protocol):
    """What `counts` (numpy) and `compiled` (numba) both offer; blocks are whole, a rest of bits is left out."""

    def circular_counts(self, values: BitArray, length: int) -> Counts:
        """How often each `length`-bit pattern starts at a position, the sequence bent to a circle."""

    def block_counts(self, values: BitArray, block: int, length: int) -> Counts:
        """How often each `length`-bit pattern lies in each block of `block` bits: one row a block."""

    def all_ones_counts(self, values: BitArray, block: int, length: int) -> Counts:
        """How many (overlapping) runs of `length` ones lie in each block."""

    def longest_runs(self, values: BitArray, block: int) -> Counts:
        """The longest run of ones in each block."""

    def ranks(self, values: BitArray, rows: int, columns: int) -> Counts:
        """The rank over GF(2) of each matrix of rows * columns bits, read row by row."""

    def complexities(self, values: BitArray, block: int) -> Counts:
        """The length of the shortest linear feedback register that makes each block."""

    def distances(self, values: BitArray, length: int, warm_up: int) -> Counts:
        """Of the `length`-bit blocks after the first `warm_up`: how many repeat the block d before them, by d."""

    def walk(self, values: BitArray) -> Walk:
        """The walk's extremes, cycles and visits."""


@cache
def compiled_engine() -> BitEngine | None:
    """The compiled kernels, or None where numba is not installed."""
    return cast(BitEngine, import_module("randomness.bits.compiled")) if numba_installed() else None


def plain_engine() -> BitEngine:
    """The numpy twins, which run everywhere."""
    return cast(BitEngine, import_module("randomness.bits.counts"))


def choose_engine(*, compiled: bool | None) -> BitEngine:
    """The compiled kernels unless `compiled` is False or numba is missing."""
    return (compiled_engine() if compiled is not False else None) or plain_engine()
