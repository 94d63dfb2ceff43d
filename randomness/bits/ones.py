"""SP 800-22 rev. 1a, sections 2.1 and 2.2: as many ones as zeros, in the whole and in blocks."""

import math

import numpy as np

from randomness.bits.outcome import judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.result import Result
from randomness.special import chi_square_tail, normal_two_sided


def frequency(bits: Bits, *, least_bits: int = 100) -> tuple[Result]:
    """Section 2.1: the sum of ±1 against a normal law."""
    n = len(bits)
    if unmet := short(n, least_bits):
        return (too_few("frequency", n, unmet),)
    z = (2 * bits.ones - n) / math.sqrt(n)
    return (
        judged(
            "frequency",
            n,
            statistic=z,
            p=normal_two_sided(z),
            effect=bits.ones / n - 0.5,
            deviation=0.5 / math.sqrt(n),
            unit="share of ones minus 1/2",
        ),
    )


def block_frequency(bits: Bits, *, block: int = 128, least_bits: int = 100) -> tuple[Result]:
    """Section 2.2: the share of ones in each block, summed as chi-square. 128 is the default of the NIST suite."""
    n = len(bits)
    if unmet := short(n, max(least_bits, block)):
        return (too_few("block-frequency", n, unmet),)
    blocks = n // block
    ones = bits.values[: blocks * block].reshape(blocks, block).sum(axis=1, dtype=np.int64)
    statistic = float(np.square(2 * ones - block).sum()) / block
    return (judged("block-frequency", n, statistic=statistic, p=chi_square_tail(statistic, blocks)),)
