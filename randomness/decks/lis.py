"""The exact law of the longest increasing subsequence, by hook lengths.

Robinson–Schensted: orders of n cards with longest increasing subsequence k pair off with pairs of standard tableaux of
one shape with first row k, and a shape has n! / (product of its hook lengths) tableaux (Frame, Robinson, Thrall 1954).
For 52 cards that is a sum over 281,589 shapes, some seconds: the results for usual decks are kept in `longest.json`,
which `python -m randomness.decks.lis` writes again. For other numbers of cards up to 40 they are worked out when asked
for.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from math import factorial
from pathlib import Path

from randomness.decks.laws import Counts

_FILE = "longest.json"
_KEPT = (40, 48, 52, 53, 54)
KNOWN = frozenset({*range(24, 41), *_KEPT})
"""Numbers of cards for which the law is worked out or kept."""


def partitions(n: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Every way to write n as a sum of descending parts."""
    if n == 0:
        yield ()
        return
    for first in range(min(n, largest or n), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


def tableaux(shape: tuple[int, ...]) -> int:
    """Standard Young tableaux of a shape."""
    columns = [sum(1 for row in shape if row > j) for j in range(shape[0])] if shape else []
    hooks = 1
    for i, row in enumerate(shape):
        for j in range(row):
            hooks *= (row - j) + (columns[j] - i) - 1
    return factorial(sum(shape)) // hooks


def by_hook_lengths(n: int) -> Counts:
    """`counts[k]`: orders of n cards whose longest increasing subsequence has k cards."""
    counts = [0] * (n + 1)
    for shape in partitions(n):
        counts[shape[0] if shape else 0] += tableaux(shape) ** 2
    return tuple(counts)


@lru_cache
def longest_increasing(n: int) -> Counts:
    """The same, from the kept file where n is usual."""
    if n not in _KEPT:
        return by_hook_lengths(n)
    kept = json.loads(resources.files("randomness.decks").joinpath(_FILE).read_text(encoding="utf-8"))
    return tuple(int(count) for count in kept[str(n)])


def main() -> None:
    kept = {str(n): [str(count) for count in by_hook_lengths(n)] for n in _KEPT}
    Path(__file__).with_name(_FILE).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
