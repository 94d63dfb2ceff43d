"""Exact laws of permutation statistics when every order is equally likely: counts of orders, as integers.

Each function returns `counts[value]`, the number of permutations of n cards (or of arrangements of a multiset) with
that value; the sum is n! (or the multinomial). Nothing here is simulated or approximate. The longest increasing
subsequence has a file of its own, `lis.py`: its law is a sum over partitions.
"""

from functools import lru_cache
from math import comb, factorial, log

Counts = tuple[int, ...]


def _exactly_from_chosen(chosen: list[int]) -> Counts:
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


@lru_cache
def runs_of_kinds(kinds: int, each: int) -> Counts:
    """Runs of equal cards when `kinds` kinds of `each` cards are mixed (suits 4 × 13, colours 2 × 26, ranks 13 × 4).

    Cut an arrangement with r runs into m blocks of one kind: r - 1 cuts are forced, m - r are free. Counting the cut
    arrangements both ways gives a triangular system.
    """
    n = kinds * each
    # Arrangements cut into blocks: for each kind with b blocks, C(each-1, b-1) sizes; the blocks in any order.
    ways = {0: 1}
    for _ in range(kinds):
        longer: dict[int, int] = {}
        for have, count in ways.items():
            for b in range(1, each + 1):
                total = have + b
                longer[total] = longer.get(total, 0) + count * comb(each - 1, b - 1) * comb(total, b)
        ways = longer
    counts = [0] * (n + 1)
    for r in range(kinds, n + 1):
        counts[r] = ways.get(r, 0) - sum(counts[s] * comb(n - s, r - s) for s in range(kinds, r))
    return tuple(counts)
