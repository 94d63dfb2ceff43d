"""What goes wrong in any mechanism: cards that stick, a weak feed, a random source with biased or stuck bits.

A dead compartment, shelf or ejector is a parameter of the mechanisms that have one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from randomness.errors import BadParameter
from randomness.kernels.mechanism import Dice, Order
from randomness.source import RandomSource

NEVER = Fraction(0)
BIAS_RESOLUTION_BITS = 24


@dataclass(frozen=True, kw_only=True)
class Imperfections:
    """All at rest by default.

    `sticky`: chance for each card of the input to stick to the one above it and come out right behind it. Raises
    the number of successions (card i + 1 right behind card i) from (n - 1)/n a deck by about `sticky` * (n - 1).
    `weak_feed`: chance a shuffle that the last `weak_feed_cards` cards are not drawn in and come out last, in order.
    Raises the chance that the last card stays last from 1/n to `weak_feed` + (1 - `weak_feed`)/n.
    `source_bias`: each random bit is 1 with probability 1/2 + bias (-1/2 to 1/2, in steps of 2^-24).
    `source_stuck`: this bit (0 lowest … 63 highest) of each 64-bit word drawn reads `source_stuck_at` for ever.
    """

    sticky: Fraction = NEVER
    weak_feed: Fraction = NEVER
    weak_feed_cards: int = 1
    source_bias: float = 0.0
    source_stuck: int | None = None
    source_stuck_at: int = 1

    def __post_init__(self) -> None:
        if self.weak_feed_cards < 1:
            raise BadParameter(f"a weak feed holds back at least one card, not {self.weak_feed_cards}")
        if not -0.5 <= self.source_bias <= 0.5:
            raise BadParameter(f"a bit's bias is between -0.5 and 0.5, not {self.source_bias}")
        if self.source_stuck is not None and not 0 <= self.source_stuck <= 63:
            raise BadParameter(f"bits of a word are numbered 0 to 63, not {self.source_stuck}")
        if self.source_stuck_at not in (0, 1):
            raise BadParameter(f"a bit is stuck at 0 or 1, not {self.source_stuck_at}")

    def bounds(self, cards: int) -> list[int]:
        """The dice behind the mechanism's own."""
        if self.weak_feed and self.weak_feed_cards > cards:
            raise BadParameter(f"a weak feed cannot hold back {self.weak_feed_cards} of {cards} cards")
        sticky = [self.sticky.denominator] * (cards - 1) if self.sticky else []
        return sticky + ([self.weak_feed.denominator] if self.weak_feed else [])

    def plain(self, cards: int, dice: Sequence[int], order: list[int]) -> list[int]:
        """One shuffle."""
        used = 0
        if self.sticky:
            follows = [False, *(die < self.sticky.numerator for die in dice[: cards - 1]), False]
            used = cards - 1
            joined = []
            for card in order:
                if not follows[card]:
                    joined.append(card)
                    while follows[card + 1]:
                        card += 1
                        joined.append(card)
            order = joined
        if self.weak_feed and dice[used] < self.weak_feed.numerator:
            held = cards - self.weak_feed_cards
            order = [card for card in order if card < held] + list(range(held, cards))
        return order

    def vector(self, cards: int, dice: Dice, order: Order) -> Order:
        """Many shuffles: both are sorts by where a card's leader lies."""
        used = 0
        if self.sticky:
            used = cards - 1
            follows = np.zeros(order.shape, np.bool_)
            follows[:, 1:] = self.sticky.numerator > dice[:used].T
            cards_along = np.arange(cards)
            leader = np.maximum.accumulate(np.where(follows, 0, cards_along), axis=1)
            place = np.empty(order.shape, np.int64)
            np.put_along_axis(place, order.astype(np.int64), cards_along[None, :], axis=1)
            key = np.take_along_axis(place, leader, axis=1) * cards + (cards_along - leader)
            order = np.argsort(key, axis=1, kind="stable").astype(order.dtype)
        if self.weak_feed:
            weak = (dice[used] < self.weak_feed.numerator)[:, None]
            held = order >= cards - self.weak_feed_cards
            key = np.where(weak & held, cards + order.astype(np.int64), np.arange(cards))
            order = np.take_along_axis(order, np.argsort(key, axis=1, kind="stable"), axis=1)
        return order

    def source(self, source: RandomSource) -> RandomSource:
        """The random source as this machine sees it."""
        if self.source_bias:
            source = BiasedSource(source, self.source_bias)
        if self.source_stuck is not None:
            source = StuckSource(source, self.source_stuck, self.source_stuck_at)
        return source

    def describe(self) -> str:
        """What is wrong, or an empty text."""
        parts = []
        if self.sticky:
            parts.append(f"cards stick together at {self.sticky}")
        if self.weak_feed:
            parts.append(f"weak feed at {self.weak_feed} (last {self.weak_feed_cards})")
        if self.source_bias:
            parts.append(f"random bits biased by {self.source_bias:+g}")
        if self.source_stuck is not None:
            parts.append(f"bit {self.source_stuck} of the random words stuck at {self.source_stuck_at}")
        return ", ".join(parts)


class BiasedSource:
    """Each bit of another source pushed towards one value: P(1) = 1/2 + bias, to 2^-24, bits still independent."""

    def __init__(self, source: RandomSource, bias: float) -> None:
        self._source = source
        self._towards_one = bias > 0
        # A bit is overwritten with probability 2|bias|; written in binary without trailing zeros.
        share = min(round(abs(bias) * 2 * 2**BIAS_RESOLUTION_BITS), 2**BIAS_RESOLUTION_BITS)
        self._share = Fraction(share, 2**BIAS_RESOLUTION_BITS)

    def generate(self, n: int) -> bytes:
        """`n` bytes; takes as many planes of random bits as the bias has binary digits, and one."""
        bits = np.frombuffer(self._source.generate(n), np.uint8)
        if self._share == 1:
            return bytes(n) if not self._towards_one else b"\xff" * n
        digits = self._share.denominator.bit_length() - 1
        # From the last binary digit to the first: OR with a random plane for a 1, AND for a 0, gives the share.
        mask = np.zeros(n, np.uint8)
        for digit in range(digits):
            plane = np.frombuffer(self._source.generate(n), np.uint8)
            mask = mask | plane if (self._share.numerator >> digit) & 1 else mask & plane
        return (bits | mask if self._towards_one else bits & ~mask).tobytes()


class StuckSource:
    """One bit of every little-endian 64-bit word stuck. The word grid starts anew with each request."""

    def __init__(self, source: RandomSource, bit: int, value: int) -> None:
        self._source = source
        self._bit = bit
        self._value = value

    def generate(self, n: int) -> bytes:
        """`n` bytes."""
        data = bytearray(self._source.generate(n))
        view = np.frombuffer(data, np.uint8)[self._bit // 8 :: 8]
        mask = np.uint8(1 << (self._bit % 8))
        if self._value:
            np.bitwise_or(view, mask, out=view)
        else:
            np.bitwise_and(view, ~mask, out=view)
        return bytes(data)
