"""Weighted sums of a table: few questions, one number each, so that a small effect spread over many cells adds up.

Over many decks each sum is normal. How the sums of one deck vary and correlate is known exactly; the largest of several
is judged with as many independent ones as they are worth (`together.py`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from randomness.decks.judges.base import CONFIDENCE, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement
from randomness.decks.tails import normal_tails, sidak, sidak_part, upper_z
from randomness.decks.together import worth_of_many
from randomness.result import Finding, Null

Table = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sums:
    """Questions by name, with a weight for each cell, and the mean and the covariance of the sums of one deck."""

    names: tuple[str, ...]
    weights: Table
    mean: Table
    covariance: Table


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightedJudge:
    """Several weighted sums of one table."""

    sums: Callable[[], Sums]
    null: Null = Null.ASYMPTOTIC
    unit: str = "null standard deviations a deck"

    @cached_property
    def _sums(self) -> Sums:
        return self.sums()

    @cached_property
    def _deviations(self) -> Table:
        return np.sqrt(np.diag(self._sums.covariance))

    @cached_property
    def _together(self) -> Table:
        return np.asarray(self._sums.covariance / np.outer(self._deviations, self._deviations))

    def scores(self, cells: Cells, decks: int) -> Table:
        """Of each question, standard normal."""
        off = self._sums.weights @ cells - decks * self._sums.mean
        return np.asarray(off / (self._deviations * math.sqrt(decks)))

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        z = float(np.abs(self.scores(cells, decks)).max())
        return Judgement(statistic=z, p=sidak(min(1.0, 2 * normal_tails(z).upper), worth_of_many(z, self._together)))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        z = self.scores(cells, decks)
        worst = float(z[np.abs(z).argmax()])
        half = upper_z(sidak_part(1 - CONFIDENCE, len(z)) / 2)
        value, low, high = (each / math.sqrt(decks) for each in (worst, worst - half, worst + half))
        return DeckEffect(value=value, low=low, high=high)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        z, sums = self.scores(cells, decks), self._sums
        seen = sums.weights @ cells / decks
        return tuple(
            Finding(place=sums.names[i], observed=float(seen[i]), expected=float(sums.mean[i]), z=float(z[i]))
            for i in np.abs(z).argsort()[::-1][:MOST_FINDINGS]
        )

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return self._z(level, power) / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return (self._z(level, power) / effect) ** 2

    def _z(self, level: float, power: float) -> float:
        return upper_z(sidak_part(level, len(self._sums.names)) / 2) + upper_z(1 - power)


def of_orders(questions: Sequence[tuple[str, Table]], copies: Sequence[int]) -> Sums:
    """Sums over a position × card table, by weights of its cells.

    Over all orders of told-apart cards two sums have covariance Σ d e / (n-1), d and e being the weights less their row
    and column means (W. Hoeffding, "A combinatorial central limit theorem", Ann. Math. Statist. 22 (1951) 558-566).
    """
    many = np.array(copies, float)
    n = int(many.sum())
    weights = np.array([table for _, table in questions], float)
    by_row, by_column = weights @ many / n, weights.mean(axis=1)
    mean = by_row.sum(axis=1)
    off = weights - by_row[:, :, None] - by_column[:, None, :] + (mean / n)[:, None, None]
    flat = (off * np.sqrt(many)).reshape(len(weights), -1)
    return Sums(
        names=tuple(name for name, _ in questions), weights=weights.reshape(len(weights), -1), mean=mean,
        covariance=flat @ flat.T / (n - 1),
    )  # fmt: skip


def of_pairs(n: int, sizes: Sequence[int], of: str) -> Sums:
    """Sums over a table of position pairs that share a kind of cards: at each distance, and within several.

    Two pairs of positions share none, one or both positions: three covariances, counted over the cards of each kind.
    """
    size = np.array(sizes, float)
    two, three, four = ((size * np.prod([size - k for k in range(1, taken)], axis=0)).sum() for taken in (2, 3, 4))
    falling = np.cumprod(n - np.arange(4.0))
    same = two / falling[1]
    apart = ((two**2 - (size**2 * (size - 1) ** 2).sum()) + four) / falling[3] - same**2
    touching, own = three / falling[2] - same**2, same - same**2
    upper = np.triu(np.ones((n, n)), 1)
    distance = np.subtract.outer(np.arange(n), np.arange(n)).T
    sets = [(f"{of}, {d} positions apart", (distance == d) * upper) for d in range(1, n)]
    sets += [(f"{of}, within {d} positions", (distance <= d) * upper) for d in (2, 3, 4, 6, 8, 12)]
    weights = np.array([chosen.ravel() for _, chosen in sets])
    held = np.array([(chosen + chosen.T).sum(axis=0) for _, chosen in sets])
    both = weights @ weights.T
    one = held @ held.T - 2 * both
    pairs = weights.sum(axis=1)
    covariance = both * own + one * touching + (np.outer(pairs, pairs) - both - one) * apart
    return Sums(names=tuple(name for name, _ in sets), weights=weights, mean=pairs * same, covariance=covariance)
