"""The same figures from the kernels by simulation: the other side of the table that the formulas fill."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from randomness.errors import TheoryError
from randomness.kernels import Kernel
from randomness.kernels.mechanism import Order
from randomness.source import RandomSource
from randomness.theory.law import ClassLaw

Statistic = Callable[[Order], NDArray[np.int64]]
"""One number for each deck."""

BATCH = 20_000
MAX_GUESS_CARDS = 64
"""Cards still in the deck are kept as bits of one word."""


@dataclass(frozen=True, kw_only=True)
class SimulatedFigure:
    """A simulated figure with its standard error."""

    value: float
    error: float

    def agrees(self, exact: Fraction | float, within: float = 4.0) -> bool:
        """Whether the exact figure lies within so many standard errors."""
        return abs(self.value - float(exact)) <= within * self.error + 1e-12


@dataclass(frozen=True, kw_only=True)
class SimulatedShuffle:
    """What a kernel's decks say: total variation and mean score."""

    decks: int
    total_variation: SimulatedFigure
    guesses: SimulatedFigure


def rising_sequences(order: Order) -> NDArray[np.int64]:
    """Class index (rising sequences less one) of each deck."""
    place = np.empty(order.shape, np.int16)
    np.put_along_axis(place, order.astype(np.int64), np.arange(order.shape[1], dtype=np.int16)[None, :], axis=1)
    falls: NDArray[np.bool_] = place[:, 1:] < place[:, :-1]
    count: NDArray[np.int64] = np.add.reduce(falls, axis=1, dtype=np.int64)
    return count


def valleys(order: Order) -> NDArray[np.int64]:
    """Class index (valleys) of each deck."""
    falls = order[:, :-1] > order[:, 1:]
    count: NDArray[np.int64] = np.add.reduce(falls[:, :-1] & ~falls[:, 1:], axis=1, dtype=np.int64)
    return count


def guess_upwards(order: Order) -> NDArray[np.int64]:
    """Scores of guessing the next larger card that is left, or else the smallest; the top card first."""
    batch, cards = order.shape
    left, score = _full(batch, cards), np.zeros(batch, np.int64)
    guess = np.ones(batch, np.uint64)
    for j in range(cards):
        card = np.uint64(1) << order[:, j].astype(np.uint64)
        score += guess == card
        left ^= card
        larger = left & ~(card | (card - np.uint64(1)))
        guess = _lowest(np.where(larger != 0, larger, left))
    return score


def guess_both_ways(order: Order) -> NDArray[np.int64]:
    """Scores of the game against shelves: the next larger card until a descent, the next smaller until an ascent."""
    batch, cards = order.shape
    left, score = _full(batch, cards), np.zeros(batch, np.int64)
    guess = np.ones(batch, np.uint64)
    rising = np.ones(batch, np.bool_)
    for j in range(cards):
        card = np.uint64(1) << order[:, j].astype(np.uint64)
        score += guess == card
        left ^= card
        if j:
            rising = order[:, j] > order[:, j - 1]
        smaller_mask = card - np.uint64(1)
        above, below = left & ~(card | smaller_mask), left & smaller_mask
        upwards = np.where(rising, above != 0, below == 0)
        guess = np.where(upwards, _lowest(above), _highest(below))
    return score


def simulate(
    kernel: Kernel,
    law: ClassLaw,
    classes: Statistic,
    guesses: Statistic,
    decks: int,
    source: RandomSource,
    progress: Callable[[int], None] = lambda _: None,
) -> SimulatedShuffle:
    """Shuffle so many decks and compare with the law.

    Total variation is the share of decks in the classes that the law favours, less the share a perfect shuffle has
    there: an unbiased estimate, since P >= U on exactly those classes.
    """
    if law.cards > MAX_GUESS_CARDS:
        raise TheoryError(f"the guessing game is simulated for up to {MAX_GUESS_CARDS} cards, not {law.cards}")
    if decks < 2:
        raise TheoryError(f"a simulation needs at least 2 decks, not {decks}")
    favoured = np.array([ratio > 1 for ratio in law.ratios])
    uniform = float(sum((u for u, yes in zip(law.uniform_classes(), favoured, strict=True) if yes), Fraction(0)))
    hits = total = squares = done = 0
    while done < decks:
        batch = min(BATCH, decks - done)
        order = kernel.permutations(law.cards, batch, source)
        hits += int(np.count_nonzero(favoured[classes(order)]))
        score = guesses(order)
        total += int(score.sum())
        squares += int((score * score).sum())
        done += batch
        progress(batch)
    share, mean = hits / decks, total / decks
    return SimulatedShuffle(
        decks=decks,
        # A share of 0 or 1 still leaves room for one deck more.
        total_variation=SimulatedFigure(value=share - uniform, error=max(sqrt(share * (1 - share) / decks), 1 / decks)),
        guesses=SimulatedFigure(value=mean, error=sqrt(max(squares / decks - mean**2, 0) / (decks - 1))),
    )


def _full(batch: int, cards: int) -> NDArray[np.uint64]:
    return np.full(batch, (1 << cards) - 1, np.uint64)


def _lowest(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The lowest one bit, or 0."""
    return word & (~word + np.uint64(1))


def _highest(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The highest one bit, or 0."""
    for shift in (1, 2, 4, 8, 16, 32):
        word = word | (word >> np.uint64(shift))
    return word ^ (word >> np.uint64(1))
