"""Random ejection from a stack (US 4,515,367; US 5,584,483)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from randomness.kernels.mechanism import Dice, Order, order_type
from randomness.kernels.places import ALWAYS, check_dead, dead_text, failure_bounds


@dataclass(frozen=True, kw_only=True)
class Ejection:
    """Random ejection: an ejector goes to a random height of the remaining stack and pushes out that card.

    `dead` is an ejector position (0 = top) that does not push; the card above or below goes instead: the next one, or
    at the end of the stack the one before. `dead_rate` is how often it fails. With a dead position the card under it
    leaves late and its neighbour early: no longer uniform.
    """

    name: ClassVar[str] = "ejection"
    dead: int | None = None
    dead_rate: Fraction = ALWAYS

    def __post_init__(self) -> None:
        check_dead(self.name, self.dead, None)

    def bounds(self, cards: int) -> Sequence[int]:
        """A height among the remaining cards each time; then, with a sometimes dead position, whether it fails."""
        return [*range(cards, 1, -1), *failure_bounds(self.dead, self.dead_rate, cards - 1)]

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """Take the cards one by one out of a list."""
        stack = list(range(cards))
        order = []
        for t in range(cards - 1):
            height = dice[t]
            if height == self.dead and (self.dead_rate == 1 or dice[cards - 1 + t] < self.dead_rate.numerator):
                height = height + 1 if height + 1 < len(stack) else height - 1
            order.append(stack.pop(height))
        return order + stack

    def vector(self, cards: int, dice: Dice) -> Order:
        """Backwards: each ejected card pushes the later ones that lie at or below its height one down."""
        heights = dice[: cards - 1].astype(np.int32)
        if self.dead is not None:
            at = heights == self.dead
            if self.dead_rate != 1:
                at &= dice[cards - 1 :] < self.dead_rate.numerator
            last = np.arange(cards - 1, 0, -1)[:, None]
            heights = np.where(at, np.where(heights < last, heights + 1, heights - 1), heights)
        order = np.zeros((cards, dice.shape[1]), order_type(cards))
        for t in range(cards - 2, -1, -1):
            order[t] = heights[t]
            order[t + 1 :] += order[t + 1 :] >= order[t]
        return order.T

    def describe(self) -> str:
        """One line."""
        return "random ejection from a stack" + dead_text("ejector position", self.dead, self.dead_rate)

    def exact(self) -> bool:
        """Unless a position is dead."""
        return self.dead is None
