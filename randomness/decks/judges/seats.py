"""Judge of two seats' hands: a pair or better at both, at one, at neither; exact, given what each seat shows alone.

With the two seats' totals given, the number of deals in which both have a pair or better follows Fisher's noncentral
hypergeometric law, whose odds ratio is that of two hands of one deck (not quite 1: cards are not put back).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from randomness.decks.hands import two_hands
from randomness.decks.judges.base import CONFIDENCE, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.tails import Tails, sidak, sidak_part, upper_z
from randomness.result import Finding, Null

_DEVIATIONS = 16.0


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
    """Each two seats, the pair that stands out most, with their number allowed for (Šidák)."""

    kind: DeckKind
    null: Null = Null.EXACT
    unit: str = "relative deviation of both hands being a pair or better"

    @cached_property
    def _pairs(self) -> tuple[tuple[int, int], ...]:
        return tuple(combinations(range(self.kind.groups), 2))

    @cached_property
    def _shares(self) -> tuple[float, float, float]:
        """Of two hands: both better than the commonest category, one, neither."""
        joint = two_hands(self.kind)
        assert joint is not None
        return float(joint[1:, 1:].sum()), float(joint[0, 1:].sum()), float(joint[0, 0])

    @property
    def odds(self) -> float:
        both, one, neither = self._shares
        return neither * both / one**2

    @cached_property
    def _spread(self) -> float:
        """Given the totals, the count's standard deviation is that of one cell with the margins taken out."""
        both, one, neither = self._shares
        return math.sqrt(1.0 / (1.0 / neither + 2.0 / one + 1.0 / both))

    def _unit(self, decks: float) -> float:
        return self._spread / self._shares[0] / math.sqrt(decks)

    def _tables(self, cells: Cells) -> NDArray[np.int64]:
        """For each pair of seats: both, first, second."""
        table = cells.reshape(len(self._pairs), 3, 3)
        return np.stack([table[:, 1:, 1:].sum((1, 2)), table[:, 1:].sum((1, 2)), table[:, :, 1:].sum((1, 2))], axis=1)

    def _expected(self, table: NDArray[np.int64], decks: int) -> NDArray[np.float64]:
        """What the two seats' totals lead one to expect of both, to first order around the exact shares."""
        _, first, second = table.T
        both, one, _ = self._shares
        return np.asarray(first * second / decks + decks * (both - (both + one) ** 2))

    def _deviations(self, cells: Cells, decks: int) -> NDArray[np.float64]:
        table = self._tables(cells)
        return np.asarray((table[:, 0] - self._expected(table, decks)) / (self._spread * math.sqrt(decks)))

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:
        u = np.array([chance.uniform() for _ in self._pairs])
        least = min(1.0, 2.0 * float(many_tails(self._tables(cells), decks, self.odds, u).min()))
        z = float(np.abs(self._deviations(cells, decks)).max())
        return Judgement(statistic=z, p=sidak(least, len(self._pairs)))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        z = self._deviations(cells, decks)
        worst, unit = float(z[np.abs(z).argmax()]), self._unit(decks)
        half = upper_z(sidak_part(1 - CONFIDENCE, len(self._pairs)) / 2)
        return DeckEffect(value=worst * unit, low=(worst - half) * unit, high=(worst + half) * unit)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        table, z = self._tables(cells), self._deviations(cells, decks)
        expected, seat = self._expected(table, decks), self.kind.seat_name
        return tuple(
            Finding(
                place=f"{seat(self._pairs[i][0])} and {seat(self._pairs[i][1])}, both a pair or better",
                observed=float(table[i, 0]), expected=float(expected[i]), z=float(z[i]),
            )
            for i in np.abs(z).argsort()[::-1][:MOST_FINDINGS]
        )  # fmt: skip

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return self._z(level, power) * self._unit(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return (self._z(level, power) * self._unit(1.0) / effect) ** 2

    def _z(self, level: float, power: float) -> float:
        return upper_z(sidak_part(level, len(self._pairs)) / 2) + upper_z(1 - power)
