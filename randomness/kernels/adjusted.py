"""Shapes of planted defects: an ideal shuffle that something is then done to, or the ideal loop on other dice."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from randomness.kernels.ideal import Ideal
from randomness.kernels.mechanism import Dice, Order


class Adjusted(ABC):
    """A mechanism: the ideal shuffle's dice first, then `extra` dice for what is done to its order.

    The compiled engine runs the ideal part compiled and `adjust_vector` in numpy.
    """

    name: ClassVar[str]

    @abstractmethod
    def extra(self, cards: int) -> Sequence[int]:
        """Sides of the further dice."""

    @abstractmethod
    def adjust_plain(self, order: list[int], dice: Sequence[int]) -> list[int]:
        """One shuffle."""

    @abstractmethod
    def adjust_vector(self, order: Order, dice: Dice) -> Order:
        """Many shuffles; may work in place."""

    @abstractmethod
    def describe(self) -> str:
        """One line."""

    def bounds(self, cards: int) -> Sequence[int]:
        """The ideal shuffle's and the extra ones."""
        return [*range(2, cards + 1), *self.extra(cards)]

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """Ideal, then adjusted."""
        return self.adjust_plain(Ideal().plain(cards, dice[: cards - 1]), dice[cards - 1 :])

    def vector(self, cards: int, dice: Dice) -> Order:
        """Ideal, then adjusted."""
        return self.adjust_vector(Ideal().vector(cards, dice[: cards - 1]).copy(), dice[cards - 1 :])

    def exact(self) -> bool:
        """No."""
        return False


class OtherDice(ABC):
    """A mechanism: Fisher-Yates as in the ideal shuffle, on dice that come about in another way."""

    name: ClassVar[str]

    @abstractmethod
    def bounds(self, cards: int) -> Sequence[int]:
        """Sides of the dice that are thrown."""

    @abstractmethod
    def faces(self, cards: int, dice: Sequence[int]) -> Sequence[int]:
        """The dice that Fisher-Yates takes, for one shuffle."""

    @abstractmethod
    def faces_vector(self, cards: int, dice: Dice) -> Dice:
        """The same for many."""

    @abstractmethod
    def describe(self) -> str:
        """One line."""

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """One shuffle."""
        return Ideal().plain(cards, self.faces(cards, dice))

    def vector(self, cards: int, dice: Dice) -> Order:
        """Many shuffles."""
        return Ideal().vector(cards, self.faces_vector(cards, dice))

    def exact(self) -> bool:
        """No."""
        return False
