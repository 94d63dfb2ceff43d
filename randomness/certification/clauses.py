"""Requirements as data (`clauses.toml`): which apply to a card shuffler, and what a run shows of each.

A clause that names a level is judged by Holm's rule over its own statistics at that level; without one, the plan's
collective rule counts. A sample can be consistent with a requirement without establishing it.
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from randomness.certification.errors import PlanError
from randomness.certification.model import ClauseRow, Part, TestRow
from randomness.holm import holm

STANDARD_LEVEL = 0.01
"""99 % confidence, collectively: what a published summary of GLI-19 3.2.2 says."""
WHOLE = "whole"
FIRST_CARDS, BITS = "draws/", "bits/"


class ClauseVerdict(Enum):
    """What a run shows of a clause. A record and a report use these words."""

    MET = "met"
    CONSISTENT = "consistent with"
    NOT_MET = "not met"
    PARTLY = "partly tested"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not tested"
    ELSEWHERE = "not in this report"
    UNREAD = "not evaluated"


class Clause(Part, frozen=True, kw_only=True):
    """One requirement."""

    id: str
    standard: str
    number: str
    applies_to: str
    gist: str
    source: str
    certainty: Literal["read", "read in part", "read in a summary", "not read"]
    shuffler: bool
    shows: Literal["met", "consistent with", "by other means"]
    level: float | None = None
    tests: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - copied for each clause
    least_decks: int | None = None
    bits_only: bool = False
    """Left out of a report without bits."""

    def covers(self, test: str) -> bool:
        """Whether one of the clause's patterns names this statistic."""
        return any(fnmatchcase(test, pattern) for patterns in self.tests.values() for pattern in patterns)


class _File(Part, frozen=True, kw_only=True):
    clause: tuple[Clause, ...]


