"""The shelf shuffler (Diaconis, Fulman and Holmes, Annals of Applied Probability 23, 2013, 1692)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from randomness.errors import BadParameter
from randomness.kernels.mechanism import Dice, Order, order_type
from randomness.kernels.places import ALWAYS, check_dead, check_passes, dead_text, failure_bounds

MAX_SHELVES = 100_000


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """Shelf shuffler: each card, from the bottom of the deck up, goes to a random shelf, onto its pile or under it.

    The piles come out shelf after shelf. `placement` "either" is the machine of Diaconis, Fulman and Holmes; "top" and
    "bottom" always place one way. `dead` is a shelf out of reach, at `dead_rate`; the next one takes its cards.
    """

    name: ClassVar[str] = "shelf"
    shelves: int = 10
    placement: str = "either"
    passes: int = 1
    dead: int | None = None
    dead_rate: Fraction = ALWAYS

    def __post_init__(self) -> None:
        if not 1 <= self.shelves <= MAX_SHELVES:
            raise BadParameter(f"a shelf shuffler has 1 to {MAX_SHELVES} shelves, not {self.shelves}")
        if self.placement not in ("either", "top", "bottom"):
            raise BadParameter(f"cards are placed 'either' way, on 'top' or at the 'bottom', not {self.placement!r}")
        check_passes(self.passes)
        check_dead(self.name, self.dead, self.shelves)

    @property
    def sides(self) -> int:
        """Sides of the die that says where a card goes."""
        return 2 * self.shelves if self.placement == "either" else self.shelves

    def bounds(self, cards: int) -> Sequence[int]:
        """A shelf and a side for each card, each pass; then, with a sometimes dead shelf, whether it fails."""
        return [self.sides] * (cards * self.passes) + failure_bounds(self.dead, self.dead_rate, cards * self.passes)

    def plain(self, cards: int, dice: Sequence[int]) -> list[int]:
        """Piles as lists: even ones keep the input order (laid on top, from the bottom up), odd ones reverse it."""
        order = list(range(cards))
        draws = cards * self.passes
        for start in range(0, draws, cards):
            piles: list[list[int]] = [[] for _ in range(2 * self.shelves)]
            for i, card in enumerate(order):
                fails = self.dead_rate == 1 or (
                    self.dead is not None and dice[draws + start + i] < self.dead_rate.numerator
                )
                piles[self._pile(dice[start + i], fails)].append(card)
            order = [card for p, pile in enumerate(piles) for card in (reversed(pile) if p % 2 else pile)]
        return order

    def _pile(self, die: int, fails: bool) -> int:
        if self.placement == "top":
            pile = 2 * die
        elif self.placement == "bottom":
            pile = 2 * die + 1
        else:
            pile = die
        if fails and pile // 2 == self.dead:
            pile = (pile + 2) % (2 * self.shelves)
        return pile

    def vector(self, cards: int, dice: Dice) -> Order:
        """A sort by pile, forwards in the even ones and backwards in the odd."""
        batch, draws = dice.shape[1], cards * self.passes
        order = np.repeat(np.arange(cards, dtype=order_type(cards))[None, :], batch, axis=0)
        along = np.arange(cards, dtype=np.int64)
        for start in range(0, draws, cards):
            pile = dice[start : start + cards].T.astype(np.int64)
            if self.placement != "either":
                pile = 2 * pile + (self.placement == "bottom")
            if self.dead is not None:
                at = pile // 2 == self.dead
                if self.dead_rate != 1:
                    at &= self.dead_rate.numerator > dice[draws + start : draws + start + cards].T
                pile = np.where(at, (pile + 2) % (2 * self.shelves), pile)
            key = pile * cards + np.where(pile % 2 == 1, cards - 1 - along, along)
            order = np.take_along_axis(order, np.argsort(key, axis=1, kind="stable"), axis=1)
        return order

    def describe(self) -> str:
        """One line."""
        where = {"either": "on top or at the bottom", "top": "always on top", "bottom": "always at the bottom"}
        times = "" if self.passes == 1 else f", {self.passes} passes"
        text = f"shelf shuffler: {self.shelves} shelves, {where[self.placement]}{times}"
        return text + dead_text("shelf", self.dead, self.dead_rate)

    def exact(self) -> bool:
        """Never for more than one card."""
        return False
