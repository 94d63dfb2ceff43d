"""What the counts are worth to a player: cards guessed, and the return of a bet at each seat.

A statistic says that something is wrong; these figures say how much it matters.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from randomness.certification.model import Practical
from randomness.certification.totals import RunSection
from randomness.decks.tails import upper_z

MISSED = 0.01
"""How often one of the intervals of a report misses its true value, at most."""
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


@dataclass(frozen=True, kw_only=True)
class _Mean:
    section: str
    figure: str
    expected: float
    found: float
    spread: float
    """Standard deviation of `found`."""
    unit: str
    samples: int

    @property
    def off(self) -> float:
        return abs(self.found - self.expected) / self.spread if self.spread else 0.0


def practical(sections: Mapping[str, RunSection]) -> tuple[Practical, ...]:
    """The figures that the counts allow. Their intervals hold the true values with 99 % probability all together."""
    guesses = [one for name, section in sections.items() for one in _guesses(name, section)]
    bets = [_bets(name, section) for name, section in sections.items()]
    z = upper_z(MISSED / 2 / max(1, len(guesses) + sum(map(len, bets))))
    shown = [*guesses, *(max(seats, key=lambda one: one.off) for seats in bets if seats)]
    return tuple(
        Practical(
            section=one.section, figure=one.figure, expected=one.expected, found=one.found,
            low=one.found - z * one.spread, high=one.found + z * one.spread, unit=one.unit, samples=one.samples,
        )
        for one in shown
    )  # fmt: skip


def _guesses(name: str, section: RunSection) -> Iterator[_Mean]:
    tallies = section.battery.tallies
    for tally, figure in GUESSES:
        if tallies.decks.get(tally):
            law = section.battery.law(tally.partition(".")[2])
            expected = float(np.arange(len(law.pmf)) @ np.array([float(chance) for chance in law.pmf]))
            counts = np.asarray(tallies.cells[tally])
            yield _mean(name, figure, expected, counts, np.arange(len(counts)), "cards a deck")


def _bets(name: str, section: RunSection) -> list[_Mean]:
    """Pair Plus at each group."""
    tallies = section.battery.tallies
    if not section.battery.kind.standard or not tallies.decks.get("hands"):
        return []
    hands = np.asarray(tallies.cells["hands"]).reshape(-1, len(PAIR_PLUS))
    return [
        _mean(name, f"player advantage of Pair Plus (40-30-6-4-1) at group {seat} of {len(hands)}, the farthest off",
              advantage(_DEALS), counts, np.array(PAIR_PLUS), "of the stake")
        for seat, counts in enumerate(hands, 1) if counts.sum()
    ]  # fmt: skip


def _mean(name: str, figure: str, expected: float, counts: Any, values: Any, unit: str) -> _Mean:
    many = int(counts.sum())
    found = float(counts @ values) / many
    spread = math.sqrt(max(float(counts @ values**2) / many - found**2, 0.0) / many)
    return _Mean(
        section=name, figure=figure, expected=expected, found=found, spread=spread, unit=unit, samples=many
    )  # fmt: skip


def advantage(hands: Sequence[int]) -> float:
    """Return on a stake of 1, less the stake, for so many hands of each category."""
    return sum(pay * many for pay, many in zip(PAIR_PLUS, hands, strict=True)) / sum(hands)
