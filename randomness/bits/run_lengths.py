"""SP 800-22 rev. 1a, sections 2.3 and 2.4: how often the bits change, and how long ones last."""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from randomness.bits.outcome import chi_square, judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.result import Result
from randomness.special import chi_square_tail, normal_two_sided


class LongestRunLaw(NamedTuple):
    """Classes of the longest run of ones in a block: <= shortest, then one a length, the last open above."""

    least_bits: int
    block: int
    shortest: int
    probabilities: tuple[float, ...]


# Section 2.4.4 and table 3.4 (the last row is off by up to 0.0016: 0.0882 should be 0.0866).
LONGEST_RUN_LAWS = (
    LongestRunLaw(128, 8, 1, (0.21484375, 0.3671875, 0.23046875, 0.1875)),
    LongestRunLaw(6_272, 128, 4, (0.1174035788, 0.242955959, 0.249363483, 0.17517706, 0.102701071, 0.112398847)),
    LongestRunLaw(750_000, 10_000, 10, (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727)),
)


def runs(bits: Bits, *, least_bits: int = 100, corrected: bool = False) -> tuple[Result]:
    """Section 2.3: the number of runs given the share of ones.

    Where that share is 2/sqrt(n) or more off 1/2 the standard sets p to 0 (the frequency test has failed already);
    `corrected` keeps the conditional law, which needs no such condition.
    """
    n = len(bits)
    if unmet := short(n, max(least_bits, 2)):
        return (too_few("runs", n, unmet),)
    changes = int(np.count_nonzero(bits.values[1:] != bits.values[:-1]))
    share = bits.ones / n
    spread = 2.0 * share * (1.0 - share)
    if spread == 0.0 or (not corrected and abs(share - 0.5) >= 2.0 / math.sqrt(n)):
        return (judged("runs", n, statistic=float(changes + 1), p=0.0),)
    z = (changes + 1 - n * spread) / (spread * math.sqrt(n))
    return (
        judged(
            "runs",
            n,
            statistic=z,
            p=normal_two_sided(z),
            effect=changes / (n - 1) - spread,
            deviation=spread / math.sqrt(n),
            unit="share of changes minus expected",
        ),
    )


def longest_run(bits: Bits, *, least_bits: int = 128, corrected: bool = False) -> tuple[Result]:
    """Section 2.4: the longest run of ones in each block; `corrected` computes the probabilities."""
    n = len(bits)
    if unmet := short(n, max(least_bits, LONGEST_RUN_LAWS[0].block)):
        return (too_few("longest-run", n, unmet),)
    law = longest_run_law(n, corrected=corrected)
    longest = bits.engine.longest_runs(bits.values, law.block)
    classes = np.clip(longest - law.shortest, 0, len(law.probabilities) - 1)
    statistic = chi_square(np.bincount(classes, minlength=len(law.probabilities)).tolist(), law.probabilities)
    return (judged("longest-run", n, statistic=statistic, p=chi_square_tail(statistic, len(law.probabilities) - 1)),)


def longest_run_law(n: int, *, corrected: bool = False) -> LongestRunLaw:
    """The row of the table for n bits."""
    law = next((row for row in reversed(LONGEST_RUN_LAWS) if n >= row.least_bits), LONGEST_RUN_LAWS[0])
    return law._replace(probabilities=_exact_probabilities(law)) if corrected else law


@cache
def _exact_probabilities(law: LongestRunLaw) -> tuple[float, ...]:
    longest = law.shortest + len(law.probabilities) - 1
    below = [_no_longer_run(law.block, length) for length in range(law.shortest, longest)]
    return tuple(np.diff([0.0, *below, 1.0]).tolist())


def _no_longer_run(bits: int, length: int) -> float:
    """P(no run of more than `length` ones in `bits` random bits): a run too long ends its first time just once."""
    chances = [1.0] * (length + 1) + [1.0 - 0.5 ** (length + 1)]
    for n in range(length + 2, bits + 1):
        chances.append(chances[n - 1] - 0.5 ** (length + 2) * chances[n - length - 2])
    return chances[bits]
