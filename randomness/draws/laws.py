"""Exact chances of the classes that the tests on drawn numbers count; k is the number of equally likely values."""

import math
from functools import cache


@cache
def gap_law(chance: float, most: int) -> tuple[float, ...]:
    """P(0, 1, ... draws before a marked one), the last class `most` or more."""
    return (*(chance * (1.0 - chance) ** length for length in range(most)), (1.0 - chance) ** most)


POKER_HANDS = (
    ("five of a kind", (5,)),
    ("four of a kind", (4, 1)),
    ("full house", (3, 2)),
    ("three of a kind", (3, 1, 1)),
    ("two pairs", (2, 2, 1)),
    ("one pair", (2, 1, 1, 1)),
    ("all different", (1, 1, 1, 1, 1)),
)


@cache
def poker_law(k: int) -> tuple[float, ...]:
    """P(each of POKER_HANDS) in five draws: ways to choose the values times ways to arrange them."""
    chances = []
    for _, sizes in POKER_HANDS:
        values = math.perm(k, len(sizes))
        for size in set(sizes):
            values //= math.factorial(sizes.count(size))
        arrangements = math.factorial(5) // math.prod(math.factorial(size) for size in sizes)
        chances.append(values * arrangements / k**5)
    return tuple(chances)


@cache
def coupon_law(k: int, most: int) -> tuple[float, ...]:
    """P(all k values first seen after k, k + 1, ..., most draws), and after more."""
    seen = [1.0] + [0.0] * k  # chances of so many different values
    chances = []
    for drawn in range(1, most + 1):
        full = seen[k]
        seen = [0.0] + [seen[j] * j / k + seen[j - 1] * (k - j + 1) / k for j in range(1, k + 1)]
        if drawn >= k:
            chances.append(seen[k] - full)
    return (*chances, 1.0 - seen[k])


@cache
def ascent_law(bound: int, most: int) -> tuple[float, ...]:
    """P(a strictly rising run of 1, 2, ... draws), the last class `most` or more.

    Of the bound^r sequences of r draws C(bound, r) rise.
    """
    at_least = [math.comb(bound, length) / bound**length for length in range(1, most + 1)]
    return (*(at_least[i] - at_least[i + 1] for i in range(most - 1)), at_least[-1])


@cache
def largest_law(k: int, group: int) -> tuple[float, ...]:
    """P(the largest of `group` draws is 0, 1, ..., k - 1)."""
    return tuple(((v + 1) ** group - v**group) / k**group for v in range(k))


@cache
def duplicates_law(k: int, group: int) -> tuple[float, ...]:
    """P(0, 1, ... of `group` draws repeat an earlier one of the group)."""
    different = [1.0] + [0.0] * group
    for _ in range(group):
        different = [0.0] + [
            different[j] * min(j, k) / k + different[j - 1] * max(0, k - j + 1) / k for j in range(1, group + 1)
        ]
    return tuple(reversed(different[1:]))


@cache
def binomial_law(trials: int, chance: float, most: int) -> tuple[float, ...]:
    """P(0, 1, ... successes), the last class `most` or more."""
    below = [math.comb(trials, k) * chance**k * (1.0 - chance) ** (trials - k) for k in range(most)]
    return (*below, max(0.0, 1.0 - math.fsum(below)))
