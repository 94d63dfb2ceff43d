"""Planted defects: wrong shuffling algorithms. For negative controls only."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from randomness.errors import BadParameter
from randomness.kernels.adjusted import OtherDice
from randomness.kernels.ideal import Ideal
from randomness.kernels.mechanism import Dice, Order, order_type

ALWAYS = Fraction(1)


@dataclass(frozen=True, kw_only=True)
class Sattolo(OtherDice):
    """Sattolo's algorithm (Fisher-Yates off by one) in a share `rate` of the shuffles: one cycle, no fixed points.

    Predicted: at rate 1 card x position has a noncentrality of 1.000 a deck (237 decks at level 0.01 and power 0.8),
    and fixed points are never seen: 5 decks. With a smaller rate the first scales with rate^2.
    """

    name: ClassVar[str] = "sattolo"
    rate: Fraction = ALWAYS

    def bounds(self, cards: int) -> Sequence[int]:
        """Card i to one of the i places before it; for a smaller rate, an ideal shuffle's dice and which of the two."""
        cyclic = range(1, cards)
        return cyclic if self.rate == 1 else [*cyclic, *range(2, cards + 1), self.rate.denominator]

    def faces(self, cards: int, dice: Sequence[int]) -> Sequence[int]:
        """The wrong or the right ones."""
        wrong = self.rate == 1 or dice[-1] < self.rate.numerator
        return dice[: cards - 1] if wrong else dice[cards - 1 : 2 * cards - 2]

    def faces_vector(self, cards: int, dice: Dice) -> Dice:
        """The same."""
        if self.rate == 1:
            return dice
        return np.where(dice[-1] < self.rate.numerator, dice[: cards - 1], dice[cards - 1 : 2 * cards - 2])

    def describe(self) -> str:
        """One line."""
        return f"Sattolo's algorithm at rate {self.rate}"


@dataclass(frozen=True, kw_only=True)
class NaiveSwap:
    """Every card swapped with any of the n, instead of with one not yet placed, in a share `rate` of the shuffles.

    Predicted: at rate 1 card x position has a noncentrality of 0.658 a deck: 360 decks at level 0.01 and power 0.8.
    """

    name: ClassVar[str] = "naive-swap"
    rate: Fraction = ALWAYS

    def bounds(self, cards: int) -> Sequence[int]:
        """n dice of n sides; for a smaller rate an ideal shuffle's dice and which of the two."""
        naive = [cards] * cards
        return naive if self.rate == 1 else [*naive, *range(2, cards + 1), self.rate.denominator]

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """The loop that everybody writes first."""
        if self.rate != 1 and dice[-1] >= self.rate.numerator:
            return Ideal().plain(cards, dice[cards : 2 * cards - 1])
        order = list(range(cards))
        for i in range(cards):
            order[i], order[dice[i]] = order[dice[i]], order[i]
        return order

    def vector(self, cards: int, dice: Dice) -> Order:
        """The same, all shuffles at a time."""
        batch = dice.shape[1]
        good = Ideal().vector(cards, dice[cards : 2 * cards - 1]) if self.rate != 1 else None
        order = np.repeat(np.arange(cards, dtype=order_type(cards))[:, None], batch, axis=1)
        column = np.arange(batch)
        for i in range(cards):
            there = order[dice[i], column]
            order[dice[i], column] = order[i]
            order[i] = there
        return order.T if good is None else np.where((dice[-1] < self.rate.numerator)[:, None], order.T, good)

    def describe(self) -> str:
        """One line."""
        return f"naive swap at rate {self.rate}"

    def exact(self) -> bool:
        """Two cards only: 2^2 throws for 2 orders."""
        return False


@dataclass(frozen=True, kw_only=True)
class Modulo(OtherDice):
    """Fisher-Yates with `bits`-bit random numbers reduced modulo the bound, instead of rejection.

    Predicted noncentrality of card x position a deck, and decks at level 0.01 and power 0.8: 6 bits 1.805 (131),
    8 bits 0.0861 (2,753), 15 bits 6.0e-6 (3.9e7), 16 bits 1.66e-6 (1.4e8), 32 bits 2.8e-16 (8e17: for code review).
    """

    name: ClassVar[str] = "modulo"
    bits: int = 8

    def __post_init__(self) -> None:
        if not 6 <= self.bits <= 32:
            raise BadParameter(f"6 to 32 bits, not {self.bits}")

    def bounds(self, cards: int) -> Sequence[int]:
        """A number of so many bits for each card."""
        if cards > 2**self.bits:
            raise BadParameter(f"{self.bits} bits cannot reach {cards} places")
        return [2**self.bits] * (cards - 1)

    def faces(self, cards: int, dice: Sequence[int]) -> Sequence[int]:  # noqa: ARG002
        """The remainders."""
        return [die % bound for bound, die in enumerate(dice, 2)]

    def faces_vector(self, cards: int, dice: Dice) -> Dice:
        """The same."""
        return dice % np.arange(2, cards + 1, dtype=np.uint32)[:, None]

    def describe(self) -> str:
        """One line."""
        return f"{self.bits}-bit modulo bias"
