"""What a shuffling mechanism is: a list of dice, and how the dice become an order. Knows no source of chance.

Each mechanism is written twice here, plainly for one deck and with numpy for many; `compiled.py` has it a third time.
All three turn the same dice into the same order.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Dice = NDArray[np.uint32]
"""Shape (dice, shuffles)."""
Order = NDArray[np.unsignedinteger[Any]]
"""Shape (shuffles, cards): entry [b, j] is the input index of the card that comes out at position j."""


class ShuffleMechanism(Protocol):
    """A frozen dataclass whose fields are the parameters."""

    name: ClassVar[str]

    def bounds(self, cards: int) -> Sequence[int]:
        """The sides of the dice one shuffle throws, in order."""
        ...

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """One shuffle."""
        ...

    def vector(self, cards: int, dice: Dice) -> Order:
        """Many shuffles, numpy only."""
        ...

    def describe(self) -> str:
        """One line for a person."""
        ...

    def exact(self) -> bool:
        """Whether these very parameters give every order with equal probability."""
        ...


def order_type(cards: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The type of an order: a byte an entry up to 255 cards, two above."""
    return np.dtype(np.uint8 if cards <= 255 else np.uint16)
