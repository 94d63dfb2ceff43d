"""Judges of what changes: strata compared with each other, never with the law of one deck, so that a table that is
uneven all the time is left to the other tests.

Each has two parts: the one cell that changed most, and the whole table at once. A change point has a third, with a
level as large as both: the first half against the second, which is what a laboratory tries first. The parts see the
same decks, so they are joined by how they correlate (`together.py`); so are counts of one deck, and cells of which each
deck hits one. Of a table with one permutation a deck, what a contrast adds up to has the covariance of one deck times
the contrast's squares: Pearson's sum over the table follows its law for one deck, for any contrast (`tables.py`).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks import contrasts
from randomness.decks.contrasts import Contrasts
from randomness.decks.judges.base import CONFIDENCE, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement
from randomness.decks.scan import correlations, scan_limit, scan_tail
from randomness.decks.sums import Law
from randomness.decks.tails import Cumulants, added, normal_tails, sidak, sidak_part, upper_z
from randomness.decks.together import any_passes, exclusive, worth
from randomness.result import Finding, Null

Array = NDArray[np.float64]

# The cuts of a run of usual length: 48 stretches of one width.
_USUAL_CUTS = correlations([cut / 48 for cut in range(1, 48)])


# How normal scores of the parts correlate, by simulated tables of 2,704 cells and, for halves, of 32 (hands).
_CELLS_WITH_TABLE = 0.16
_SCANNED_CELLS_WITH_TABLE = 0.13
_TABLE_WITH_HALVES = 0.05
HALVES_WITH_MANY_CELLS = 0.30
HALVES_WITH_FEW_CELLS = 0.45


class Change(Enum):
    """What kind of change is looked for."""

    CUT = "from one moment on"
    DRIFT = "steadily along the run"
    PHASES = "in turns"


def _compared(change: Change, decks: Array, *, least_share: float = 0.0) -> tuple[Contrasts, ...]:
    return _contrasts(change, decks.tobytes(), least_share) if decks.any() else ()


@lru_cache(maxsize=256)
def _contrasts(change: Change, decks: bytes, least_share: float) -> tuple[Contrasts, ...]:
    """Most tests of a run compare strata of the same decks."""
    each = np.frombuffer(decks)
    if change is Change.CUT:
        return (contrasts.cuts(each, least_share=least_share),)
    if change is Change.DRIFT:
        return (contrasts.drift(each),)
    return tuple(contrasts.phases(each, period) for period in contrasts.turns(len(each)))


def _joined(
    change: Change, z: float, of: float, compared: Sequence[Contrasts], *, squared: bool = False, sides: int = 2
) -> float:
    """The chance that the largest of `of` scores, each over all comparisons, is as large as z."""
    if change is Change.CUT:
        near = correlations(compared[0].shares.tolist())
        return sidak(scan_tail(z, near**2 if squared else near, sides=sides), of)
    many = len(compared) if squared else sum(len(one.weights) for one in compared)
    return sidak(min(1.0, sides * normal_tails(z).upper), of * many)


@dataclass(frozen=True, kw_only=True)
class _Worst:
    """The score that stands out most, and where."""

    z: float
    name: str
    cell: int
    observed: float
    expected: float


def _worst(
    compared: Sequence[Contrasts],
    scores: list[Array],
    seen: Callable[[Contrasts, int, int], tuple[float, float]],
    most: int,
) -> list[_Worst]:
    """The few cells with the largest scores, each at its own largest comparison."""
    found = []
    for one, z in zip(compared, scores, strict=True):
        if not z.size:
            continue
        at = np.abs(z).argmax(axis=0)
        best = z[at, np.arange(z.shape[1])]
        for cell in np.abs(best).argsort()[::-1][:most]:
            observed, expected = seen(one, int(at[cell]), int(cell))
            found.append(_Worst(z=float(best[cell]), name=one.names[at[cell]], cell=int(cell), observed=observed,
                                expected=expected))  # fmt: skip
    return sorted(found, key=lambda worst: -abs(worst.z))[:most]


def _one_of(cells: float | None, table: float | None, halves: float | None, halves_with_cells: float) -> float:
    """One p-value from those of the parts that could be made: halves have half of the level, the others share it."""
    parts = [(place, p) for place, p in enumerate((cells, table, halves)) if p is not None]
    if len(parts) < 2:
        return parts[0][1] if parts else 1.0
    others = sum(place < 2 for place, _ in parts) * (1 if halves is None else 2)
    shared = [others if place < 2 else 2 for place, _ in parts]
    least = min(sidak(p, of) for (_, p), of in zip(parts, shared, strict=True))
    if least >= 1.0:
        return 1.0
    table_with_cells = _CELLS_WITH_TABLE if halves is None else _SCANNED_CELLS_WITH_TABLE
    known = np.array([
        [1.0, table_with_cells, halves_with_cells],
        [table_with_cells, 1.0, _TABLE_WITH_HALVES],
        [halves_with_cells, _TABLE_WITH_HALVES, 1.0],
    ])  # fmt: skip
    there = [place for place, _ in parts]
    return any_passes([upper_z(sidak_part(least, of)) for of in shared], known[np.ix_(there, there)], sides=1)


@lru_cache(maxsize=1024)
def _limit(change: Change, level: float, of: int) -> float:
    if change is Change.CUT:
        return scan_limit(sidak_part(level, of), _USUAL_CUTS)
    return upper_z(sidak_part(level, of) / 2)


# ----- cells that hold one hit a deck at most -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangeJudge:
    """Rows are strata: decks, then hits in each cell. `means` are the hits of one deck."""

    change: Change
    name: Callable[[int], str]
    means: Array
    share: float | None = None
    """Hits of the cell that the power is stated for; of the likeliest, if left out."""
    table: Cumulants | None = None
    """The law of Pearson's sum over all cells, for one deck; nothing if unknown."""
    laws: tuple[Array, Array, Array] | None = None
    """Deviation, skewness and excess kurtosis of one deck's hits, where a deck can hit a cell several times."""
    rivals: tuple[float, ...] = ()
    """Shares of cells in a block, of which each deck hits exactly one; the table is made of such blocks."""
    halves_with_cells: float = HALVES_WITH_MANY_CELLS
    null: Null = Null.ASYMPTOTIC
    unit: str = "relative change of one cell"

    def _used(self, totals: Array) -> NDArray[np.intp]:
        """Cells with hits enough to be cut into a quarter and the rest."""
        return np.flatnonzero((totals >= 4 * contrasts.LEAST_HITS) & (self.means > 0))

    @property
    def cells(self) -> int:
        return len(self.means)

    def _scores(self, rows: Cells) -> tuple[Sequence[Contrasts], list[Array]]:
        decks, hits = rows[:, 0].astype(float), rows[:, 1:]
        totals, every = hits.sum(axis=0), float(decks.sum())
        used = self._used(totals)
        if not used.size:
            return (), []
        if len(used) < len(totals):
            hits, totals = hits[:, used], totals[used]
        compared = _compared(self.change, decks, least_share=contrasts.LEAST_HITS / float(totals.min()))
        scores = []
        for one in compared:
            if self.laws is not None:
                law = (self.laws[0][used], self.laws[1][used], self.laws[2][used])
                scores.append(contrasts.sum_scores(one.weights, decks, hits, law))
            elif self.change is Change.DRIFT:
                law = contrasts.hits_given_total(one.weights, decks, totals)
                scores.append(contrasts.sum_scores(one.weights, decks, hits, law))
            else:
                scores.append(contrasts.hit_scores(one.shares, one.first_side(hits), totals, every))
        return compared, scores

    def _tables(self, rows: Cells, compared: Sequence[Contrasts], table: Cumulants) -> float:
        """The largest normal score of Pearson's sums over the whole table."""
        decks, hits, largest = rows[:, 0].astype(float), rows[:, 1:], -math.inf
        even = float(self.means.max()) if self._even else 1.0
        weights = None if self._even else np.where(self.means > 0, 1 / np.maximum(self.means, 1e-300), 0.0)
        for one in compared:
            off = one.added_up(hits)
            squares = np.einsum("ij,ij->i", off, off) if weights is None else (off * off) @ weights
            if self.change is Change.PHASES and len(squares) > 1:
                # All phases of a period together: what differs between them.
                total = float((squares / (one.shares * decks.sum() * even)).sum())
                law = added([table] * (len(squares) - 1))
            else:
                # Of sums with one law the largest has the largest score.
                total = float((squares / contrasts.moments(one.weights, decks)[0] / even).max())
                law = table
            largest = max(largest, upper_z(law.tails(total).upper))
        return largest

    @property
    def _even(self) -> bool:
        """Whether all cells that can be hit are hit alike; cells that can't be are empty and add nothing."""
        return bool(self.means[self.means > 0].min() == self.means.max())

    def _independent(self, used: NDArray[np.intp], z: float) -> float:
        """How many independent cells those used are worth at this height."""
        if not self.rivals:
            return float(len(used))
        size = len(self.rivals)
        blocks = [tuple(self.rivals[cell % size] for cell in used if cell // size == block)
                  for block in range(self.cells // size)]  # fmt: skip
        return sum(many * worth(z, exclusive(shares)) for shares, many in Counter(filter(None, blocks)).items())

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        compared, scores = self._scores(cells)
        each = table = halves = None
        largest = 0.0
        if any(z.size for z in scores):
            largest, used = max(float(np.abs(z).max()) for z in scores if z.size), self._used(cells[:, 1:].sum(axis=0))
            each = _joined(self.change, largest, self._independent(used, largest), compared)
            if self.change is Change.CUT:
                middle = float(np.abs(scores[0][np.abs(compared[0].shares - 0.5).argmin()]).max())
                halves = sidak(min(1.0, 2 * normal_tails(middle).upper), self._independent(used, middle))
        compared = _compared(self.change, cells[:, 0].astype(float), least_share=contrasts.LEAST_SHARE)
        if self.table is not None and any(len(one.weights) for one in compared):
            score = self._tables(cells, compared, self.table)
            largest = largest or score
            table = _joined(self.change, score, 1, compared, squared=True, sides=1)
        return Judgement(statistic=largest, p=_one_of(each, table, halves, self.halves_with_cells))

    def _found(self, rows: Cells, most: int) -> list[_Worst]:
        decks, hits = rows[:, 0].astype(float), rows[:, 1:]
        totals, every = hits.sum(axis=0), float(decks.sum())
        used = self._used(totals)
        hits, totals = hits[:, used], totals[used]

        def seen(one: Contrasts, at: int, cell: int) -> tuple[float, float]:
            if self.change is Change.DRIFT:
                slope = float(one.weights[at] @ hits[:, cell] / contrasts.moments(one.weights, decks)[0][at])
                return slope * every, 0.0
            first = one.weights[at] + one.shares[at]
            return float(first @ hits[:, cell]), float(one.shares[at] * totals[cell])

        return [replace(one, cell=int(used[one.cell])) for one in _worst(*self._scores(rows), seen, most)]

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        found = self._found(cells, 1)
        if not found:
            return DeckEffect(value=0.0, low=-math.inf, high=math.inf)
        unit = self._unit(decks)
        half = upper_z(sidak_part(1 - CONFIDENCE, self.cells) / 2)
        z = found[0].z
        return DeckEffect(value=z * unit, low=(z - half) * unit, high=(z + half) * unit)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:  # noqa: ARG002
        return tuple(
            Finding(place=f"{self.name(one.cell)}: {one.name}", observed=one.observed, expected=one.expected, z=one.z)
            for one in self._found(cells, MOST_FINDINGS)
        )

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return self._z(level, power) * self._unit(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return (self._z(level, power) * self._unit(1) / effect) ** 2

    def _unit(self, decks: int) -> float:
        """The relative change that makes a score of one: between halves, or from the beginning to the end."""
        spread = 2.0 if self.change is not Change.DRIFT else math.sqrt(12.0)
        share = float(self.means.max()) if self.share is None else self.share
        return spread * math.sqrt((1 - share) / (share * decks))

    def _z(self, level: float, power: float) -> float:
        """Of a change in the middle of the run, or of any steady or regular one."""
        if self.change is Change.CUT:
            return upper_z(sidak_part(sidak_part(level, 2), self.cells) / 2) + upper_z(1 - power)
        part = level if self.table is None else sidak_part(level, 2)
        return _limit(self.change, part, self.cells) + upper_z(1 - power)


# ----- sums of counts -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _CountScores:
    """Scores of several counts over the same decks: an array of comparisons × counts for each kind of comparison."""

    places: list[int]
    decks: Array
    sums: Cells
    compared: Sequence[Contrasts]
    scores: list[Array]


@dataclass(frozen=True, kw_only=True)
class CountsChangeJudge:
    """Rows are strata: for each count its decks and its sum over them. `together`: how counts of one deck correlate."""

    change: Change
    laws: tuple[Callable[[], Law], ...]
    names: tuple[str, ...]
    together: tuple[tuple[float, ...], ...]
    null: Null = Null.ASYMPTOTIC
    unit: str = "change of a mean, in null standard deviations"

    def _scores(self, rows: Cells) -> Iterator[_CountScores]:
        """Counts over the same decks (in short runs all of them) are compared at once."""
        alike: dict[bytes, list[int]] = {}
        for place in range(len(self.laws)):
            alike.setdefault(rows[:, 2 * place].tobytes(), []).append(place)
        for places in alike.values():
            decks, sums = rows[:, 2 * places[0]].astype(float), rows[:, [2 * place + 1 for place in places]]
            laws = [self.laws[place]() for place in places]
            law = np.array([(one.deviation, *one.shape) for one in laws]).T
            compared = _compared(self.change, decks, least_share=contrasts.LEAST_SHARE)
            scores = [contrasts.sum_scores(one.weights, decks, sums, (law[0], law[1], law[2])) for one in compared]
            yield _CountScores(places=places, decks=decks, sums=sums, compared=compared, scores=scores)

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        found = list(self._scores(cells))
        sizes = [float(np.abs(z).max()) for each in found for z in each.scores if z.size]
        if not sizes:
            return Judgement(statistic=0.0, p=1.0)
        many = worth(max(sizes), np.array(self.together))
        return Judgement(statistic=max(sizes), p=_joined(self.change, max(sizes), many, found[0].compared))

    def _found(self, rows: Cells, most: int) -> list[_Worst]:
        found = []
        for each in self._scores(rows):
            decks = each.decks
            for one, z in zip(each.compared, each.scores, strict=True):
                if not z.size:
                    continue
                for column, at in enumerate(np.abs(z).argmax(axis=0).tolist()):
                    sums = each.sums[:, column]
                    if self.change is Change.DRIFT:
                        observed = float(one.weights[at] @ sums / contrasts.moments(one.weights, decks)[0][at])
                        expected = 0.0
                    else:
                        first = one.weights[at] + one.shares[at]
                        observed, expected = float(first @ sums / (first @ decks)), float(sums.sum() / decks.sum())
                    found.append(
                        _Worst(z=float(z[at, column]), name=one.names[at], cell=each.places[column], observed=observed,
                               expected=expected)
                    )  # fmt: skip
        return sorted(found, key=lambda worst: (-abs(worst.z), worst.cell))[:most]

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        found = self._found(cells, 1)
        if not found:
            return DeckEffect(value=0.0, low=-math.inf, high=math.inf)
        half = upper_z(sidak_part(1 - CONFIDENCE, len(self.laws)) / 2)
        z, unit = found[0].z, self._unit(decks)
        return DeckEffect(value=z * unit, low=(z - half) * unit, high=(z + half) * unit)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:  # noqa: ARG002
        return tuple(
            Finding(place=f"mean number of {self.names[one.cell]}: {one.name}", observed=one.observed,
                    expected=one.expected, z=one.z)
            for one in self._found(cells, MOST_FINDINGS)
        )  # fmt: skip

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return self._z(level, power) * self._unit(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return (self._z(level, power) * self._unit(1) / effect) ** 2

    def _unit(self, decks: int) -> float:
        return (2.0 if self.change is not Change.DRIFT else math.sqrt(12.0)) / math.sqrt(decks)

    def _z(self, level: float, power: float) -> float:
        return _limit(self.change, level, len(self.laws)) + upper_z(1 - power)
