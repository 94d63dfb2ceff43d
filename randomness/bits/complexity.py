"""SP 800-22 rev. 1a, section 2.10: the shortest linear feedback register that makes each block."""

import numpy as np

from randomness.bits.engine import Counts
from randomness.bits.outcome import chi_square, judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.errors import BitsError
from randomness.result import Result
from randomness.special import chi_square_tail

# Section 3.10, as the NIST suite has them: the first should be 1/96 = 0.010417 and stands there as 0.01047.
PROBABILITIES = (0.01047, 0.03125, 0.125, 0.5, 0.25, 0.0625, 0.020833)
_REACH = 3  # classes by distance from the middle: -3 and below, -2 ... 2, 3 and above


def linear_complexity(
    bits: Bits, *, block: int = 500, least_bits: int = 1_000_000, corrected: bool = False
) -> tuple[Result]:
    """Section 2.10: seven classes of complexity around block / 2; `corrected` takes the exact finite law."""
    if block < 2 * _REACH + 2:
        raise BitsError(f"blocks of at least {2 * _REACH + 2} bits, not {block}")
    n = len(bits)
    if unmet := short(n, max(least_bits, block)):
        return (too_few("linear-complexity", n, unmet),)
    found = complexity_class(bits.engine.complexities(bits.values, block), block)
    chances = exact_probabilities(block) if corrected else PROBABILITIES
    statistic = chi_square(np.bincount(found, minlength=len(chances)).tolist(), chances)
    return (judged("linear-complexity", n, statistic=statistic, p=chi_square_tail(statistic, len(chances) - 1)),)


def complexity_class(complexity: Counts, block: int) -> Counts:
    """The class 0 ... 6 of section 2.10.4 step 5.

    T = (-1)^M (L - mean) + 2/9 lies within 2^-M of an integer: L - M/2 for even M, (M + 1)/2 - L for odd M.
    """
    distance = complexity - block // 2 if block % 2 == 0 else (block + 1) // 2 - complexity
    return np.asarray(np.clip(distance, -_REACH, _REACH) + _REACH)


def exact_probabilities(block: int) -> tuple[float, ...]:
    """Of the 2^M blocks 2^min(2L - 1, 2M - 2L) have complexity L > 0, one has 0 (R. A. Rueppel 1986)."""
    chances = [0.0] * (2 * _REACH + 1)
    classes = complexity_class(np.arange(block + 1, dtype=np.int64), block).tolist()
    for complexity, place in enumerate(classes):
        exponent = min(2 * complexity - 1, 2 * block - 2 * complexity) if complexity else 0
        chances[place] += 2.0 ** (exponent - block)
    return tuple(chances)
