"""Tests that compare stretches of a run, or rows that take turns; tests that look back at single places."""

from collections.abc import Callable

from randomness.decks.faces import CARDS, SEATS, place_name, seat_name
from randomness.decks.hands import CATEGORIES, CATEGORY_COUNTS, HANDS
from randomness.decks.judges import memory
from randomness.decks.judges.in_time import (
    HALVES_WITH_FEW_CELLS,
    PERMUTATIONS,
    Change,
    ChangeJudge,
    CountsChangeJudge,
)
from randomness.decks.judges.positions import ADJACENT
from randomness.decks.rows.base import OUTCOME_RULE, SERIAL_RULE, DeckTest, Over, Subject
from randomness.decks.rows.correlated import correlation
from randomness.decks.rows.exact import law
from randomness.decks.rows.names import card_at, follows, from_to
from randomness.decks.sums import Law

# Fewer make stretches too short; single cells are looked at once they have hits enough to be cut in two.
LEAST = 2_000

# suffix, over, change, in words
_KINDS = (
    ("change-point", Over.STRETCHES, Change.CUT, "from some moment on"),
    ("drift", Over.STRETCHES, Change.DRIFT, "more and more"),
    ("phases", Over.PHASES, Change.PHASES, "in every other row, or by a period that the plan names"),
)


def _counts(view: str, functions: str) -> tuple[str, ...]:
    return tuple(f"{view}.{function}" for function in functions.split())


_VIEWS = {
    "face": ("cards come to other positions", "faces.by_position", card_at, OUTCOME_RULE),
    "input": ("places of the input lead elsewhere", "input.by_position", from_to("from input"), SERIAL_RULE),
    "previous": (
        "places of the deck before lead elsewhere", "previous.by_position", from_to("from the previous deck's"),
        SERIAL_RULE,
    ),
}  # fmt: skip
_COUNTS = {
    "face": (
        *_counts("faces", "successions rising_sequences descents valleys inversions"),
        "suit_runs", "colour_runs", "rank_runs",
    ),
    "input": _counts(
        "input",
        "successions rising_sequences descents valleys inversions fixed_points cycles longest_increasing riffle_guess "
        "shelf_guess",
    ),
    "previous": _counts(
        "previous", "successions rising_sequences valleys inversions fixed_points cycles riffle_guess shelf_guess"
    ),
}  # fmt: skip


def _pairs(change: Change) -> ChangeJudge:
    return ChangeJudge(
        change=change, name=lambda cell: follows(*divmod(cell, CARDS)), cells=CARDS * CARDS, table=ADJACENT
    )


def _hands(change: Change) -> ChangeJudge:
    kinds = len(CATEGORIES)
    return ChangeJudge(
        change=change, name=lambda cell: f"{seat_name(cell // kinds)}, {CATEGORIES[cell % kinds]}",
        cells=kinds * SEATS, share=0.17, rivals=tuple(many / HANDS for many in CATEGORY_COUNTS),
        halves_with_cells=HALVES_WITH_FEW_CELLS,
    )  # fmt: skip


_CELLS = {
    "adjacent-pairs": ("cards follow others more or less often", "faces.adjacent", _pairs, OUTCOME_RULE),
    "hands": ("seats get better or poorer hands", "hands", _hands, OUTCOME_RULE),
}


def _two(name: Callable[[int, int], str]) -> Callable[[int], str]:
    return lambda cell: name(*divmod(cell, CARDS))


def _function(tally: str) -> str:
    return tally.rpartition(".")[2]


def _law(tally: str) -> Callable[[], Law]:
    return lambda: law(_function(tally))


_TABLES = tuple(
    DeckTest(
        name=f"{view}-{suffix}", group=Subject.TIME, tally=tally, least=LEAST, clause=clause, over=over, blocks=False,
        sees=f"{sees} {words}",
        judge=ChangeJudge(change=change, name=_two(name), cells=CARDS * CARDS, table=PERMUTATIONS),
    )
    for view, (sees, tally, name, clause) in _VIEWS.items()
    for suffix, over, change, words in _KINDS
)  # fmt: skip

_MEANS = tuple(
    DeckTest(
        name=f"{view}-counts-{suffix}", group=Subject.TIME, tally=tallies[0], also=tallies[1:], least=LEAST,
        clause=_VIEWS[view][3], over=over, blocks=False,
        sees=f"counts of a deck (successions, rising sequences, …) that become higher or lower {words}",
        judge=CountsChangeJudge(
            change=change, laws=tuple(_law(tally) for tally in tallies),
            names=tuple(_function(tally).replace("_", " ") for tally in tallies),
            together=correlation(tuple(_function(tally) for tally in tallies)),
        ),
    )
    for view, tallies in _COUNTS.items()
    for suffix, over, change, words in _KINDS
)  # fmt: skip

_OTHERS = tuple(
    DeckTest(
        name=f"{what}-{suffix}", group=Subject.TIME, tally=tally, least=LEAST, clause=clause, over=over, blocks=False,
        sees=f"{sees} {words}",
        judge=judge(change),
    )
    for what, (sees, tally, judge, clause) in _CELLS.items()
    for suffix, over, change, words in _KINDS
)  # fmt: skip

_LAGS = (
    DeckTest(
        name="lag-places", group=Subject.MEMORY, tally="lag_places", least=16, clause=SERIAL_RULE, blocks=False,
        sees="one position that keeps its card from one to eight decks before",
        judge=memory.lag_places(lambda lag, i: f"lag {lag}, {place_name(i)} keeps its card"),
    ),
    DeckTest(
        name="lag-each-cell", group=Subject.MEMORY, tally="lag_cells", least=16, clause=SERIAL_RULE, blocks=False,
        sees="one position two to eight decks before that leads to one position",
        judge=memory.lag_cells(
            lambda lag, cell: f"lag {lag}, from {place_name(cell % CARDS)} to {place_name(cell // CARDS)}"
        ),
    ),
)  # fmt: skip

ROWS = (*_TABLES, *_MEANS, *_OTHERS, *_LAGS)
