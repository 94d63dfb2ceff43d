"""Planted defect: a shuffle that remembers the one before. For negative controls only."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from randomness.errors import BadParameter
from randomness.kernels import Backend, make
from randomness.kernels.mechanism import Order
from randomness.source import RandomSource, read_words
from randomness.weak.favours import put_plain


@dataclass(frozen=True, kw_only=True)
class KeptCard:
    """In a share `rate` of the shuffles the card at `position` is the one that lay there in the shuffle before.

    Each shuffle alone is uniform; only a comparison with the one before shows it: the same card at that position comes
    with chance rate + (1 - rate)/n instead of 1/n. Predicted at level 0.01 and power 0.8 for the named position:
    11.68 / (51 rate^2) decks: 23 for 10 %, 2,290 for 1 %. The kernel keeps state: make a new one for each run.
    """

    name: ClassVar[str] = "memory"
    rate: Fraction = Fraction(1, 10)
    position: int = 0

    def describe(self) -> str:
        """One line."""
        return f"position {self.position} keeps its card from the shuffle before at rate {self.rate}"

    def start(self) -> "Remembering":
        """A run with nothing remembered yet."""
        return Remembering(self)


class Remembering:
    """The running state: which card lay at the position last. After the shuffles' request comes one of a word each."""

    def __init__(self, settings: KeptCard) -> None:
        self._settings = settings
        self._ideal = make("ideal")
        self._last: int | None = None

    def permutations(self, cards: int, batch: int, source: RandomSource, engine: Backend, out: Order | None) -> Order:
        """Ideal shuffles; then, row after row, the remembered card put back where chance says so."""
        position = self._settings.position
        if not 0 <= position < cards:
            raise BadParameter(f"position {position} is not in a deck of {cards}")
        order = self._ideal.permutations(cards, batch, source, engine=engine, out=out)
        if not batch:
            return order
        below = int(self._settings.rate * 2**64)
        recalled = [b for b, word in enumerate(read_words(source, batch).tolist()) if word < below]
        for b in recalled:
            card = int(order[b - 1, position]) if b else self._last
            if card is not None:
                row = order[b].tolist()
                put_plain(row, card, position)
                order[b] = np.array(row, order.dtype)
        self._last = int(order[-1, position])
        return order
