"""The tallies: what is counted over decks, how many cells each has, and who counts it.

`compiled.py` and `reference.py` each have a function of the tally's name. A tally of one permutation exists in three
views: of the faces themselves, of the places the cards had in the order that was shuffled, and of the places they had
in the deck before.
"""

from dataclasses import dataclass
from enum import Enum

from randomness.decks.faces import CARDS, SEATS

LAGS = 16
SEGMENT = 4096

_TABLE = CARDS * CARDS
_PAIRS = CARDS * (CARDS - 1) // 2
_SEAT_PAIRS = SEATS * (SEATS - 1) // 2


class View(Enum):
    """What a permutation is read against."""

    FACES = "faces"
    INPUT = "input"
    PREVIOUS = "previous"


class Source(Enum):
    """What a tally's function is given."""

    PERMUTATION = "one permutation and its inverse"
    HANDS = "the hand values of eight seats"
    TIME = "the deck and the decks before it"


@dataclass(frozen=True, kw_only=True)
class Tally:
    """One block of integer cells. With `every` = e only segments of 4,096 decks with a number divisible by e count."""

    name: str
    function: str
    source: Source
    size: int
    every: int = 1
    view: View = View.FACES

    @property
    def needs_input(self) -> bool:
        return self.view is View.INPUT


# function              cells         every
_PERMUTATION = (
    ("by_position",        _TABLE,        1),
    ("adjacent",           _TABLE,        1),
    ("distances",          CARDS,         1),
    ("lehmer",             _TABLE,        1),
    ("correlation",        _TABLE,        8),
    ("group_order",        8 * SEATS,     1),
    ("successions",        CARDS,         1),
    ("adjacencies",        CARDS,         1),
    ("rising_sequences",   CARDS + 1,     1),
    ("descents",           CARDS,         1),
    ("valleys",            CARDS // 2,    1),
    ("peaks",              CARDS // 2,    1),
    ("inversions",         _PAIRS + 1,    1),
    ("fixed_points",       CARDS + 1,     1),
    ("cycles",             CARDS + 1,     4),
    ("longest_increasing", CARDS + 1,     1),
    ("riffle_guess",       CARDS + 1,     1),
    ("shelf_guess",        CARDS + 1,     1),
)  # fmt: skip

_FACES_ONLY = (
    ("suit_runs",      CARDS + 1,       1),
    ("colour_runs",    CARDS + 1,       1),
    ("rank_runs",      CARDS + 1,       1),
    ("same_suit",      _TABLE,          4),
    ("same_rank",      _TABLE,          4),
    ("rank_order",     8 * SEATS,       4),
    ("position_pairs", _PAIRS * _TABLE, 64),
)  # fmt: skip

_HANDS = (
    ("hands",       6 * SEATS,       1),
    ("hand_pairs",  9 * _SEAT_PAIRS, 1),
    ("seat_scores", SEATS + 1,       1),
)  # fmt: skip

_TIME = (
    ("lag_matches",     LAGS * (CARDS + 1), 1),
    ("lag_shifts",      LAGS * CARDS,       64),
    ("lag_correlation", LAGS * (CARDS + 1), 8),
    ("serial",          _TABLE,             16),
)  # fmt: skip


def _tallies() -> dict[str, Tally]:
    made = [
        Tally(
            name=f"{view.value}.{function}",
            function=function,
            source=Source.PERMUTATION,
            view=view,
            size=size,
            every=every,
        )
        for view in View
        for function, size, every in _PERMUTATION
    ]
    made += [
        Tally(name=function, function=function, source=source, size=size, every=every)
        for source, rows in ((Source.PERMUTATION, _FACES_ONLY), (Source.HANDS, _HANDS), (Source.TIME, _TIME))
        for function, size, every in rows
    ]
    return {tally.name: tally for tally in made}


TALLIES = _tallies()
