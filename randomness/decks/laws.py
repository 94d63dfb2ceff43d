"""Exact laws of permutation statistics when every order is equally likely: counts of orders, as integers.

Each function returns `counts[value]`, the number of permutations of n cards (or of arrangements of a multiset) with
that value; the sum is n! (or the multinomial). Nothing here is simulated or approximate. The longest increasing
subsequence has a file of its own, `lis.py`: its law is a sum over partitions.

Of a multiset, cards are thought of as told apart (n! orders); a law of faces is the same whether they are or not. A
count of glued pairs is known from `chosen[j]`, the sum over all orders of C(count, j): ways to glue j pairs × orders of
n - j blocks.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import comb, factorial, log

import numpy as np

Counts = tuple[int, ...]
Sizes = tuple[int, ...]

_SCALE = 1 << 400


def _exactly_from_chosen(chosen: Sequence[int]) -> Counts:
    """From `chosen[j]` = sum over all orders of C(value, j), the number of orders with each value."""
    top = len(chosen)
    return tuple(sum((-1) ** (j - k) * comb(j, k) * chosen[j] for j in range(k, top)) for k in range(top))


@lru_cache
def fixed_points(n: int) -> Counts:
    """Cards that kept their place: choose j to keep, arrange the rest."""
    return _exactly_from_chosen([comb(n, j) * factorial(n - j) for j in range(n + 1)])


@lru_cache
def cycles(n: int) -> Counts:
    """Cycles: the unsigned Stirling numbers of the first kind, from x(x+1)...(x+n-1)."""
    row = [1]
    for m in range(n):
        row = [m * (row[k] if k < len(row) else 0) + (row[k - 1] if k else 0) for k in range(len(row) + 1)]
    return tuple(row)


@lru_cache
def right_guesses(n: int) -> Counts:
    """Right guesses with full feedback, for any rule that always names a card not yet seen.

    With m cards left such a guess is right once in m, whatever came before: the product of (x + m - 1), the same
    polynomial as for cycles.
    """
    return cycles(n)


@lru_cache
def successions(n: int) -> Counts:
    """Places where card c is followed by c + 1: glue j of the n - 1 pairs, arrange the n - j blocks."""
    return _exactly_from_chosen([comb(n - 1, j) * factorial(n - j) for j in range(n)])


@lru_cache
def adjacencies(n: int) -> Counts:
    """Neighbours that differ by one, up or down: blocks of consecutive cards, each long one in two directions."""
    chosen = [factorial(n)]
    for j in range(1, n):
        blocks = n - j
        # t of the blocks are longer than one card and share the j extra cards, each at least one of them.
        ways = sum(comb(blocks, t) * comb(j - 1, t - 1) * 2**t for t in range(1, min(blocks, j) + 1))
        chosen.append(factorial(blocks) * ways)
    return _exactly_from_chosen(chosen)


@lru_cache
def descents(n: int) -> Counts:
    """Places where a lower card follows a higher one: the Eulerian numbers."""
    row = [1]
    for m in range(2, n + 1):
        row = [
            (k + 1) * (row[k] if k < len(row) else 0) + (m - k) * (row[k - 1] if k else 0) for k in range(len(row) + 1)
        ]
    return tuple(row[: max(n, 1)])


@lru_cache
def rising_sequences(n: int) -> Counts:
    """Rising sequences: one more than the descents of the inverse order, and inverting is one to one."""
    return (0, *descents(n))


@lru_cache
def riffle_weights(n: int, passes: int, scale: int) -> Counts:
    """By rising sequences r: `scale` × log of how much likelier that many riffles make the order, moved to begin at 0.

    After k riffles an order with r rising sequences has probability C(2^k + n - r, n) / 2^(kn) (Bayer and Diaconis
    1992). Orders that are impossible get the weight of the least likely possible one.
    """
    packets = 2**passes
    likely = [comb(packets + n - r, n) if packets + n - r >= n else 0 for r in range(1, n + 1)]
    floor = min(ways for ways in likely if ways)
    weights = [round(scale * log(max(ways, floor) / floor)) for ways in likely]
    return (weights[0], *weights)


@lru_cache
def weighted(counts: Counts, weights: Counts) -> Counts:
    """The law of a weight: counts of orders by weight, from counts by value."""
    law = [0] * (max(weights) + 1)
    for count, weight in zip(counts, weights, strict=True):
        law[weight] += count
    return tuple(law)


@lru_cache
def valleys(n: int) -> Counts:
    """Inner places lower than both neighbours (peaks have the same law by turning the order upside down).

    T(n, k) = (2k + 2) T(n-1, k) + (n - 2k) T(n-1, k-1): the highest card goes next to one of the k valleys or to an
    end and makes no new valley, or goes elsewhere and makes one.
    """
    row = [1]
    for m in range(2, n + 1):
        row = [
            (2 * k + 2) * (row[k] if k < len(row) else 0) + (m - 2 * k) * (row[k - 1] if k else 0)
            for k in range((m - 1) // 2 + 1)
        ]
    return tuple(row)


@lru_cache
def inversions(n: int) -> Counts:
    """Pairs in the wrong order: the Mahonian numbers, from the product of (1 + x + ... + x^(m-1))."""
    row = [1]
    for m in range(2, n + 1):
        sums = [0]
        for value in row:
            sums.append(sums[-1] + value)
        width = len(row) + m - 1
        row = [sums[min(k + 1, len(row))] - sums[max(0, k - m + 1)] for k in range(width)]
    return tuple(row)


@lru_cache
def neighbours_of_kind(n: int, many: int) -> Counts:
    """Neighbours that are both of one kind of `many` cards: they lie in r runs, cut and put between the others."""
    counts = [0] * many
    for runs in range(1, many + 1):
        counts[many - runs] = comb(many - 1, runs - 1) * comb(n - many + 1, runs)
    return tuple(counts)


# ----- multisets ------------------------------------------------------------------------------------------------------


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
    return _exactly_from_chosen([many * factorial(n - j) for j, many in enumerate(ways)])


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
def face_successions(sizes: Sizes) -> Counts:
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
def face_inversions(sizes: Sizes) -> Counts:
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


def hypergeometric(n: int, marked: int, taken: int) -> Counts:
    """Marked cards among so many taken."""
    return tuple(comb(marked, k) * comb(n - marked, taken - k) for k in range(min(marked, taken) + 1))
