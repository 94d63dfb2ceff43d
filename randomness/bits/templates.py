"""SP 800-22 rev. 1a, sections 2.7 and 2.8: how often chosen patterns occur."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from randomness.bits.outcome import chi_square, judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.errors import BitsError
from randomness.result import Result
from randomness.special import chi_square_tail

_LONGEST_TEMPLATE = 16
_CLASSES = 5  # section 2.8.4: 0, 1, 2, 3, 4 and five or more occurrences


@cache
def aperiodic_templates(length: int = 9) -> tuple[str, ...]:
    """Every pattern that can't overlap itself, in numerical order: 148 of nine bits."""
    words = (format(number, f"0{length}b") for number in range(1 << length))
    return tuple(word for word in words if not any(word[shift:] == word[:-shift] for shift in range(1, length)))


def non_overlapping_template(
    bits: Bits, *, templates: Sequence[str] | None = None, blocks: int = 8, least_bits: int = 1_000_000
) -> tuple[Result, ...]:
    """Section 2.7: the occurrences of each aperiodic template in eight blocks, one p-value a template.

    The standard scans and skips past a match. A pattern that can't overlap itself is never skipped over, so its count
    is that of all windows equal to it, and one histogram of windows a block serves all templates.
    """
    chosen = aperiodic_templates() if templates is None else tuple(templates)
    length = _common_length(chosen)
    names = tuple(f"non-overlapping-template/{template}" for template in chosen)
    n = len(bits)
    if unmet := short(n, max(least_bits, blocks * length)):
        return tuple(too_few(name, n, unmet) for name in names)
    block = n // blocks
    found = bits.engine.block_counts(bits.values, block, length)[:blocks, [int(template, 2) for template in chosen]]
    mean = (block - length + 1) / 2.0**length
    variance = block * (2.0**-length - (2 * length - 1) * 4.0**-length)
    statistics = np.square(found - mean).sum(axis=0) / variance
    return tuple(
        judged(name, n, statistic=statistic, p=chi_square_tail(statistic, blocks))
        for name, statistic in zip(names, statistics.tolist(), strict=True)
    )


def _common_length(templates: tuple[str, ...]) -> int:
    lengths = {len(template) for template in templates}
    if len(lengths) != 1 or not 2 <= (length := lengths.pop()) <= _LONGEST_TEMPLATE:
        raise BitsError(f"templates of one length, 2 to {_LONGEST_TEMPLATE} bits")
    if wrong := [word for word in templates if word not in aperiodic_templates(length)]:
        raise BitsError(f"not an aperiodic pattern of zeros and ones: {wrong[0]!r}")
    return length


def overlapping_template(
    bits: Bits, *, length: int = 9, block: int = 1_032, least_bits: int = 1_000_000, corrected: bool = False
) -> tuple[Result]:
    """Section 2.8: runs of `length` ones, overlaps counted, in each block.

    The published example values come from the compound Poisson approximation of section 3.8; `corrected` takes the
    exact probabilities (Hamano and Kaneko, IEICE Trans. Fundamentals E90-A, 2007).
    """
    if not 2 <= length <= min(_LONGEST_TEMPLATE, block):
        raise BitsError(f"a template of 2 to {_LONGEST_TEMPLATE} ones within its block, not {length} in {block}")
    n = len(bits)
    if unmet := short(n, max(least_bits, block)):
        return (too_few("overlapping-template", n, unmet),)
    found = np.minimum(bits.engine.all_ones_counts(bits.values, block, length), _CLASSES)
    chances = exact_overlapping_law(length, block) if corrected else poisson_overlapping_law(length, block)
    statistic = chi_square(np.bincount(found, minlength=_CLASSES + 1).tolist(), chances)
    return (judged("overlapping-template", n, statistic=statistic, p=chi_square_tail(statistic, _CLASSES)),)


@cache
def poisson_overlapping_law(length: int, block: int) -> tuple[float, ...]:
    """Section 3.8: a Poisson number of clumps, each of a geometric number of occurrences."""
    clumps = (block - length + 1) / 2.0**length / 2.0
    chances = [math.exp(-clumps)]
    for u in range(1, _CLASSES):
        chances.append(
            math.exp(-clumps)
            / 2.0**u
            * sum(math.comb(u - 1, k - 1) * clumps**k / math.factorial(k) for k in range(1, u + 1))
        )
    return (*chances, 1.0 - sum(chances))


@cache
def exact_overlapping_law(length: int, block: int) -> tuple[float, ...]:
    """Bit by bit: the chance of each run of ones at the end together with each number of occurrences so far."""
    chances = np.zeros((length + 1, _CLASSES + 1))
    chances[0, 0] = 1.0
    for _ in range(block):
        after = np.zeros_like(chances)
        after[0] = chances.sum(axis=0) / 2.0
        after[1:length] = chances[: length - 1] / 2.0
        again = (chances[length - 1] + chances[length]) / 2.0  # one more occurrence
        after[length, 1:] = again[:-1]
        after[length, -1] += again[-1]
        chances = after
    return tuple(chances.sum(axis=0).tolist())
