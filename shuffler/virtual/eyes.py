"""Eyes on the table of an emulated machine: the hands that its device could not read."""

from collections.abc import Callable
from itertools import islice

from firmware_sim.machine.mechanism import Mechanism
from shuffler.table.checks import DeckWatch


class TableEyes:
    """Look at the cards on the table; groups are there in the order in which they were lifted."""

    def __init__(self, machine: Callable[[], Mechanism]) -> None:
        """`machine` returns the one that is at the table now."""
        self._machine = machine
        self._deck = ""
        self._hands: dict[int, tuple[int, ...]] = {}

    def __call__(self, spot: int, deck: DeckWatch) -> tuple[int, ...]:
        """The cards before a player; 0 is the dealer."""
        # Looked at once, when the first hand is wanted: later the cards are collected.
        if self._deck != deck.name:
            self._deck, self._hands = deck.name, {}
            machine = self._machine()
            lifted = iter(list(machine.places.table))
            for seat in deck.order:
                cards = tuple(machine.faces[card] for card in islice(lifted, deck.size))
                self._hands[seat] = self._hands.get(seat, ()) + cards
        return self._hands[spot]
