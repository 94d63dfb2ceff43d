"""Makers that several tables of rows use: a count by its exact law, a table by position, cells of one law."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import place_name
from randomness.decks.judges import tables
from randomness.decks.judges.base import Judge
from randomness.decks.judges.sums import SumJudge
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.lis import KNOWN
from randomness.decks.rows.base import Made, Maker
from randomness.decks.rows.exact import law_of, one_in, sizes
from randomness.decks.rows.names import Lump, Name, cards
from randomness.decks.sums import Law

NOT_APART = "cards of one face are not told apart, and its law is that of a permutation"
ONE_SEAT = "one seat alone has no other to be compared with"
_OF_FACES = ("suit_runs", "colour_runs", "rank_runs", "fixed_points", "lag_matches")
_OF_FACES_IN_VIEW = ("faces.successions", "faces.inversions")


def told_apart(make: Maker) -> Maker:
    """For decks in which every card differs."""
    return lambda kind: make(kind) if kind.simple else NOT_APART


def no_law(kind: DeckKind, tally: str) -> str:
    """Why the count of a tally has no exact law for a deck; empty where it has one."""
    function = tally.rpartition(".")[2]
    if not kind.simple and function not in _OF_FACES and tally not in _OF_FACES_IN_VIEW:
        return NOT_APART
    if function == "longest_increasing" and kind.cards not in KNOWN:
        return f"the exact law is a sum over every partition of {kind.cards}"
    return ""


def count(tally: str, of: str) -> Maker:
    """A whole number of each deck, by its sum."""
    function = tally.rpartition(".")[2]

    def make(kind: DeckKind) -> Made | str:
        return no_law(kind, tally) or Made(tally=tally, judge=SumJudge(law=lambda: law_of(kind, function), of=of))

    return make


def table(lump: Lump, *, seats: bool = False) -> Maker:
    """Cards, whole or lumped, by position or by seat."""

    def make(kind: DeckKind) -> Made | str:
        if seats and kind.groups < 2:
            return ONE_SEAT
        lumped = lump(kind)
        rarest = min(sizes(kind, lumped.groups))
        each = [min(i // kind.group, kind.groups) if seats else i for i in range(kind.cards)]
        place = kind.seat_name if seats else place_name
        whole = lumped.groups.max() + 1 == kind.distinct
        judge = tables.position_table(
            each, lumped.groups.tolist(), kind.copies, lambda i, v: f"{lumped.names[v]} at {place(i)}"
        )
        # Lumped, the rarest cell expects five.
        least = 100 if whole and not seats else max(100, math.ceil(5 * kind.cards / rarest))
        return Made(tally="faces.by_position", least=least, judge=judge)

    return make


def moved(view: str, earlier: Name) -> Maker:
    """Places of an earlier order by places of this one."""

    def make(kind: DeckKind) -> Made:
        each = cards(kind).groups.tolist()
        judge = tables.position_table(each, each, kind.copies, earlier)
        return Made(tally=f"{view}.by_position", least=100, judge=judge)

    return told_apart(make)


def moved_cell(view: str, earlier: Name) -> Maker:
    """One place of an earlier order that leads to one of this one."""

    def make(kind: DeckKind) -> Made:
        n = kind.cards
        judge = one_law(one_in(n), np.arange(n * n), lambda cell: earlier(*divmod(cell, n)))
        return Made(tally=f"{view}.by_position", least=16, judge=judge)

    return told_apart(make)


def one_law(law: Law, chosen: NDArray[np.intp], name: Callable[[int], str], unit: str = tables.CELL) -> Judge:
    return tables.cells_judge([law], [chosen], name, unit)


def upper(n: int) -> NDArray[np.intp]:
    """The cells above the diagonal of a square table."""
    return np.flatnonzero(np.triu(np.ones((n, n), bool), 1))


def by_copies(copies: Sequence[int]) -> dict[int, list[int]]:
    """Card numbers by how many cards bear them."""
    return {many: [card for card, has in enumerate(copies) if has == many] for many in sorted(set(copies))}
