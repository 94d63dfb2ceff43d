"""Exact laws of counts when every order of a multiset of cards is equally likely: counts of orders, as integers.

Cards are thought of as told apart (n! orders); a law of faces is the same whether they are or not. A count of glued
pairs is known from `chosen[j]`, the sum over all orders of C(count, j): ways to glue j pairs × orders of n - j blocks.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import comb, factorial

import numpy as np

from randomness.decks.laws import Counts

Sizes = tuple[int, ...]

_SCALE = 1 << 400


def product(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Of two polynomials."""
    out = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        if a:
            for j, b in enumerate(right):
                out[i + j] += a * b
    return out


def _exactly(ways: Sequence[int], n: int) -> Counts:
    """Orders by count, from the ways to glue j pairs."""
    chosen = [many * factorial(n - j) for j, many in enumerate(ways)]
    top = len(chosen)
    return tuple(sum((-1) ** (j - k) * comb(j, k) * chosen[j] for j in range(k, top)) for k in range(top))


def _rooks(a: int, b: int) -> list[int]:
    """Ways to pair off j of a cards with j of b."""
    return [comb(a, j) * comb(b, j) * factorial(j) for j in range(min(a, b) + 1)]


@lru_cache
def matches(sizes: Sizes) -> Counts:
    """Places that hold the same face in two orders of the multiset: j cards of one face keep to j places of it."""
    ways = [1]
    for size in sizes:
        ways = product(ways, _rooks(size, size))
    return _exactly(ways, sum(sizes))


@lru_cache
def successions(sizes: Sizes) -> Counts:
    """Places where a face is followed by the next one: glue cards of each face to cards of the next."""
    ways = [1]
    for one, following in pairwise(sizes):
        ways = product(ways, _rooks(one, following))
    return _exactly(ways, sum(sizes))


@lru_cache
def followed(one: int, other: int, n: int) -> Counts:
    """Places where a card of one kind is followed by one of another."""
    return _exactly(_rooks(one, other), n)


@lru_cache
def followed_by_its_like(size: int, n: int) -> Counts:
    """Places where a card is followed by one of its own kind: j pairs glued make size - j chains (Lah numbers)."""
    ways = [comb(size - 1, size - j - 1) * factorial(size) // factorial(size - j) for j in range(size)]
    return _exactly(ways, n)


@lru_cache
def runs(sizes: Sizes) -> Counts:
    """Runs of equal kinds: cut an order with r runs into m blocks of one kind; r - 1 cuts are forced, m - r free."""
    n = sum(sizes)
    ways = {0: 1}
    for size in sizes:
        longer: dict[int, int] = {}
        for have, many in ways.items():
            for blocks in range(1, size + 1):
                total = have + blocks
                longer[total] = longer.get(total, 0) + many * comb(size - 1, blocks - 1) * comb(total, blocks)
        ways = longer
    least = len(sizes)
    counts = [0] * (n + 1)
    for r in range(least, n + 1):
        counts[r] = ways.get(r, 0) - sum(counts[s] * comb(n - s, r - s) for s in range(least, r))
    return tuple(counts)


@lru_cache
def inversions(sizes: Sizes) -> Counts:
    """Pairs with the higher face first: the Gaussian multinomial, each face against those below it (Mann and Whitney).

    The factors are exact; they are multiplied in floating point and scaled to integers, right to 1e-13 of a chance.
    """
    degree = (sum(sizes) ** 2 - sum(size**2 for size in sizes)) // 2
    width = 1 << degree.bit_length()
    transform = np.ones(width // 2 + 1, np.complex128)
    below = 0
    for size in sizes:
        if below:
            factor = _gaussian(below + size, size)
            total = sum(factor)
            transform *= np.fft.rfft([many / total for many in factor], width)
        below += size
    pmf = np.maximum(np.fft.irfft(transform, width)[: degree + 1], 0.0)
    pmf[pmf < 1e-15 * pmf.max()] = 0.0
    return tuple(int(chance * _SCALE) for chance in pmf.tolist())


def _gaussian(n: int, k: int) -> list[int]:
    """Coefficients of the Gaussian binomial: products of (1 - q^(n-i)) / (1 - q^(i+1))."""
    width = k * (n - k) + 1
    row = [1] + [0] * (width - 1)
    for i in range(k):
        top, bottom = n - i, i + 1
        row = [row[m] - (row[m - top] if m >= top else 0) for m in range(width)]
        for m in range(bottom, width):
            row[m] += row[m - bottom]
    return row


def shared(sizes: Iterable[int]) -> int:
    """Ordered pairs of different cards of one kind."""
    return sum(size * (size - 1) for size in sizes)
