"""Tests that compare stretches of a run, or rows that take turns."""

from collections.abc import Callable

import numpy as np

from randomness.decks.hands import categories
from randomness.decks.judges.in_time import HALVES_WITH_FEW_CELLS, Change, ChangeJudge, CountsChangeJudge
from randomness.decks.judges.tables import adjacent_cumulants, adjacent_means
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.layout import TALLIES
from randomness.decks.rows.base import OUTCOME_RULE, SERIAL_RULE, BatteryRow, Made, Maker, Over, Subject
from randomness.decks.rows.correlated import correlation
from randomness.decks.rows.dealing import with_hands
from randomness.decks.rows.exact import law_of
from randomness.decks.rows.makers import NOT_APART, no_law
from randomness.decks.rows.memory import INPUT, PREVIOUS
from randomness.decks.rows.names import card_at, follows
from randomness.decks.rows.order import adjacent_law
from randomness.decks.strata import MOST_CELLS
from randomness.decks.tails import chi_square

Compared = Callable[[DeckKind, Change], Made | str]

# Fewer make stretches too short; single cells are looked at once they have hits enough to be cut in two.
LEAST = 2_000

# suffix, over, change, in words
_KINDS = (
    ("change-point", Over.STRETCHES, Change.CUT, "from some moment on"),
    ("drift", Over.STRETCHES, Change.DRIFT, "more and more"),
    ("phases", Over.PHASES, Change.PHASES, "in every other row, or by a period that the plan names"),
)


def _too_large(kind: DeckKind, tally: str) -> str:
    cells = TALLIES[tally].size(kind)
    return f"a table of {cells:,} cells is not kept by stretch and phase" if cells > MOST_CELLS else ""


def _positions(view: str) -> Compared:
    """Cards, or places of an earlier order, by position: n/(n-1) × chi-square with (n-1)(cards-1)."""
    tally = f"{view}.by_position"

    def make(kind: DeckKind, change: Change) -> Made | str:
        if view != "faces" and not kind.simple:
            return NOT_APART
        n, distinct = kind.cards, kind.distinct
        name = card_at(kind) if view == "faces" else INPUT if view == "input" else PREVIOUS
        judge = ChangeJudge(
            change=change, name=lambda cell: name(*divmod(cell, distinct)), means=np.tile(np.array(kind.copies) / n, n),
            table=chi_square((n / (n - 1), (n - 1.0) * (distinct - 1.0))),
        )  # fmt: skip
        return _too_large(kind, tally) or Made(tally=tally, least=LEAST, judge=judge)

    return make


def _pairs(kind: DeckKind, change: Change) -> Made | str:
    laws = None
    if not kind.simple:
        of = {key: adjacent_law(kind.cards, *key[:2], same=key[2]) for key in set(_neighbours(kind))}
        shapes = {key: (law.deviation, *law.shape) if law.mean else (1.0, 0.0, 0.0) for key, law in of.items()}
        deviation, skewness, kurtosis = np.array([shapes[key] for key in _neighbours(kind)]).T
        laws = (deviation, skewness, kurtosis)
    judge = ChangeJudge(
        change=change, name=lambda cell: follows(kind)(*divmod(cell, kind.distinct)),
        means=adjacent_means(kind.copies), table=adjacent_cumulants(kind.copies), laws=laws,
    )  # fmt: skip
    return _too_large(kind, "faces.adjacent") or Made(tally="faces.adjacent", least=LEAST, judge=judge)


def _neighbours(kind: DeckKind) -> list[tuple[int, int, bool]]:
    """For each cell of the table of who follows whom: cards of the first face, of the second, and whether it is one."""
    copies = kind.copies
    return [(one, other, a == b) for a, one in enumerate(copies) for b, other in enumerate(copies)]


def _hands(kind: DeckKind, change: Change) -> Made | str:
    found = categories(kind)
    many, shares = len(found.names), tuple(found.shares.tolist())
    judge = ChangeJudge(
        change=change, name=lambda cell: f"{kind.seat_name(cell // many)}, {found.names[cell % many]}",
        means=np.tile(found.shares, kind.groups), share=shares[1], rivals=shares,
        halves_with_cells=HALVES_WITH_FEW_CELLS,
    )  # fmt: skip
    return Made(tally="hands", least=LEAST, judge=judge)


_COUNTS = {
    "face": "faces.successions faces.rising_sequences faces.descents faces.valleys faces.inversions suit_runs "
            "colour_runs rank_runs",
    "input": "input.successions input.rising_sequences input.descents input.valleys input.inversions "
             "input.fixed_points input.cycles input.longest_increasing input.riffle_guess input.shelf_guess",
    "previous": "previous.successions previous.rising_sequences previous.valleys previous.inversions "
                "previous.fixed_points previous.cycles previous.riffle_guess previous.shelf_guess",
}  # fmt: skip


def _function(tally: str) -> str:
    return tally.rpartition(".")[2]


def _counts(view: str) -> Compared:
    def make(kind: DeckKind, change: Change) -> Made | str:
        tallies = tuple(tally for tally in _COUNTS[view].split() if not no_law(kind, tally))
        functions = tuple(_function(tally) for tally in tallies)
        judge = CountsChangeJudge(
            change=change, laws=tuple((lambda of=of: law_of(kind, of)) for of in functions),  # type: ignore[misc]
            names=tuple(of.replace("_", " ") for of in functions), together=correlation(functions, kind),
        )  # fmt: skip
        return Made(tally=tallies[0], also=tallies[1:], least=LEAST, judge=judge) if tallies else NOT_APART

    return make


# name               sees                                                         judged by                 twin
_SUBJECTS = (
    ("face",            "cards come to other positions",                             _positions("faces"),    "",
     OUTCOME_RULE),
    ("input",           "places of the input lead elsewhere",                        _positions("input"),    "face",
     SERIAL_RULE),
    ("previous",        "places of the deck before lead elsewhere",                  _positions("previous"), "input",
     SERIAL_RULE),
    ("face-counts",     "counts of a deck (successions, rising sequences, …) that become higher or lower",
     _counts("face"), "", OUTCOME_RULE),
    ("input-counts",    "counts of a deck (successions, rising sequences, …) that become higher or lower",
     _counts("input"), "", SERIAL_RULE),
    ("previous-counts", "counts of a deck (successions, rising sequences, …) that become higher or lower",
     _counts("previous"), "input-counts", SERIAL_RULE),
    ("adjacent-pairs",  "cards follow others more or less often",                    _pairs,                 "",
     OUTCOME_RULE),
    ("hands",           "seats get better or poorer hands",                          _hands,                 "",
     OUTCOME_RULE),
)  # fmt: skip


def _maker(compared: Compared, change: Change) -> Maker:
    made: Maker = lambda kind: compared(kind, change)  # noqa: E731
    return with_hands(made) if compared is _hands else made


ROWS = tuple(
    BatteryRow(
        name=f"{name}-{suffix}", group=Subject.TIME, clause=clause, over=over, blocks=False, sees=f"{sees} {words}",
        twin=f"{twin}-{suffix}" if twin else "", make=_maker(compared, change),
    )
    for name, sees, compared, twin, clause in _SUBJECTS
    for suffix, over, change, words in _KINDS
)  # fmt: skip
