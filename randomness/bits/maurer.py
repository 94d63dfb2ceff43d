"""SP 800-22 rev. 1a, section 2.9: Maurer's universal test, how far back each block was last seen."""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from randomness.bits.outcome import judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.errors import BitsError
from randomness.result import Result
from randomness.special import normal_two_sided


class UniversalLaw(NamedTuple):
    """Mean and variance of log2 of the distance for blocks of `length` bits."""

    length: int
    least_bits: int
    mean: float
    variance: float


# Section 2.9.4 and table 2.9.7: least_bits = 1010 * 2^L * L.
UNIVERSAL_LAWS = (
    UniversalLaw(6, 387_840, 5.2177052, 2.954),
    UniversalLaw(7, 904_960, 6.1962507, 3.125),
    UniversalLaw(8, 2_068_480, 7.1836656, 3.238),
    UniversalLaw(9, 4_654_080, 8.1764248, 3.311),
    UniversalLaw(10, 10_342_400, 9.1723243, 3.356),
    UniversalLaw(11, 22_753_280, 10.170032, 3.384),
    UniversalLaw(12, 49_643_520, 11.168765, 3.401),
    UniversalLaw(13, 107_560_960, 12.168070, 3.410),
    UniversalLaw(14, 231_669_760, 13.167693, 3.416),
    UniversalLaw(15, 496_435_200, 14.167488, 3.419),
    UniversalLaw(16, 1_059_061_760, 15.167379, 3.421),
)


def universal(
    bits: Bits, *, length: int | None = None, warm_up: int | None = None, corrected: bool = False
) -> tuple[Result]:
    """Section 2.9: the mean of log2 of the distances; `length` is chosen by n, `warm_up` is 10 * 2^length blocks.

    The standard's standard deviation is Maurer's fit; `corrected` computes it (see `exact_spread`).
    """
    n = len(bits)
    law = _law(n, length)
    first = 10 * (1 << law.length) if warm_up is None else warm_up
    least = law.least_bits if length is None else law.length * (first + 1)
    if unmet := short(n, least):
        return (too_few("universal", n, unmet),)
    back = bits.engine.distances(bits.values, law.length, first)
    blocks = int(back.sum())
    mean = float(np.dot(back[1:], np.log2(np.arange(1, back.size)))) / blocks
    if corrected:
        spread = exact_spread(law.length, blocks)
    else:
        fit = 0.7 - 0.8 / law.length + (4.0 + 32.0 / law.length) * blocks ** (-3.0 / law.length) / 15.0
        spread = fit * math.sqrt(law.variance / blocks)
    z = (mean - law.mean) / spread
    return (
        judged(
            "universal",
            n,
            statistic=z,
            p=normal_two_sided(z),
            effect=mean - law.mean,
            deviation=spread,
            unit="mean log2 distance minus expected",
        ),
    )


def _law(n: int, length: int | None) -> UniversalLaw:
    if length is None:
        return next((row for row in reversed(UNIVERSAL_LAWS) if n >= row.least_bits), UNIVERSAL_LAWS[0])
    for row in UNIVERSAL_LAWS:
        if row.length == length:
            return row
    raise BitsError(f"blocks of {UNIVERSAL_LAWS[0].length} to {UNIVERSAL_LAWS[-1].length} bits, not {length}")


class _Sums(NamedTuple):
    variance: float
    covariances: float
    weighted: float  # by the lag


@cache
def _lag_sums(length: int) -> _Sums:
    """Variance of g(A) with g = log2, and its covariances with g(B) of the block k later, summed over k.

    Distances of one value out of V are geometric. Two of them, A back from a block and B back from the one k later,
    are independent unless B reaches over the first block, B = k + s with s > 0; then the second value differs from the
    first (1 - 1/V), was absent between (k - 1 times 1 - 1/V), and both look back together: neither occurs for
    min(A, s) - 1 places (1 - 2/V each), one occurs (1/V), the other follows after |A - s| - 1 places more. The double
    sum over A and s, and the sum over k, are linear recurrences. The idea of summing covariances is that of Coron and
    Naccache, "An accurate evaluation of Maurer's universal test", SAC 1998.
    """
    values = 1 << length
    here, keep, both = 1.0 / values, 1.0 - 1.0 / values, 1.0 - 2.0 / values
    reach = 40 * values  # beyond it lies a share of exp(-40)
    g = np.log2(np.arange(1, reach + 1)).tolist()
    chance = [here * keep**i for i in range(reach)]
    mean = math.fsum(p * x for p, x in zip(chance, g, strict=True))
    variance = math.fsum(p * x * x for p, x in zip(chance, g, strict=True)) - mean * mean

    # above[s] = sum over i > s of g(i) keep^(i - s - 1): first seen from the far end.
    above = [0.0] * (reach + 1)
    for s in range(reach - 1, -1, -1):
        above[s] = g[s] + keep * above[s + 1]
    joint = []
    below, shrink = 0.0, 1.0
    for s in range(reach):  # the place s + 1 back; below = sum over i < s of g(i) both^(i - 1) keep^(s - i - 1)
        joint.append(keep * here * here * (below + shrink * above[s + 1]) - mean * here * keep ** (s + 1))
        below = keep * below + shrink * g[s]
        shrink *= both
    # sum over k and s of keep^(k - 1) g(k + s) joint(s), plain and with weight k: running sums over t = k + s.
    plain = weighted = 0.0
    run, lagged = 0.0, 0.0
    for t in range(1, reach):
        lagged = keep * (lagged + run) + joint[t - 1]
        run = keep * run + joint[t - 1]
        plain += g[t] * run
        weighted += g[t] * lagged
    return _Sums(variance=variance, covariances=plain, weighted=weighted)


def exact_spread(length: int, blocks: int) -> float:
    """Standard deviation of the mean of log2 distances over `blocks` blocks, with all covariances between them."""
    sums = _lag_sums(length)
    return math.sqrt((sums.variance + 2.0 * (sums.covariances - sums.weighted / blocks)) / blocks)
