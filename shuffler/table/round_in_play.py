"""The deck in play and the round dealt from it: each event of the device checked, then done at the table.

Raises `Lie` where the device's word does not hold and the engine's errors where the table refuses; the round is then
to be void. It knows nothing of what goes on between rounds.
"""

from protocol import messages as m
from protocol.vocabulary import DealState, RoundState
from round_engine.round.operations import Settle
from round_engine.round.state import Phase
from round_engine.wagers import SpotWagers
from shuffler.host.commands import seats_mask
from shuffler.journal.entries import DealtFrom
from shuffler.table.asking import Asking
from shuffler.table.booked_round import BookedRound
from shuffler.table.checks import DeckWatch, Lie
from shuffler.table.repeats import RepeatedDeals
from shuffler.table.wants import Want


class RoundInPlay:
    """One deck at a time, from its commitment to its stub."""

    def __init__(self, booked: BookedRound, asking: Asking) -> None:
        self.booked = booked
        self.deck: DeckWatch | None = None
        self._asking = asking
        self._repeats = RepeatedDeals()
        self._closing = False

    @property
    def is_open(self) -> bool:
        """Whether a round is open in the books."""
        return self.booked.is_open

    def take_deck(self, deck: DeckWatch) -> None:
        """A deck lies ready; raises Lie where it was dealt from before or is committed to as an earlier one was."""
        if deck.name in self.booked.table.shuffles:
            raise Lie(f"shuffle: {deck.name} was dealt from before")
        self._repeats.check_root(deck)
        self.deck = deck

    def open(self, wagers: tuple[SpotWagers, ...], number: int) -> None:
        """Take wagers, lock them, and have the device deal its round of that number; raises what the engine refuses."""
        deck = self.deck
        assert deck is not None
        self.booked.open(wagers, deck.name, rotation=deck.rotation)
        seats = tuple(sorted(one.spot for one in wagers))
        self._closing = False
        deck.begin(number, seats)
        self.booked.note(
            DealtFrom(
                round_id=self.booked.round_id, serial=deck.serial, epoch=deck.epoch, shuffle=deck.shuffled.shuffle,
                device_round=number, rigged=deck.rigged,
            )
        )  # fmt: skip
        self._asking.ask(m.BeginRound(round=number, seats=seats_mask(seats)))
        self._asking.ask(m.DealGroup(round=number, groups=0))

    def void(self, reason: str, *, tell_device: bool) -> None:
        """A misdeal: wagers go back, and nothing more is dealt from this deck."""
        self.booked.misdeal(reason)
        if tell_device and self.deck is not None:
            self._asking.ask(m.VoidRound(round=self.deck.round))
        self.deck = None

    # --------------------------------------------------------------------------------------------------------- events

    def group_ready(self, event: m.GroupReady) -> None:
        """A group lies in the tray."""
        if self.deck is not None:
            self.deck.ready(event)

    def group_removed(self, event: m.GroupRemoved) -> None:
        """A group was taken: it is its seat's hand."""
        deck = self.deck
        if deck is None:
            return
        cards = deck.removed(event)
        self.booked.deal(event.seat, cards, deck.name, rotation=deck.rotation)
        self._repeats.check_order(deck)
        if deck.all_dealt:
            self._asking.ask(m.EjectStub())

    def exposed(self, event: m.CardExposed) -> None:
        """A card was seen that should not have been."""
        self.booked.expose(event.seat)

    def disclosed(self, event: m.HandDisclosed) -> None:
        """The dealer's cards are named, as they were asked for."""
        if self.deck is None:
            return
        if not self._closing:
            raise Lie("early: the dealer's cards were named before the decisions closed")
        self.booked.dealer_cards += self.deck.disclose(event)
        self._repeats.check_order(self.deck)

    def stub_removed(self, event: m.StubRemoved) -> None:
        """The rest of the deck was taken."""
        if self.deck is not None:
            self.deck.stub_removed(event)

    # ------------------------------------------------------------------------------------------------------- progress

    def rejoin(self, status: m.Status) -> str | None:
        """The round goes on after a line or a fault was mended; why it can't, where the machine has lost it."""
        deck = self.deck
        assert deck is not None
        if status.round != deck.round or status.shuffle != deck.shuffled.shuffle:
            return None if self._asking.waits_for(m.BeginRound) else "the device does not know this round any more"
        if status.round_state is RoundState.DEALING and status.deal is DealState.READY:
            self._asking.ask(m.DealGroup(round=deck.round, groups=0))
        elif status.round_state is RoundState.DECIDING and status.deal is DealState.STUB_INSIDE:
            self._asking.ask(m.EjectStub())
        return None

    def progress(self, *, keys_by_people: bool) -> Want | None:
        """Do whatever the round now allows; what it waits for then; None while groups are dealt, or once it is paid."""
        deck, booked = self.deck, self.booked
        if booked.awaits_meter:  # its cards are all known: whatever the device does, it is settled
            return self._settle()
        if deck is None or not deck.all_dealt or not booked.is_open:
            return None
        if booked.phase is Phase.DECISIONS:
            return Want.DECISIONS
        if booked.phase is Phase.REVEAL and not self._closing:
            booked.collect_folds()
            self._closing = True
            self._asking.ask(m.CloseDecisions(round=deck.round))
        if deck.disclosed and booked.to_show:
            return Want.FACES
        if not (booked.dealer_seen and deck.stub is not None):
            return Want.DEVICE
        booked.reveal()
        if keys_by_people and not booked.table.can(Settle()):
            return Want.KEYS
        return self._settle()

    def _settle(self) -> Want | None:
        if not self.booked.settle():
            return Want.METER
        self.deck = None
        return None
