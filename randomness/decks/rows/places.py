"""Tests of single places: pairs that stick, cards, high cards and hands at one seat, suits and ranks that clump."""

from collections.abc import Callable
from functools import lru_cache
from math import comb

import numpy as np

from randomness.decks import laws
from randomness.decks.faces import CARDS, GROUP, RANK_NAMES, RANKS, SEATS, SUIT_NAMES, SUITS, card_name, seat_name
from randomness.decks.hands import CATEGORIES, CATEGORY_COUNTS, HANDS
from randomness.decks.judges.extremes import CellGroup, CellsJudge, GroupedCellsJudge
from randomness.decks.judges.positions import one_in
from randomness.decks.rows.base import ADJACENCY_RULE, OUTCOME_RULE, RUNS_RULE, SERIAL_RULE, DeckTest, Subject
from randomness.decks.sums import Law

# ----- pairs that stick -----------------------------------------------------------------------------------------------

_PAIR_CELLS = np.flatnonzero(np.arange(4 * CARDS) % CARDS < CARDS - 1)


def _stuck(pair: Callable[[int], str]) -> CellsJudge:
    """Each place, and each pair of neighbours, up and down: one deck in 52 has such a succession there."""

    def name(cell: int) -> str:
        row, place = divmod(cell, CARDS)
        what = f"positions {place + 1} and {place + 2}: neighbours still together" if row < 2 else pair(place)
        return what if row % 2 == 0 else f"{what}, the other way round"

    return CellsJudge(law=lambda: one_in(CARDS), chosen=_PAIR_CELLS, name=name)


def _faces(place: int) -> str:
    return f"{card_name(place)} and {card_name(place + 1)} together"


def _earlier(of: str) -> Callable[[int], str]:
    return lambda place: f"{of} positions {place + 1} and {place + 2} stay together"


_INPUT, _PREVIOUS = _earlier("input"), _earlier("the previous deck's")

# view        subject         words                            pair       clause
_STUCK = (
    ("face",     Subject.ORDER,  "factory neighbours",            _faces,    ADJACENCY_RULE),
    ("input",    Subject.ORDER,  "neighbours of the input",       _INPUT,    ADJACENCY_RULE),
    ("previous", Subject.MEMORY, "neighbours of the deck before", _PREVIOUS, SERIAL_RULE),
)  # fmt: skip


# ----- seats and kinds ------------------------------------------------------------------------------------------------


def _cards_at_seats() -> GroupedCellsJudge:
    cells = [(seat, face) for seat in range(SEATS) for face in range(CARDS)]
    group = CellGroup(
        law=lambda: one_in(CARDS, GROUP),
        members=tuple(tuple((GROUP * seat + place) * CARDS + face for place in range(GROUP)) for seat, face in cells),
        names=tuple(f"{card_name(face)} at {seat_name(seat)}" for seat, face in cells),
    )
    return GroupedCellsJudge(groups=(group,))


def _at_seats(hands: int, kind: int, kinds: int, name: str) -> CellGroup:
    """One kind of hand, so many of the 22,100, at each seat."""
    return CellGroup(
        law=lambda: one_in(HANDS, hands),
        members=tuple((kinds * seat + kind,) for seat in range(SEATS)),
        names=tuple(f"{name} at {seat_name(seat)}" for seat in range(SEATS)),
    )


def _high_cards() -> GroupedCellsJudge:
    highest = [comb(SUITS * (rank + 1), GROUP) - comb(SUITS * rank, GROUP) for rank in range(RANKS)]
    return GroupedCellsJudge(
        groups=tuple(
            _at_seats(hands, rank, RANKS, f"highest card {RANK_NAMES[rank]}") for rank, hands in enumerate(highest)
        ),
        rivals=tuple(hands / HANDS for hands in highest),
    )


def _hands_at_seats() -> GroupedCellsJudge:
    return GroupedCellsJudge(
        groups=tuple(
            _at_seats(hands, kind, len(CATEGORIES), CATEGORIES[kind]) for kind, hands in enumerate(CATEGORY_COUNTS)
        ),
        rivals=tuple(hands / HANDS for hands in CATEGORY_COUNTS),
    )


@lru_cache
def _neighbours(many: int) -> Law:
    return Law(laws.neighbours_of_kind(CARDS, many))


def _clumps(kinds: int, many: int, kind_of: Callable[[int], int], names: tuple[str, ...]) -> CellGroup:
    def members(kind: int) -> tuple[int, ...]:
        faces = [face for face in range(CARDS) if kind_of(face) == kind]
        return tuple(a * CARDS + b for a in faces for b in faces if a != b)

    return CellGroup(law=lambda: _neighbours(many), members=tuple(members(kind) for kind in range(kinds)), names=names)


def _kinds() -> GroupedCellsJudge:
    suits = tuple(f"{name} next to {name}" for name in SUIT_NAMES)
    ranks = tuple(f"rank {name} next to {name}" for name in RANK_NAMES)
    return GroupedCellsJudge(
        groups=(
            _clumps(SUITS, RANKS, lambda face: face // RANKS, suits),
            _clumps(RANKS, SUITS, lambda face: face % RANKS, ranks),
        ),
        unit="relative deviation of one kind's neighbours",
    )


ROWS = (
    *(
        DeckTest(
            name=f"{view}-stuck-pairs", group=subject, tally=f"{view.replace('face', 'faces')}.stuck", least=16,
            clause=clause, blocks=False,
            sees=f"one pair of {words} that sticks, or one place where pairs do", judge=_stuck(pair),
        )
        for view, subject, words, pair, clause in _STUCK
    ),
    DeckTest(name="kinds-that-stick", group=Subject.ORDER, tally="faces.adjacent", least=16, clause=RUNS_RULE,
             blocks=False, sees="one suit or one rank whose cards lie together or keep apart", judge=_kinds()),
    DeckTest(name="each-card-by-seat", group=Subject.DEALING, tally="faces.by_position", least=16, clause=OUTCOME_RULE,
             blocks=False, sees="one card that goes to one seat", judge=_cards_at_seats()),
    DeckTest(name="high-card-by-seat", group=Subject.DEALING, tally="high_cards", least=16, clause=OUTCOME_RULE,
             blocks=False, sees="a seat whose highest card is one rank too often", judge=_high_cards()),
    DeckTest(name="each-hand-by-seat", group=Subject.DEALING, tally="hands", least=16, clause=OUTCOME_RULE,
             blocks=False, sees="one kind of hand that goes to one seat", judge=_hands_at_seats()),
)  # fmt: skip
