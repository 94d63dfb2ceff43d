"""Unbiased integers below a bound, by rejection: the same numbers one at a time or in a batch.

A 64-bit word times the bound: the high half is the number, unless the low half is below 2^64 mod bound; then the next
word is tried (Lemire, ACM TOMACS 29, 2019, 3). No division by a power of two, no modulo, no bias.
"""


import numpy as np
from numpy.typing import NDArray

from randomness.errors import BoundError, SourceStuck
from randomness.source import RandomSource, read_words

WORD = 1 << 64
MASK = WORD - 1
MAX_REJECTIONS = 256
"""In a row. A word is refused with a chance below 1/2, so a sound source gets here with probability 2^-256."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class Integers:
    """A reader of bounded integers over a random source.

    `block` is how many 64-bit words each request asks for. A generator's bytes depend on the sizes of its requests, so
    the numbers are a function of the seed and of `block`, and of nothing else: not of how they are asked for. With
    block 1, as in play, no unused randomness is kept.
    """

    def __init__(self, source: RandomSource, block: int = 1) -> None:
        if block < 1:
            raise BoundError(f"a block has at least one word, not {block}")
        self._source = source
        self._block = block
        self._words: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._next = 0

    def below(self, bound: int) -> int:
        """One integer from 0 to bound - 1."""
        threshold = WORD % checked(bound)
        for _ in range(MAX_REJECTIONS):
            product = int(self._take(1)[0]) * bound
            if product & MASK >= threshold:
                return product >> 64
        raise SourceStuck(f"{MAX_REJECTIONS} words in a row were refused: the random source is not random")

    def many_below(self, bound: int, count: int) -> NDArray[np.uint64]:
        """`count` integers from 0 to bound - 1, the same as so many calls of `below`."""
        threshold = np.uint64(WORD % checked(bound))
        if count < 0:
            raise BoundError(f"a count of integers is not negative: {count}")
        out = np.empty(count, np.uint64)
        have = empty_rounds = 0
        while have < count:
            # Never more words than numbers still missing: what is left over belongs to the next caller.
            words = self._take(count - have)
            high, low = multiply(words, bound)
            kept = high[low >= threshold]
            out[have : have + len(kept)] = kept
            have += len(kept)
            empty_rounds = 0 if len(kept) else empty_rounds + 1
            if empty_rounds >= MAX_REJECTIONS:
                raise SourceStuck(f"{MAX_REJECTIONS} draws in a row were refused: the random source is not random")
        return out

    def _take(self, count: int) -> NDArray[np.uint64]:
        """The next words, at most `count` of them and at least one."""
        if self._next == len(self._words):
            self._words = read_words(self._source, self._block)
            self._next = 0
        words = self._words[self._next : self._next + count]
        self._next += len(words)
        return words


def checked(bound: int) -> int:
    """A bound that a 64-bit word can serve."""
    if not 1 <= bound <= WORD:
        raise BoundError(f"a bound is from 1 to 2^64, not {bound}")
    return bound


def multiply(words: NDArray[np.uint64], bound: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """High and low 64 bits of each word times the bound, in halves of 32 bits."""
    if bound == WORD:
        return words, np.zeros_like(words)
    bound_high, bound_low = np.uint64(bound >> 32), np.uint64(bound & 0xFFFFFFFF)
    high, low = words >> _HALF, words & _LOW
    lower = low * bound_low
    middle = high * bound_low + (lower >> _HALF)
    cross = low * bound_high + (middle & _LOW)
    return high * bound_high + (middle >> _HALF) + (cross >> _HALF), words * np.uint64(bound)
