"""Tests that count values: alone, in pairs, by place in the sequence, by difference, and in overlapping threes."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from randomness.draws import judging
from randomness.draws.accumulator import Accumulator, CountedClasses, FoldedValues
from randomness.draws.folding import Draws, Folding, fold
from randomness.result import Finding


class _EqualClasses(CountedClasses):
    """Classes that are all equally likely."""

    fold: Folding

    def chances(self) -> NDArray[np.float64]:
        return np.full(self.cells.size, 1.0 / self.cells.size)

    @property
    def least_draws(self) -> int:
        samples = judging.least_expected(self.cells.size) * self.cells.size
        return _draws_for(samples * self.used_for_one, self.fold) + self.used_for_one

    used_for_one: ClassVar[int] = 1


def _draws_for(kept: float, fold: Folding) -> int:
    """The draws of which so many are kept by the fold, with a tenth to spare."""
    return int(np.ceil(kept * fold.bound / fold.kept * 1.1))


class Frequency(FoldedValues, _EqualClasses):
    """Every number equally often (equi-distribution)."""

    name: ClassVar[str] = "frequency"
    MOST_CELLS: ClassVar[int] = 1_024

    def place(self, cell: int) -> str:
        return f"value {self.fold.name(cell)}"


class SerialPairs(_EqualClasses):
    """Every pair of neighbours equally often; pairs do not overlap."""

    name: ClassVar[str] = "serial"
    used_for_one: ClassVar[int] = 2
    MOST_CELLS: ClassVar[int] = 32

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        super().__init__(bound, self.fold.cells**2)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def count(self, waiting: Draws) -> int:
        pairs = waiting[: waiting.size // 2 * 2].reshape(-1, 2)
        self.cells += np.bincount(pairs[:, 0] * self.fold.cells + pairs[:, 1], minlength=self.cells.size)
        return pairs.size

    def place(self, cell: int) -> str:
        first, second = divmod(cell, self.fold.cells)
        return f"{self.fold.name(first)} followed by {self.fold.name(second)}"


class Adjacency(_EqualClasses):
    """Every step from one draw to the next, around the circle, equally often: such steps are independent."""

    name: ClassVar[str] = "adjacency"
    MOST_CELLS: ClassVar[int] = 64

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        super().__init__(bound, self.fold.cells)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def count(self, waiting: Draws) -> int:
        if waiting.size < 2:
            return 0
        self.cells += np.bincount(np.diff(waiting) % self.fold.cells, minlength=self.cells.size)
        return waiting.size - 1

    def place(self, cell: int) -> str:
        return f"a step of {cell} of {self.fold.cells} cells"


class SubSequences(Accumulator):
    """Every number equally often in each of twelve sub-sequences: every twelfth draw from the first, the second, ..."""

    name: ClassVar[str] = "sub-sequences"
    STRIDE: ClassVar[int] = 12
    MOST_CELLS: ClassVar[int] = 64

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        super().__init__(bound, self.STRIDE * self.fold.cells)

    def count(self, waiting: Draws) -> int:
        rows = waiting[: waiting.size // self.STRIDE * self.STRIDE].reshape(-1, self.STRIDE)
        for phase in range(self.STRIDE):
            cells = self._table()[phase]
            cells += np.bincount(self.fold(rows[:, phase]), minlength=self.fold.cells)
        return rows.size

    def _table(self) -> NDArray[np.int64]:
        return self.cells.reshape(self.STRIDE, self.fold.cells)

    @property
    def least_draws(self) -> int:
        return _draws_for(judging.LEAST_EXPECTED * self.cells.size, self.fold) + 1 + self.STRIDE

    @property
    def freedom(self) -> float:
        return float(self.STRIDE * (self.fold.cells - 1))

    @property
    def samples(self) -> int:
        return int(self.cells.sum())

    def statistic(self) -> float:
        chances = np.full(self.fold.cells, 1.0 / self.fold.cells)
        return sum(judging.chi_square(row, chances) for row in self._table())

    def findings(self) -> tuple[Finding, ...]:
        chances = np.full(self.fold.cells, 1.0 / self.fold.cells)
        return judging.strongest(
            [
                finding
                for phase, row in enumerate(self._table())
                for finding in judging.findings(
                    row,
                    chances,
                    lambda cell, phase=phase: (
                        f"value {self.fold.name(cell)} at draw {phase + 1} of every {self.STRIDE}"
                    ),  # type: ignore[misc]
                )
            ]
        )


class Overlaps(Accumulator):
    """Every third draw independent of the two before, over all overlapping threes.

    Counts of overlapping windows are dependent; the difference of the chi-squares of threes and twos is chi-square
    again (I. J. Good, Proc. Camb. Phil. Soc. 49, 1953).
    """

    name: ClassVar[str] = "overlaps"
    MOST_CELLS: ClassVar[int] = 8

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        super().__init__(bound, self.fold.cells**3)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def count(self, waiting: Draws) -> int:
        if waiting.size < 3:
            return 0
        k = self.fold.cells
        codes = (waiting[:-2] * k + waiting[1:-1]) * k + waiting[2:]
        self.cells += np.bincount(codes, minlength=self.cells.size)
        return codes.size

    @property
    def least_draws(self) -> int:
        return _draws_for(judging.LEAST_EXPECTED * self.cells.size, self.fold) + 3

    @property
    def freedom(self) -> float:
        return float(self.fold.cells**3 - self.fold.cells**2)

    @property
    def samples(self) -> int:
        return int(self.cells.sum())

    def statistic(self) -> float:
        threes = self.cells.reshape(-1, self.fold.cells)
        even = threes.sum(axis=1, keepdims=True) / self.fold.cells
        return float(np.square(threes - even).sum()) * self.cells.size / self.samples

    def findings(self) -> tuple[Finding, ...]:
        return judging.findings(self.cells, np.full(self.cells.size, 1.0 / self.cells.size), self._place)

    def _place(self, cell: int) -> str:
        k = self.fold.cells
        return ", ".join(self.fold.name(part) for part in (cell // k**2, cell // k % k, cell % k)) + " in a row"
