"""What every test on drawn numbers keeps: integers that add up, and the last few draws that are not used up yet.

Draws given to one accumulator follow each other, however they are divided into calls. Two accumulators that are merged
are two separate sequences: nothing is counted across the seam, and the unused ends of both are dropped. So merging adds
integers, exactly, in any order.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomness.draws import judging
from randomness.draws.folding import LEAST_BOUND, Draws, check_bound, fold
from randomness.errors import DrawsError
from randomness.result import Finding, Null, Outcome, Result

Cells = NDArray[np.int64]

_CHUNK = 1 << 16  # draws counted at once: they stay in the cache


def checked(draws: ArrayLike, bound: int) -> Draws:
    """Draws as 64-bit integers, or an error that names the first one out of range."""
    array = np.asarray(draws)
    if array.ndim != 1 or not (array.size == 0 or np.issubdtype(array.dtype, np.integer)):
        raise DrawsError(f"draws are a flat row of whole numbers, not {array.dtype} of shape {array.shape}")
    if array.size and (int(array.min()) < 0 or int(array.max()) >= bound):
        place = int(np.flatnonzero((array < 0) | (array >= bound))[0])
        raise DrawsError(f"draw {place + 1} is {int(array[place])}, not from 0 to {bound - 1}")
    return array.astype(np.int64, copy=False)


class Accumulator(ABC):
    """One test on numbers drawn from 0 to bound - 1."""

    name: ClassVar[str]
    null: ClassVar[Null] = Null.ASYMPTOTIC
    unit: ClassVar[str] = "Cohen's w"
    least_bound: ClassVar[int] = LEAST_BOUND
    """Numbers below a smaller bound have nothing that the test could look at."""

    def __init__(self, bound: int, cells: int) -> None:
        check_bound(bound)
        self.bound = bound
        self.draws = 0
        self.cells: Cells = np.zeros(cells, np.int64)
        self._carry: Draws = np.zeros(0, np.int64)

    # ----- counting ---------------------------------------------------------------------------------------------------

    def update(self, draws: ArrayLike) -> None:
        """Count the next draws of the sequence."""
        self.feed(checked(draws, self.bound))

    def feed(self, draws: Draws) -> None:
        """The same for draws that are known to be in range."""
        self.draws += draws.size
        for start in range(0, draws.size, _CHUNK):
            waiting = np.concatenate([self._carry, self.prepared(draws[start : start + _CHUNK])])
            self._carry = waiting[self.count(waiting) :].copy()

    def prepared(self, draws: Draws) -> Draws:
        """What is kept of each draw: itself, unless the test folds."""
        return draws

    @abstractmethod
    def count(self, waiting: Draws) -> int:
        """Count what is complete, and say how many of the first prepared draws are used up."""

    # ----- merging and keeping ----------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the sequence: what follows is counted as another one."""
        self._carry = self._carry[:0]

    def merge(self, other: Self) -> None:
        """Add what another accumulator counted over another sequence; both sequences end."""
        if type(other) is not type(self) or other.bound != self.bound or other.cells.shape != self.cells.shape:
            raise DrawsError(f"only counts of the same test and bound can be merged: {self.name} below {self.bound}")
        self.close()
        self.draws += other.draws
        self.cells = self.cells + other.cells

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values."""
        return {
            "test": self.name,
            "bound": self.bound,
            "draws": self.draws,
            "cells": self.cells.tolist(),
            "carry": self._carry.tolist(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The accumulator that gave the state."""
        if state.get("test") != cls.name:
            raise DrawsError(f"a state of {state.get('test')!r} is not one of {cls.name!r}")
        made = cls(int(state["bound"]))  # type: ignore[call-arg]
        cells = np.array(state["cells"], np.int64)
        if cells.shape != made.cells.shape:
            raise DrawsError(f"a state of {cls.name!r} has {made.cells.size} cells, not {cells.size}")
        made.cells = cells
        made.draws = int(state["draws"])
        made._carry = np.array(state["carry"], np.int64)
        return made

    # ----- judging ----------------------------------------------------------------------------------------------------

    def not_applicable(self) -> str:
        """Why the test says nothing about numbers below this bound; empty where it does."""
        return f"needs numbers below at least {self.least_bound}" if self.bound < self.least_bound else ""

    def enough(self) -> bool:
        """Whether the draws so far give a p-value."""
        return self.draws >= self.least_draws

    @property
    @abstractmethod
    def least_draws(self) -> int:
        """The draws from which on there is a p-value."""

    @property
    @abstractmethod
    def freedom(self) -> float:
        """Degrees of freedom at the present number of draws."""

    @property
    @abstractmethod
    def samples(self) -> int:
        """What the effect is per: draws, pairs, groups, segments."""

    @abstractmethod
    def statistic(self) -> float:
        """Chi-square, about `freedom` on ideal draws."""

    @abstractmethod
    def findings(self) -> tuple[Finding, ...]:
        """Where to look."""

    def p_value(self, statistic: float) -> float:
        """By chi-square, unless the law is another."""
        return judging.p_value(statistic, self.freedom)

    def effect(self, statistic: float) -> judging.DrawEffect:
        """How far from the null, in `unit`."""
        return judging.effect(statistic, self.freedom, self.samples)

    def p(self) -> float | None:
        """The p-value alone: that of `evaluate`, without effect and places."""
        return None if self.not_applicable() or not self.enough() else self.p_value(self.statistic())

    def evaluate(self) -> Result:
        """The test's result on everything counted so far."""
        if why := self.not_applicable():
            return Result(test=self.name, outcome=Outcome.NOT_APPLICABLE, samples=self.draws, unmet=(why,))
        if not self.enough():
            unmet = f"{self.draws:,} draws below {self.bound}; the test needs {self._needs()}"
            return Result(test=self.name, outcome=Outcome.TOO_FEW, samples=self.draws, unmet=(unmet,))
        statistic = self.statistic()
        effect = self.effect(statistic)
        return Result(
            test=self.name,
            outcome=Outcome.TESTED,
            samples=self.draws,
            statistic=statistic,
            p=self.p_value(statistic),
            null=self.null,
            effect=effect.value,
            effect_low=effect.low,
            effect_high=effect.high,
            effect_unit=self.unit,
            findings=self.findings(),
        )

    def _needs(self) -> str:
        if self.draws < self.least_draws:
            return f"at least {self.least_draws:,}"
        return f"more, since only {self.samples:,} samples came of them"

    def least_effect(self, *, level: float = 0.01, power: float = 0.99) -> float:
        """The effect that this many samples find with probability `power` at this level."""
        return judging.least_effect(self.freedom, max(1, self.samples), level=level, power=power)


