"""Many cells of one law, judged by the one that stands out most, with the number of cells allowed for (Šidák).

The cells of these tables are as good as independent: for card × position, two cells in a row correlate by −1/51.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks.judges.base import CONFIDENCE, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement, strongest
from randomness.decks.sums import Law
from randomness.decks.tails import gamma_tails, normal_tails, sidak, sidak_part, upper_z
from randomness.decks.together import exclusive, worth
from randomness.result import Finding, Null


@dataclass(frozen=True, kw_only=True)
class CellsJudge:
    """Each chosen cell is a sum over decks of one exact law: a binomial count, or a count of matches."""

    law: Callable[[], Law]
    chosen: NDArray[np.intp]
    name: Callable[[int], str]
    null: Null = Null.EXACT
    unit: str = "relative deviation of one cell"

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:
        law, totals = self.law(), cells[self.chosen]
        p = least_p(law, totals, decks, chance)
        z = float(np.abs(totals - decks * law.mean).max()) / (law.deviation * math.sqrt(decks))
        return Judgement(statistic=z, p=sidak(p, len(totals)))

    def _deviations(self, cells: Cells, decks: int) -> NDArray[np.float64]:
        law = self.law()
        return np.asarray((cells[self.chosen] - decks * law.mean) / (law.deviation * math.sqrt(decks)))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        law, z = self.law(), self._deviations(cells, decks)
        worst = float(z[np.abs(z).argmax()])
        unit = law.deviation / (law.mean * math.sqrt(decks))
        # One of many was picked, so its interval is as wide as the picking asks for.
        half = upper_z(sidak_part(1 - CONFIDENCE, len(z)) / 2)
        return DeckEffect(value=worst * unit, low=(worst - half) * unit, high=(worst + half) * unit)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        law, z = self.law(), self._deviations(cells, decks)
        picked = np.abs(z).argsort()[::-1][:MOST_FINDINGS]
        return tuple(
            Finding(
                place=self.name(int(self.chosen[i])),
                observed=float(cells[self.chosen[i]]),
                expected=decks * law.mean,
                z=float(z[i]),
            )
            for i in picked
        )

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return least_rise(self.law(), decks, sidak_part(level, len(self.chosen)) / 2, power) / self.law().mean

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return decks_until(lambda decks: self.least_effect(decks, level, power), effect)


def decks_until(least: Callable[[int], float], effect: float) -> float:
    """The decks with which the least effect comes down to this one."""
    low, high = 0.0, 62.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if least(max(1, round(2**middle))) > effect else (low, middle)
    return float(2**high)


def least_rise(law: Law, decks: int, level: float, power: float) -> float:
    """How far one deck's mean must rise for the sum over decks to pass its upper limit at `level` with that power.

    A sum with this dispersion is a Poisson count on another scale. What is hit more often varies more: far from the
    normal law a limit in standard deviations of the null would promise too much.
    """
    mean, dispersion = decks * law.mean, law.deviation**2 / law.mean
    return (_mean_found(mean / dispersion, level, power) * dispersion - mean) / decks


_NORMAL_FROM = 1e5
"""Above this mean a Poisson count is normal, with a deviation that grows with its mean."""


@lru_cache(maxsize=1024)
def _mean_found(mean: float, level: float, power: float) -> float:
    """The mean with which a Poisson count passes, with probability `power`, what it passes at this level with `mean`;
    P(Poisson(m) >= k) is a gamma tail."""
    if mean > _NORMAL_FROM:
        # mean + z₁√mean = found - z₂√found
        z = upper_z(1 - power)
        return ((z + math.sqrt(z**2 + 4 * (mean + upper_z(level) * math.sqrt(mean)))) / 2) ** 2
    limit = _rising(lambda k: -gamma_tails(k, mean).lower, -level, mean)
    return _rising(lambda m: gamma_tails(limit, m).lower, power, mean)


def _rising(function: Callable[[float], float], wanted: float, least: float) -> float:
    """Where a rising function passes `wanted`, at or above `least`."""
    low, high = least, 2 * least + 100
    while function(high) < wanted:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def least_p(law: Law, totals: Cells, decks: int, chance: Chance) -> float:
    """The least two-sided randomised p-value among cells of one law; only the highest and the lowest can have it."""
    sides = []
    for extreme, high in ((int(totals.max()), True), (int(totals.min()), False)):
        ties = int((totals == extreme).sum())
        # Of several equal cells, each with a uniform number of its own, the one most to the outside counts.
        outermost = chance.uniform() ** (1.0 / ties)
        tails = law.tails(decks, extreme, outermost if high else 1.0 - outermost)
        sides.append(tails.upper if high else tails.lower)
    return min(1.0, 2.0 * min(sides))


@dataclass(frozen=True, kw_only=True)
class NormalCellsJudge:
    """Cells that are sums of many products: each is normal, with known mean and deviation for each deck."""

    mean: float
    deviation: float
    chosen: NDArray[np.intp]
    decks_of: Callable[[Cells, int], NDArray[np.float64]]
    name: Callable[[int], str]
    null: Null = Null.ASYMPTOTIC
    unit: str = "correlation"
    scale: float = 901.0

    def _deviations(self, cells: Cells, decks: int) -> NDArray[np.float64]:
        each = self.decks_of(cells, decks)
        return np.asarray((cells[self.chosen] - each * self.mean) / (self.deviation * np.sqrt(each)))

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        z = float(np.abs(self._deviations(cells, decks)).max())
        return Judgement(statistic=z, p=sidak(min(1.0, 2 * normal_tails(z).upper), len(self.chosen)))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        z = self._deviations(cells, decks)
        worst = float(z[np.abs(z).argmax()])
        unit = self.deviation / self.scale / math.sqrt(decks)
        half = upper_z(sidak_part(1 - CONFIDENCE, len(z)) / 2)
        return DeckEffect(value=worst * unit, low=(worst - half) * unit, high=(worst + half) * unit)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        each, z = self.decks_of(cells, decks), self._deviations(cells, decks)
        return tuple(
            Finding(
                place=self.name(int(self.chosen[i])),
                observed=float(cells[self.chosen[i]] / each[i] / self.scale),
                expected=self.mean / self.scale,
                z=float(z[i]),
            )
            for i in np.abs(z).argsort()[::-1][:MOST_FINDINGS]
        )

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return self._z(level, power) * self.deviation / self.scale / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return (self._z(level, power) * self.deviation / self.scale / effect) ** 2

    def _z(self, level: float, power: float) -> float:
        return upper_z(sidak_part(level, len(self.chosen)) / 2) + upper_z(1 - power)


@dataclass(frozen=True, kw_only=True)
class CellGroup:
    """Cells of one exact law, each a sum over as many cells of the tally."""

    law: Callable[[], Law]
    members: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        return np.array(self.members)

    def totals(self, cells: Cells) -> Cells:
        return np.asarray(cells[self._places].sum(axis=1))

    def scores(self, cells: Cells, decks: int) -> NDArray[np.float64]:
        """In standard deviations."""
        law = self.law()
        return np.asarray((self.totals(cells) - decks * law.mean) / (law.deviation * math.sqrt(decks)))


@dataclass(frozen=True, kw_only=True)
class GroupedCellsJudge:
    """Cells of several exact laws, judged by the one that stands out most, with the number of all allowed for."""

    groups: tuple[CellGroup, ...]
    rivals: tuple[float, ...] = ()
    """Shares of cells, one of each group, of which each deck hits exactly one: they are worth fewer than they are."""
    null: Null = Null.EXACT
    unit: str = "relative deviation of one cell"

    @property
    def _many(self) -> int:
        return sum(len(group.names) for group in self.groups)

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:
        p = min(least_p(group.law(), group.totals(cells), decks, chance) for group in self.groups)
        largest = max(float(np.abs(group.scores(cells, decks)).max()) for group in self.groups)
        return Judgement(statistic=largest, p=sidak(p, self._independent(upper_z(p / 2))))

    def _independent(self, z: float) -> float:
        """How many independent cells these are worth at this height."""
        if not self.rivals:
            return self._many
        return self._many / len(self.rivals) * worth(z, exclusive(self.rivals))

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        found = []
        for group in self.groups:
            totals, z, expected = group.totals(cells), group.scores(cells, decks), decks * group.law().mean
            found += [
                Finding(place=group.names[i], observed=float(totals[i]), expected=expected, z=float(z[i]))
                for i in (-np.abs(z)).argsort(kind="stable")[:MOST_FINDINGS]
            ]
        return strongest(found)

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        worst = self.findings(cells, decks)[0]
        value = worst.observed / worst.expected - 1
        half = upper_z(sidak_part(1 - CONFIDENCE, self._many) / 2) * abs(value / worst.z) if worst.z else math.inf
        return DeckEffect(value=value, low=value - half, high=value + half)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return self._z(level, power) * self._unit() / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return (self._z(level, power) * self._unit() / effect) ** 2

    def _unit(self) -> float:
        """Of the commonest kind of cell."""
        return min(group.law().deviation / group.law().mean for group in self.groups)

    def _z(self, level: float, power: float) -> float:
        return upper_z(sidak_part(level, self._many) / 2) + upper_z(1 - power)
