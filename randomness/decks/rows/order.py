"""Tests of the order of the faces and of the order against the input: neighbours, runs, counts of a permutation."""

import math
from functools import lru_cache

import numpy as np

from randomness.decks import laws
from randomness.decks.judges import memory, tables
from randomness.decks.judges.sums import LikelihoodJudge, SumJudge
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.rows.base import (
    ADJACENCY_RULE,
    OUTCOME_RULE,
    PERMUTATION_RULE,
    RUNS_RULE,
    BatteryRow,
    Made,
    Maker,
    Subject,
)
from randomness.decks.rows.exact import one_in, sizes
from randomness.decks.rows.makers import count, told_apart
from randomness.decks.rows.names import Lump, follows, ranks, suits
from randomness.decks.sums import Law


def _adjacent(kind: DeckKind) -> Made:
    least = max(520, math.ceil(10 * kind.cards / min(kind.copies) ** 2))
    return Made(tally="faces.adjacent", least=least, judge=tables.adjacent_pairs(kind.copies, follows(kind)))


def _each_adjacent(kind: DeckKind) -> Made:
    n, distinct = kind.cards, kind.distinct
    found: dict[tuple[int, int, bool], list[int]] = {}
    for a, one in enumerate(kind.copies):
        for b, other in enumerate(kind.copies):
            if a != b or one > 1:
                found.setdefault((one, other, a == b), []).append(a * distinct + b)
    judge = tables.cells_judge(
        [adjacent_law(n, one, other, same=same) for one, other, same in found],
        [np.array(cells) for cells in found.values()],
        lambda cell: follows(kind)(*divmod(cell, distinct)),
    )
    return Made(tally="faces.adjacent", least=16, judge=judge)


@lru_cache(maxsize=64)
def adjacent_law(n: int, one: int, other: int, *, same: bool) -> Law:
    """How often a face of so many cards is followed by another, or by itself, in one deck."""
    if (one, other, same) == (1, 1, False):
        return one_in(n)
    return Law(laws.followed_by_its_like(one, n) if same else laws.followed(one, other, n))


def _lumped(lump: Lump, least: int) -> Maker:
    def make(kind: DeckKind) -> Made:
        groups, names = lump(kind).groups, lump(kind).names
        judge = tables.lumped_adjacent(
            sizes(kind, groups), groups.tolist(), lambda a, b: f"{names[a]} followed by {names[b]}"
        )
        return Made(tally="faces.adjacent", least=1_000 if kind.jokers else least, judge=judge)

    return make


def _card_distances(kind: DeckKind) -> Made:
    def name(a: int, b: int) -> str:
        return f"distance of {kind.card_name(a)} and {kind.card_name(b)}"

    return Made(tally="card_distances", least=1_000, judge=memory.card_distances(kind, name))


def _distances(view: str, of: str) -> Maker:
    def make(kind: DeckKind) -> Made:
        judge = tables.distances(kind.cards, lambda d: f"{of} neighbours {d} positions apart")
        return Made(tally=f"{view}.distances", least=10 * kind.cards, judge=judge)

    return told_apart(make)


def _parity(view: str) -> Maker:
    """Half of all orders take an odd number of swaps."""

    def make(_kind: DeckKind) -> Made:
        judge = SumJudge(law=lambda: one_in(2), of="odd permutations", value=lambda inversions: inversions % 2)
        return Made(tally=f"{view}.inversions", judge=judge)

    return told_apart(make)


_RIFFLES, _SCALE = 7, 16


def _seven_riffles(kind: DeckKind) -> Made:
    weights = laws.riffle_weights(kind.cards, _RIFFLES, _SCALE)
    judge = LikelihoodJudge(
        weights=lambda: np.array(weights), law=lambda: _riffle_law(kind.cards, weights), against=f"{_RIFFLES} riffles"
    )
    return Made(tally="input.rising_sequences", judge=judge)


@lru_cache(maxsize=16)
def _riffle_law(n: int, weights: laws.Counts) -> Law:
    return Law(laws.weighted(laws.rising_sequences(n), weights))


def stuck(view: str, of: str) -> Maker:
    """Successions where cards are told apart; else neighbours by their faces."""

    def make(kind: DeckKind) -> Made | str:
        if kind.simple:
            return count(f"{view}.successions", "successions")(kind)
        # A pair of faces that were neighbours is met again about so often in one deck, by chance, as in a Poisson law.
        share = sum(many * many for many in kind.copies) / kind.cards**2
        deviation = math.sqrt(kind.cards * min(1.0, kind.cards * share**2))
        judge = tables.MeanJudge(of=of, cards=kind.cards, deviation=deviation)
        return Made(tally=f"{view}.pairs_kept", least=200, judge=judge)

    return make


O, G = Subject.ORDER, Subject.GUESSING  # noqa: E741

