"""Dice from words: several unbiased bounded draws out of each 64-bit word, in three engines that agree bit for bit.

A word is multiplied by each bound in turn; the high half is the die, the low half goes on. The dice of a word are
exactly uniform once words are refused whose last low half is below 2^64 mod (product of the bounds): Lemire's
rejection (ACM TOMACS 29, 2019, 3), carried through several bounds (Brackett-Rozinsky and Lemire, 2024).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.errors import BoundError

WORD = 1 << 64
MASK = WORD - 1
PRODUCT_LIMIT = 1 << 58
"""Largest product of the bounds in a word: at most one word in 64 is refused, and 52 cards fit into four words."""
MAX_BOUND = 1 << 32
"""Keeps every product of a half word within 64 bits."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@dataclass(frozen=True)
class DicePlan:
    """Which dice come out of which word: word w gives the dice `starts[w]` to `starts[w + 1]`."""

    bounds: tuple[int, ...]
    starts: tuple[int, ...]
    thresholds: tuple[int, ...]

    @property
    def words(self) -> int:
        """64-bit words a shuffle."""
        return len(self.thresholds)

    @property
    def acceptance(self) -> float:
        """Chance that a shuffle's words are all accepted."""
        return math.prod(1 - threshold / WORD for threshold in self.thresholds)


def plan_dice(bounds: Iterable[int]) -> DicePlan:
    """Pack the dice into words, in order, as many as fit each."""
    return _plan(tuple(bounds))


@lru_cache(maxsize=256)
def _plan(bounds: tuple[int, ...]) -> DicePlan:
    if not all(1 <= bound <= MAX_BOUND for bound in bounds):
        raise BoundError(f"a die has 1 to 2^32 sides, not {next(b for b in bounds if not 1 <= b <= MAX_BOUND)}")
    starts, products, product = [0], [], 1
    for i, bound in enumerate(bounds):
        if product * bound > PRODUCT_LIMIT:
            starts.append(i)
            products.append(product)
            product = 1
        product *= bound
    starts.append(len(bounds))
    products.append(product)
    return DicePlan(bounds, tuple(starts), tuple(WORD % product for product in products))


def roll_plain(plan: DicePlan, words: Sequence[int]) -> list[int] | None:
    """The dice of one shuffle's words, or None where a word is refused."""
    dice: list[int] = []
    append = dice.append
    bounds, starts = plan.bounds, plan.starts
    for w, rest in enumerate(words):
        for bound in bounds[starts[w] : starts[w + 1]]:
            rest *= bound
            append(rest >> 64)
            rest &= MASK
        if rest < plan.thresholds[w]:
            return None
    return dice


def roll_vector(plan: DicePlan, words: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """The dice of many shuffles, one column each die (shape: dice, shuffles), and which shuffles are accepted."""
    batch = len(words)
    dice = np.empty((len(plan.bounds), batch), np.uint32)
    accepted = np.ones(batch, np.bool_)
    for w, threshold in enumerate(plan.thresholds):
        rest = words[:, w].copy()
        for i in range(plan.starts[w], plan.starts[w + 1]):
            bound = np.uint64(plan.bounds[i])
            high = (rest >> _HALF) * bound + (((rest & _LOW) * bound) >> _HALF)
            dice[i] = high >> _HALF
            rest *= bound
        accepted &= rest >= np.uint64(threshold)
    return dice, accepted
