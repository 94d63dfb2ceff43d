"""An operator who names the hands that a device could not read."""

from collections.abc import Callable

from round_engine.errors import RoundEngineError, WrongCardCount
from round_engine.hands.cards import parse_hand
from round_engine.round.operations import ShowHand
from round_engine.table import Table
from shuffler.table.checks import DeckWatch

HAND = 3


class Operator:
    """Ask a person for each hand until what was entered can be; `ask` puts a question and returns the answer."""

    def __init__(self, table: Table, ask: Callable[[str], str], tell: Callable[[str], object]) -> None:
        self._table = table
        self._ask = ask
        self._tell = tell

    def __call__(self, spot: int, deck: DeckWatch) -> tuple[int, ...]:  # noqa: ARG002
        """The cards before a player; 0 is the dealer."""
        while True:
            text = self._ask(f"cards of {f'seat {spot}' if spot else 'the dealer'} (like QH 10C AS)")
            try:
                cards = read_hand(text)
                if spot:
                    self._table.verify(ShowHand(spot=spot, cards=cards))
            except RoundEngineError as problem:
                self._tell(str(problem))
            else:
                return cards


def read_hand(text: str) -> tuple[int, ...]:
    """Three cards by name, with spaces or commas between them; raises what is wrong."""
    cards = parse_hand(text.replace(",", " "))
    if len(cards) != HAND:
        raise WrongCardCount(f"a hand has {HAND} cards, not {len(cards)}")
    return cards
