"""What the counts are worth to a player: cards guessed, and the return of a bet at each seat.

A statistic says that something is wrong; these figures say how much it matters. Intervals are 99 % normal ones.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from randomness.certification.model import Practical
from randomness.certification.totals import RunSection

_Z = 2.5758293035489004
GUESSES = (
    ("input.riffle_guess", "cards guessed correctly by a player who knows the order before the shuffle (riffles)"),
    ("input.shelf_guess", "cards guessed correctly by a player who knows the order before the shuffle (shelves)"),
    ("previous.riffle_guess", "cards guessed correctly by a player who knows the deck before (riffles)"),
    ("previous.shelf_guess", "cards guessed correctly by a player who knows the deck before (shelves)"),
)
PAIR_PLUS = (-1, 1, 4, 6, 30, 40)
"""What Pair Plus pays on a stake of 1: high card, pair, flush, straight, three of a kind, straight flush."""
_DEALS = (16_440, 3_744, 1_096, 720, 52, 48)
"""Three-card hands of each category, of 22,100."""


def practical(name: str, section: RunSection) -> Iterator[Practical]:
    """The figures that a section's counts allow."""
    tallies = section.battery.tallies
    for tally, figure in GUESSES:
        if tallies.decks.get(tally):
            law = section.battery.law(tally.partition(".")[2])
            expected = float(np.arange(len(law.pmf)) @ np.array([float(chance) for chance in law.pmf]))
            yield _mean(name, figure, expected, np.asarray(tallies.cells[tally]), np.arange(len(tallies.cells[tally])))
    kind = section.battery.kind
    if kind.standard and tallies.decks.get("hands"):
        yield _worst_seat(name, np.asarray(tallies.cells["hands"]).reshape(-1, len(PAIR_PLUS)))


def _mean(name: str, figure: str, expected: float, counts: Any, values: Any, unit: str = "cards a deck") -> Practical:
    many = int(counts.sum())
    found = float(counts @ values) / many
    spread = math.sqrt(max(float(counts @ values**2) / many - found**2, 0.0) / many)
    return Practical(
        section=name, figure=figure, expected=expected, found=found, low=found - _Z * spread,
        high=found + _Z * spread, unit=unit, samples=many,
    )  # fmt: skip


def _worst_seat(name: str, hands: Any) -> Practical:
    """Pair Plus at the seat whose return is farthest from its expected one."""
    pays = np.array(PAIR_PLUS)
    expected = advantage(_DEALS)
    returns = [
        _mean(name, f"player advantage of Pair Plus (40-30-6-4-1) at group {seat} of {len(hands)}, the farthest off",
              expected, counts, pays, "of the stake")
        for seat, counts in enumerate(hands, 1) if counts.sum()
    ]  # fmt: skip
    return max(returns, key=lambda one: abs(one.found - one.expected))


def advantage(hands: Sequence[int]) -> float:
    """Return on a stake of 1, less the stake, for so many hands of each category."""
    return sum(pay * many for pay, many in zip(PAIR_PLUS, hands, strict=True)) / sum(hands)
