"""Judges of what one deck keeps of the decks before it, and of positions that keep company inside one deck."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS
from randomness.decks.judges.base import CONFIDENCE, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement, strongest
from randomness.decks.judges.chisquare import ChiSquareJudge
from randomness.decks.judges.extremes import CellsJudge, NormalCellsJudge, least_p
from randomness.decks.judges.positions import one_in
from randomness.decks.layout import LAGS, NEAR
from randomness.decks.sums import Law
from randomness.decks.tails import chi_square, sidak, sidak_part, upper_z
from randomness.result import Finding, Null

# Cards enter correlations as 2 face - 51: odd numbers from -51 to 51 with mean 0.
_X = 2.0 * np.arange(CARDS) - 51
_SQUARE = float((_X**2).mean())
_FOURTH = float((_X**4).mean())

_UPPER = np.flatnonzero(np.triu(np.ones((CARDS, CARDS), bool), 1))


# ----- two positions of one deck --------------------------------------------------------------------------------------


def position_correlation(name: Callable[[int, int], str]) -> NormalCellsJudge:
    """Each of 1,326 pairs of positions: without replacement the correlation is -1/51."""
    mean = -_SQUARE / (CARDS - 1)
    second = (CARDS * _SQUARE**2 - _FOURTH) / (CARDS - 1)
    return NormalCellsJudge(
        mean=mean,
        deviation=math.sqrt(second - mean**2),
        chosen=_UPPER,
        decks_of=lambda _, decks: np.full(len(_UPPER), float(decks)),
        name=lambda cell: name(*divmod(cell, CARDS)),
        scale=_SQUARE,
    )


def card_distances(name: Callable[[int, int], str]) -> NormalCellsJudge:
    """Each of 1,326 pairs of cards: positions apart, with mean (n+1)/3 and mean square n(n+1)/6."""
    mean = (CARDS + 1) / 3
    return NormalCellsJudge(
        mean=mean,
        deviation=math.sqrt(CARDS * (CARDS + 1) / 6 - mean**2),
        chosen=_UPPER,
        decks_of=lambda _, decks: np.full(len(_UPPER), float(decks)),
        name=lambda cell: name(*divmod(cell, CARDS)),
        scale=mean,
        unit="relative deviation of the distance of two cards",
    )


def same_kind_pairs(others: int, name: Callable[[int, int], str]) -> CellsJudge:
    """Each pair of positions: `others` of the 51 other cards are of the first one's kind."""
    return CellsJudge(
        law=lambda: one_in(CARDS - 1, others),
        chosen=_UPPER,
        name=lambda cell: name(*divmod(cell, CARDS)),
        unit="relative deviation of one pair of positions",
    )


# ----- one deck and the decks before ----------------------------------------------------------------------------------


def serial_correlation(name: Callable[[int, int], str]) -> ChiSquareJudge:
    """Every position with every position of the deck before: (52/51)² × chi-square with 2,601."""
    ratio = (CARDS / (CARDS - 1)) ** 2

    def z(cells: Cells, decks: int) -> NDArray[np.float64]:
        return np.asarray(cells.reshape(CARDS, CARDS) / (_SQUARE * math.sqrt(decks)))

    def measure(cells: Cells, decks: int) -> float:
        return float((z(cells, decks) ** 2).sum())

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        table = z(cells, decks)
        return strongest(
            [
                Finding(
                    place=name(int(i), int(j)),
                    observed=float(table[i, j]) / math.sqrt(decks),
                    expected=0.0,
                    z=float(table[i, j]),
                )
                for i, j in np.argwhere(np.abs(table) >= np.sort(np.abs(table), axis=None)[-MOST_FINDINGS])
            ]
        )

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: chi_square((ratio, (CARDS - 1.0) ** 2)),
        per_deck=float(CARDS**2),
        weight=ratio,
        unit="rms correlation over pairs of positions",
        places=places,
    )


