"""Judges of what one deck keeps of the decks before it, and of positions that keep company inside one deck."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from randomness.decks.counting import card_scores
from randomness.decks.judges.base import CONFIDENCE, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement, strongest
from randomness.decks.judges.extremes import NormalCellsJudge, decks_until, least_p, least_rise
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.layout import LAGS, NEAR
from randomness.decks.sums import Law
from randomness.decks.tails import sidak, sidak_part, upper_z
from randomness.result import Finding, Null

Totals = Callable[[Cells, int], tuple[Cells, int]]


# ----- two positions of one deck --------------------------------------------------------------------------------------


def moments(kind: DeckKind) -> tuple[float, float]:
    """Means of the second and fourth powers of the scores that cards enter correlations with."""
    x = np.repeat(card_scores(kind), kind.copies).astype(float)
    return float((x**2).mean()), float((x**4).mean())


def position_correlation(kind: DeckKind, name: Callable[[int, int], str]) -> NormalCellsJudge:
    """Each pair of positions: without replacement the correlation is -1/(n-1)."""
    n = kind.cards
    square, fourth = moments(kind)
    mean = -square / (n - 1)
    return _pairs(n, mean, (n * square**2 - fourth) / (n - 1), square, name)


def card_distances(kind: DeckKind, name: Callable[[int, int], str]) -> NormalCellsJudge:
    """Each pair of cards: positions apart, with mean (n+1)/3 and mean square n(n+1)/6."""
    n = kind.cards
    mean = (n + 1) / 3
    unit = "relative deviation of the distance of two cards"
    return _pairs(n, mean, n * (n + 1) / 6, mean, name, unit=unit)


def _pairs(
    n: int, mean: float, second: float, scale: float, name: Callable[[int, int], str], unit: str = "correlation"
) -> NormalCellsJudge:
    upper = np.flatnonzero(np.triu(np.ones((n, n), bool), 1))
    return NormalCellsJudge(
        mean=mean, deviation=math.sqrt(second - mean**2), chosen=upper,
        decks_of=lambda _, decks: np.full(len(upper), float(decks)), name=lambda cell: name(*divmod(cell, n)),
        scale=scale, unit=unit,
    )  # fmt: skip


# ----- one deck and the decks before ----------------------------------------------------------------------------------


def lag_correlation(kind: DeckKind, name: Callable[[int, int], str]) -> NormalCellsJudge:
    """The same position one to sixteen decks before."""
    n, (square, _) = kind.cards, moments(kind)
    table = np.arange(LAGS * (n + 1)).reshape(LAGS, n + 1)[:, :n]
    return NormalCellsJudge(
        mean=0.0, deviation=square, chosen=table.ravel(),
        decks_of=lambda cells, _: np.repeat(cells[n :: n + 1], n).astype(float),
        name=lambda cell: name(cell // (n + 1) + 1, cell % (n + 1)), scale=square,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LagsJudge:
    """Matches with the decks before, lag by lag (and shift by shift): each a sum of one exact law over decks.

    `totals` gives the counts of a lag as (cells, decks): one cell, or one for each shift.
    """

    law: Callable[[], Law]
    totals: Callable[[Cells, int], tuple[Cells, int]]
    cells_in_lag: int
    name: Callable[[int, int], str]
    lags: range = range(1, LAGS + 1)
    null: Null = Null.EXACT
    unit: str = "extra cards a deck"

    def _lags(self, cells: Cells) -> list[tuple[int, Cells, int]]:
        found = [(lag, *self.totals(cells, lag)) for lag in self.lags]
        return [(lag, totals, decks) for lag, totals, decks in found if decks]

    def _scores(self, cells: Cells) -> list[Finding]:
        law, scores = self.law(), []
        for lag, totals, decks in self._lags(cells):
            z = (totals - decks * law.mean) / (law.deviation * math.sqrt(decks))
            for i in np.abs(z).argsort()[::-1][:MOST_FINDINGS]:
                place = self.name(lag, int(i))
                mean = float(totals[i]) / decks
                scores.append(Finding(place=place, observed=mean, expected=law.mean, z=float(z[i])))
        return scores

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        law, lags = self.law(), self._lags(cells)
        p = min(least_p(law, totals, each, chance) for _, totals, each in lags)
        worst = max(float(np.abs(totals - each * law.mean).max()) / math.sqrt(each) for _, totals, each in lags)
        return Judgement(statistic=worst / law.deviation, p=sidak(p, len(lags) * self.cells_in_lag))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        worst = max(self._scores(cells), key=lambda finding: abs(finding.z))
        value = worst.observed - worst.expected
        half = upper_z(sidak_part(1 - CONFIDENCE, self._many) / 2) * self.law().deviation / math.sqrt(decks)
        return DeckEffect(value=value, low=value - half, high=value + half)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:  # noqa: ARG002
        return strongest(self._scores(cells))

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return least_rise(self.law(), decks, sidak_part(level, self._many) / 2, power)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return decks_until(lambda decks: self.least_effect(decks, level, power), effect)

    @property
    def _many(self) -> int:
        return len(self.lags) * self.cells_in_lag


def histograms(n: int, part: int = 0, parts: int = 1) -> Totals:
    """Of lags that each have so many histograms of n cells in a row, the sum of one of them."""

    def totals(cells: Cells, lag: int) -> tuple[Cells, int]:
        row = cells.reshape(-1, parts, n)[lag - 1, part]
        return np.array([np.arange(n) @ row]), int(row.sum())

    return totals


def far(cells: Cells, lag: int) -> tuple[Cells, int]:
    """Kept cards and decks of a lag beyond the sixteenth."""
    kept, decks = cells.reshape(-1, 2)[lag - LAGS - 1]
    return np.array([kept]), int(decks)


def shifts(n: int) -> Totals:
    """Cards moved by each number of positions."""

    def totals(cells: Cells, lag: int) -> tuple[Cells, int]:
        row = cells.reshape(-1, n)[lag - 1]
        return row, int(row.sum()) // n

    return totals


def near(size: int) -> Totals:
    """So many cells of a lag, and its decks in the one after them."""

    def totals(cells: Cells, lag: int) -> tuple[Cells, int]:
        row = cells.reshape(NEAR, size + 1)[lag - 1]
        return row[:size], int(row[size])

    return totals
