"""What makes the game: how many cards a hand has, how hands rank, who gets the next cards, and what can be decided."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from round_engine.hands import rank3
from round_engine.round.operations import DEALER
from round_engine.rules.ruleset import Dealing


@dataclass(frozen=True, kw_only=True)
class Game:
    """One card game against the dealer."""

    name: str
    hand_size: int
    rank: Callable[..., int]
    """The rank of a hand's cards: higher wins, equal ties."""
    decisions: tuple[str, ...]
    """What a spot chooses from once it has its cards; the last gives the hand up."""

    def turns(self, spots: Iterable[int], dealing: Dealing) -> list[int]:
        """Return who gets the next cards, last one first; the dealer is dealt to last."""
        one_turn = [DEALER, *reversed(list(spots))]
        return one_turn if dealing == "groups" else one_turn * self.hand_size


THREE_CARD_POKER = Game(name="three card poker", hand_size=3, rank=rank3, decisions=("play", "fold"))
