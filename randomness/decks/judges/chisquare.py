"""A table of counts, judged by one chi-square-like sum against its own law (which is seldom chi-square itself)."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomness.decks.judges.base import CONFIDENCE, CONFIDENCE_Z, Cells, Chance, DeckEffect, Judgement
from randomness.decks.tails import Cumulants, sidak, sidak_part, upper_z
from randomness.result import Finding, Null


@dataclass(frozen=True, kw_only=True)
class ChiSquareJudge:
    """`measure` gives the sum, `law` its cumulants for a number of decks; too even tells as much as too uneven.

    An effect e moves the mean of the sum by decks × `per_deck` × e²; `weight` is what one unit of noncentrality weighs.
    """

    measure: Callable[[Cells, int], float]
    law: Callable[[int], Cumulants]
    per_deck: float
    unit: str
    places: Callable[[Cells, int], tuple[Finding, ...]]
    weight: float = 1.0
    null: Null = Null.ASYMPTOTIC

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        statistic = self.measure(cells, decks)
        return Judgement(statistic=statistic, p=self.law(decks).tails(statistic).two_sided)

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        law = self.law(decks)
        moved = self.measure(cells, decks) - law.mean
        half = CONFIDENCE_Z * math.sqrt(law.variance + 4 * self.weight * max(0.0, moved))
        return DeckEffect(
            value=self._as_effect(moved, decks),
            low=self._as_effect(moved - half, decks),
            high=self._as_effect(moved + half, decks),
        )

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        return self.places(cells, decks)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return self._as_effect(self.law(decks).move_found(level / 2, power, self.weight), decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        # The law depends on the number of decks only through small corrections.
        return self.law(1_000_000).move_found(level / 2, power, self.weight) / (self.per_deck * effect**2)

    def _as_effect(self, moved: float, decks: int) -> float:
        return math.sqrt(max(0.0, moved) / (decks * self.per_deck))


@dataclass(frozen=True, kw_only=True)
class RowsJudge:
    """Several tables of one law, judged by the most uneven of them, with their number allowed for (Šidák)."""

    measure: Callable[[Cells, int], NDArray[np.float64]]
    law: Callable[[int], Cumulants]
    rows: int
    per_deck: float
    unit: str
    places: Callable[[Cells, int], tuple[Finding, ...]]
    null: Null = Null.ASYMPTOTIC

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        worst = float(self.measure(cells, decks).max())
        return Judgement(statistic=worst, p=sidak(self.law(decks).tails(worst).upper, self.rows))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        law = self.law(decks)
        moved = float(self.measure(cells, decks).max()) - law.mean
        half = upper_z(sidak_part(1 - CONFIDENCE, self.rows) / 2) * math.sqrt(law.variance + 4 * max(0.0, moved))
        return DeckEffect(
            value=self._as_effect(moved, decks),
            low=self._as_effect(moved - half, decks),
            high=self._as_effect(moved + half, decks),
        )

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        return self.places(cells, decks)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        part = sidak_part(level, self.rows)
        return self._as_effect(self.law(decks).move_found(part, power, 1.0), decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        part = sidak_part(level, self.rows)
        return self.law(1_000_000).move_found(part, power, 1.0) / (self.per_deck * effect**2)

    def _as_effect(self, moved: float, decks: int) -> float:
        return math.sqrt(max(0.0, moved) / (decks * self.per_deck))
