"""Tests of single places: pairs that stick, cards, high cards and hands at one seat, suits and ranks that clump."""

from functools import lru_cache
from itertools import pairwise
from math import comb

import numpy as np

from randomness.decks import laws
from randomness.decks.hands import categories
from randomness.decks.judges.extremes import CellGroup, GroupedCellsJudge
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.rows.base import (
    ADJACENCY_RULE,
    OUTCOME_RULE,
    RUNS_RULE,
    SERIAL_RULE,
    BatteryRow,
    Made,
    Maker,
    Subject,
)
from randomness.decks.rows.dealing import with_hands
from randomness.decks.rows.exact import one_in, sizes
from randomness.decks.rows.makers import by_copies, one_law, told_apart
from randomness.decks.rows.names import ranks, suits, two_positions
from randomness.decks.sums import Law

# ----- pairs that stick -----------------------------------------------------------------------------------------------


def _stuck(view: str, earlier: str) -> Maker:
    """Each place, and each pair of neighbours, up and down: one deck in n has such a succession there."""

    def make(kind: DeckKind) -> Made:
        n = kind.cards

        def pair(place: int) -> str:
            if view == "faces":
                return f"{kind.card_name(place)} and {kind.card_name(place + 1)} together"
            return f"{earlier} {two_positions(place, place + 1)} stay together"

        def name(cell: int) -> str:
            row, place = divmod(cell, n)
            what = f"{two_positions(place, place + 1)}: neighbours still together" if row < 2 else pair(place)
            return what if row % 2 == 0 else f"{what}, the other way round"

        judge = one_law(one_in(n), np.flatnonzero(np.arange(4 * n) % n < n - 1), name)
        return Made(tally=f"{view}.stuck", least=16, judge=judge)

    return told_apart(make)


# ----- seats and kinds ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _at_seat(n: int, copies: int, group: int) -> Law:
    """Cards of one face in a group."""
    return Law(laws.hypergeometric(n, copies, group))


def _cards_at_seats(kind: DeckKind) -> Made:
    def law(copies: int) -> Law:
        n, group = kind.cards, kind.group
        return one_in(n, group) if copies == 1 else _at_seat(n, copies, group)

    groups = []
    for copies, held in by_copies(kind.copies).items():
        cells = [(seat, card) for seat in range(kind.groups) for card in held]
        places = [range(kind.group * seat, kind.group * (seat + 1)) for seat, _ in cells]
        groups.append(
            CellGroup(
                law=lambda copies=copies: law(copies),  # type: ignore[misc]
                members=tuple(
                    tuple(place * kind.distinct + card for place in dealt)
                    for dealt, (_, card) in zip(places, cells, strict=True)
                ),
                names=tuple(f"{kind.card_name(card)} at {kind.seat_name(seat)}" for seat, card in cells),
            )
        )
    return Made(tally="faces.by_position", least=16, judge=GroupedCellsJudge(groups=tuple(groups)))


def _kinds_at_seats(kind: DeckKind, tally: str, counts: tuple[int, ...], names: tuple[str, ...]) -> Made:
    """Of the groups that can be dealt so many are of each kind; every seat has one kind in each deck."""
    every, used = sum(counts), [place for place, many in enumerate(counts) if many]
    groups = tuple(
        CellGroup(
            law=lambda many=counts[place]: one_in(every, many),  # type: ignore[misc]
            members=tuple((len(counts) * seat + place,) for seat in range(kind.groups)),
            names=tuple(f"{names[place]} at {kind.seat_name(seat)}" for seat in range(kind.groups)),
        )
        for place in used
    )
    rivals = tuple(counts[place] / every for place in used)
    return Made(tally=tally, least=16, judge=GroupedCellsJudge(groups=groups, rivals=rivals))


def _high_cards(kind: DeckKind) -> Made:
    at_most = np.cumsum([0, *sizes(kind, kind.ranks)]).tolist()
    counts = tuple(comb(upto, kind.group) - comb(below, kind.group) for below, upto in pairwise(at_most))
    return _kinds_at_seats(kind, "high_cards", counts, tuple(f"highest card {name}" for name in kind.rank_names))


def _hands_at_seats(kind: DeckKind) -> Made:
    return _kinds_at_seats(kind, "hands", categories(kind).counts, categories(kind).names)


@lru_cache(maxsize=64)
def _neighbours(n: int, many: int) -> Law:
    return Law(laws.neighbours_of_kind(n, many))


def _kinds(kind: DeckKind) -> Made:
    """Suits and ranks, each by how many neighbours are both of it; those of as many cards have one law."""
    members: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
    for lump in (suits(kind), ranks(kind)):
        for group, many in enumerate(sizes(kind, lump.groups)):
            held = np.flatnonzero(lump.groups == group).tolist()
            cells = tuple(a * kind.distinct + b for a in held for b in held if a != b or kind.copies[a] > 1)
            if many > 1:
                alike = members.setdefault(many * 1_000 + len(cells), [])
                alike.append((f"{lump.names[group]} next to {lump.names[group].removeprefix('rank ')}", cells))
    groups = tuple(
        CellGroup(
            law=lambda many=key // 1_000: _neighbours(kind.cards, many),  # type: ignore[misc]
            members=tuple(cells for _, cells in alike),
            names=tuple(name for name, _ in alike),
        )
        for key, alike in members.items()
    )
    judge = GroupedCellsJudge(groups=groups, unit="relative deviation of one kind's neighbours")
    return Made(tally="faces.adjacent", least=16, judge=judge)


# view        subject         words                            earlier                 clause          twin
_STUCK = (
    ("face",     Subject.ORDER,  "factory neighbours",            "",                     ADJACENCY_RULE, ""),
    ("input",    Subject.ORDER,  "neighbours of the input",       "input",                ADJACENCY_RULE,
     "face-stuck-pairs"),
    ("previous", Subject.MEMORY, "neighbours of the deck before", "the previous deck's",  SERIAL_RULE,
     "input-stuck-pairs"),
)  # fmt: skip

D = Subject.DEALING

ROWS = (
    *(
        BatteryRow(
            name=f"{view}-stuck-pairs", group=subject, clause=clause, blocks=False, twin=twin,
            make=_stuck(view.replace("face", "faces"), earlier),
            sees=f"one pair of {words} that sticks, or one place where pairs do",
        )
        for view, subject, words, earlier, clause, twin in _STUCK
    ),
    BatteryRow(name="kinds-that-stick", group=Subject.ORDER, clause=RUNS_RULE, blocks=False, make=_kinds,
        sees="one suit or one rank whose cards lie together or keep apart"),
    BatteryRow(name="each-card-by-seat", group=D, clause=OUTCOME_RULE, blocks=False, make=_cards_at_seats,
        sees="one card that goes to one seat"),
    BatteryRow(name="high-card-by-seat", group=D, clause=OUTCOME_RULE, blocks=False, make=_high_cards,
        sees="a seat whose highest card is one rank too often"),
    BatteryRow(name="each-hand-by-seat", group=D, clause=OUTCOME_RULE, blocks=False, make=with_hands(_hands_at_seats),
        sees="one kind of hand that goes to one seat"),
)  # fmt: skip
