"""Tests of what a deck keeps of the order it was shuffled from, and of the decks before it."""

import numpy as np

from randomness.decks.faces import place_name
from randomness.decks.judges import memory, tables
from randomness.decks.judges.memory import LagsJudge
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.layout import FAR, LAGS, NEAR
from randomness.decks.rows.base import SERIAL_RULE, BatteryRow, Made, Maker, Subject
from randomness.decks.rows.exact import law_of, one_in
from randomness.decks.rows.makers import count, moved, moved_cell, told_apart
from randomness.decks.rows.names import from_to, lag_place
from randomness.decks.rows.order import stuck


def _serial(kind: DeckKind) -> Made:
    square, _ = memory.moments(kind)
    judge = tables.serial_correlation(
        kind.cards, square, lambda i, j: f"{place_name(i)} of the previous deck, {place_name(j)}"
    )
    return Made(tally="serial", least=520, judge=judge)


def _lag_correlation(kind: DeckKind) -> Made:
    return Made(tally="lag_correlation", least=1_000, judge=memory.lag_correlation(kind, lag_place))


def _lag_matches(kind: DeckKind) -> Made:
    judge = LagsJudge(
        law=lambda: law_of(kind, "fixed_points"), totals=memory.histograms(kind.cards + 1), cells_in_lag=1,
        name=lambda lag, _: f"lag {lag}, cards in place",
    )  # fmt: skip
    return Made(tally="lag_matches", least=2, judge=judge)


def _lag_shifts(kind: DeckKind) -> Made:
    judge = LagsJudge(
        law=lambda: law_of(kind, "fixed_points"), totals=memory.shifts(kind.cards), cells_in_lag=kind.cards,
        name=lambda lag, shift: f"lag {lag}, cards moved {shift} positions down",
    )  # fmt: skip
    return Made(tally="lag_shifts", least=100, judge=judge)


def _lag_order(part: int, of: str) -> Maker:
    def make(kind: DeckKind) -> Made:
        judge = LagsJudge(
            law=lambda: law_of(kind, of), totals=memory.histograms(kind.cards, part, 2), cells_in_lag=1,
            name=lambda lag, _: f"lag {lag}, {of}", unit=f"extra {of} a deck",
        )  # fmt: skip
        return Made(tally="lag_order", least=2, judge=judge)

    return told_apart(make)


def _lag_places(kind: DeckKind) -> Made:
    n = kind.cards
    alike = int(np.array(kind.copies) @ np.array(kind.copies))
    judge = LagsJudge(
        law=lambda: one_in(n) if kind.simple else one_in(n * n, alike), totals=memory.near(n), cells_in_lag=n,
        name=lambda lag, i: f"{lag_place(lag, i)} keeps its card", lags=range(1, NEAR + 1),
        unit="extra share of decks in which one position keeps its card",
    )  # fmt: skip
    return Made(tally="lag_places", least=16, judge=judge)


def _lag_far(kind: DeckKind) -> Made:
    judge = LagsJudge(
        law=lambda: law_of(kind, "fixed_points"), totals=memory.far, cells_in_lag=1, lags=range(LAGS + 1, FAR + 1),
        name=lambda lag, _: f"lag {lag}, cards in place",
    )  # fmt: skip
    return Made(tally="lag_far", least=FAR + 2, judge=judge)


def _lag_cells(kind: DeckKind) -> Made:
    n = kind.cards
    judge = LagsJudge(
        law=lambda: one_in(n), totals=memory.near(n * n), cells_in_lag=n * n, lags=range(2, NEAR + 1),
        name=lambda lag, cell: f"lag {lag}, from {place_name(cell % n)} to {place_name(cell // n)}",
        unit="extra share of decks in which a card goes from one position to another",
    )  # fmt: skip
    return Made(tally="lag_cells", least=16, judge=judge)


M = Subject.MEMORY
INPUT, PREVIOUS = from_to("from input"), from_to("from the previous deck's")

