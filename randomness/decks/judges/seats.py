"""Judge of two seats' hands: a pair or better at both, at one, at neither; exact, given what each seat shows alone.

With the two seats' totals given, the number of deals in which both have a pair or better follows Fisher's noncentral
hypergeometric law, whose odds ratio is that of two hands of one deck (not quite 1: cards are not put back).
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import SEATS, seat_name
from randomness.decks.hands import CATEGORY_PAIRS
from randomness.decks.judges.base import CONFIDENCE, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement
from randomness.decks.tails import Tails, sidak, sidak_part, upper_z
from randomness.result import Finding, Null

_PAIRS = tuple(combinations(range(SEATS), 2))
_DEVIATIONS = 16.0

_JOINT = np.array(CATEGORY_PAIRS, float) / np.sum(CATEGORY_PAIRS)
_NEITHER = float(_JOINT[0, 0])
_BOTH = float(_JOINT[1:, 1:].sum())
_ONE = float(_JOINT[0, 1:].sum())
ODDS = _NEITHER * _BOTH / _ONE**2
# Given the totals, the count's standard deviation is that of one cell with the margins taken out.
_SPREAD = math.sqrt(1.0 / (1.0 / _NEITHER + 2.0 / _ONE + 1.0 / _BOTH))


def hypergeometric_tails(both: int, first: int, second: int, decks: int, odds: float, u: float) -> Tails:
    """Tails of the number of deals with both, given each seat's number, the value itself split at u."""
    lower, upper = many_tails(np.array([[both, first, second]]), decks, odds, np.array([u]))
    return Tails(lower=float(lower[0]), upper=float(upper[0]))


def many_tails(table: NDArray[np.int64], decks: int, odds: float, u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lower and upper tails for each row of (both, first, second)."""
    both, first, second = (column[:, None].astype(float) for column in table.T)
    middle = first * second / decks
    reach = _DEVIATIONS * np.sqrt(middle * (1 - first / decks) * (1 - second / decks) + 1) + 50
    start = np.maximum(np.maximum(0, first + second - decks), np.floor(middle - reach))
    stop = np.minimum(np.minimum(first, second), np.ceil(middle + reach))
    x = start + np.arange(int((stop - start).max()) + 1)
    inside = x <= stop
    before, after = x[:, :-1], x[:, 1:]
    ratios = (first - before) * (second - before) * odds / np.maximum(after * (decks - first - second + after), 1.0)
    logs = np.zeros(x.shape)
    np.cumsum(np.log(np.where(inside[:, 1:], ratios, 1.0)), axis=1, out=logs[:, 1:])
    law = np.where(inside, np.exp(logs - np.where(inside, logs, -np.inf).max(axis=1, keepdims=True)), 0.0)
    law /= law.sum(axis=1, keepdims=True)
    here = np.where(x == both, law, 0.0).sum(axis=1)
    lower = np.where(x < both, law, 0.0).sum(axis=1) + u * here
    upper = np.where(x > both, law, 0.0).sum(axis=1) + (1 - u) * here
    return np.asarray(np.maximum(np.stack([lower, upper]), 1e-300))


@dataclass(frozen=True, kw_only=True)
class TwoSeatsJudge:
    """Each two of the eight seats, the pair that stands out most, with their number allowed for (Šidák)."""

    null: Null = Null.EXACT
    unit: str = "relative deviation of both hands being a pair or better"

    def _tables(self, cells: Cells) -> NDArray[np.int64]:
        """For each pair of seats: both, first, second."""
        table = cells.reshape(len(_PAIRS), 3, 3)
        return np.stack([table[:, 1:, 1:].sum((1, 2)), table[:, 1:].sum((1, 2)), table[:, :, 1:].sum((1, 2))], axis=1)

    def _expected(self, table: NDArray[np.int64], decks: int) -> NDArray[np.float64]:
        """What the two seats' totals lead one to expect of both, to first order around the exact shares."""
        _, first, second = table.T
        alone = _BOTH + _ONE
        return np.asarray(first * second / decks + decks * (_BOTH - alone**2))

    def _deviations(self, cells: Cells, decks: int) -> NDArray[np.float64]:
        table = self._tables(cells)
        return np.asarray((table[:, 0] - self._expected(table, decks)) / (_SPREAD * math.sqrt(decks)))

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:
        u = np.array([chance.uniform() for _ in _PAIRS])
        least = min(1.0, 2.0 * float(many_tails(self._tables(cells), decks, ODDS, u).min()))
        z = float(np.abs(self._deviations(cells, decks)).max())
        return Judgement(statistic=z, p=sidak(least, len(_PAIRS)))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        z = self._deviations(cells, decks)
        worst, unit = float(z[np.abs(z).argmax()]), _SPREAD / _BOTH / math.sqrt(decks)
        half = upper_z(sidak_part(1 - CONFIDENCE, len(_PAIRS)) / 2)
        return DeckEffect(value=worst * unit, low=(worst - half) * unit, high=(worst + half) * unit)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        table, z = self._tables(cells), self._deviations(cells, decks)
        expected = self._expected(table, decks)
        return tuple(
            Finding(
                place=f"{seat_name(_PAIRS[i][0])} and {seat_name(_PAIRS[i][1])}, both a pair or better",
                observed=float(table[i, 0]),
                expected=float(expected[i]),
                z=float(z[i]),
            )
            for i in np.abs(z).argsort()[::-1][:MOST_FINDINGS]
        )

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return self._z(level, power) * _SPREAD / _BOTH / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return (self._z(level, power) * _SPREAD / _BOTH / effect) ** 2

    def _z(self, level: float, power: float) -> float:
        return upper_z(sidak_part(level, len(_PAIRS)) / 2) + upper_z(1 - power)
