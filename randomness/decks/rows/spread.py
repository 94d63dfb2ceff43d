"""Rows that judge the whole distribution of a count: decks that are too orderly and too disorderly at once."""

from randomness.decks.judges.distribution import DistributionJudge
from randomness.decks.layout import LAGS
from randomness.decks.rows.base import (
    ADJACENCY_RULE,
    OUTCOME_RULE,
    PERMUTATION_RULE,
    RUNS_RULE,
    SERIAL_RULE,
    DeckTest,
    Subject,
)
from randomness.decks.rows.exact import law

LEAST = 100
O, G, M = Subject.ORDER, Subject.GUESSING, Subject.MEMORY  # noqa: E741

_COUNTED = {
    "longest_increasing": "cards in the longest increasing subsequence",
    "riffle_guess": "right guesses",
    "shelf_guess": "right guesses",
}

# test                                group  tally                      clause
_TABLE = (
    ("suit-runs-spread",                 O, "suit_runs",                 RUNS_RULE),
    ("colour-runs-spread",               O, "colour_runs",               RUNS_RULE),
    ("rank-runs-spread",                 O, "rank_runs",                 RUNS_RULE),
    ("face-successions-spread",          O, "faces.successions",         ADJACENCY_RULE),
    ("face-rising-sequences-spread",     O, "faces.rising_sequences",    PERMUTATION_RULE),
    ("face-descents-spread",             O, "faces.descents",            PERMUTATION_RULE),
    ("face-valleys-spread",              O, "faces.valleys",             PERMUTATION_RULE),
    ("face-inversions-spread",           O, "faces.inversions",          PERMUTATION_RULE),
    ("input-successions-spread",         O, "input.successions",         ADJACENCY_RULE),
    ("input-adjacencies-spread",         O, "input.adjacencies",         ADJACENCY_RULE),
    ("input-rising-sequences-spread",    O, "input.rising_sequences",    PERMUTATION_RULE),
    ("input-descents-spread",            O, "input.descents",            PERMUTATION_RULE),
    ("input-valleys-spread",             O, "input.valleys",             PERMUTATION_RULE),
    ("input-peaks-spread",               O, "input.peaks",               PERMUTATION_RULE),
    ("input-inversions-spread",          O, "input.inversions",          PERMUTATION_RULE),
    ("input-fixed-points-spread",        O, "input.fixed_points",        PERMUTATION_RULE),
    ("input-cycles-spread",              O, "input.cycles",              PERMUTATION_RULE),
    ("input-longest-increasing-spread",  O, "input.longest_increasing",  PERMUTATION_RULE),
    ("riffle-guess-spread",              G, "input.riffle_guess",        OUTCOME_RULE),
    ("shelf-guess-spread",               G, "input.shelf_guess",         OUTCOME_RULE),
    ("previous-riffle-guess-spread",     G, "previous.riffle_guess",     OUTCOME_RULE),
    ("previous-shelf-guess-spread",      G, "previous.shelf_guess",      OUTCOME_RULE),
    ("previous-successions-spread",      M, "previous.successions",      SERIAL_RULE),
    ("previous-rising-sequences-spread", M, "previous.rising_sequences", SERIAL_RULE),
    ("previous-valleys-spread",          M, "previous.valleys",          SERIAL_RULE),
    ("previous-inversions-spread",       M, "previous.inversions",       SERIAL_RULE),
    ("previous-fixed-points-spread",     M, "previous.fixed_points",     SERIAL_RULE),
    ("previous-cycles-spread",           M, "previous.cycles",           SERIAL_RULE),
)  # fmt: skip


def _row(name: str, group: Subject, tally: str, clause: str) -> DeckTest:
    function = tally.rpartition(".")[2]
    of = _COUNTED.get(function, function.replace("_", " "))
    return DeckTest(
        name=name, group=group, tally=tally, least=LEAST, clause=clause, blocks=False,
        sees=f"decks with too many {of} among decks with too few, and single decks that can't be",
        judge=DistributionJudge(law=lambda: law(function), of=of),
    )  # fmt: skip


ROWS = (
    *(_row(*row) for row in _TABLE),
    DeckTest(
        name="lag-matches-spread", group=M, tally="lag_matches", least=LEAST, clause=SERIAL_RULE, blocks=False,
        sees="decks that keep many cards of one that came up to sixteen decks before, among decks that keep few",
        judge=DistributionJudge(
            law=lambda: law("fixed_points"), of="cards in place", rows=LAGS, row_name=lambda row: f"lag {row + 1}, "
        ),
    ),
)  # fmt: skip
