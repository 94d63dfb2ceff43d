"""Where every card is. `Places.move` is the only way to change it, so a card is in exactly one place at any time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal, cast

from firmware_sim.errors import BadControl

PlaceName = Literal["infeed", "stack", "rack", "play", "tray", "table", "aside", "dropped"]


@dataclass(frozen=True, slots=True)
class Places:
    """Cards by place; each place is in order, the next card to move first."""

    infeed: Sequence[int] = field(default_factory=list)
    stack: Sequence[int] = field(default_factory=list)
    rack: Sequence[int] = field(default_factory=list)
    play: Sequence[int] = field(default_factory=list)
    tray: Sequence[int] = field(default_factory=list)
    table: Sequence[int] = field(default_factory=list)
    aside: Sequence[int] = field(default_factory=list)
    dropped: Sequence[int] = field(default_factory=list)

    def all(self) -> list[int]:
        """Every card."""
        return [card for name in PLACES for card in getattr(self, name)]

    def add(self, cards: Iterable[int]) -> None:
        """New cards come to the table; they lie aside."""
        cast(list[int], self.aside).extend(cards)

    def move(self, cards: Sequence[int], source: PlaceName, target: PlaceName, at: int | None = None) -> list[int]:
        """Take cards out of a place and put them into another in this order, at its end or at a position."""
        moved = list(cards)
        before: list[int] = getattr(self, source)
        if before[: len(moved)] == moved:
            del before[: len(moved)]
        else:
            wanted = set(moved)
            if len(wanted) != len(moved) or not wanted.issubset(before):
                raise BadControl(f"cards {moved} are not all in {source}, which has {before}")
            before[:] = [card for card in before if card not in wanted]
        after: list[int] = getattr(self, target)
        if at is None:
            after.extend(moved)
        else:
            after[at:at] = moved
        return moved

    def find(self, card: int) -> PlaceName | None:
        """The place of a card."""
        return next((name for name in PLACES if card in getattr(self, name)), None)

    def is_sound(self, cards: int) -> bool:
        """Whether each of the cards 0 … `cards` - 1 is in exactly one place."""
        return sorted(self.all()) == list(range(cards))


PLACES = tuple(cast(PlaceName, entry.name) for entry in fields(Places))
