"""The tallies: what is counted over decks, how many cells each has, and who counts it.

`compiled.py` and `reference.py` each have a function of the tally's name. A tally of one permutation exists in three
views: of the faces themselves, of the places the cards had in the order that was shuffled, and of the places they had
in the deck before.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from randomness.decks.faces import CARDS, SEATS

LAGS = 16
NEAR = 8
"""Lags at which single positions and cells are looked at."""
SEGMENT = 4096

_TABLE = CARDS * CARDS
_PAIRS = CARDS * (CARDS - 1) // 2
_SEAT_PAIRS = SEATS * (SEATS - 1) // 2


class View(Enum):
    """What a permutation is read against."""

    FACES = "faces"
    INPUT = "input"
    PREVIOUS = "previous"


class TallySource(Enum):
    """What a tally's function is given."""

    PERMUTATION = "one permutation and its inverse"
    HANDS = "the hand values of eight seats"
    TIME = "the deck and the decks before it"


class Keep(Enum):
    """What is kept of a tally by stretch and by phase."""

    NOTHING = "nothing"
    CELLS = "every cell"
    SUMS = "the sum of the counts of its decks"


@dataclass(frozen=True, kw_only=True)
class DeckTally:
    """One block of integer cells. With `every` = e only segments of 4,096 decks with a number divisible by e count."""

    name: str
    function: str
    source: TallySource
    size: int
    every: int = 1
    view: View = View.FACES

    @property
    def keep(self) -> Keep:
        """Tables that hold at most one hit a deck in each cell are kept whole; of counts of a deck, the sum."""
        if self.function in _KEPT_WHOLE:
            return Keep.CELLS
        return Keep.SUMS if self.function in _COUNTS else Keep.NOTHING

    @property
    def cell(self) -> type[np.signedinteger[Any]]:
        """Four bytes a cell for the huge table: 2^31 in a cell of it would take 5·10^12 decks."""
        return np.int32 if self.size > 1_000_000 else np.int64

    @property
    def needs_input(self) -> bool:
        return self.view is View.INPUT


# Cheap tallies count every segment. Where one costs as much as a shuffle, or repeats what a cheaper one sees, long runs
# count fewer (the last column: read against the previous deck, which is the dearest view).
# function              cells         every  previous
_PERMUTATION = (
    ("by_position",        _TABLE,        1,  4),
    ("adjacent",           _TABLE,        1,  4),
    ("distances",          CARDS,         8,  8),
    ("lehmer",             _TABLE,        8,  8),
    ("correlation",        _TABLE,       32, 32),
    ("group_order",        8 * SEATS,     1,  4),
    ("successions",        CARDS,         1,  4),
    ("adjacencies",        CARDS,         1,  4),
    ("stuck",              4 * CARDS,     4,  8),
    ("rising_sequences",   CARDS + 1,     1,  4),
    ("descents",           CARDS,         1,  4),
    ("valleys",            CARDS // 2,    1,  4),
    ("peaks",              CARDS // 2,    1,  4),
    ("inversions",         _PAIRS + 1,    8,  8),
    ("fixed_points",       CARDS + 1,     1,  4),
    ("cycles",             CARDS + 1,    16, 16),
    ("longest_increasing", CARDS + 1,     4,  4),
    ("riffle_guess",       CARDS + 1,     2,  8),
    ("shelf_guess",        CARDS + 1,     8,  8),
)  # fmt: skip

# function          cells            every
_FACES_ONLY = (
    ("suit_runs",      CARDS + 1,         1),
    ("colour_runs",    CARDS + 1,         1),
    ("rank_runs",      CARDS + 1,         1),
    ("same_suit",      _TABLE,            8),
    ("same_rank",      _TABLE,            8),
    ("rank_order",     8 * SEATS,         8),
    ("high_cards",     13 * SEATS,        8),
    ("card_distances", _TABLE,           64),
    ("position_pairs", _PAIRS * _TABLE, 256),
)  # fmt: skip

_HANDS = (
    ("hands",       6 * SEATS,       1),
    ("hand_pairs",  9 * _SEAT_PAIRS, 8),
    ("seat_scores", SEATS + 1,       1),
)  # fmt: skip

_TIME = (
    ("lag_matches",     LAGS * (CARDS + 1),   8),
    ("lag_places",      NEAR * (CARDS + 1),   8),
    ("lag_cells",       NEAR * (_TABLE + 1), 64),
    ("lag_shifts",      LAGS * CARDS,       128),
    ("lag_order",       LAGS * 2 * CARDS,   256),
    ("lag_correlation", LAGS * (CARDS + 1),  32),
    ("serial",          _TABLE,              64),
)  # fmt: skip


_KEPT_WHOLE = ("by_position", "adjacent", "hands")
_COUNTS = (
    "successions", "adjacencies", "rising_sequences", "descents", "valleys", "peaks", "inversions", "fixed_points",
    "cycles", "longest_increasing", "riffle_guess", "shelf_guess", "suit_runs", "colour_runs", "rank_runs",
)  # fmt: skip


def _tallies() -> dict[str, DeckTally]:
    made = [
        DeckTally(
            name=f"{view.value}.{function}",
            function=function,
            source=TallySource.PERMUTATION,
            view=view,
            size=size,
            every=previous if view is View.PREVIOUS else every,
        )
        for view in View
        for function, size, every, previous in _PERMUTATION
    ]
    made += [
        DeckTally(name=function, function=function, source=source, size=size, every=every)
        for source, rows in (
            (TallySource.PERMUTATION, _FACES_ONLY),
            (TallySource.HANDS, _HANDS),
            (TallySource.TIME, _TIME),
        )
        for function, size, every in rows
    ]
    return {tally.name: tally for tally in made}


TALLIES = _tallies()
