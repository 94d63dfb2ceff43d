"""Tests of cards by position, and of pairs of positions of one deck."""

import math

import numpy as np

from randomness.decks import laws
from randomness.decks.faces import place_name
from randomness.decks.judges import memory, pairs, tables
from randomness.decks.judges.base import Judge
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.rows.base import PAIR_RULE, POSITION_RULE, BatteryRow, Made, Maker, Subject
from randomness.decks.rows.exact import one_in, sizes
from randomness.decks.rows.makers import NOT_APART, by_copies, one_law, table, told_apart, upper
from randomness.decks.rows.names import Lump, card_at, cards, colours, ranks, suits, two_positions

MOST_PAIR_CELLS = 6_000_000


def _ten_in_each(kind: DeckKind) -> int:
    return math.ceil(10 * kind.cards / min(kind.copies))


def _each_position(kind: DeckKind) -> Made:
    judge = tables.each_position(kind.copies, place_name, card_at(kind))
    return Made(tally="faces.by_position", least=_ten_in_each(kind), judge=judge)


def _each_card(kind: DeckKind) -> Made:
    judge = tables.each_card(kind.copies, kind.card_name, card_at(kind))
    return Made(tally="faces.by_position", least=_ten_in_each(kind), judge=judge)


def _each_cell(kind: DeckKind) -> Made:
    cells = np.arange(kind.cards * kind.distinct).reshape(kind.cards, kind.distinct)
    of = by_copies(kind.copies)
    judge = tables.cells_judge(
        [one_in(kind.cards, many) for many in of],
        [cells[:, held].ravel() for held in of.values()],
        lambda cell: card_at(kind)(*divmod(cell, kind.distinct)),
    )
    return Made(tally="faces.by_position", least=16, judge=judge)


def _lehmer(kind: DeckKind) -> Made:
    judge = tables.lehmer_digits(kind.cards, lambda i, d: f"{place_name(i)}, {d} lower cards still to come")
    return Made(tally="faces.lehmer", least=10 * kind.cards, judge=judge)


def _pair_tables(kind: DeckKind, *, total: bool) -> Made | str:
    def name(i: int, j: int, first: int, second: int) -> str:
        if first < 0:
            return f"{two_positions(i, j)}: sum over all pairs of cards"
        return f"{card_at(kind)(i, first)} with {card_at(kind)(j, second)}"

    many = kind.cards * (kind.cards - 1) // 2 * kind.distinct**2
    if many > MOST_PAIR_CELLS:
        return f"its tables would have {many:,} cells; the other tests of pairs look at the same positions"
    if total and not kind.simple:
        return NOT_APART
    judge: Judge = pairs.all_pairs(kind, name) if total else pairs.worst_pair(kind, name)
    return Made(tally="position_pairs", least=kind.cards * (kind.cards - 1), judge=judge)


def _correlation(kind: DeckKind) -> Made:
    return Made(tally="faces.correlation", least=1_000, judge=memory.position_correlation(kind, two_positions))


def _same_kind(tally: str, lump: Lump) -> Maker:
    def make(kind: DeckKind) -> Made:
        n = kind.cards
        law = one_in(n * (n - 1), laws.shared(sizes(kind, lump(kind).groups)))
        unit = "relative deviation of one pair of positions"
        judge = one_law(law, upper(n), lambda cell: two_positions(*divmod(cell, n)), unit)
        return Made(tally=tally, least=16, judge=judge)

    return make


P = Subject.POSITIONS

ROWS = (
    BatteryRow(name="card-by-position", group=P, clause=POSITION_RULE, make=table(cards),
        sees="any card that comes to any position too often or too seldom, over the whole table at once"),
    BatteryRow(name="suit-by-position", group=P, clause=POSITION_RULE, make=table(suits),
        sees="a suit that prefers positions"),
    BatteryRow(name="rank-by-position", group=P, clause=POSITION_RULE, make=table(ranks),
        sees="a rank that prefers positions"),
    BatteryRow(name="colour-by-position", group=P, clause=POSITION_RULE, make=table(colours),
        sees="a colour that prefers positions"),
    BatteryRow(name="each-position", group=P, clause=POSITION_RULE, make=_each_position,
        sees="one position whose cards are uneven"),
    BatteryRow(name="each-card", group=P, clause=POSITION_RULE,
        make=_each_card, sees="one card whose positions are uneven"),
    BatteryRow(name="each-cell", group=P, clause=POSITION_RULE, make=_each_cell, sees="one card at one position"),
    BatteryRow(name="lehmer-digits", group=P, clause=POSITION_RULE, make=told_apart(_lehmer),
        sees="the draw behind each position: how many of the cards still to come are lower"),
    BatteryRow(name="position-pairs", group=P, clause=PAIR_RULE, make=lambda kind: _pair_tables(kind, total=False),
        sees="two positions whose cards go together in any way"),
    BatteryRow(name="position-pairs-total", group=P, clause=PAIR_RULE, make=lambda kind: _pair_tables(kind, total=True),
        sees="positions whose cards go together, spread over many pairs"),
    BatteryRow(name="position-correlation", group=P, clause=PAIR_RULE, make=_correlation,
        sees="two positions whose cards rise and fall together"),
    BatteryRow(name="same-suit-pairs", group=P, clause=PAIR_RULE, make=_same_kind("same_suit", suits),
        sees="two positions that share a suit too often or too seldom"),
    BatteryRow(name="same-rank-pairs", group=P, clause=PAIR_RULE, make=_same_kind("same_rank", ranks),
        sees="two positions that share a rank too often or too seldom"),
)  # fmt: skip
