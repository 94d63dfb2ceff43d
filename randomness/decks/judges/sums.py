"""A whole-number count for each deck, judged by its (weighted) sum over the decks against the exact law."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomness.decks.judges.base import CONFIDENCE_Z, Cells, Chance, DeckEffect, Judgement
from randomness.decks.sums import Law
from randomness.decks.tails import upper_z
from randomness.result import Finding, Null


@dataclass(frozen=True, kw_only=True)
class SumJudge:
    """Cells are a histogram of the count, or of something that has it as `value`; too many and too few both tell."""

    law: Callable[[], Law]
    of: str
    value: Callable[[NDArray[np.intp]], NDArray[np.intp]] = lambda cell: cell
    null: Null = Null.EXACT
    unit: str = "null standard deviations a deck"

    def _values(self, cells: Cells) -> NDArray[np.intp]:
        return self.value(np.arange(len(cells)))

    def _total(self, cells: Cells) -> int:
        return int(self._values(cells) @ cells)

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:
        law, total = self.law(), self._total(cells)
        z = (total - decks * law.mean) / (law.deviation * math.sqrt(decks))
        return Judgement(statistic=z, p=law.tails(decks, total, chance.uniform()).two_sided)

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        law, values = self.law(), self._values(cells)
        mean = self._total(cells) / decks
        spread = math.sqrt(float(cells @ (values - mean) ** 2) / (decks - 1)) if decks > 1 else law.deviation
        value, half = (mean - law.mean) / law.deviation, CONFIDENCE_Z * spread / law.deviation / math.sqrt(decks)
        return DeckEffect(value=value, low=value - half, high=value + half)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        law = self.law()
        mean = self._total(cells) / decks
        z = (mean - law.mean) / law.deviation * math.sqrt(decks)
        return (Finding(place=f"mean number of {self.of}", observed=mean, expected=law.mean, z=z),)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return (upper_z(level / 2) + upper_z(1 - power)) / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return ((upper_z(level / 2) + upper_z(1 - power)) / effect) ** 2


@dataclass(frozen=True, kw_only=True)
class LikelihoodJudge:
    """A histogram of a count, each value weighted by how much likelier a named defect makes it; only high sums tell.

    The weights are log-likelihood ratios rounded to whole numbers, so the sum over decks keeps an exact law. Against
    the named defect no test of the same count is more powerful (Neyman and Pearson).
    """

    weights: Callable[[], NDArray[np.int64]]
    law: Callable[[], Law]
    against: str
    null: Null = Null.EXACT
    unit: str = "null standard deviations of the weight a deck"

    def _total(self, cells: Cells) -> int:
        return int(self.weights() @ cells)

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:
        law, total = self.law(), self._total(cells)
        z = (total - decks * law.mean) / (law.deviation * math.sqrt(decks))
        return Judgement(statistic=z, p=law.tails(decks, total, chance.uniform()).upper)

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        law, weights = self.law(), self.weights()
        mean = self._total(cells) / decks
        spread = math.sqrt(float(cells @ (weights - mean) ** 2) / (decks - 1)) if decks > 1 else law.deviation
        value, half = (mean - law.mean) / law.deviation, CONFIDENCE_Z * spread / law.deviation / math.sqrt(decks)
        return DeckEffect(value=value, low=value - half, high=value + half)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        law = self.law()
        mean = self._total(cells) / decks
        z = (mean - law.mean) / law.deviation * math.sqrt(decks)
        return (Finding(place=f"likeness to {self.against}, mean weight", observed=mean, expected=law.mean, z=z),)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return (upper_z(level) + upper_z(1 - power)) / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return ((upper_z(level) + upper_z(1 - power)) / effect) ** 2
