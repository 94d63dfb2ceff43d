"""SP 800-22 rev. 1a, sections 2.11 and 2.12: every pattern of m bits equally often, the sequence bent to a circle."""

import math

import numpy as np

from randomness.bits.outcome import judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.errors import BitsError
from randomness.result import Result
from randomness.special import chi_square_tail

_LONGEST_PATTERN = 24


def serial(bits: Bits, *, length: int = 16, least_bits: int | None = None) -> tuple[Result, Result]:
    """Section 2.11: first and second difference of psi-square; m < log2(n) - 2."""
    _check(length, least=2)
    n = len(bits)
    if unmet := short(n, 1 << (length + 3) if least_bits is None else least_bits):
        return too_few("serial/1", n, unmet), too_few("serial/2", n, unmet)
    top, middle, low = (_psi_square(bits, length - shorter) for shorter in range(3))
    first = top - middle
    second = top - 2.0 * middle + low
    return (
        judged("serial/1", n, statistic=first, p=chi_square_tail(first, 2.0 ** (length - 1))),
        judged("serial/2", n, statistic=second, p=chi_square_tail(second, 2.0 ** (length - 2))),
    )


def approximate_entropy(
    bits: Bits, *, length: int = 10, least_bits: int | None = None, corrected: bool = False
) -> tuple[Result]:
    """Section 2.12: the entropy of patterns of m bits against m + 1; m < log2(n) - 5.

    Likelihood ratios of few counts a pattern run high. `corrected` divides by their mean over the degrees of freedom,
    1 + 2^m / 2n (after D. A. Williams, Biometrika 63, 1976: 1 + (k + 1) / 6n for k equal classes, here of 2^(m+1) less
    2^m); at a million bits and m = 10 that is 1.0005, at the least length 1.008.
    """
    _check(length, least=1)
    n = len(bits)
    if unmet := short(n, 1 << (length + 6) if least_bits is None else least_bits):
        return (too_few("approximate-entropy", n, unmet),)
    entropy = _log_share(bits, length) - _log_share(bits, length + 1)
    statistic = 2.0 * n * (math.log(2.0) - entropy)
    if corrected:
        statistic /= 1.0 + 2.0**length / (2.0 * n)
    return (
        judged(
            "approximate-entropy",
            n,
            statistic=statistic,
            p=chi_square_tail(statistic, 2.0**length),
            effect=entropy - math.log(2.0),
            unit="nats a bit minus ln 2",
        ),
    )


def _check(length: int, *, least: int) -> None:
    if not least <= length <= _LONGEST_PATTERN:
        raise BitsError(f"patterns of {least} to {_LONGEST_PATTERN} bits, not {length}")


def _psi_square(bits: Bits, length: int) -> float:
    if length == 0:
        return 0.0
    counts = bits.circular_counts(length)
    return float(np.dot(counts, counts)) * 2.0**length / len(bits) - len(bits)


def _log_share(bits: Bits, length: int) -> float:
    counts = bits.circular_counts(length)
    seen = counts[counts > 0]
    return float(np.dot(seen, np.log(seen / len(bits)))) / len(bits)
