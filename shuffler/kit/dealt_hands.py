"""The hands of the newest round, as its events name them."""

from protocol import messages as m
from protocol.cards import card_name


class DealtHands:
    """Follows the events of a device."""

    def __init__(self) -> None:
        self.round = 0
        self.openings: dict[tuple[int, int], m.Opening] = {}  # by group and seat

    def take(self, event: m.Event) -> None:
        """One event, in order."""
        match event:
            case m.GroupReady(round=number) if number != self.round:
                self.round, self.openings = number, {}
            case m.GroupRemoved(withheld=False) | m.HandDisclosed():
                self.openings[event.group, event.seat] = event.opening

    def by_seat(self) -> dict[int, str]:
        """Each seat's cards by name, 0 the dealer's; places in the feed where the device reads no faces."""
        hands: dict[int, list[str]] = {}
        for (_, seat), opening in sorted(self.openings.items()):
            named = [card_name(card) for card in opening.cards] or [f"place {place}" for place in opening.places]
            hands.setdefault(seat, []).extend(named)
        return {seat: " ".join(cards) for seat, cards in hands.items()}

    def in_dealt_order(self) -> list[int]:
        """Every card that was named, as it lay in the deck."""
        known = sorted(self.openings.values(), key=lambda opening: opening.first)
        return [card for opening in known for card in opening.cards]
