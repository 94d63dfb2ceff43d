"""The riffle by the Gilbert-Shannon-Reeds model (Bayer and Diaconis, Annals of Applied Probability 2, 1992, 294)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from randomness.kernels.mechanism import Dice, Order, order_type
from randomness.kernels.places import check_passes


@dataclass(frozen=True, kw_only=True)
class Riffle:
    """Riffle shuffles by the Gilbert-Shannon-Reeds model: a binomial cut, then all interleavings equally likely."""

    name: ClassVar[str] = "riffle"
    passes: int = 7

    def __post_init__(self) -> None:
        check_passes(self.passes)

    def bounds(self, cards: int) -> Sequence[int]:
        """For each place of the output, each pass: from which packet the card comes."""
        return [2] * (cards * self.passes)

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """The zeros are the upper packet; its size is their number, which is the binomial cut."""
        order = list(range(cards))
        for start in range(0, cards * self.passes, cards):
            packets = dice[start : start + cards]
            upper, lower = iter(order[: cards - sum(packets)]), iter(order[cards - sum(packets) :])
            order = [next(lower) if packet else next(upper) for packet in packets]
        return order

    def vector(self, cards: int, dice: Dice) -> Order:
        """Running counts of each packet say which card comes."""
        batch = dice.shape[1]
        order = np.repeat(np.arange(cards, dtype=order_type(cards))[None, :], batch, axis=0)
        for start in range(0, cards * self.passes, cards):
            packets = dice[start : start + cards].T.astype(np.int64)
            from_lower = np.cumsum(packets, axis=1)
            from_upper = np.arange(1, cards + 1) - from_lower
            cut = from_upper[:, -1:]
            order = np.take_along_axis(order, np.where(packets == 1, cut + from_lower - 1, from_upper - 1), axis=1)
        return order

    def describe(self) -> str:
        """One line."""
        return f"riffle: {self.passes} Gilbert-Shannon-Reeds shuffle" + ("s" if self.passes > 1 else "")

    def exact(self) -> bool:
        """Never for more than one card."""
        return False
