"""Beyond the standard: does one bit of each output word follow a linear recurrence as long as MT19937's?

Every bit of a generator that is linear over the field of two elements (Mersenne twisters, xorshift, WELL, feedback
registers) follows, from word to word, a recurrence no longer than the state: 19,937 bits for MT19937. Section 2.10
looks at blocks of 500 bits and cannot see that. Here one bit of each of 40,960 words or more is taken, and the shortest
register that makes them must not be much shorter than half of them. The law of that length is exact. A bit of period
2^17, as the lowest that java.util.Random gives, follows a recurrence of 65,537: that is why more words are taken where
there are more.
"""

import math
from typing import NamedTuple

from randomness.bits.outcome import short, too_few
from randomness.bits.sequence import Bits
from randomness.result import Finding, Null, Outcome, Result

_NAME = "word-complexity"
WORDS = 40_960
"""More than twice 19,937, so that MT19937's recurrence is far below the half."""
MOST_WORDS = 140_000
"""More than twice 65,537; the work grows with the square."""


class WordBit(NamedTuple):
    """One bit of each word: the word's size, and the bit's place in the order of the stream."""

    size: int
    bit: int


# Highest and lowest bit of a word, for either order of its bytes: of a sum of linear parts the lowest bit is linear.
READINGS = (
    WordBit(8, 0), WordBit(8, 7),
    WordBit(32, 0), WordBit(32, 7), WordBit(32, 24), WordBit(32, 31),
    WordBit(64, 0), WordBit(64, 7), WordBit(64, 56), WordBit(64, 63),
)  # fmt: skip
_USUAL_SIZE = 32
_SMALLEST_P = 1e-300  # for the finding's z alone
_TELLING = 1e-6  # from here on it is worth saying which bit
LEAST_BITS = _USUAL_SIZE * WORDS
STREAM_BITS = max(reading.size for reading in READINGS) * MOST_WORDS


def chance_of_at_most(complexity: int, bits: int) -> float:
    """P(complexity of so many random bits <= complexity): 2^min(2L - 1, 2n - 2L) of the 2^n have L (Rueppel 1986)."""
    if complexity >= bits:
        return 1.0
    if 2 * complexity < bits:
        return math.ldexp(1.0, 2 * complexity + 1 - bits) / 3.0 + math.ldexp(1.0, -bits) / 3.0
    return 1.0 - math.ldexp(1.0, bits - 2 * complexity) / 3.0 + math.ldexp(1.0, -bits) / 3.0


def word_complexity(bits: Bits, *, words: int = WORDS, most_words: int = MOST_WORDS) -> tuple[Result]:
    """The least likely of all readings that the bits suffice for, its chance times their number."""
    n = len(bits)
    if unmet := short(n, _USUAL_SIZE * words):
        return (too_few(_NAME, n, unmet),)
    readings = [reading for reading in READINGS if reading.size * words <= n]
    sizes = [min(most_words, n // reading.size) for reading in readings]
    found = [_complexity(bits, reading, size) for reading, size in zip(readings, sizes, strict=True)]
    chances = [chance_of_at_most(length, size) for length, size in zip(found, sizes, strict=True)]
    place = chances.index(min(chances))
    reading, length = readings[place], found[place]
    p = min(1.0, len(readings) * chances[place])
    finding = Finding(
        place=f"bit {reading.bit} of each {reading.size}-bit word follows a linear recurrence of {length:,} bits",
        observed=float(length),
        expected=sizes[place] / 2.0,
        z=math.sqrt(-2.0 * math.log(max(p, _SMALLEST_P))),
    )
    return (
        Result(
            test=_NAME,
            outcome=Outcome.TESTED,
            samples=n,
            statistic=float(length),
            p=p,
            null=Null.EXACT,
            findings=(finding,) if p <= _TELLING else (),
        ),
    )


def _complexity(bits: Bits, reading: WordBit, words: int) -> int:
    taken = bits.values[reading.bit : reading.size * words : reading.size].copy()
    return int(bits.engine.complexities(taken, words)[0])
