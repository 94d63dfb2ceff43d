"""The ideal shuffle: every order equally likely. The yardstick, no machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from randomness.kernels.mechanism import Dice, Order, order_type


@dataclass(frozen=True, kw_only=True)
class Ideal:
    """Every order equally likely: Fisher-Yates, built from the inside out. The yardstick, no machine."""

    name: ClassVar[str] = "ideal"

    def bounds(self, cards: int) -> Sequence[int]:
        """Card i goes to one of i + 1 places."""
        return range(2, cards + 1)

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """Card i takes place j; who was there moves to place i."""
        order = list(range(cards))
        for i, j in enumerate(dice, 1):
            order[i] = order[j]
            order[j] = i
        return order

    def vector(self, cards: int, dice: Dice) -> Order:
        """The same, a column of all shuffles at a time."""
        batch = dice.shape[1]
        order = np.zeros((cards, batch), order_type(cards))
        column = np.arange(batch)
        for i in range(1, cards):
            j = dice[i - 1]
            order[i] = order[j, column]
            order[j, column] = i
        return order.T

    def describe(self) -> str:
        """One line."""
        return "ideal: every order equally likely"

    def exact(self) -> bool:
        """Always."""
        return True
