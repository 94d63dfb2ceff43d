"""A whole-number count for each deck, judged by its (weighted) sum over the decks against the exact law."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.judges.base import CONFIDENCE_Z, Cells, Chance, DeckEffect, Judgement
from randomness.decks.sums import Law
from randomness.decks.tails import Tails, upper_z
from randomness.result import Finding, Null


@dataclass(frozen=True, kw_only=True)
class _Sums(ABC):
    """The sum over decks of a whole number of each deck, which the cells are a histogram of."""

    law: Callable[[], Law]
    null: Null = Null.EXACT

    @abstractmethod
    def _values(self, cells: Cells) -> NDArray[np.integer[Any]]:
        """What each cell adds to the sum."""

    @property
    @abstractmethod
    def _place(self) -> str:
        """What the mean is of."""

    @abstractmethod
    def _p(self, tails: Tails) -> float:
        """The tails that tell."""

    @abstractmethod
    def _at(self, level: float) -> float:
        """The level of each tail that tells."""

    def _total(self, cells: Cells) -> int:
        return int(self._values(cells) @ cells)

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:
        law, total = self.law(), self._total(cells)
        z = (total - decks * law.mean) / (law.deviation * math.sqrt(decks))
        return Judgement(statistic=z, p=self._p(law.tails(decks, total, chance.uniform())))

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
        return (Finding(place=self._place, observed=mean, expected=law.mean, z=z),)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return (upper_z(self._at(level)) + upper_z(1 - power)) / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return ((upper_z(self._at(level)) + upper_z(1 - power)) / effect) ** 2


@dataclass(frozen=True, kw_only=True)
class SumJudge(_Sums):
    """Cells are a histogram of the count, or of something that has it as `value`; too many and too few both tell."""

    of: str
    value: Callable[[NDArray[np.intp]], NDArray[np.intp]] = lambda cell: cell
    unit: str = "null standard deviations a deck"

    def _values(self, cells: Cells) -> NDArray[np.intp]:
        return self.value(np.arange(len(cells)))

    @property
    def _place(self) -> str:
        return f"mean number of {self.of}"

    def _p(self, tails: Tails) -> float:
        return tails.two_sided

    def _at(self, level: float) -> float:
        return level / 2


@dataclass(frozen=True, kw_only=True)
class LikelihoodJudge(_Sums):
    """A histogram of a count, each value weighted by how much likelier a named defect makes it; only high sums tell.

    The weights are log-likelihood ratios rounded to whole numbers, so the sum over decks keeps an exact law. Against
    the named defect no test of the same count is more powerful (Neyman and Pearson).
    """

    weights: Callable[[], NDArray[np.int64]]
    against: str
    unit: str = "null standard deviations of the weight a deck"

    def _values(self, cells: Cells) -> NDArray[np.int64]:  # noqa: ARG002
        return self.weights()

    @property
    def _place(self) -> str:
        return f"likeness to {self.against}, mean weight"

    def _p(self, tails: Tails) -> float:
        return tails.upper

    def _at(self, level: float) -> float:
        return level
