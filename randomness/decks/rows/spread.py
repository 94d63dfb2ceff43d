"""Rows that judge the whole distribution of a count: decks that are too orderly and too disorderly at once."""

from randomness.decks.judges.distribution import DistributionJudge
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.layout import LAGS
from randomness.decks.rows.base import (
    ADJACENCY_RULE,
    OUTCOME_RULE,
    PERMUTATION_RULE,
    RUNS_RULE,
    SERIAL_RULE,
    BatteryRow,
    Made,
    Maker,
    Subject,
)
from randomness.decks.rows.exact import law_of
from randomness.decks.rows.makers import no_law

LEAST = 100
O, G, M = Subject.ORDER, Subject.GUESSING, Subject.MEMORY  # noqa: E741

_COUNTED = {
    "longest_increasing": "cards in the longest increasing subsequence",
    "riffle_guess": "right guesses",
    "shelf_guess": "right guesses",
}

# test                                group  tally                      clause            twin
_TABLE = (
    ("suit-runs-spread",                 O, "suit_runs",                 RUNS_RULE, ""),
    ("colour-runs-spread",               O, "colour_runs",               RUNS_RULE, ""),
    ("rank-runs-spread",                 O, "rank_runs",                 RUNS_RULE, ""),
    ("face-successions-spread",          O, "faces.successions",         ADJACENCY_RULE, ""),
    ("face-rising-sequences-spread",     O, "faces.rising_sequences",    PERMUTATION_RULE, ""),
    ("face-descents-spread",             O, "faces.descents",            PERMUTATION_RULE, ""),
    ("face-valleys-spread",              O, "faces.valleys",             PERMUTATION_RULE, ""),
    ("face-inversions-spread",           O, "faces.inversions",          PERMUTATION_RULE, ""),
    ("input-successions-spread",         O, "input.successions",         ADJACENCY_RULE, "face-successions-spread"),
    ("input-adjacencies-spread",         O, "input.adjacencies",         ADJACENCY_RULE, ""),
    ("input-rising-sequences-spread",    O, "input.rising_sequences",    PERMUTATION_RULE,
     "face-rising-sequences-spread"),
    ("input-descents-spread",            O, "input.descents",            PERMUTATION_RULE, "face-descents-spread"),
    ("input-valleys-spread",             O, "input.valleys",             PERMUTATION_RULE, "face-valleys-spread"),
    ("input-peaks-spread",               O, "input.peaks",               PERMUTATION_RULE, ""),
    ("input-inversions-spread",          O, "input.inversions",          PERMUTATION_RULE, "face-inversions-spread"),
    ("input-fixed-points-spread",        O, "input.fixed_points",        PERMUTATION_RULE, ""),
    ("input-cycles-spread",              O, "input.cycles",              PERMUTATION_RULE, ""),
    ("input-longest-increasing-spread",  O, "input.longest_increasing",  PERMUTATION_RULE, ""),
    ("riffle-guess-spread",              G, "input.riffle_guess",        OUTCOME_RULE, ""),
    ("shelf-guess-spread",               G, "input.shelf_guess",         OUTCOME_RULE, ""),
    ("previous-riffle-guess-spread",     G, "previous.riffle_guess",     OUTCOME_RULE, "riffle-guess-spread"),
    ("previous-shelf-guess-spread",      G, "previous.shelf_guess",      OUTCOME_RULE, "shelf-guess-spread"),
    ("previous-successions-spread",      M, "previous.successions",      SERIAL_RULE, "input-successions-spread"),
    ("previous-rising-sequences-spread", M, "previous.rising_sequences", SERIAL_RULE, "input-rising-sequences-spread"),
    ("previous-valleys-spread",          M, "previous.valleys",          SERIAL_RULE, "input-valleys-spread"),
    ("previous-inversions-spread",       M, "previous.inversions",       SERIAL_RULE, "input-inversions-spread"),
    ("previous-fixed-points-spread",     M, "previous.fixed_points",     SERIAL_RULE, "input-fixed-points-spread"),
    ("previous-cycles-spread",           M, "previous.cycles",           SERIAL_RULE, "input-cycles-spread"),
)  # fmt: skip


def _whole(tally: str, of: str) -> Maker:
    function = tally.rpartition(".")[2]

    def make(kind: DeckKind) -> Made | str:
        judge = DistributionJudge(law=lambda: law_of(kind, function), of=of)
        return no_law(kind, tally) or Made(tally=tally, least=LEAST, judge=judge)

    return make


def _row(name: str, group: Subject, tally: str, clause: str, twin: str) -> BatteryRow:
    function = tally.rpartition(".")[2]
    of = _COUNTED.get(function, function.replace("_", " "))
    return BatteryRow(
        name=name, group=group, clause=clause, twin=twin, blocks=False, make=_whole(tally, of),
        sees=f"decks with too many {of} among decks with too few, and single decks that can't be",
    )  # fmt: skip


def _lags(kind: DeckKind) -> Made:
    judge = DistributionJudge(
        law=lambda: law_of(kind, "fixed_points"), of="cards in place", rows=LAGS,
        row_name=lambda row: f"lag {row + 1}, ",
    )  # fmt: skip
    return Made(tally="lag_matches", least=LEAST, judge=judge)


ROWS = (
    *(_row(*row) for row in _TABLE),
    BatteryRow(
        name="lag-matches-spread", group=M, clause=SERIAL_RULE, blocks=False, make=_lags,
        sees="decks that keep many cards of one that came up to sixteen decks before, among decks that keep few",
    ),
)  # fmt: skip
