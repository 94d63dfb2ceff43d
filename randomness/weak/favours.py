"""Planted defects: a favoured card, position or cell, a kept card, a wrong card. For negative controls only."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from randomness.errors import BadParameter
from randomness.kernels.adjusted import Adjusted
from randomness.kernels.mechanism import Dice, Order

ALWAYS = Fraction(1)
Which = int | NDArray[np.integer[Any]]


def put_plain(order: list[int], card: int, position: int) -> None:
    """Swap a card into a position."""
    at = order.index(card)
    order[at], order[position] = order[position], order[at]


def put_vector(order: Order, rows: NDArray[np.intp], card: Which, position: Which) -> None:
    """The same in some rows."""
    picked = order[rows]
    wanted = np.broadcast_to(np.asarray(card, order.dtype), rows.shape)
    at = np.argmax(picked == wanted[:, None], axis=1)
    order[rows, at] = picked[np.arange(len(rows)), position]
    order[rows, position] = wanted


def _inside(what: str, value: int, cards: int) -> None:
    if not 0 <= value < cards:
        raise BadParameter(f"{what} {value} is not in a deck of {cards}: they are numbered 0 to {cards - 1}")


@dataclass(frozen=True, kw_only=True)
class TopCardKept(Adjusted):
    """The top card of the input stays on top in a share `rate` of the shuffles.

    Predicted: that cell of card x position rises from 1/n to rate + (1 - rate)/n. At level 0.01 and power 0.8 the
    named cell needs 11.68 / (51 rate^2) decks: 23 for 10 %, 2,290 for 1 %.
    """

    name: ClassVar[str] = "top-card-kept"
    rate: Fraction = Fraction(1, 10)

    def extra(self, cards: int) -> Sequence[int]:  # noqa: ARG002
        """Whether."""
        return [self.rate.denominator]

    def adjust_plain(self, order: list[int], dice: Sequence[int]) -> list[int]:
        """Swap it to the top."""
        if dice[0] < self.rate.numerator:
            put_plain(order, 0, 0)
        return order

    def adjust_vector(self, order: Order, dice: Dice) -> Order:
        """The same."""
        put_vector(order, np.flatnonzero(dice[0] < self.rate.numerator), 0, 0)
        return order

    def describe(self) -> str:
        """One line."""
        return f"top card kept at rate {self.rate}"


@dataclass(frozen=True, kw_only=True)
class FavouredCell(Adjusted):
    """Card `card` lies at `position` by `relative` more often than 1/n (0.10: a chance of 1.1/n).

    In percentage points that is relative/n: 10 % more is 0.19 points of 52 cards. Predicted at level 0.01 (two-sided)
    and power 0.8: 11.68 · 51 / relative^2 decks for the named cell (59,563 for 10 %), 2.6 times that among all 2,704.
    """

    name: ClassVar[str] = "favoured-cell"
    card: int = 0
    position: int = 0
    relative: Fraction = Fraction(1, 10)

    def extra(self, cards: int) -> Sequence[int]:
        """Whether: relative/(n - 1) of the time."""
        _inside("card", self.card, cards)
        _inside("position", self.position, cards)
        return [self.chance(cards).denominator]

    def chance(self, cards: int) -> Fraction:
        """How often the card is put there on purpose: q with q + (1 - q)/n = (1 + relative)/n."""
        return self.relative / max(cards - 1, 1)

    def adjust_plain(self, order: list[int], dice: Sequence[int]) -> list[int]:
        """Swap it there."""
        if dice[0] < self.chance(len(order)).numerator:
            put_plain(order, self.card, self.position)
        return order

    def adjust_vector(self, order: Order, dice: Dice) -> Order:
        """The same."""
        rows = np.flatnonzero(dice[0] < self.chance(order.shape[1]).numerator)
        put_vector(order, rows, self.card, self.position)
        return order

    def describe(self) -> str:
        """One line."""
        return f"card {self.card} at position {self.position} {float(self.relative):.3%} more often (relative)"


@dataclass(frozen=True, kw_only=True)
class FavouredCard(Adjusted):
    """Card `card` lies among the first `span` positions by `relative` more often than span/n, anywhere among them.

    In percentage points relative · span/n: 10 % more of the first 3 of 52 is 0.58 points. Predicted: a noncentrality of
    relative^2 · span/(n - span) a deck in that card's row. For 10 % and 3 of 52 that is 6.1e-4: 19,100 decks for a test
    of these positions alone at level 0.01 and power 0.8 (11.68 / 6.1e-4), some 3 times that for the whole row.
    """

    name: ClassVar[str] = "favoured-card"
    card: int = 0
    span: int = 3
    relative: Fraction = Fraction(1, 10)

    def extra(self, cards: int) -> Sequence[int]:
        """Whether, and where."""
        _inside("card", self.card, cards)
        return [_span_chance(self.relative, self.span, cards).denominator, self.span]

    def adjust_plain(self, order: list[int], dice: Sequence[int]) -> list[int]:
        """Swap it to one of the first positions."""
        if dice[0] < _span_chance(self.relative, self.span, len(order)).numerator:
            put_plain(order, self.card, dice[1])
        return order

    def adjust_vector(self, order: Order, dice: Dice) -> Order:
        """The same."""
        rows = np.flatnonzero(dice[0] < _span_chance(self.relative, self.span, order.shape[1]).numerator)
        put_vector(order, rows, self.card, dice[1][rows])
        return order

    def describe(self) -> str:
        """One line."""
        return (
            f"card {self.card} among the first {self.span} positions {float(self.relative):.3%} more often (relative)"
        )


@dataclass(frozen=True, kw_only=True)
class FavouredPosition(Adjusted):
    """Position `position` holds one of the first `span` cards of the input by `relative` more often than span/n.

    The mirror of a favoured card: the same points, and the same predictions with rows and columns exchanged.
    """

    name: ClassVar[str] = "favoured-position"
    position: int = 0
    span: int = 4
    relative: Fraction = Fraction(1, 10)

    def extra(self, cards: int) -> Sequence[int]:
        """Whether, and which card."""
        _inside("position", self.position, cards)
        return [_span_chance(self.relative, self.span, cards).denominator, self.span]

    def adjust_plain(self, order: list[int], dice: Sequence[int]) -> list[int]:
        """Swap one of the first cards there."""
        if dice[0] < _span_chance(self.relative, self.span, len(order)).numerator:
            put_plain(order, dice[1], self.position)
        return order

    def adjust_vector(self, order: Order, dice: Dice) -> Order:
        """The same."""
        rows = np.flatnonzero(dice[0] < _span_chance(self.relative, self.span, order.shape[1]).numerator)
        put_vector(order, rows, dice[1][rows], self.position)
        return order

    def describe(self) -> str:
        """One line."""
        return (
            f"position {self.position} holds one of the first {self.span} cards {float(self.relative):.3%} more often"
        )


def _span_chance(relative: Fraction, span: int, cards: int) -> Fraction:
    """q with q + (1 - q) span/n = (1 + relative) span/n."""
    if not 1 <= span < cards:
        raise BadParameter(f"a span of 1 to {cards - 1}, not {span}")
    chance = relative * span / (cards - span)
    if chance > 1:
        raise BadParameter(f"{float(relative):.0%} more often than {span} in {cards} is more than always")
    return chance


@dataclass(frozen=True, kw_only=True)
class WrongCard(Adjusted):
    """In a share `rate` of the shuffles the deck holds card `extra_card` twice and card `missing` not at all.

    Not a permutation any more. Predicted: deck integrity counts every one; a single wrong deck fails a run.
    """

    name: ClassVar[str] = "wrong-card"
    missing: int = 0
    extra_card: int = 1
    rate: Fraction = ALWAYS

    def extra(self, cards: int) -> Sequence[int]:
        """Whether."""
        _inside("card", self.missing, cards)
        _inside("card", self.extra_card, cards)
        return [self.rate.denominator]

    def adjust_plain(self, order: list[int], dice: Sequence[int]) -> list[int]:
        """Replace it."""
        if dice[0] < self.rate.numerator:
            order[order.index(self.missing)] = self.extra_card
        return order

    def adjust_vector(self, order: Order, dice: Dice) -> Order:
        """The same."""
        rows = np.flatnonzero(dice[0] < self.rate.numerator)
        order[rows] = np.where(order[rows] == self.missing, np.array(self.extra_card, order.dtype), order[rows])
        return order

    def describe(self) -> str:
        """One line."""
        return f"card {self.extra_card} in place of card {self.missing} at rate {self.rate}"
