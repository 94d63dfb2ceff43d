"""A law on orders that is constant on classes (rising sequences, valleys), and how far it is from uniform. Exact."""

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from randomness.errors import TheoryError

GRID_STEP = 1 / 256
"""Resolution of the log likelihood ratio when a few decks are judged together."""
GRID_DECKS = 64
"""Decks up to which the best test's power is computed; above, the normal approximation holds."""
NEGLIGIBLE = 1e-15


@dataclass(frozen=True, kw_only=True)
class Needed:
    """How many decks the best possible test needs to notice, and how that is known: "exact" or "normal"."""

    decks: int
    method: str


@dataclass(frozen=True, kw_only=True)
class ClassLaw:
    """`sizes[c]` orders form class c, each with probability `ways[c] / total`. Integers keep large decks quick."""

    cards: int
    sizes: tuple[int, ...]
    ways: tuple[int, ...]
    total: int

    @property
    def chances(self) -> tuple[Fraction, ...]:
        """The probability of each order of a class."""
        return tuple(Fraction(ways, self.total) for ways in self.ways)

    @property
    def ratios(self) -> tuple[Fraction, ...]:
        """Each class's probability against uniform: 1 everywhere for a perfect shuffle."""
        orders = math.factorial(self.cards)
        return tuple(Fraction(ways * orders, self.total) for ways in self.ways)

    def classes(self) -> tuple[Fraction, ...]:
        """The probability of each class."""
        return tuple(Fraction(size * ways, self.total) for size, ways in zip(self.sizes, self.ways, strict=True))

    def uniform_classes(self) -> tuple[Fraction, ...]:
        """The probability of each class under a perfect shuffle."""
        orders = math.factorial(self.cards)
        return tuple(Fraction(size, orders) for size in self.sizes)

    def total_variation(self) -> Fraction:
        """Half the sum of |P - U|: the best a single bet can gain."""
        orders = math.factorial(self.cards)
        pairs = zip(self.sizes, self.ways, strict=True)
        return Fraction(sum(size * abs(ways * orders - self.total) for size, ways in pairs), 2 * orders * self.total)

    def separation(self) -> Fraction:
        """1 - min P/U: 1 while some order cannot come out."""
        return 1 - Fraction(min(self.ways) * math.factorial(self.cards), self.total)

    def l_infinity(self) -> Fraction:
        """max |P/U - 1|."""
        orders = math.factorial(self.cards)
        return Fraction(max(abs(ways * orders - self.total) for ways in self.ways), self.total)

    def chi_square(self) -> Fraction:
        """Sum of (P - U)^2 / U: what a sample's noncentrality grows by with each deck."""
        squares = sum(size * ways * ways for size, ways in zip(self.sizes, self.ways, strict=True))
        return Fraction(squares * math.factorial(self.cards), self.total**2) - 1

    def power_of_one_deck(self, alpha: Fraction) -> Fraction:
        """Chance that the most powerful (randomised) test at level `alpha` notices on a single deck."""
        orders = math.factorial(self.cards)
        left, power = alpha * orders, Fraction(0)
        for ways, size in sorted(zip(self.ways, self.sizes, strict=True), reverse=True):
            taken = min(left, Fraction(size))
            power += taken * ways
            left -= taken
            if left <= 0:
                break
        return power / self.total

    def decks_needed(self, alpha: float = 0.01, power: float = 0.80) -> Needed:
        """Decks until the likelihood-ratio test at level `alpha` notices with chance `power`.

        One deck is judged exactly, up to 64 by convolving the law of the log likelihood ratio on a grid of 1/256, more
        by the normal approximation (z_alpha + z_power)^2 / chi-square.
        """
        if not (0 < alpha < 1 and 0 < power < 1 and alpha < power):
            raise TheoryError(f"level and power are probabilities, the level the smaller: not {alpha} and {power}")
        if self.power_of_one_deck(Fraction(alpha)) >= power:
            return Needed(decks=1, method="exact")
        chi_square = self.chi_square()
        if chi_square == 0:
            raise TheoryError("this law is uniform: no number of decks tells it from a perfect shuffle")
        normal = NormalDist()
        wanted = Fraction((normal.inv_cdf(1 - alpha) + normal.inv_cdf(power)) ** 2) / chi_square
        if wanted > GRID_DECKS:
            return Needed(decks=math.ceil(wanted), method="normal")
        found = self._search(alpha, power)
        return Needed(decks=found, method="exact") if found else Needed(decks=math.ceil(wanted), method="normal")

    def _search(self, alpha: float, power: float) -> int:
        """The least number of decks up to GRID_DECKS that reach the power; 0 where none does."""
        steps, uniform, shuffled = self._grid()
        null, real, low = uniform, shuffled, steps
        for decks in range(2, GRID_DECKS + 1):
            null, real, low = np.convolve(null, uniform), np.convolve(real, shuffled), low + steps
            if _power(null, real, alpha) >= power:
                return decks
        return 0

    def _grid(self) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
        """Both laws of one deck's log likelihood ratio on the grid, and the index of the first cell.

        Classes that cannot come out count nowhere: they speak for a perfect shuffle with certainty.
        """
        cells: dict[int, list[float]] = {}
        orders = math.factorial(self.cards)
        for size, ways in zip(self.sizes, self.ways, strict=True):
            u, p = size / orders, size * ways / self.total
            if ways and max(u, p) > NEGLIGIBLE:
                ratio = math.log(ways) + math.log(orders) - math.log(self.total)
                cell = cells.setdefault(round(ratio / GRID_STEP), [0.0, 0.0])
                cell[0] += u
                cell[1] += p
        low, high = min(cells), max(cells)
        laws = np.zeros((2, high - low + 1))
        for index, (u, p) in cells.items():
            laws[:, index - low] = u, p
        return low, laws[0], laws[1]


def _power(null: NDArray[np.float64], real: NDArray[np.float64], alpha: float) -> float:
    """Power of rejecting for the largest ratios, randomised on the border."""
    tail = np.cumsum(null[::-1])
    border = int(np.searchsorted(tail, alpha))
    reversed_real = real[::-1]
    full = float(reversed_real[:border].sum())
    if border == len(tail):
        return full
    spent = float(tail[border - 1]) if border else 0.0
    mass = float(null[::-1][border])
    return full + (alpha - spent) / mass * float(reversed_real[border]) if mass else full
