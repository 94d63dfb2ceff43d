"""Planted defects: shuffles from too small a seed. For negative controls only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from randomness.errors import BadParameter, SourceStuck
from randomness.kernels.adjusted import OtherDice
from randomness.kernels.dice import plan_dice, roll_plain, roll_vector
from randomness.kernels.mechanism import Dice

MASK = (1 << 64) - 1
MAX_ATTEMPTS = 64


def _expanded(seed: int, words: int, attempt: int) -> list[int]:
    """SplitMix64 from a seed: the attempt-th group of so many words."""
    out = []
    for k in range(attempt * words + 1, (attempt + 1) * words + 1):
        z = (seed + k * 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        out.append(z ^ (z >> 31))
    return out


def _expanded_vector(seeds: NDArray[np.uint64], words: int, attempt: int) -> NDArray[np.uint64]:
    steps = np.array(
        [(k * 0x9E3779B97F4A7C15) & MASK for k in range(attempt * words + 1, (attempt + 1) * words + 1)], np.uint64
    )
    z = seeds[:, None] + steps
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def seeded_faces(cards: int, seed: int) -> list[int]:
    """The ideal shuffle's dice of one seed."""
    plan = plan_dice(range(2, cards + 1))
    for attempt in range(MAX_ATTEMPTS):
        dice = roll_plain(plan, _expanded(seed, plan.words, attempt))
        if dice is not None:
            return dice
    raise SourceStuck(f"seed {seed} gives no shuffle within {MAX_ATTEMPTS} attempts")


def seeded_faces_vector(cards: int, seeds: NDArray[np.uint64]) -> Dice:
    """Those of many seeds."""
    plan = plan_dice(range(2, cards + 1))
    pending = np.arange(len(seeds))
    faces = np.empty((len(plan.bounds), len(seeds)), np.uint32)
    for attempt in range(MAX_ATTEMPTS):
        if not len(pending):
            return faces
        dice, accepted = roll_vector(plan, _expanded_vector(seeds[pending], plan.words, attempt))
        faces[:, pending[accepted]] = dice[:, accepted]
        pending = pending[~accepted]
    raise SourceStuck(f"{len(pending)} seeds give no shuffle within {MAX_ATTEMPTS} attempts")


@dataclass(frozen=True, kw_only=True)
class SmallSeed(OtherDice):
    """Each shuffle from a fresh seed of `bits` bits (SplitMix64 behind it): only 2^bits decks exist.

    Predicted: N decks hold about N^2 / 2^(bits+1) pairs of equal decks: for 32 bits one is expected at 93,000 decks and
    4.66 at 200,000. Nothing else shows.
    """

    name: ClassVar[str] = "small-seed"
    bits: int = 32

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= 32:
            raise BadParameter(f"a seed of 1 to 32 bits, not {self.bits}")

    def bounds(self, cards: int) -> Sequence[int]:  # noqa: ARG002
        """The seed."""
        return [2**self.bits]

    def faces(self, cards: int, dice: Sequence[int]) -> Sequence[int]:
        """That seed's."""
        return seeded_faces(cards, dice[0])

    def faces_vector(self, cards: int, dice: Dice) -> Dice:
        """Those seeds'."""
        return seeded_faces_vector(cards, dice[0].astype(np.uint64))

    def describe(self) -> str:
        """One line."""
        return f"each shuffle from a seed of {self.bits} bits"


@dataclass(frozen=True, kw_only=True)
class ClockSeed(OtherDice):
    """Each shuffle seeded with the time of day in ticks of `tick_ms`, at shuffle times spread over the day.

    GLI-19 3.3.2: "shall not be seeded from a time value alone". Predicted: 86,400,000 / tick_ms decks exist, and N
    decks hold about N^2 tick_ms / 172,800,000 equal pairs: one is expected at 13,100 decks for milliseconds, at 416
    for seconds.
    """

    name: ClassVar[str] = "clock-seed"
    tick_ms: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.tick_ms <= 3_600_000:
            raise BadParameter(f"a tick of 1 ms to an hour, not {self.tick_ms} ms")

    def bounds(self, cards: int) -> Sequence[int]:  # noqa: ARG002
        """The tick of the day."""
        return [86_400_000 // self.tick_ms]

    def faces(self, cards: int, dice: Sequence[int]) -> Sequence[int]:
        """That tick's."""
        return seeded_faces(cards, dice[0])

    def faces_vector(self, cards: int, dice: Dice) -> Dice:
        """Those ticks'."""
        return seeded_faces_vector(cards, dice[0].astype(np.uint64))

    def describe(self) -> str:
        """One line."""
        return f"each shuffle seeded with the time of day in ticks of {self.tick_ms} ms"
