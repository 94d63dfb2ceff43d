"""The people at a table, as its driver asks them; `Players` are bots with a dealer who does the rest."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from round_engine.round.operations import BackOut
from round_engine.round.state import Spot
from round_engine.rules.ruleset import RuleSet
from round_engine.wagers import SpotWagers
from shuffler.errors import BlindTable
from shuffler.table.checks import DeckWatch
from shuffler.table.players import Bot, Thinking
from shuffler.table.values import Want

Look = Callable[[int, DeckWatch], tuple[int, ...]]


class TablePeople(Protocol):
    """Whom the driver asks for what the core wants."""

    def wagers(self) -> tuple[SpotWagers, ...] | None:
        """Return what is on the layout when the betting is over; None: not yet."""

    def decide(self, number: int, spot: Spot) -> bool | None:
        """Return whether a spot plays; None: not yet."""

    def look(self, spot: int, deck: DeckWatch) -> tuple[int, ...]:
        """Return a hand that the device could not read; 0 is the dealer's."""

    def come(self, want: Want) -> None:
        """The machine needs a person."""

    def review(self) -> Sequence[BackOut]:
        """Return what is to be undone in the settled round."""

    def refused(self, reason: str) -> None:
        """The engine refused what was to be undone."""


class Players:
    """Bots at their spots; a person who looks at cards or comes to the machine is handed in."""

    def __init__(
        self,
        bots: Sequence[Bot],
        rules: RuleSet,
        *,
        chance: Random,
        look: Look | None = None,
        come: Callable[[Want], None] | None = None,
        thinking: Thinking | None = None,
        review: Callable[[], Sequence[BackOut]] | None = None,
        refused: Callable[[str], None] | None = None,
    ) -> None:
        """`thinking` where decisions take time."""
        self._wagers = tuple(bot.wagers(rules) for bot in bots)
        self._by_spot = {bot.spot: bot for bot in bots}
        self._chance = chance
        self._look = look
        self._come = come
        self._thinking = thinking
        self._review = review
        self._refused = refused

    def wagers(self) -> tuple[SpotWagers, ...] | None:
        """The same in every round."""
        return self._wagers

    def decide(self, number: int, spot: Spot) -> bool | None:
        """As the bot's strategy says."""
        if self._thinking is not None and not self._thinking.is_over(number):
            return None
        return self._by_spot[number].decide(spot, self._chance)

    def look(self, spot: int, deck: DeckWatch) -> tuple[int, ...]:
        """Raises BlindTable where no person looks at the cards."""
        if self._look is None:
            raise BlindTable(
                "this device does not read faces, and nobody here looks at the cards: use a profile that reads them"
                f" (the hand of {f'seat {spot}' if spot else 'the dealer'} is wanted)"
            )
        return self._look(spot, deck)

    def come(self, want: Want) -> None:
        """Without a person the machine has to help itself."""
        if self._come is not None:
            self._come(want)

    def review(self) -> Sequence[BackOut]:
        """Bots undo nothing."""
        return () if self._review is None else self._review()

    def refused(self, reason: str) -> None:
        """Tell the person who wanted it."""
        if self._refused is not None:
            self._refused(reason)


def highest_spot(bots: Sequence[Bot]) -> int:
    """How many seats the device must serve."""
    return max((bot.spot for bot in bots), default=1)
