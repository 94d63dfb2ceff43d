"""The tallies: what is counted over decks, how many cells each has for a kind of deck, and how long runs are thinned.

`counting.py` has a function of each tally's name, for every kind of deck; `compiled.py` may have a faster one for 52
cards. A tally of one order exists in three views: of the faces themselves, of the places the cards had in the order
that was shuffled, and of the places they had in the deck before.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from randomness.decks.hands import categories
from randomness.decks.kinds.kind import DeckKind

LAGS = 16
NEAR = 8
"""Lags at which single positions and cells are looked at."""
FAR = 128
"""The furthest deck back of which kept cards are counted."""
SEGMENT = 4096
IN_FULL = 2_097_152
"""Decks of a run (512 segments) that every tally counts without gaps."""


class View(Enum):
    """What an order is read against."""

    FACES = "faces"
    INPUT = "input"
    PREVIOUS = "previous"


class TallySource(Enum):
    """What a tally's function is given."""

    ORDER = "one order"
    DECK = "decks, their hands, and the decks before them"
    TIME = "the same; decks without one before them are not counted"


class Keep(Enum):
    """What a tally's function gives, and what is kept of it by stretch and by phase."""

    NOTHING = "cells; nothing is kept"
    CELLS = "the cells that each deck hits; every cell is kept"
    SUMS = "a count for each deck; its sum is kept"


@dataclass(frozen=True, kw_only=True)
class DeckTally:
    """One block of integer cells. Beyond IN_FULL decks one segment of 4,096 in `every` counts."""

    name: str
    function: str
    source: TallySource
    size: Callable[[DeckKind], int]
    keep: Keep
    every: int = 1
    view: View = View.FACES

    def cells(self, kind: DeckKind) -> np.ndarray[Any, np.dtype[Any]]:
        """No deck counted. Four bytes a cell for huge tables: 2^31 in a cell of one would take 5·10^12 decks."""
        size = self.size(kind)
        return np.zeros(size, np.int32 if size > 1_000_000 else np.int64)

    @property
    def needs_input(self) -> bool:
        return self.view is View.INPUT


def is_counted(segment: int, every: int) -> bool:
    """Whether a segment of a run counts: all of the first IN_FULL decks, then one in `every`. A longer run counts every
    deck that a shorter one does."""
    return segment * SEGMENT < IN_FULL or segment % every == 0


# ----- sizes ----------------------------------------------------------------------------------------------------------


def _cards(more: int = 0) -> Callable[[DeckKind], int]:
    return lambda kind: kind.cards + more


def _square(kind: DeckKind) -> int:
    return kind.cards**2


def _orders(kind: DeckKind) -> int:
    return kind.groups * math.factorial(kind.group)


def _lags(many: int, cells: Callable[[DeckKind], int]) -> Callable[[DeckKind], int]:
    return lambda kind: many * cells(kind)


_PAIRS: Callable[[DeckKind], int] = lambda kind: kind.cards * (kind.cards - 1) // 2  # noqa: E731
_TURNS: Callable[[DeckKind], int] = lambda kind: (kind.cards + 1) // 2  # noqa: E731

C, S, N = Keep.CELLS, Keep.SUMS, Keep.NOTHING

# Cheap tallies count every segment. Where one costs as much as a shuffle, or repeats what a cheaper one sees, very long
# runs count fewer (the last column: read against the previous deck, which is the dearest view).
# function              keep  cells                                          every  previous
_ORDER = (
    ("by_position",        C, lambda kind: kind.cards * kind.distinct,          1,  4),
    ("adjacent",           C, lambda kind: kind.distinct**2,                    1,  4),
    ("distances",          N, _cards(),                                         8,  8),
    ("lehmer",             N, _square,                                          8,  8),
    ("correlation",        N, _square,                                         32, 32),
    ("group_order",        N, _orders,                                          1,  4),
    ("successions",        S, _cards(),                                         1,  4),
    ("adjacencies",        S, _cards(),                                         1,  4),
    ("stuck",              N, lambda kind: 4 * kind.cards,                      4,  8),
    ("rising_sequences",   S, _cards(1),                                        1,  4),
    ("descents",           S, _cards(),                                         1,  4),
    ("valleys",            S, _TURNS,                                           1,  4),
    ("peaks",              S, _TURNS,                                           1,  4),
    ("inversions",         S, lambda kind: _PAIRS(kind) + 1,                    8,  8),
    ("fixed_points",       S, _cards(1),                                        1,  4),
    ("cycles",             S, _cards(1),                                       16, 16),
    ("longest_increasing", S, _cards(1),                                        4,  4),
    ("riffle_guess",       S, _cards(1),                                        2,  8),
    ("shelf_guess",        S, _cards(1),                                        8,  8),
    ("pairs_kept",         N, lambda _: 3,                                      8,  8),
)  # fmt: skip

# function          keep  cells                                                     every
_FACES_ONLY = (
    ("suit_runs",      S, _cards(1),                                                    1),
    ("colour_runs",    S, _cards(1),                                                    1),
    ("rank_runs",      S, _cards(1),                                                    1),
    ("same_suit",      N, _square,                                                      8),
    ("same_rank",      N, _square,                                                      8),
    ("rank_order",     N, _orders,                                                      8),
    ("high_cards",     N, lambda kind: len(kind.rank_names) * kind.groups,              8),
    ("card_distances", N, _square,                                                     64),
    ("position_pairs", N, lambda kind: _PAIRS(kind) * kind.distinct**2,               256),
)  # fmt: skip

_DECK = (
    ("hands",          C, lambda kind: len(categories(kind).names) * kind.groups,       1),
    ("hand_products",  N, lambda kind: len(categories(kind).names) ** 2,                1),
    ("hand_pairs",     N, lambda kind: 9 * (kind.groups * (kind.groups - 1) // 2),      8),
    ("seat_scores",    N, lambda kind: kind.groups + 1,                                 1),
)  # fmt: skip

_TIME = (
    ("lag_matches",     N, _lags(LAGS, _cards(1)),                                      8),
    ("lag_places",      N, _lags(NEAR, _cards(1)),                                      8),
    ("lag_cells",       N, _lags(NEAR, lambda kind: _square(kind) + 1),                64),
    ("lag_shifts",      N, _lags(LAGS, _cards()),                                     128),
    ("lag_order",       N, _lags(2 * LAGS, _cards()),                                 256),
    ("lag_correlation", N, _lags(LAGS, _cards(1)),                                     32),
    ("serial",          N, _square,                                                    64),
    ("lag_far",         N, lambda _: 2 * (FAR - LAGS),                                256),
)  # fmt: skip


def _tallies() -> dict[str, DeckTally]:
    made = [
        DeckTally(
            name=f"{view.value}.{function}", function=function, source=TallySource.ORDER, view=view, size=size,
            keep=keep, every=previous if view is View.PREVIOUS else every,
        )
        for view in View
        for function, keep, size, every, previous in _ORDER
    ]  # fmt: skip
    made += [
        DeckTally(name=function, function=function, source=source, size=size, keep=keep, every=every)
        for source, rows in (
            (TallySource.ORDER, _FACES_ONLY),
            (TallySource.DECK, _DECK),
            (TallySource.TIME, _TIME),
        )
        for function, keep, size, every in rows
    ]
    return {tally.name: tally for tally in made}


TALLIES = _tallies()