ROWS = (
    BatteryRow(name="input-by-position", group=M, clause=SERIAL_RULE, twin="card-by-position",
        make=moved("input", INPUT),
        sees="any place of the input that leads to any place of the output"),
    BatteryRow(name="input-each-cell", group=M, clause=SERIAL_RULE, twin="each-cell", make=moved_cell("input", INPUT),
        sees="one place of the input that leads to one place of the output"),
    BatteryRow(name="previous-by-position", group=M, clause=SERIAL_RULE, twin="input-by-position",
        make=moved("previous", PREVIOUS), sees="any place in the deck before that leads to any place in this one"),
    BatteryRow(name="previous-each-cell", group=M, clause=SERIAL_RULE, twin="input-each-cell",
        make=moved_cell("previous", PREVIOUS), sees="one place in the deck before that leads to one place in this one"),
    BatteryRow(name="previous-successions", group=M, clause=SERIAL_RULE, twin="input-successions",
        make=stuck("previous", "neighbours of the deck before still together"),
        sees="neighbours of the deck before still in sequence"),
    BatteryRow(name="previous-rising-sequences", group=M, clause=SERIAL_RULE, twin="input-rising-sequences",
        make=count("previous.rising_sequences", "rising sequences"), sees="riffles from one deck to the next"),
    BatteryRow(name="previous-valleys", group=M, clause=SERIAL_RULE, twin="input-valleys",
        make=count("previous.valleys", "valleys"), sees="shelf shuffles from one deck to the next"),
    BatteryRow(name="previous-inversions", group=M, clause=SERIAL_RULE, twin="input-inversions",
        make=count("previous.inversions", "inversions"),
        sees="a deck that leans towards the one before or its reverse"),
    BatteryRow(name="previous-fixed-points", group=M, clause=SERIAL_RULE, twin="input-fixed-points",
        make=count("previous.fixed_points", "fixed points"), sees="cards where they were in the deck before"),
    BatteryRow(name="previous-cycles", group=M, clause=SERIAL_RULE, twin="input-cycles",
        make=count("previous.cycles", "cycles"), sees="swaps done wrong from one deck to the next"),
    BatteryRow(name="serial-correlation", group=M, clause=SERIAL_RULE, make=_serial,
        sees="any position that goes with any position of the deck before"),
    BatteryRow(name="lag-matches", group=M, clause=SERIAL_RULE, make=_lag_matches,
        sees="cards in the place they had one to sixteen decks before"),
    BatteryRow(name="lag-shifts", group=M, clause=SERIAL_RULE, make=told_apart(_lag_shifts),
        sees="cards moved round the deck together, one to sixteen decks later"),
    BatteryRow(name="lag-descents", group=M, clause=SERIAL_RULE, make=_lag_order(0, "descents"),
        sees="cards that keep the order they had one to sixteen decks before"),
    BatteryRow(name="lag-successions", group=M, clause=SERIAL_RULE, make=_lag_order(1, "successions"),
        sees="neighbours that stay together from one to sixteen decks before"),
    BatteryRow(name="lag-correlation", group=M, clause=SERIAL_RULE, make=_lag_correlation,
        sees="a position that goes with itself one to sixteen decks before"),
)  # fmt: skip

NEAR_ROWS = (
    BatteryRow(name="lag-far", group=M, clause=SERIAL_RULE, blocks=False, make=_lag_far,
               sees="cards in the place they had seventeen to 128 decks before: a machine that works in long turns"),
    BatteryRow(name="lag-places", group=M, clause=SERIAL_RULE, blocks=False, make=_lag_places,
        sees="one position that keeps its card from one to eight decks before"),
    BatteryRow(name="lag-each-cell", group=M, clause=SERIAL_RULE, blocks=False, make=told_apart(_lag_cells),
        sees="one position two to eight decks before that leads to one position"),
)  # fmt: skip
