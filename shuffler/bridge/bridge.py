"""Device and round engine as one table. Pure: happenings and moves in, commands and book entries out.

Between rounds the bridge goes by the device's status, so that it finds its way from wherever a fault, a power cut or a
kill has left the machine; within a round it goes by events, each checked by `DeckWatch`. A round is settled only when
every group, the dealer's hand and the stub have been seen and checked; else it is void.

Whoever drives it: take happenings, act on `wants`, write `entries` down durably, then submit `commands`.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from protocol import messages as m
from protocol.vocabulary import (
    CommitKind,
    DealState,
    DeviceFlag,
    ErrorCode,
    FaultCode,
    FaultState,
    InfeedState,
    Mode,
    PowerState,
    RoundState,
)
from round_engine.errors import RoundEngineError
from round_engine.round_state import Phase
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.bridge.asking import Asking
from shuffler.bridge.booked_round import BookedRound
from shuffler.bridge.checks import DeckWatch, Lie
from shuffler.commands import seats_mask
from shuffler.session import Answered, Connected, Disconnected, EventArrived, EventsMissing, Happening

FAULTS_BEFORE_BACKUP = 3  # without a settled round between them
STUCK_US = 180_000_000  # of waiting for the device between rounds before the backup is asked for


def store_name(serial: str, epoch: int) -> str:
    """A device's memory in the books."""
    return f"{serial}/{epoch:016x}"


class Want(Enum):
    """What the bridge waits for; the driver provides it."""

    DEVICE = "device"  # nothing to do but wait
    WAGERS = "wagers"  # a checked deck is ready: `open_round`
    DECISIONS = "decisions"  # `decide` for `to_decide`
    FACES = "faces"  # the device does not read cards: `show` hands
    ATTENTION = "attention"  # a fault holds the machine: somebody must mend it
    BACKUP = "backup"  # the machine is not fit: put the backup in its place


