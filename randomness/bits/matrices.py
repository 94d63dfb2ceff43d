"""SP 800-22 rev. 1a, section 2.5: the rank of binary matrices cut from the sequence."""

import math

import numpy as np

from randomness.bits.outcome import chi_square, judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.errors import BitsError
from randomness.result import Result
from randomness.special import chi_square_tail

_LEAST_MATRICES = 38  # section 2.5.7: n >= 38 M Q


def rank(bits: Bits, *, rows: int = 32, columns: int = 32, least_bits: int | None = None) -> tuple[Result]:
    """Section 2.5: full rank, one less, or lower still."""
    if not (2 <= rows <= 64 and 2 <= columns <= 64):
        raise BitsError(f"matrices of 2 to 64 rows and columns, not {rows} by {columns}")
    n = len(bits)
    least = _LEAST_MATRICES * rows * columns if least_bits is None else max(least_bits, rows * columns)
    if unmet := short(n, least):
        return (too_few("rank", n, unmet),)
    full = min(rows, columns)
    lost = np.minimum(full - bits.engine.ranks(bits.values, rows, columns), 2)
    chances = (rank_probability(rows, columns, full), rank_probability(rows, columns, full - 1))
    statistic = chi_square(np.bincount(lost, minlength=3).tolist(), (*chances, 1.0 - sum(chances)))
    return (judged("rank", n, statistic=statistic, p=chi_square_tail(statistic, 2)),)


def rank_probability(rows: int, columns: int, rank: int) -> float:
    """P(a random binary matrix has this rank): section 3.5."""
    product = math.prod(
        (1.0 - 2.0 ** (i - columns)) * (1.0 - 2.0 ** (i - rows)) / (1.0 - 2.0 ** (i - rank)) for i in range(rank)
    )
    return float(2.0 ** (rank * (rows + columns - rank) - rows * columns) * product)
