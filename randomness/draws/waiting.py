"""Tests that wait for something: a marked number, all numbers, the end of a run. Their segments are independent."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from randomness.draws import judging, laws
from randomness.draws.accumulator import CountedClasses
from randomness.draws.engine import quickest
from randomness.draws.folding import Draws, check_bound, fold

LEAST_SEGMENTS = 320  # that classes of one in twenty are judged alone


class _Segments(CountedClasses):
    """Segments by length, each of `mean_draws` draws on average.

    So many draws hold more segments the shorter these are. Classes are therefore joined for as many segments as the
    draws should hold: joined for those found, they would be other classes when the lengths are unusual, and p would be
    too high just then.
    """

    mean_draws: float

    @property
    def pooled_for(self) -> int:
        """What the draws should hold; what was found, where that is nowhere near it."""
        expected = int(self.draws / self.mean_draws)
        return expected if 2 * self.samples >= expected else self.samples

    @property
    def least_draws(self) -> int:
        segments = max(LEAST_SEGMENTS, judging.least_samples(tuple(self.chances().tolist())))
        return int(np.ceil(segments * self.mean_draws * 1.1)) + self.cells.size


class Gap(_Segments):
    """Draws between draws of the marked numbers, the lowest quarter (Knuth 3.3.2 C)."""

    name: ClassVar[str] = "gap"
    MOST_CELLS: ClassVar[int] = 64

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        self.marked = max(1, self.fold.cells // 4)
        chance = self.marked / self.fold.cells
        self.most = int(np.ceil(np.log(1e-3) / np.log1p(-chance)))
        self._chances = np.array(laws.gap_law(chance, self.most))
        self.mean_draws = bound / self.fold.kept * (1.0 - self._chances[-1]) / chance  # a gap that is cut has no mark
        super().__init__(bound, self.most + 1)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def count(self, waiting: Draws) -> int:
        marks = np.flatnonzero(waiting < self.marked)
        lengths = np.diff(marks, prepend=-1) - 1
        rest = waiting.size - (int(marks[-1]) + 1 if marks.size else 0)
        # A gap is cut at `most`, and what follows it is a gap of its own: waiting has no memory.
        self.cells += np.bincount(lengths % self.most, minlength=self.cells.size)
        self.cells[self.most] += int((lengths // self.most).sum()) + rest // self.most
        return waiting.size - rest % self.most

    def chances(self) -> NDArray[np.float64]:
        return self._chances

    def place(self, cell: int) -> str:
        return f"a gap of {cell}{' or more' if cell == self.most else ''}"


class CouponCollector(_Segments):
    """Draws until every number has been seen (Knuth 3.3.2 E)."""

    name: ClassVar[str] = "coupon-collector"
    MOST_CELLS: ClassVar[int] = 16

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        k = self.fold.cells
        self.most = int(np.ceil(k * (np.log(k) + 7.0)))  # cut one in a thousand: exp(-7)
        self._chances = np.array(laws.coupon_law(k, self.most))
        self.mean_draws = bound / self.fold.kept * k * sum(1.0 / j for j in range(1, k + 1))
        super().__init__(bound, self.most - k + 2)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def count(self, waiting: Draws) -> int:
        return int(quickest("coupon_segments")(waiting, self.fold.cells, self.most, self.cells))

    def chances(self) -> NDArray[np.float64]:
        return self._chances

    def place(self, cell: int) -> str:
        last = cell == self.cells.size - 1
        return f"not all seen after {self.most} draws" if last else f"all seen after {self.fold.cells + cell} draws"


class RunsUp(_Segments):
    """Strictly rising runs by length, the draw that ends one left out so that runs are independent (Knuth 3.3.2 G)."""

    name: ClassVar[str] = "runs-up"
    word: ClassVar[str] = "rising"
    MOST: ClassVar[int] = 8

    def __init__(self, bound: int) -> None:
        check_bound(bound)
        self.most = min(self.MOST, bound)
        self._chances = np.array(laws.ascent_law(bound, self.most))
        ended = 1.0 - self._chances[-1]  # by a draw that belongs to no run; a run that is cut is not
        self.mean_draws = float(np.dot(self._chances, np.arange(1, self.most + 1)) + ended)
        super().__init__(bound, self.most)

    def count(self, waiting: Draws) -> int:
        return int(quickest("rising_runs")(waiting, self.most, self.cells))

    def chances(self) -> NDArray[np.float64]:
        return self._chances

    def place(self, cell: int) -> str:
        return f"a {self.word} run of {cell + 1}{' or more' if cell == self.most - 1 else ''}"


class RunsDown(RunsUp):
    """The same for falling runs."""

    name: ClassVar[str] = "runs-down"
    word: ClassVar[str] = "falling"

    def prepared(self, draws: Draws) -> Draws:
        return self.bound - 1 - draws


class RunsAboutTheMiddle(_Segments):
    """Runs of draws on one side of the middle, by length."""

    name: ClassVar[str] = "runs-about-the-middle"
    MOST: ClassVar[int] = 12

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, 2)
        self.mean_draws = 2.0 * bound / self.fold.kept
        self._chances = np.array(laws.gap_law(0.5, self.MOST - 1))
        super().__init__(bound, self.MOST)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def count(self, waiting: Draws) -> int:
        ends = np.flatnonzero(np.diff(waiting))  # the last draw of each run but the one still open
        lengths = np.diff(ends, prepend=-1)
        used = int(ends[-1]) + 1 if ends.size else 0
        # A run of more than MOST - 1 is cut there: whether the side changes next has no memory.
        step = self.MOST - 1
        self.cells += np.bincount((lengths - 1) % step, minlength=self.MOST)
        cut = (waiting.size - used - 1) // step if waiting.size > used else 0
        self.cells[step] += int(((lengths - 1) // step).sum()) + cut
        return used + cut * step

    def chances(self) -> NDArray[np.float64]:
        return self._chances

    def place(self, cell: int) -> str:
        return f"a run of {cell + 1}{' or more' if cell == self.MOST - 1 else ''} on one side of the middle"
