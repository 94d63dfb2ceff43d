"""Tests of few questions: classes of cards by region of the deck, lanes and groups that an earlier order leads to.

Where a defect moves many cells a little (court cards that are stiffer, a lane that feeds every eighth position, a card
that comes back to its group), a sum over those cells finds it in a fraction of the decks that the whole table takes.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.judges.weighted import WeightedJudge, of_orders, of_pairs
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.rows.base import OUTCOME_RULE, RUNS_RULE, SERIAL_RULE, BatteryRow, Made, Maker, Subject
from randomness.decks.rows.exact import sizes
from randomness.decks.rows.makers import told_apart
from randomness.decks.rows.names import Lump, ranks, suits

Marks = NDArray[Any]

LANES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 16)
"""Compartments, shelves and feed lanes that machines have: every so-many-th position."""
BLOCKS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 26)
"""Cards that lie or are dealt together."""
REACHES = (1, 2, 3, 5, 8)


# ----- faces ----------------------------------------------------------------------------------------------------------


def _classes(kind: DeckKind) -> Iterator[tuple[str, Marks]]:
    """Sets of cards that wear, weigh or print alike."""
    rank, suit = kind.ranks, kind.suits
    top = len(kind.rank_names) - bool(kind.jokers)
    numbers = np.arange(kind.distinct)
    for each in range(4):
        yield kind.suit_names[each], suit == each
    yield "red cards", kind.colours == 1
    for each, name in enumerate(kind.rank_names):
        yield f"rank {name}", rank == each
    names = np.array(kind.rank_names)[rank]
    yield "court cards", np.isin(names, ("J", "Q", "K"))
    yield "court cards and aces", np.isin(names, ("J", "Q", "K", "A"))
    yield "high ranks", np.where(rank < top, rank, 0).astype(float)
    yield "every other card of the factory order", numbers % 2
    yield "cards low in the factory order", numbers
    yield "the ends of the factory order", np.abs(numbers - (kind.distinct - 1) / 2)


def _regions(kind: DeckKind) -> Iterator[tuple[str, Marks]]:
    """Parts of a deck that are fed, gripped or dealt apart."""
    n = kind.cards
    at = np.arange(n)
    yield "towards the bottom", at
    yield "towards the ends", np.abs(at - (n - 1) / 2)
    yield "in the top quarter", at < n // 4
    yield "in the bottom quarter", at >= n - n // 4
    yield "among the first five", at < 5
    yield "among the last five", at >= n - 5
    yield "at every other position", at % 2
    for place in range(min(kind.group, 5)):
        if kind.group > 1:
            yield f"as card {place + 1} of a group", (at < kind.dealt) & (at % kind.group == place)
    yield "among the dealt cards", at < kind.dealt
    if kind.dealer and kind.groups > 1:
        yield "in the dealer's group", (at >= kind.dealt - kind.group) & (at < kind.dealt)


def _of_faces(kind: DeckKind) -> list[tuple[str, Marks]]:
    return [
        (f"{what} {where}", np.outer(region, marked).astype(float))
        for what, marked in _classes(kind)
        for where, region in _regions(kind)
        if marked.min() != marked.max() and region.min() != region.max()
    ]


# ----- places of an earlier order -------------------------------------------------------------------------------------


def _of_places(kind: DeckKind, earlier: str) -> list[tuple[str, Marks]]:
    n = kind.cards
    at = np.arange(n)
    apart = np.abs(np.subtract.outer(at, at))
    found = [
        *((f"the same lane of {lanes} as in the {earlier}", np.equal.outer(at % lanes, at % lanes)) for lanes in LANES),
        *((f"the same group of {size} as in the {earlier}", np.equal.outer(at // size, at // size)) for size in BLOCKS),
        *(
            (f"lane of {lanes}, the group of {n // lanes} it had in the {earlier}",
             np.equal.outer(at % lanes, at // -(-n // lanes)))
            for lanes in LANES
        ),
        *(
            (f"group of {n // lanes}, the lane of {lanes} it had in the {earlier}",
             np.equal.outer(at // -(-n // lanes), at % lanes))
            for lanes in LANES
        ),
        *((f"within {reach} of the place in the {earlier}", apart <= reach) for reach in REACHES),
        *((f"within {reach} of the mirrored place in the {earlier}", apart[:, ::-1] <= reach) for reach in REACHES),
        (f"the order of the {earlier}", np.outer(at, at)),
        (f"the ends of the {earlier} at the ends", np.outer(np.abs(at - (n - 1) / 2), np.abs(at - (n - 1) / 2))),
        (f"the ends of the {earlier} towards the bottom", np.outer(at, np.abs(at - (n - 1) / 2))),
        (f"the bottom of the {earlier} towards the ends", np.outer(np.abs(at - (n - 1) / 2), at)),
        (f"further down than in the {earlier}", np.less.outer(-at, -at)),
    ]  # fmt: skip
    return [(name, weights.astype(float)) for name, weights in found]


def _faces(kind: DeckKind) -> Made:
    judge = WeightedJudge(sums=lambda: of_orders(_of_faces(kind), kind.copies))
    return Made(tally="faces.by_position", least=1_000, judge=judge)


def _places(view: str, earlier: str) -> Maker:
    def make(kind: DeckKind) -> Made:
        judge = WeightedJudge(sums=lambda: of_orders(_of_places(kind, earlier), kind.copies))
        return Made(tally=f"{view}.by_position", least=1_000, judge=judge)

    return told_apart(make)


def _distances(tally: str, lump: Lump, of: str) -> Maker:
    """How often cards of one kind lie at each distance: sums along the diagonals of the table of position pairs."""

    def make(kind: DeckKind) -> Made:
        judge = WeightedJudge(sums=lambda: of_pairs(kind.cards, sizes(kind, lump(kind).groups), of))
        return Made(tally=tally, least=1_000, judge=judge)

    return make


ROWS = (
    BatteryRow(name="classes-by-region", group=Subject.POSITIONS, clause=OUTCOME_RULE, blocks=False,
               make=_faces,
               sees="a class of cards (a suit, a colour, court cards, a rank) that prefers a region of the deck"),
    BatteryRow(name="input-lanes", group=Subject.MEMORY, clause=SERIAL_RULE, blocks=False,
               make=_places("input", "input"),
               sees="cards that come out in the lane, the group or the region that they had in the input"),
    BatteryRow(name="previous-lanes", group=Subject.MEMORY, clause=SERIAL_RULE, blocks=False, twin="input-lanes",
               make=_places("previous", "deck before"),
               sees="cards that come out in the lane, the group or the region that they had in the deck before"),
    BatteryRow(name="suit-by-distance", group=Subject.ORDER, clause=RUNS_RULE, blocks=False,
               make=_distances("same_suit", suits, "one suit"),
               sees="cards of one suit that lie at some distance too often: every second, third, fourth position"),
    BatteryRow(name="rank-by-distance", group=Subject.ORDER, clause=RUNS_RULE, blocks=False,
               make=_distances("same_rank", ranks, "one rank"),
               sees="cards of one rank that lie at some distance too often or too seldom"),
)  # fmt: skip
