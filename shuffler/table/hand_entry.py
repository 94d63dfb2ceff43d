"""Whoever names the hands that a device could not read: people at an emulated machine's table, or an operator."""

from collections.abc import Callable
from itertools import islice

from firmware_sim.machine.mechanism import Mechanism
from round_engine.errors import RoundEngineError, WrongCardCount
from round_engine.hands.cards import parse_hand
from round_engine.round.operations import ShowHand
from shuffler.table import Bridge

HAND = 3


class TableEyes:
    """Look at the cards on an emulated machine's table; groups lie there in the order they were lifted."""

    def __init__(self, machine: Mechanism, bridge: Bridge) -> None:
        self._machine = machine
        self._bridge = bridge
        self._round_id = ""
        self._hands: dict[int, tuple[int, ...]] = {}

    def __call__(self, spot: int) -> tuple[int, ...]:
        """The cards before a player; 0 is the dealer."""
        bridge = self._bridge
        # Looked at once, when the first hand is wanted: later the cards are collected.
        if self._round_id != bridge.round_id:
            assert bridge.deck is not None
            self._round_id, self._hands = bridge.round_id, {}
            lifted = iter(list(self._machine.places.table))
            for seat in bridge.deck.order:
                cards = tuple(self._machine.faces[card] for card in islice(lifted, bridge.deck.size))
                self._hands[seat] = self._hands.get(seat, ()) + cards
        return self._hands[spot]


class Operator:
    """Ask a person for each hand until what was entered can be; `ask` puts a question and returns the answer."""

    def __init__(self, bridge: Bridge, ask: Callable[[str], str], tell: Callable[[str], object]) -> None:
        self._bridge = bridge
        self._ask = ask
        self._tell = tell

    def __call__(self, spot: int) -> tuple[int, ...]:
        """The cards before a player; 0 is the dealer."""
        while True:
            text = self._ask(f"cards of {f'seat {spot}' if spot else 'the dealer'} (like QH 10C AS)")
            try:
                cards = read_hand(text)
                if spot:
                    self._bridge.table.verify(ShowHand(spot=spot, cards=cards))
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
