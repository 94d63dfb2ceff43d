"""The compartment rack: one card at a time to a compartment chosen at random (US 8,505,916)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from randomness.errors import BadParameter
from randomness.kernels.mechanism import Dice, Order, order_type
from randomness.kernels.places import ALWAYS, check_dead, dead_text, failure_bounds


@dataclass(frozen=True, kw_only=True)
class Rack:
    """Compartment rack: each card, in feed order, goes to a free place of the rack chosen at random.

    `compartments` groups of `group` cards come out first, then a last compartment with the rest of the deck; `sizes`
    names the group sizes one by one instead. So each compartment holds a random set of cards. `order` is the order
    inside a compartment: "random", or "feed" (cards lie as they came), which is visible in the output. `dead` is a
    compartment that refuses cards, at `dead_rate`: they go to the next one with room, and into the dead one only when
    every other is full, so it collects the cards fed last.
    """

    name: ClassVar[str] = "rack"
    compartments: int = 9
    group: int = 3
    sizes: tuple[int, ...] | None = None
    order: str = "random"
    dead: int | None = None
    dead_rate: Fraction = ALWAYS

    def __post_init__(self) -> None:
        if self.compartments < 1 or self.group < 1:
            raise BadParameter("a rack has at least one compartment, and a group at least one card")
        if self.sizes is not None and (not self.sizes or min(self.sizes) < 1):
            raise BadParameter(f"group sizes are numbers of at least one card, not {self.sizes}")
        if self.order not in ("random", "feed"):
            raise BadParameter(f"the order inside a compartment is 'random' or 'feed', not {self.order!r}")
        check_dead(self.name, self.dead, None)

    def groups(self, cards: int) -> tuple[int, ...]:
        """How many cards each compartment holds, in the order they come out."""
        sizes = self.sizes if self.sizes is not None else (self.group,) * self.compartments
        if sum(sizes) > cards:
            raise BadParameter(f"a rack of {sum(sizes)} places is not filled by {cards} cards: make it smaller")
        rest = cards - sum(sizes)
        groups = (*sizes, rest) if rest else sizes
        if self.dead is not None and self.dead >= len(groups):
            raise BadParameter(f"there is no compartment {self.dead}: they are numbered 0 to {len(groups) - 1}")
        return groups

    def bounds(self, cards: int) -> Sequence[int]:
        """One of the free places for each card; then, with a sometimes dead compartment, whether it fails."""
        self.groups(cards)
        return [*range(cards, 1, -1), *failure_bounds(self.dead, self.dead_rate, cards - 1)]

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """Free places in a list; a taken one is replaced by the last."""
        groups = self.groups(cards)
        compartment = [k for k, size in enumerate(groups) for _ in range(size)]
        free = list(range(cards))
        next_place = [sum(groups[:k]) for k in range(len(groups))]
        order = [0] * cards
        for card in range(cards):
            t = dice[card] if card < cards - 1 else 0
            fails = card < cards - 1 and (
                self.dead_rate == 1 or (self.dead is not None and dice[cards - 1 + card] < self.dead_rate.numerator)
            )
            if fails and compartment[free[t]] == self.dead:
                t = self._diverted(free, compartment, len(groups), t)
            place = free[t]
            free[t] = free[-1]
            free.pop()
            if self.order == "feed":
                k = compartment[place]
                place = next_place[k]
                next_place[k] += 1
            order[place] = card
        return order

    def _diverted(self, free: list[int], compartment: list[int], count: int, t: int) -> int:
        assert self.dead is not None
        for step in range(1, count):
            wanted = (self.dead + step) % count
            for index, place in enumerate(free):
                if compartment[place] == wanted:
                    return index
        return t

    def vector(self, cards: int, dice: Dice) -> Order:
        """All shuffles a card at a time; a dead compartment goes through the plain path, deck by deck."""
        groups = self.groups(cards)
        batch = dice.shape[1]
        kind = order_type(cards)
        if self.dead is not None:
            return np.array([self.plain(cards, column) for column in dice.T.tolist()], kind).reshape(batch, cards)
        column = np.arange(batch)
        free = np.repeat(np.arange(cards, dtype=np.int32)[:, None], batch, axis=1)
        order = np.zeros((batch, cards), kind)
        compartment = np.repeat(np.arange(len(groups)), groups)
        next_place = np.repeat(np.cumsum([0, *groups[:-1]])[:, None], batch, axis=1)
        for card in range(cards):
            t = dice[card] if card < cards - 1 else np.zeros(batch, np.uint32)
            place = free[t, column]
            free[t, column] = free[cards - 1 - card]
            if self.order == "feed":
                k = compartment[place]
                place = next_place[k, column]
                next_place[k, column] += 1
            order[column, place] = card
        return order

    def describe(self) -> str:
        """One line."""
        shape = f"{self.compartments} compartments of {self.group}" if self.sizes is None else f"groups {self.sizes}"
        inside = "in random order inside" if self.order == "random" else "in feed order inside"
        return f"compartment rack: {shape}, {inside}" + dead_text("compartment", self.dead, self.dead_rate)

    def exact(self) -> bool:
        """With random order inside and no dead compartment."""
        return self.order == "random" and self.dead is None