class Bridge:
    """One table with one device at a time."""

    def __init__(
        self,
        table: Table,
        *,
        dealer: str,
        supervisor: str,
        chance: Callable[[int], bytes],
        last_round: int = 0,
        device_rounds: Mapping[str, int] | None = None,
        round_prefix: str = "R",
        calendar: Callable[[], int] = lambda: 0,
    ) -> None:
        """`device_rounds`: the last round number used on each device store, so that none is ever used twice.

        `calendar` gives the time of day in Unix milliseconds, for a device that has lost it.
        """
        self.table = table
        self.wants = Want.DEVICE
        self.deck: DeckWatch | None = None
        self.calls = 0  # how often somebody has been asked to come
        self.device_rounds: dict[str, int] = dict(device_rounds or {})
        self._round = BookedRound(
            table, dealer=dealer, supervisor=supervisor, prefix=round_prefix, last_round=last_round
        )
        self._asking = Asking()
        self.entries = self._round.entries
        self.commands = self._asking.commands
        self._chance = chance
        self._calendar = calendar
        self._device_round = 0
        self._welcome: m.Welcome | None = None
        self._info: m.Info | None = None
        self._loaded: m.DeckLoaded | None = None  # a shoe's cards that no round has been dealt from
        self._faults = 0
        self._stuck_since: int | None = None
        self._closing = False

    # ------------------------------------------------------------------------------------------------- for the driver

    @property
    def round_id(self) -> str:
        """The round in the books."""
        return self._round.round_id

    @property
    def last_round(self) -> int:
        """The number of the newest round."""
        return self._round.last_round

    @property
    def settled(self) -> int:
        """Rounds that were paid."""
        return self._round.settled

    @property
    def void(self) -> int:
        """Rounds that were misdealt."""
        return self._round.void

    @property
    def in_round(self) -> bool:
        """Whether a round is open."""
        return self._round.is_open

    @property
    def to_decide(self) -> list[int]:
        """Spots that have to play or fold, in turn."""
        return self._round.to_decide

    @property
    def to_show(self) -> list[int]:
        """Hands that somebody must name, because the device could not read them; 0 is the dealer's."""
        return self._round.to_show

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        return self._asking.poll_at

    def tick(self, now: int) -> None:
        """Let time pass: ask the device how it is, where that is what the bridge waits for."""
        self._asking.tick(now)

    def open_round(self, wagers: tuple[SpotWagers, ...]) -> None:
        """Take wagers, lock them, and have the device deal; raises what the engine refuses, with nothing changed."""
        assert self.wants is Want.WAGERS, f"no wagers are wanted now: {self.wants}"
        assert self.deck is not None
        before = self.last_round
        try:
            self._round.open(wagers, self.deck.name, rotation=self.deck.rotation)
        except RoundEngineError:
            if self.last_round > before:  # opened, and void since its wagers could not be locked
                self._next_deck()
            raise
        seats = tuple(sorted(one.spot for one in wagers))
        store = store_name(self.deck.serial, self.deck.epoch)
        self._device_round = max(self._device_round, self.device_rounds.get(store, 0)) + 1
        self.device_rounds[store] = self._device_round
        self._closing = False
        self.deck.begin(self._device_round, seats)
        rigged = " rigged or seeded" if self.deck.rigged else ""
        self._round.note("dealt from", f"{self.deck.name} round {self._device_round}{rigged}")
        self._asking.ask(m.BeginRound(round=self._device_round, seats=seats_mask(seats)))
        self._asking.ask(m.DealGroup(round=self._device_round, groups=0))
        self.wants = Want.DEVICE

    def decide(self, spot: int, play: bool) -> None:
        """A player plays or folds."""
        self._round.decide(spot, play)
        self._progress()

    def misdeal(self, reason: str) -> None:
        """The table calls a misdeal."""
        if self.in_round:
            self._void(reason, tell_device=True)

    def unplugged(self, why: str) -> None:
        """The device is taken away for good: a half-dealt round is void, never finished from a second deck."""
        if self.in_round:
            self._void(why, tell_device=False)
        self._forget_device()
        self._round.note("unplugged", why)

    # ------------------------------------------------------------------------------------------- from the device's end

    def take(self, happening: Happening, now: int) -> None:
        """One thing that happened on the line."""
        if isinstance(happening, EventArrived):
            self._event(happening.event, now)
            return
        match happening:
            case Answered(_, command, reply):
                self._answer(command, reply, now)
            case Connected(welcome, _):
                self._connected(welcome)
            case Disconnected(reason, _, _):
                self._asking.line_lost()
                self._round.note("line lost", reason.name)
            case EventsMissing(expected, found):
                if self.in_round:
                    self._void(f"events {expected} … {found - 1} were never seen", tell_device=True)

    def _connected(self, welcome: m.Welcome) -> None:
        before = self._welcome
        if before is not None and (before.serial, before.epoch) != (welcome.serial, welcome.epoch):
            if self.in_round:
                self._void("another device answers", tell_device=False)
            self._forget_device()
        self._welcome = welcome
        self._asking.line_lost()
        if self._info is None:
            self._asking.ask(m.GetInfo())
        self._asking.ask(m.GetStatus())

    def _forget_device(self) -> None:
        self.deck, self._info, self._welcome, self._loaded = None, None, None, None
        self._device_round = 0
        self._faults = 0
        self._stuck_since = None
        self._asking.device_gone()
        self.wants = Want.DEVICE

    def _answer(self, command: m.Message, reply: m.Message, now: int) -> None:
        self._asking.answered(command)
        match reply:
            case m.Info():
                self._info = reply
            case m.Status():
                self._status(reply, now)
            case m.Error(code=code, text=text):
                self._refused(command, code, text, now)

    def _refused(self, command: m.Message, code: ErrorCode, text: str, now: int) -> None:
        """A refusal within a round ends it, as the deal can't go on; elsewhere the status says what to do."""
        if isinstance(command, m.BeginRound | m.DealGroup | m.CloseDecisions) and self.in_round:
            if code not in (ErrorCode.FAULTED, ErrorCode.EVENTS_FULL):
                self._void(f"the device refused {type(command).__name__}: {text}", tell_device=True)
            elif isinstance(command, m.BeginRound):
                self._void(f"the device has a fault: {text}", tell_device=False)
        self._asking.poll(now)

    def _status(self, status: m.Status, now: int) -> None:
        """Between rounds: the next thing to ask for; in a round: only whether the machine can go on."""
        self._device_round = max(self._device_round, status.round)
        if status.fault is not FaultState.CLEAR:
            self.wants = Want.BACKUP if self._faults >= FAULTS_BEFORE_BACKUP else Want.ATTENTION
            self.calls += 1
            if status.fault_code is FaultCode.CLOCK_LOST:
                self._asking.ask(m.SetTime(unix_ms=self._calendar()))
            self._wait(now)
        elif self.in_round:
            self._rejoin(status, now)
        elif status.power is not PowerState.ON or status.mode is not Mode.PLAY or self._info is None:
            self._wait(now)
        elif status.round_state is not RoundState.NO_ROUND:
            self._asking.ask(m.VoidRound(round=status.round))
            self._wait(now)
        else:
            self._prepare(status, now)

    def _rejoin(self, status: m.Status, now: int) -> None:
        """A round is open in the books: is it open in the machine?"""
        assert self.deck is not None
        if self.deck.is_complete:
            return
        if status.round != self.deck.round or status.shuffle != self.deck.shuffled.shuffle:
            if not self._asking.waits_for(m.BeginRound):
                self._void("the device does not know this round any more", tell_device=True)
            return
        if self.wants in (Want.ATTENTION, Want.BACKUP):
            self.wants = Want.DEVICE
        if status.round_state is RoundState.DEALING and status.deal is DealState.READY:
            self._asking.ask(m.DealGroup(round=self.deck.round, groups=0))
        elif status.round_state is RoundState.DECIDING and status.deal is DealState.STUB_INSIDE:
            self._asking.ask(m.EjectStub())
        self._progress()
        if self.in_round and self.wants is Want.DEVICE:
            self._asking.poll(now)

    def _prepare(self, status: m.Status, now: int) -> None:
        """No round is open anywhere: bring a fresh, checked deck into play."""
        if self._loaded is not None and status.deal is DealState.READY:
            self._watch(_as_shuffle(self._loaded, status))
            self._loaded = None
        deck = self.deck
        fresh = deck is not None and not deck.round and status.shuffle == deck.shuffled.shuffle
        if status.deal is DealState.READY and fresh:
            self._stuck_since = None
            self.wants = Want.WAGERS
            return
        if status.deal in (DealState.READY, DealState.STUB_INSIDE, DealState.MISDEALT):
            # A deck that was dealt from, or that nobody here saw shuffled, is not dealt again.
            self._asking.ask(m.EjectStub())
        elif status.infeed is InfeedState.EMPTY and status.deal is DealState.NO_DECK:
            self._asking.ask(m.Load())
        elif status.infeed is InfeedState.LOADED:
            self._asking.ask(m.Shuffle(nonce=self._chance(16)))
        self._wait(now)

    def _wait(self, now: int) -> None:
        """Ask again in a moment; after too long a time without a deck the backup is wanted."""
        if self._stuck_since is None:
            self._stuck_since = now
        elif now - self._stuck_since > STUCK_US:
            self.wants = Want.BACKUP
            self.calls += 1
        if self.wants is Want.WAGERS:
            self.wants = Want.DEVICE
        self._asking.poll(now)

    # --------------------------------------------------------------------------------------------------------- events

    def _event(self, event: m.Event, now: int) -> None:
        handler = _ON_EVENT.get(type(event))
        if handler is not None:
            try:
                handler(self, event, now)
            except Lie as lie:
                if self.in_round:
                    self._void(str(lie), tell_device=True)
                else:
                    self.deck = None
                    self._round.note("refused", str(lie))
                    self._asking.poll(now)
            except RoundEngineError as problem:
                self._void(f"the engine refused: {problem}", tell_device=True)

    def _deck_loaded(self, event: m.DeckLoaded, now: int) -> None:  # noqa: ARG002
        if self._info is not None and DeviceFlag.SHOE in self._info.flags:
            self._loaded = event
            self._asking.ask(m.GetInfo())  # it says whether these cards are rigged
            self._asking.ask(m.GetStatus())
        else:
            self._asking.ask(m.Shuffle(nonce=self._chance(16)))

    def _shuffled(self, event: m.ShuffleCompleted, now: int) -> None:
        if self._welcome is None or self._info is None:
            self._asking.poll(now)
            return
        self._watch(event)
        self._asking.ask(m.GetStatus())

    def _watch(self, shuffled: m.ShuffleCompleted) -> None:
        """From here on every word about this deck is checked."""
        info, welcome = self._info, self._welcome
        assert info is not None
        assert welcome is not None
        self.deck = None
        self.deck = DeckWatch(
            serial=welcome.serial,
            epoch=welcome.epoch,
            shuffled=shuffled,
            deck_cards=info.deck_cards * info.decks,
            decks=info.decks,
            commits=info.commits,
            reads_faces=DeviceFlag.READS_FACES in info.flags,
            rotation=DeviceFlag.SHOE in info.flags,
        )

    def _group_ready(self, event: m.GroupReady, now: int) -> None:  # noqa: ARG002
        if self.in_round and self.deck is not None:
            self.deck.ready(event)

    def _group_removed(self, event: m.GroupRemoved, now: int) -> None:  # noqa: ARG002
        deck = self.deck
        if not self.in_round or deck is None:
            return
        cards = deck.removed(event)
        self._round.deal(event.seat, cards, deck.name, rotation=deck.rotation)
        if deck.all_dealt:
            self._asking.ask(m.EjectStub())
            self._progress()

    def _exposed(self, event: m.CardExposed, now: int) -> None:  # noqa: ARG002
        if self.in_round:
            self._round.expose(event.seat)

    def _disclosed(self, event: m.HandDisclosed, now: int) -> None:  # noqa: ARG002
        if not self.in_round or self.deck is None:
            return
        self._round.dealer_cards += self.deck.disclose(event)
        self._progress()

    def _stub_removed(self, event: m.StubRemoved, now: int) -> None:
        if self.in_round and self.deck is not None:
            self.deck.stub_removed(event)
            self._progress()
        else:
            self.deck = None
            self._asking.ask(m.GetStatus())
            self._asking.poll(now)

    def _fault(self, event: m.FaultRaised, now: int) -> None:
        self._faults += 1
        self._round.note("fault", f"{event.code.name} at {event.place.name}")
        if self._faults >= FAULTS_BEFORE_BACKUP:  # however fast each of them is cleared
            self.wants = Want.BACKUP
            self.calls += 1
        self._asking.ask(m.GetStatus())
        self._asking.poll(now)

    def _cleared(self, event: m.FaultCleared, now: int) -> None:
        self._round.note("fault cleared", f"{event.code.name} {event.how.name}")
        self._asking.ask(m.GetStatus())
        self._asking.poll(now)

    def _misdealt(self, event: m.Misdealt, now: int) -> None:
        if self.in_round and self.deck is not None and event.round == self.deck.round:
            self._void(f"the device called a misdeal: {event.reason.name} at group {event.group}", tell_device=False)
        self._asking.poll(now)

    def _powered_up(self, event: m.PoweredUp, now: int) -> None:
        self._asking.line_lost()
        self._round.note("power-up", event.cause.name)
        self._asking.ask(m.GetStatus())
        self._asking.poll(now)

    # ------------------------------------------------------------------------------------------------------ the round

    def show(self, spot: int, cards: tuple[int, ...]) -> None:
        """An operator enters a hand of `to_show`; raises what the engine refuses, with nothing changed."""
        self._round.show(spot, cards)
        try:
            self._progress()
        except RoundEngineError:
            self._round.dealer_cards = []
            raise

    def _progress(self) -> None:
        """Do whatever the round now allows."""
        deck = self.deck
        if deck is None or not self.in_round or not deck.all_dealt:
            return
        if self._round.phase is Phase.DECISIONS:
            self.wants = Want.DECISIONS
            return
        if self._round.phase is Phase.REVEAL and not self._closing:
            self._round.collect_folds()
            self._closing = True
            self._asking.ask(m.CloseDecisions(round=deck.round))
        self.wants = Want.DEVICE
        if deck.disclosed and self.to_show:
            self.wants = Want.FACES
            self.calls += 1
        elif self._round.dealer_seen and deck.stub is not None:
            self._round.settle()
            self._faults = 0
            self._stuck_since = None
            self._next_deck()

    def _void(self, reason: str, *, tell_device: bool) -> None:
        self._round.misdeal(reason)
        if tell_device and self.deck is not None:
            self._asking.ask(m.VoidRound(round=self.deck.round))
        self._next_deck()

    def _next_deck(self) -> None:
        self.deck = None
        self.wants = Want.DEVICE
        self._asking.ask(m.GetStatus())


def _as_shuffle(loaded: m.DeckLoaded, status: m.Status) -> m.ShuffleCompleted:
    """A shoe shuffles nothing: what was put in is dealt as it lies, and nothing is committed to."""
    return m.ShuffleCompleted(
        number=loaded.number, time_ms=loaded.time_ms, shuffle=status.shuffle, count=loaded.count, game=status.game,
        kind=CommitKind.NOTHING, flags=DeviceFlag(0), nonce=bytes(16), root=bytes(32),
    )  # fmt: skip


_ON_EVENT: dict[type[m.Event], Callable[[Bridge, Any, int], None]] = {
    m.DeckLoaded: Bridge._deck_loaded,
    m.ShuffleCompleted: Bridge._shuffled,
    m.GroupReady: Bridge._group_ready,
    m.GroupRemoved: Bridge._group_removed,
    m.CardExposed: Bridge._exposed,
    m.HandDisclosed: Bridge._disclosed,
    m.StubRemoved: Bridge._stub_removed,
    m.FaultRaised: Bridge._fault,
    m.FaultCleared: Bridge._cleared,
    m.Misdealt: Bridge._misdealt,
    m.PoweredUp: Bridge._powered_up,
}