def lag_correlation(name: Callable[[int, int], str]) -> NormalCellsJudge:
    """The same position one to sixteen decks before."""
    table = np.arange(LAGS * (CARDS + 1)).reshape(LAGS, CARDS + 1)[:, :CARDS]
    return NormalCellsJudge(
        mean=0.0,
        deviation=_SQUARE,
        chosen=table.ravel(),
        decks_of=lambda cells, _: np.repeat(cells[CARDS :: CARDS + 1], CARDS).astype(float),
        name=lambda cell: name(cell // (CARDS + 1) + 1, cell % (CARDS + 1)),
        scale=_SQUARE,
    )


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
        return self._z(level, power) * self.law().deviation / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return (self._z(level, power) * self.law().deviation / effect) ** 2

    @property
    def _many(self) -> int:
        return len(self.lags) * self.cells_in_lag

    def _z(self, level: float, power: float) -> float:
        return upper_z(sidak_part(level, self._many) / 2) + upper_z(1 - power)


def _matches(cells: Cells, lag: int) -> tuple[Cells, int]:
    row = cells.reshape(LAGS, CARDS + 1)[lag - 1]
    return np.array([np.arange(CARDS + 1) @ row]), int(row.sum())


def _shifts(cells: Cells, lag: int) -> tuple[Cells, int]:
    row = cells.reshape(LAGS, CARDS)[lag - 1]
    return row, int(row.sum()) // CARDS


def _order(part: int) -> Callable[[Cells, int], tuple[Cells, int]]:
    """Descents (part 0) or successions (part 1) of a lag."""

    def totals(cells: Cells, lag: int) -> tuple[Cells, int]:
        row = cells.reshape(LAGS, 2, CARDS)[lag - 1, part]
        return np.array([np.arange(CARDS) @ row]), int(row.sum())

    return totals


def lag_descents(law: Callable[[], Law], name: Callable[[int, int], str]) -> LagsJudge:
    """Descents of the deck seen from one to sixteen decks before: packets that keep their order."""
    return LagsJudge(law=law, totals=_order(0), cells_in_lag=1, name=name, unit="extra descents a deck")


def lag_successions(law: Callable[[], Law], name: Callable[[int, int], str]) -> LagsJudge:
    """Successions of the deck seen from one to sixteen decks before: neighbours that stay together."""
    return LagsJudge(law=law, totals=_order(1), cells_in_lag=1, name=name, unit="extra successions a deck")


def lag_matches(law: Callable[[], Law], name: Callable[[int, int], str]) -> LagsJudge:
    """Cards in the same position as one to sixteen decks before."""
    return LagsJudge(law=law, totals=_matches, cells_in_lag=1, name=name)


def lag_shifts(law: Callable[[], Law], name: Callable[[int, int], str]) -> LagsJudge:
    """Cards moved by the same number of positions, the deck taken as a ring: each shift is like fixed points."""
    return LagsJudge(law=law, totals=_shifts, cells_in_lag=CARDS, name=name)


def _near(size: int) -> Callable[[Cells, int], tuple[Cells, int]]:
    """So many cells of a lag, and its decks in the one after them."""

    def totals(cells: Cells, lag: int) -> tuple[Cells, int]:
        row = cells.reshape(NEAR, size + 1)[lag - 1]
        return row[:size], int(row[size])

    return totals


def lag_places(name: Callable[[int, int], str]) -> LagsJudge:
    """Each position with itself one to eight decks before."""
    return LagsJudge(
        law=lambda: one_in(CARDS), totals=_near(CARDS), cells_in_lag=CARDS, name=name, lags=range(1, NEAR + 1),
        unit="extra share of decks in which one position keeps its card",
    )  # fmt: skip


def lag_cells(name: Callable[[int, int], str]) -> LagsJudge:
    """From each position two to eight decks before to each position; one deck before has tests of its own."""
    return LagsJudge(
        law=lambda: one_in(CARDS), totals=_near(CARDS * CARDS), cells_in_lag=CARDS * CARDS, name=name,
        lags=range(2, NEAR + 1), unit="extra share of decks in which a card goes from one position to another",
    )  # fmt: skip