ROWS = (
    # ----- order of the faces
    BatteryRow(name="adjacent-pairs", group=O, clause=ADJACENCY_RULE, make=_adjacent,
        sees="cards that follow each other too often or too seldom, over all pairs at once"),
    BatteryRow(name="each-adjacent-pair", group=O, clause=ADJACENCY_RULE, make=_each_adjacent,
        sees="one card that follows another"),
    BatteryRow(name="suit-follows-suit", group=O, clause=ADJACENCY_RULE, make=_lumped(suits, 100),
        sees="suits that follow each other in a pattern"),
    BatteryRow(name="rank-follows-rank", group=O, clause=ADJACENCY_RULE, make=_lumped(ranks, 520),
        sees="ranks that follow each other in a pattern"),
    BatteryRow(name="card-distances", group=O, clause=ADJACENCY_RULE, make=told_apart(_card_distances),
        sees="two cards that keep near each other or keep apart"),
    BatteryRow(name="face-distances", group=O, clause=ADJACENCY_RULE, make=_distances("faces", "factory"),
        sees="neighbours of the factory order that come out too near or too far apart"),
    BatteryRow(name="suit-runs", group=O, clause=RUNS_RULE, make=count("suit_runs", "suit runs"),
        sees="suits that clump or alternate"),
    BatteryRow(name="colour-runs", group=O, clause=RUNS_RULE, make=count("colour_runs", "colour runs"),
        sees="colours that clump or alternate"),
    BatteryRow(name="rank-runs", group=O, clause=RUNS_RULE, make=count("rank_runs", "rank runs"),
        sees="equal ranks that clump or keep apart"),
    BatteryRow(name="face-successions", group=O, clause=ADJACENCY_RULE, make=count("faces.successions", "successions"),
        sees="factory neighbours still in sequence"),
    BatteryRow(name="face-rising-sequences", group=O, clause=PERMUTATION_RULE,
        make=count("faces.rising_sequences", "rising sequences"), sees="riffles of a deck in factory order"),
    BatteryRow(name="face-valleys", group=O, clause=PERMUTATION_RULE, make=count("faces.valleys", "valleys"),
        sees="shelf shuffles of a deck in factory order"),
    BatteryRow(name="face-inversions", group=O, clause=PERMUTATION_RULE, make=count("faces.inversions", "inversions"),
        sees="a deck that leans towards factory order or its reverse"),
    BatteryRow(name="face-parity", group=O, clause=PERMUTATION_RULE, make=_parity("faces"),
        sees="a machine that can only make even (or odd) permutations of its deck"),
    # ----- order against the input
    BatteryRow(name="input-successions", group=O, clause=ADJACENCY_RULE, twin="face-successions",
        make=stuck("input", "neighbours of the input still together"), sees="cards that stuck to the next one"),
    BatteryRow(name="input-adjacencies", group=O, clause=ADJACENCY_RULE, make=count("input.adjacencies", "adjacencies"),
        sees="neighbours that stayed together, either way round"),
    BatteryRow(name="input-rising-sequences", group=O, clause=PERMUTATION_RULE, twin="face-rising-sequences",
        make=count("input.rising_sequences", "rising sequences"), sees="interleaved packets: too few riffles"),
    BatteryRow(name="input-seven-riffles", group=O, clause=PERMUTATION_RULE, make=told_apart(_seven_riffles),
        sees="what seven riffles leave behind, by the most powerful test against them"),
    BatteryRow(name="input-descents", group=O, clause=PERMUTATION_RULE, make=count("input.descents", "descents"),
        sees="the inverse of riffles: cards dealt into piles that were stacked"),
    BatteryRow(name="input-valleys", group=O, clause=PERMUTATION_RULE, twin="face-valleys",
        make=count("input.valleys", "valleys"), sees="cards laid on shelves from above and below"),
    BatteryRow(name="input-peaks", group=O, clause=PERMUTATION_RULE, make=count("input.peaks", "peaks"),
        sees="the mirror image of valleys"),
    BatteryRow(name="input-inversions", group=O, clause=PERMUTATION_RULE, twin="face-inversions",
        make=count("input.inversions", "inversions"), sees="an output that leans towards its input or its reverse"),
    BatteryRow(name="input-parity", group=O, clause=PERMUTATION_RULE, twin="face-parity", make=_parity("input"),
        sees="a fixed number of swaps: only even (or odd) permutations"),
    BatteryRow(name="input-fixed-points", group=O, clause=PERMUTATION_RULE,
        make=count("input.fixed_points", "fixed points"),
        sees="cards that keep (or avoid) their place"),
    BatteryRow(name="input-cycles", group=O, clause=PERMUTATION_RULE, make=count("input.cycles", "cycles"),
        sees="swaps done wrong: too few or too many cycles"),
    BatteryRow(name="input-longest-increasing", group=O, clause=PERMUTATION_RULE,
        make=count("input.longest_increasing", "cards in the longest increasing subsequence"),
        sees="a long thread of the input order left in the output"),
    BatteryRow(name="input-distances", group=O, clause=ADJACENCY_RULE, twin="face-distances",
        make=_distances("input", "input"), sees="neighbours of the input that come out too near or too far apart"),
    # ----- guessing
    BatteryRow(name="riffle-guess", group=G, clause=OUTCOME_RULE, make=count("input.riffle_guess", "right guesses"),
        sees="what a player gains who guesses the next card up from the one just seen"),
    BatteryRow(name="shelf-guess", group=G, clause=OUTCOME_RULE, make=count("input.shelf_guess", "right guesses"),
        sees="what a player gains who follows the direction of the last two cards"),
    BatteryRow(name="previous-riffle-guess", group=G, clause=OUTCOME_RULE, twin="riffle-guess",
        make=count("previous.riffle_guess", "right guesses"),
        sees="the same guess by a player who saw the deck before"),
    BatteryRow(name="previous-shelf-guess", group=G, clause=OUTCOME_RULE, twin="shelf-guess",
        make=count("previous.shelf_guess", "right guesses"),
        sees="the same guess by a player who saw the deck before"),
)  # fmt: skip
