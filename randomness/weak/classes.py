"""Planted defects: classes of cards that rise, places kept by lane or by group. For negative controls only."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from randomness.kernels.adjusted import Adjusted
from randomness.kernels.mechanism import Dice, Order

Cards = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class _Exchange(Adjusted):
    """In a share `rate` of the shuffles two positions are drawn and exchanged if that suits the defect."""

    rate: Fraction = Fraction(1)

    def extra(self, cards: int) -> Sequence[int]:
        """Whether, and which positions."""
        return [self.rate.denominator, cards, cards]

    def better(self, a: Cards, b: Cards, p: Cards, q: Cards, cards: int) -> NDArray[np.bool_]:
        """Whether cards a at p and b at q should change places."""
        raise NotImplementedError

    def adjust_plain(self, order: list[int], dice: Sequence[int]) -> list[int]:
        """One deck."""
        made: list[int] = self.adjust_vector(np.array([order]), np.array(dice, np.uint32)[:, None])[0].tolist()
        return made

    def adjust_vector(self, order: Order, dice: Dice) -> Order:
        """Many."""
        rows = np.flatnonzero(dice[0] < self.rate.numerator)
        p, q = np.asarray(dice[1])[rows].astype(np.intp), np.asarray(dice[2])[rows].astype(np.intp)
        a, b = order[rows, p], order[rows, q]
        wanted = self.better(a.astype(np.intp), b.astype(np.intp), p, q, order.shape[1])
        rows, p, q, a, b = rows[wanted], p[wanted], q[wanted], a[wanted], b[wanted]
        order[rows, p], order[rows, q] = b, a
        return order


@dataclass(frozen=True, kw_only=True)
class RisingClass(_Exchange):
    """Cards with `low` ≤ number mod `modulus` ≤ `high` rise: an exchange is made if it brings one of them higher.

    Numbers are places of the input, faces where that is the factory order: 9 to 11 of 13 are the court cards, 26 to 38
    of 52 one suit. Predicted: the places of the k cards add up to rate × k (52 - k) / (52 · 51) × 53/3 less a deck,
    0.069 standard deviations of their sum at rate 1 for 12 or 13 cards. `classes-by-region` finds that in 7,500 decks
    at its share of a 1 % level and power 0.8, and a rate of 1/10 in 750,000.
    """

    name: ClassVar[str] = "rising-class"
    modulus: int = 13
    low: int = 9
    high: int = 11

    def _held(self, card: Cards) -> NDArray[np.bool_]:
        return np.asarray((card % self.modulus >= self.low) & (card % self.modulus <= self.high))

    def better(self, a: Cards, b: Cards, p: Cards, q: Cards, cards: int) -> NDArray[np.bool_]:  # noqa: ARG002
        """One of the class lies below one that is not."""
        return np.asarray(np.where(p < q, self._held(b) & ~self._held(a), self._held(a) & ~self._held(b)) & (p != q))

    def describe(self) -> str:
        """One line."""
        return f"cards {self.low} to {self.high} of every {self.modulus} rise at rate {self.rate}"


@dataclass(frozen=True, kw_only=True)
class KeptLane(_Exchange):
    """An exchange is made if it brings more cards to the lane that they had in the input: number mod `lanes`.

    With `group` above 0 to the same group of so many neighbours instead. Predicted: at rate 1 the cards in their lane
    rise by 0.083 standard deviations a deck for 8 lanes, 0.073 for 2, 0.061 for groups of 3. `input-lanes` (where decks
    follow each other `previous-lanes`) finds that in 4,700, 6,100 and 8,700 decks at its share of a 1 % level and power
    0.8; decks grow by 1/rate².
    """

    name: ClassVar[str] = "kept-lane"
    lanes: int = 8
    group: int = 0

    def _place(self, at: Cards) -> Cards:
        return at // self.group if self.group > 0 else at % self.lanes

    def better(self, a: Cards, b: Cards, p: Cards, q: Cards, cards: int) -> NDArray[np.bool_]:  # noqa: ARG002
        """More matches after than before."""
        a, b, p, q = (self._place(each) for each in (a, b, p, q))
        return np.asarray((a == q).astype(int) + (b == p) > (a == p).astype(int) + (b == q))

    def describe(self) -> str:
        """One line."""
        what = f"group of {self.group}" if self.group > 0 else f"lane of {self.lanes}"
        return f"cards keep their {what} at rate {self.rate}"