@cache
def all_clauses() -> tuple[Clause, ...]:
    """Every clause of the file, in its order."""
    text = resources.files("randomness.certification").joinpath("clauses.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _File).clause


def chosen(also: Collection[str], standards: str = "") -> tuple[Clause, ...]:
    """Clauses for a card shuffler, or those of the standards that a cover names, and those asked for by id."""
    names = [name.strip().lower() for name in standards.split(",") if name.strip()]
    known = all_clauses()
    for name in names:
        if not any(_of_standard(clause, name) for clause in known):
            every = ", ".join(dict.fromkeys(clause.standard for clause in known))
            raise PlanError(f"no clause of '{name}' is known; the standards are {every}")
    ids = [clause.id for clause in known]
    if strange := [one for one in also if one not in ids]:
        raise PlanError(f"no clause '{strange[0]}'; there are {', '.join(ids)}")
    return tuple(
        clause
        for clause in known
        if clause.id in also or (any(_of_standard(clause, name) for name in names) if names else clause.shuffler)
    )


def _of_standard(clause: Clause, name: str) -> bool:
    return name == clause.id or clause.standard.lower().startswith(name)


def clauses_of(test: str, clauses: Sequence[Clause]) -> tuple[str, ...]:
    """The clauses that a statistic answers, as short names."""
    return tuple(f"{clause.standard} {clause.number}" for clause in clauses if clause.covers(test))


# ----- what a run shows -----------------------------------------------------------------------------------------------


class RunShown(Part, frozen=True, kw_only=True):
    """What the rows need to know of a run's decision."""

    outcome: str
    decks: int
    level: float
    family: int
    rejected: tuple[str, ...]
    adjusted: dict[str, float]
    names: dict[str, str]
    """Label of a statistic → how a clause names it."""


def clause_rows(clauses: Sequence[Clause], results: Sequence[TestRow], shown: RunShown) -> tuple[ClauseRow, ...]:
    """A row for each clause that says anything of this run."""
    has_bits = any(name.startswith(BITS) for name in shown.names.values())
    return tuple(_row(clause, results, shown) for clause in clauses if has_bits or not clause.bits_only)


def _row(clause: Clause, results: Sequence[TestRow], shown: RunShown) -> ClauseRow:
    own = [row for row in results if clause.covers(shown.names[row.label])]
    made = [row for row in own if row.p is not None]
    verdict, evidence = _verdict(clause, own, made, shown)
    least = min(
        (row for row in made if row.label in shown.adjusted), key=lambda row: shown.adjusted[row.label], default=None
    )
    return ClauseRow(
        id=clause.id, standard=clause.standard, number=clause.number, applies_to=clause.applies_to, gist=clause.gist,
        source=clause.source, certainty=clause.certainty, by_choice=not clause.shuffler, level=clause.level,
        tests=tuple(dict.fromkeys(row.test for row in own)), performed=len(made), not_performed=len(own) - len(made),
        least_adjusted_p=None if least is None else shown.adjusted[least.label],
        worst="" if least is None else least.label, evidence=evidence, verdict=verdict.value,
    )  # fmt: skip


def _verdict(
    clause: Clause, own: Sequence[TestRow], made: Sequence[TestRow], shown: RunShown
) -> tuple[ClauseVerdict, str]:
    if clause.certainty == "not read":
        return ClauseVerdict.UNREAD, "the text of the clause was not available"
    if clause.shows == "by other means":
        return ClauseVerdict.ELSEWHERE, "to be shown by other means"
    if clause.least_decks is not None:
        many = "1 deck" if shown.decks == 1 else f"{shown.decks:,} decks"
        enough = shown.decks >= clause.least_decks
        return (ClauseVerdict.MET if enough else ClauseVerdict.INCONCLUSIVE), many
    rejected = _rejected(clause, made, shown)
    if rejected:
        return ClauseVerdict.NOT_MET, f"rejected: {', '.join(rejected[:3])}" + _more(rejected, 3)
    lacking = _lacking(clause, made, shown)
    if len(lacking) == len(clause.tests):
        return ClauseVerdict.NOT_TESTED, "none of its tests was performed"
    evidence = f"{len(made)} of {len(own)} statistics, none rejected"
    if WHOLE in _patterns(clause):
        evidence += f"; all {shown.family:,} statistics together at the level {shown.level:g}"
    lax = WHOLE in _patterns(clause) and clause.level is not None and shown.level < clause.level
    if shown.outcome == "inconclusive" or lax:
        return ClauseVerdict.INCONCLUSIVE, evidence
    if lacking:
        return ClauseVerdict.PARTLY, f"{evidence}; not performed: {', '.join(lacking)}"
    return (ClauseVerdict.MET if clause.shows == "met" else ClauseVerdict.CONSISTENT), evidence


def _rejected(clause: Clause, made: Sequence[TestRow], shown: RunShown) -> list[str]:
    """By the clause's own level, or else by the plan's rule; a broken deck is always against its clause."""
    certain = [row.label for row in made if row.label not in shown.adjusted and (row.p or 0.0) < 1.0]
    if WHOLE in _patterns(clause):
        return ["the collective verdict"] if shown.outcome == "failed" else []
    if clause.level is None:
        return certain + [row.label for row in made if row.label in shown.rejected]
    family = {row.label: row.p for row in made if row.label in shown.adjusted and row.p is not None}
    found = {**dict.fromkeys(holm(family, clause.level).rejected), **dict.fromkeys(
        row.label for row in made if row.label in shown.rejected
    )}  # fmt: skip
    return certain + list(found)


def _lacking(clause: Clause, made: Sequence[TestRow], shown: RunShown) -> list[str]:
    """The tests that the clause names and the run did not perform."""
    names = [shown.names[row.label] for row in made]
    return [
        named
        for named, patterns in clause.tests.items()
        if WHOLE not in patterns and not any(fnmatchcase(name, pattern) for name in names for pattern in patterns)
    ]


def _patterns(clause: Clause) -> tuple[str, ...]:
    return tuple(pattern for patterns in clause.tests.values() for pattern in patterns)


def _more(items: Sequence[str], shown: int) -> str:
    return f" and {len(items) - shown} more" if len(items) > shown else ""


def counted(rows: Sequence[ClauseRow]) -> Mapping[str, int]:
    """How many clauses have each verdict."""
    many: dict[str, int] = {}
    for row in rows:
        many[row.verdict] = many.get(row.verdict, 0) + 1
    return many
