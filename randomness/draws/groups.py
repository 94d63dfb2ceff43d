"""Tests on groups of draws that do not overlap: poker hands, orders, extremes, repeats, events in a window."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from randomness.draws import judging, laws
from randomness.draws.accumulator import CountedClasses
from randomness.draws.folding import Draws, fold

LEAST_GROUPS = 320  # that classes of one in twenty are judged alone


class _Groups(CountedClasses):
    """Groups of `group` prepared draws, each in one class."""

    group: int
    kept_share: float = 1.0

    def count(self, waiting: Draws) -> int:
        groups = waiting[: waiting.size // self.group * self.group].reshape(-1, self.group)
        if groups.size:
            self.cells += np.bincount(self.classes(groups), minlength=self.cells.size)
        return groups.size

    @abstractmethod
    def classes(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """The class of each group."""

    @property
    def least_draws(self) -> int:
        groups = max(LEAST_GROUPS, judging.least_samples(tuple(self.chances().tolist())))
        return int(np.ceil(groups * self.group / self.kept_share * 1.1)) + self.group


class Poker(_Groups):
    """Hands of five draws (Knuth 3.3.2 D, the full seven classes)."""

    name: ClassVar[str] = "poker"
    group: int = 5
    MOST_CELLS: ClassVar[int] = 13

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        self.kept_share = self.fold.kept / bound
        self._chances = np.array(laws.poker_law(self.fold.cells))
        super().__init__(bound, len(laws.POKER_HANDS))

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def classes(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        hand = np.sort(groups, axis=1)
        same = hand[:, 1:] == hand[:, :-1]
        # The four comparisons of neighbours in the sorted hand as a number of four bits name the partition.
        return np.asarray(_HAND_OF[(same @ np.array([8, 4, 2, 1])).astype(np.int64)])

    def chances(self) -> NDArray[np.float64]:
        return self._chances

    def place(self, cell: int) -> str:
        return laws.POKER_HANDS[cell][0]


def _hand_of_code(code: int) -> int:
    sizes = [1]
    for bit in (8, 4, 2, 1):
        if code & bit:
            sizes[-1] += 1
        else:
            sizes.append(1)
    partition = tuple(sorted(sizes, reverse=True))
    return next(i for i, (_, wanted) in enumerate(laws.POKER_HANDS) if wanted == partition)


_HAND_OF = np.array([_hand_of_code(code) for code in range(16)], np.int64)


class Permutation(CountedClasses):
    """The order of four draws; groups with equal draws are left out (Knuth 3.3.2 F)."""

    name: ClassVar[str] = "permutation"
    GROUP: ClassVar[int] = 4
    least_bound: ClassVar[int] = 4  # fewer numbers have no order of four
    _PAIRS: ClassVar[tuple[tuple[int, int], ...]] = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))

    def __init__(self, bound: int) -> None:
        super().__init__(bound, 24)
        kept = 1.0
        for i in range(self.GROUP):
            kept *= max(0.0, 1.0 - i / bound)
        self._kept = kept

    def count(self, waiting: Draws) -> int:
        groups = waiting[: waiting.size // self.GROUP * self.GROUP].reshape(-1, self.GROUP)
        above = np.stack([groups[:, i] > groups[:, j] for i, j in self._PAIRS])
        ties = np.logical_or.reduce([groups[:, i] == groups[:, j] for i, j in self._PAIRS])
        # The Lehmer digits: how many later draws are smaller, in base 4, 3, 2.
        code = (above[0] + above[1] * 1 + above[2]) * 6 + (above[3] * 1 + above[4]) * 2 + above[5]
        self.cells += np.bincount(code[~ties], minlength=24)
        return groups.size

    def chances(self) -> NDArray[np.float64]:
        return np.full(24, 1.0 / 24.0)

    @property
    def least_draws(self) -> int:
        return int(np.ceil(judging.LEAST_EXPECTED * 24 * self.GROUP / max(self._kept, 1e-9) * 1.1)) + self.GROUP

    def place(self, cell: int) -> str:
        digits = (cell // 6, cell // 2 % 3, cell % 2, 0)
        left = [1, 2, 3, 4]
        return "order " + " ".join(str(left.pop(digit)) for digit in digits)


class LargestOfFive(_Groups):
    """The largest of five draws (order statistic)."""

    name: ClassVar[str] = "largest-of-five"
    word: ClassVar[str] = "largest"
    group: int = 5
    MOST_CELLS: ClassVar[int] = 64

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        self.kept_share = self.fold.kept / bound
        self._chances = np.array(laws.largest_law(self.fold.cells, self.group))
        super().__init__(bound, self.fold.cells)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def classes(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(groups.max(axis=1))

    def chances(self) -> NDArray[np.float64]:
        return self._chances

    def place(self, cell: int) -> str:
        return f"{self.word} {self.fold.name(cell)}"


class SmallestOfFive(LargestOfFive):
    """The smallest of five draws, counted from above so that the law is the same."""

    name: ClassVar[str] = "smallest-of-five"
    word: ClassVar[str] = "smallest"

    def classes(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self.fold.cells - 1 - groups.min(axis=1))

    def place(self, cell: int) -> str:
        return f"{self.word} {self.fold.name(self.fold.cells - 1 - cell)}"


class Duplicates(_Groups):
    """Draws that repeat an earlier one of their group; a group is as large as makes about 1.4 of them."""

    name: ClassVar[str] = "duplicates"
    MOST_CELLS: ClassVar[int] = 4_096

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS, least=min(bound, self.MOST_CELLS // 2))
        self.kept_share = self.fold.kept / bound
        self.group = max(3, int(np.sqrt(3.0 * self.fold.cells)))
        self._chances = np.array(laws.duplicates_law(self.fold.cells, self.group))
        super().__init__(bound, self.group)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def classes(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        ordered = np.sort(groups, axis=1)
        return np.asarray((ordered[:, 1:] == ordered[:, :-1]).sum(axis=1, dtype=np.int64))

    def chances(self) -> NDArray[np.float64]:
        return self._chances

    def place(self, cell: int) -> str:
        return f"{cell} repeats in {self.group} draws"


class Poisson(_Groups):
    """How often one number turns up in a window that expects it four times; each window watches another."""

    name: ClassVar[str] = "poisson"
    MOST_CELLS: ClassVar[int] = 64
    EXPECTED: ClassVar[int] = 4
    MOST: ClassVar[int] = 16

    def __init__(self, bound: int) -> None:
        self.fold = fold(bound, self.MOST_CELLS)
        self.kept_share = self.fold.kept / bound
        self.group = self.EXPECTED * self.fold.cells
        most = min(self.MOST, self.group)
        self._chances = np.array(laws.binomial_law(self.group, 1.0 / self.fold.cells, most))
        super().__init__(bound, most + 1)

    def prepared(self, draws: Draws) -> Draws:
        return self.fold(draws)

    def classes(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        watched = (self.samples + np.arange(groups.shape[0])) % self.fold.cells
        found = (groups == watched[:, None]).sum(axis=1, dtype=np.int64)
        return np.asarray(np.minimum(found, self.cells.size - 1))

    def chances(self) -> NDArray[np.float64]:
        return self._chances

    def place(self, cell: int) -> str:
        last = cell == self.cells.size - 1
        return f"a number {cell}{' or more' if last else ''} times in {self.group} draws"