class FoldedValues(Accumulator):
    """Counts the values themselves, folded into at most `MOST_CELLS` cells."""

    MOST_CELLS: ClassVar[int]

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        super().__init__(bound, self.fold.cells)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def count(self, waiting: Draws) -> int:
        self.cells += np.bincount(waiting, minlength=self.cells.size)
        return waiting.size


class CountedClasses(Accumulator):
    """Counts of classes with known chances: the common shape. Neighbouring thin classes are judged together."""

    @abstractmethod
    def chances(self) -> NDArray[np.float64]:
        """The chance of each cell."""

    @abstractmethod
    def place(self, cell: int) -> str:
        """The cell in words."""

    @property
    def samples(self) -> int:
        return int(self.cells.sum())

    def enough(self) -> bool:
        """The draws do, and what came of them leaves classes to compare: a source may never give what is counted."""
        return super().enough() and len(self._pooled().starts) > 1

    @property
    def freedom(self) -> float:
        return float(max(1, len(self._pooled().starts) - 1))

    @property
    def pooled_for(self) -> int:
        """The number of samples that classes are joined for; the counts themselves must not have a say in it."""
        return self.samples

    def _pooled(self) -> judging.Pooled:
        return judging.pool(self.cells, self.chances(), self.pooled_for)

    def statistic(self) -> float:
        pooled = self._pooled()
        return judging.chi_square(pooled.counts, pooled.chances)

    def findings(self) -> tuple[Finding, ...]:
        pooled = self._pooled()
        ends = (*pooled.starts[1:], self.cells.size)

        def joined(number: int) -> str:
            first, last = pooled.starts[number], ends[number] - 1
            return self.place(first) if first == last else f"{self.place(first)} to {self.place(last)}"

        return judging.findings(pooled.counts, pooled.chances, joined)
