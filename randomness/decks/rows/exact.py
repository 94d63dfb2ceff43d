"""The exact law of each count over one deck of a kind, by the name of its tally's function."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks import laws, lis
from randomness.decks.kinds.kind import STANDARD, DeckKind
from randomness.decks.sums import Law

_MOST_INTEGERS = 64
"""Cards of the largest deck whose inversions are counted in whole numbers: seconds beyond it."""


@lru_cache(maxsize=256)
def law_of(kind: DeckKind, of: str) -> Law:
    """The exact law of a count over one deck, by the name of its tally's function."""
    n, simple = kind.cards, kind.simple
    return Law(
        {
            "successions": lambda: laws.successions(n) if simple else _filled(laws.face_successions(kind.copies), n),
            "fixed_points": lambda: laws.fixed_points(n) if simple else laws.matches(kind.copies),
            "adjacencies": lambda: laws.adjacencies(n),
            "rising_sequences": lambda: laws.rising_sequences(n),
            "descents": lambda: laws.descents(n),
            "valleys": lambda: laws.valleys(n),
            "peaks": lambda: laws.valleys(n),
            "inversions": lambda: _inversions(kind),
            "cycles": lambda: laws.cycles(n),
            "longest_increasing": lambda: lis.longest_increasing(n),
            "riffle_guess": lambda: laws.right_guesses(n),
            "shelf_guess": lambda: laws.right_guesses(n),
            "suit_runs": lambda: laws.runs(sizes(kind, kind.suits)),
            "colour_runs": lambda: laws.runs(sizes(kind, kind.colours)),
            "rank_runs": lambda: laws.runs(sizes(kind, kind.ranks)),
        }[of]()
    )


def _inversions(kind: DeckKind) -> laws.Counts:
    n = kind.cards
    if kind.simple and n <= _MOST_INTEGERS:
        return laws.inversions(n)
    return _filled(laws.face_inversions(kind.copies), n * (n - 1) // 2 + 1)


def law(of: str) -> Law:
    """The same for one deck of 52 cards."""
    return law_of(STANDARD, of)


@lru_cache(maxsize=256)
def one_in(cells: int, hits: int = 1) -> Law:
    """One deck's law of a cell that is hit with probability hits/cells."""
    return Law((cells - hits, hits))


def sizes(kind: DeckKind, groups: NDArray[np.intp]) -> tuple[int, ...]:
    """Cards of each group of card numbers."""
    return tuple(int(many) for many in np.bincount(groups, weights=kind.copies))


def _filled(counts: laws.Counts, cells: int) -> laws.Counts:
    """Up to the cells of the tally: values that copies of a face make impossible."""
    return (*counts, *[0] * (cells - len(counts)))
