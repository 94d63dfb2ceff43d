"""Beyond the standard: is the sequence a linear congruential generator that shows its whole state?

SP 800-22 passes some of these (MINSTD among them) on any number of bits. But x' = a x + c mod m leaves a trace that no
chance does: with t the differences of successive words, t'' t - t'² is a multiple of m, for all of them.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randomness.bits.outcome import short, too_few
from randomness.bits.sequence import Bits
from randomness.result import Finding, Null, Outcome, Result

_NAME = "congruential"
_SMALLEST, _LARGEST = 16, 64  # bits of a word
_DETERMINANTS = 8
_WORDS = _DETERMINANTS + 3
_CHECKED_WORDS = 40
_TELLING = 1e-6  # from here on it is worth saying what the words follow
LEAST_BITS = (_CHECKED_WORDS + 1) * _LARGEST


class Reading(NamedTuple):
    """One way to cut bits into words: size, first bit, and whether the bytes of a word come lowest first."""

    size: int
    offset: int
    swapped: bool

    def describe(self) -> str:
        """In words."""
        return f"{self.size}-bit words from bit {self.offset}" + (", lowest byte first" if self.swapped else "")


class Recurrence(NamedTuple):
    """x -> multiplier x + increment mod modulus."""

    modulus: int
    multiplier: int
    increment: int


def readings() -> Iterator[Reading]:
    """Every size at every offset, and whole bytes the other way round too."""
    for size in range(_SMALLEST, _LARGEST + 1):
        yield from (Reading(size, offset, False) for offset in range(size))
        if size % 8 == 0:
            yield from (Reading(size, offset, True) for offset in range(0, size, 8))


def words(bits: int, length: int, reading: Reading, count: int) -> list[int]:
    """The first `count` words of a number of `length` bits, its highest bit first in the sequence."""
    mask = (1 << reading.size) - 1
    first = length - reading.offset - reading.size
    found = [(bits >> (first - number * reading.size)) & mask for number in range(count)]
    if reading.swapped:
        found = [int.from_bytes(word.to_bytes(reading.size // 8, "little"), "big") for word in found]
    return found


def common_divisor(some: list[int]) -> int:
    """Of t'' t - t'² over the words; 0 when all of them vanish."""
    steps = [after - before for before, after in pairwise(some)]
    return math.gcd(*(a * c - b * b for a, b, c in zip(steps, steps[1:], steps[2:], strict=False)))


def recurrence(some: list[int], modulus: int) -> Recurrence | None:
    """The recurrence that all the words follow, if there is one with a divisor of `modulus`."""
    for divisor in range(1, 9):
        m = modulus // divisor
        step = next((n for n in range(len(some) - 2) if math.gcd(some[n + 1] - some[n], m) == 1), None)
        if modulus % divisor or step is None or m <= max(some):
            continue
        a = (some[step + 2] - some[step + 1]) * pow(some[step + 1] - some[step], -1, m) % m
        c = (some[1] - a * some[0]) % m
        if all((a * before + c - after) % m == 0 for before, after in pairwise(some)):
            return Recurrence(m, a, c)
    return None


def congruential(bits: Bits, *, least_bits: int = LEAST_BITS) -> tuple[Result]:
    """The largest common divisor for the size of its words, over all readings.

    A divisor g of k random numbers has chance g^-k, and one of g or more g^(1-k) / (k-1). Such determinants share small
    factors more often than random numbers do; with half of k the bound holds for them as well. So p is never too small,
    and 1 for nearly all random sequences.
    """
    n = len(bits)
    if unmet := short(n, max(least_bits, LEAST_BITS)):
        return (too_few(_NAME, n, unmet),)
    start = int.from_bytes(np.packbits(bits.values[:LEAST_BITS]).tobytes(), "big")
    every = list(readings())
    divisors = [common_divisor(words(start, LEAST_BITS, reading, _WORDS)) for reading in every]
    sizes = [divisor or 1 << reading.size for divisor, reading in zip(divisors, every, strict=True)]
    place = int(np.argmax([math.log2(size) / reading.size for size, reading in zip(sizes, every, strict=True)]))
    bounds = [len(every) * float(size) ** (1 - _DETERMINANTS // 2) / (_DETERMINANTS // 2 - 1) for size in sizes]
    telling = [number for number, bound in enumerate(bounds) if bound <= _TELLING]
    explained = (_explained(start, every[number], divisors[number]) for number in telling)
    said = next(filter(None, explained), "")
    if telling and not said:
        said = f"{every[place].describe()} have determinants of differences that are multiples of {divisors[place]}"
    finding = Finding(
        place=said,
        observed=math.log2(sizes[place]),
        expected=0.0,
        z=math.sqrt(-2.0 * math.log(min(1.0, bounds[place]))),
    )
    return (
        Result(
            test=_NAME,
            outcome=Outcome.TESTED,
            samples=n,
            statistic=math.log2(sizes[place]),
            p=min(1.0, bounds[place]),
            null=Null.EXACT,
            findings=(finding,) if said else (),
        ),
    )


def _explained(start: int, reading: Reading, divisor: int) -> str:
    """What the words follow, if that can be said."""
    some = words(start, LEAST_BITS, reading, _CHECKED_WORDS)
    if divisor == 0:
        return f"{reading.describe()} differ by the same step or not at all"
    found = recurrence(some, divisor)
    if found is None:
        return ""
    return f"{reading.describe()} follow x -> {found.multiplier} x + {found.increment} mod {found.modulus}"
