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
    """In a share `rate` of the shuffles the card at `position` is the one that lay there `lag` shuffles before.

    Each shuffle alone is uniform; only a comparison with the earlier one shows it: the same card at that position comes
    with chance rate + (1 - rate)/n instead of 1/n. Predicted at level 0.01 and power 0.8 for the named position one
    shuffle before: 11.68 / (51 rate^2) decks: 23 for 10 %, 2,290 for 1 %. Among all cards of a deck up to 128 shuffles
    before (`lag-far`): 34 / rate^2 decks, 3,400 for 10 %. The kernel keeps state: make a new one for each run.
    """

    name: ClassVar[str] = "memory"
    rate: Fraction = Fraction(1, 10)
    position: int = 0
    lag: int = 1

    def describe(self) -> str:
        """One line."""
        before = "the shuffle before" if self.lag == 1 else f"{self.lag} shuffles before"
        return f"position {self.position} keeps its card from {before} at rate {self.rate}"

    def start(self) -> "Remembering":
        """A run with nothing remembered yet."""
        return Remembering(self)


class Remembering:
    """The running state: the last cards that lay there. After the shuffles' request comes one of a word each."""

    def __init__(self, settings: KeptCard) -> None:
        self._settings = settings
        self._ideal = make("ideal")
        self._last: list[int] = []

    def permutations(self, cards: int, batch: int, source: RandomSource, engine: Backend, out: Order | None) -> Order:
        """Ideal shuffles; then, row after row, the remembered card put back where chance says so."""
        position, lag = self._settings.position, self._settings.lag
        if lag < 1:
            raise BadParameter(f"lag {lag} is not a number of shuffles before: from 1 on")
        if not 0 <= position < cards:
            raise BadParameter(f"position {position} is not in a deck of {cards}")
        order = self._ideal.permutations(cards, batch, source, engine=engine, out=out)
        if not batch:
            return order
        below = int(self._settings.rate * 2**64)
        recalled = [b for b, word in enumerate(read_words(source, batch).tolist()) if word < below]
        for b in recalled:
            known = self._last[b - lag] if b < lag <= b + len(self._last) else None
            card = int(order[b - lag, position]) if b >= lag else known
            if card is not None:
                row = order[b].tolist()
                put_plain(row, card, position)
                order[b] = np.array(row, order.dtype)
        self._last = [*self._last, *order[-lag:, position].tolist()][-lag:]
        return order
