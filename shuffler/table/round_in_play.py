"""The deck in play and the round dealt from it: each event of the device checked, then done at the table.

Raises `Lie` where the device's word does not hold and the engine's errors where the table refuses; the round is then
to be void. It knows nothing of what goes on between rounds.
"""

from operator import attrgetter

from mypy_extensions import mypyc_attr

from protocol import messages as m
from protocol.vocabulary import DealState, RoundState
from round_engine.round.operations import Settle
from round_engine.round.state import Phase
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.host.commands import seats_mask
from shuffler.journal.entries import DealtFrom
from shuffler.table.asking import Asking
from shuffler.table.booked_round import HAND_CARDS, BookedRound
from shuffler.table.checks import DeckWatch, Lie
from shuffler.table.repeats import RepeatedDeals
from shuffler.table.values import Want


@mypyc_attr(allow_interpreted_subclasses=True)
class RoundInPlay(BookedRound):
    """One deck at a time, from its commitment to its stub."""

    def __init__(
        self,
        table: Table,
        asking: Asking,
        *,
        dealer: str,
        supervisor: str,
        prefix: str,
        last_round: int,
        reviewed: bool,
    ) -> None:
        super().__init__(
            table, dealer=dealer, supervisor=supervisor, prefix=prefix, last_round=last_round, reviewed=reviewed
        )
        self.deck: DeckWatch | None = None
        self.keys_by_people = False  # whether awards wait for people; else they are keyed as they fall due
        self._asking = asking
        self._repeats = RepeatedDeals()
        self._closing = False

    def take_deck(self, deck: DeckWatch) -> None:
        """A deck lies ready; raises Lie where it was dealt from before or is committed to as an earlier one was."""
        if deck.name in self.table.shuffles:
            raise Lie(f"shuffle: {deck.name} was dealt from before")
        self._repeats.check_root(deck)
        self.deck = deck

    def begin(self, wagers: tuple[SpotWagers, ...], number: int) -> None:
        """Take wagers, lock them, and have the device deal its round of that number; raises what the engine refuses."""
        deck = self.deck
        assert deck is not None
        self.open(wagers, deck.name, rotation=deck.rotation)
        seats = tuple(sorted(map(attrgetter("spot"), wagers)))
        self._closing = False
        deck.begin(number, seats)
        self.entries.append(
            DealtFrom(
                round_id=self.round_id, serial=deck.serial, epoch=deck.epoch, shuffle=deck.shuffled.shuffle,
                device_round=number, rigged=deck.rigged,
            )
        )  # fmt: skip
        self._asking.ask(m.BeginRound(round=number, seats=seats_mask(seats)))
        self._asking.ask(m.DealGroup(round=number, groups=0))

    def give_up(self, reason: str, *, tell_device: bool) -> None:
        """Void the round: wagers go back, and nothing more is dealt from this deck."""
        self.misdeal(reason)
        if tell_device and self.deck is not None:
            self._asking.ask(m.VoidRound(round=self.deck.round))
        self.deck = None

    # --------------------------------------------------------------------------------------------------------- events

    def group_removed(self, event: m.GroupRemoved) -> None:
        """A group was taken: it is its seat's hand."""
        deck = self.deck
        if deck is None:
            return
        cards = deck.removed(event)
        self.deal(event.seat, cards, deck.name, rotation=deck.rotation)
        self._repeats.check_order(deck)
        if len(deck.taken) == len(deck.order):
            self._asking.ask(m.EjectStub())

    def disclosed(self, event: m.HandDisclosed) -> None:
        """The dealer's cards are named, as they were asked for."""
        if self.deck is None:
            return
        if not self._closing:
            raise Lie("early: the dealer's cards were named before the decisions closed")
        self.dealer_cards += self.deck.disclose(event)
        self._repeats.check_order(self.deck)

    # ------------------------------------------------------------------------------------------------------- progress

    def rejoin(self, status: m.Status) -> str | None:
        """The round goes on after a line or a fault was cleared; why it can't, where the machine has lost it."""
        deck = self.deck
        assert deck is not None
        if status.round != deck.round or status.shuffle != deck.shuffled.shuffle:
            return None if m.BeginRound in self._asking.under_way else "the device does not know this round any more"
        if status.round_state is RoundState.DEALING and status.deal is DealState.READY:
            self._asking.ask(m.DealGroup(round=deck.round, groups=0))
        elif status.round_state is RoundState.DECIDING and status.deal is DealState.STUB_INSIDE:
            self._asking.ask(m.EjectStub())
        return None

    def progress(self) -> Want | None:
        """Do whatever the round now allows; what it waits for then; None while groups are dealt, or once it is over."""
        deck = self.deck
        if self.is_paid:
            return Want.REVIEW
        if self.awaits_meter:  # its cards are all known: whatever the device does, it is settled
            return self._pay()
        if deck is None or len(deck.taken) != len(deck.order) or not self.is_open:
            return None
        if self.phase is Phase.DECISIONS:
            return Want.DECISIONS
        if self.phase is Phase.REVEAL and not self._closing:
            self.collect_folds()
            self._closing = True
            self._asking.ask(m.CloseDecisions(round=deck.round))
        if not deck.disclosed:
            return Want.DEVICE
        if self.to_show:
            return Want.FACES
        if deck.stub is None or len(self.dealer_cards) != HAND_CARDS:
            return Want.DEVICE
        self.reveal()
        if self.keys_by_people and not self.table.can(Settle()):
            return Want.KEYS
        return self._pay()

    def _pay(self) -> Want | None:
        if not self.settle():
            return Want.METER
        self.deck = None
        return Want.REVIEW if self.is_paid else None
