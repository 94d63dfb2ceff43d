"""Device and round engine as one table. Pure: happenings and moves in, actions out.

Between rounds the core goes by the device's status, so that it finds its way from wherever a fault, a power cut or a
kill has left the machine; within a round it goes by events, each checked by `DeckWatch`. A round is settled only when
every group, the dealer's hand and the stub have been seen and checked; else it is void. A device that can't be played
at all (`KnownDevice` says so) is refused with a sentence.

A driver gives it what happens and what people do, provides what it `wants`, and carries out the actions in order:
entries are durable before a command leaves.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mypy_extensions import mypyc_attr

from protocol import messages as m
from protocol.vocabulary import DealState, ErrorCode, FaultCode, FaultState, RoundState
from round_engine.errors import RoundEngineError
from round_engine.round.operations import BackOut, ChangeStaff, PressKey, VerifyWin
from round_engine.round.state import Phase
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.errors import LocalHostError
from shuffler.host.session import Answered, Connected, Disconnected, EventArrived, EventsMissing, SetBack
from shuffler.journal.entries import DeckRefused, DeviceRefused, DeviceSetBack, LineLost, Unplugged
from shuffler.table.asking import Asking
from shuffler.table.between_rounds import can_prepare, next_command
from shuffler.table.checks import Lie, check_number
from shuffler.table.known_device import KnownDevice, Unfit
from shuffler.table.round_in_play import RoundInPlay
from shuffler.table.values import (
    Action,
    Actions,
    Call,
    CallMisdeal,
    CloseBetting,
    Decide,
    EnterHand,
    Reviewed,
    Silence,
    Taken,
    Unplug,
    Want,
    Write,
)
from shuffler.timeouts import SECOND_US, USUAL, Timeouts

PASSING_REFUSALS = (ErrorCode.NOT_NOW, ErrorCode.FAULTED, ErrorCode.EVENTS_FULL)
FAULTS_BEFORE_BACKUP = 3  # faults or lies without a settled round between them


@mypyc_attr(allow_interpreted_subclasses=True)
class TableCore:
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
        seats: int = 1,
        reviewed: bool = False,
        calendar: Callable[[], int] = lambda: 0,
        timeouts: Timeouts = USUAL,
    ) -> None:
        """`device_rounds`: the last round number used on each device store, so that none is ever used twice.

        `seats`: the highest spot that is played. `reviewed`: whether settled rounds wait for `Reviewed`. `calendar`
        gives the time of day in Unix milliseconds, for a device that has lost it.
        """
        self.table = table
        self.wants = Want.DEVICE
        self.refusal = ""  # why the device can't be played
        self.device = KnownDevice(table.rules, seats)
        self.device_rounds: dict[str, int] = dict(device_rounds or {})
        self._asking = Asking()
        self.round = RoundInPlay(
            table, self._asking, dealer=dealer, supervisor=supervisor, prefix=round_prefix, last_round=last_round,
            reviewed=reviewed,
        )  # fmt: skip
        self._chance = chance
        self._calendar = calendar
        self._timeouts = timeouts
        self._calls: list[Action] = []
        self._loaded: m.DeckLoaded | None = None  # a shoe's cards that no round has been dealt from
        self._set_back: DeviceSetBack | None = None  # noted once, however often the device is tried
        self._poll_at: int | None = None
        self._faults = 0  # without a settled round between them
        self._no_deck_since: int | None = None
        self._quiet_since: int | None = None  # in a round, while the device has something to do

    # -------------------------------------------------------------------------------------------------------- the door

    def take(self, what: Taken, now: int) -> Actions:
        """Take one thing that happened on the line, or a move of people; what is to be done about it, in order.

        Raises what the engine refuses, with nothing changed.
        """
        if type(what) is EventArrived:
            self._event(what.event, now)
        elif type(what) is Answered:
            self._answer(what.command, what.reply, now)
        else:
            self._take_other(what)
        return self._actions() if self.round.entries or self._asking.sends or self._calls else ()

    def _take_other(self, what: Taken) -> None:
        match what:
            case CloseBetting(wagers):
                self.open_round(wagers)
            case Decide(spot, play):
                self.round.decide(spot, play)
                if self.round.phase is not Phase.DECISIONS:
                    self._progress()
            case EnterHand(spot, cards):
                self._show(spot, cards)
            case PressKey() | VerifyWin():
                self.round.press(what)
                self._progress()
            case BackOut():
                self.round.back_out(what)
            case Reviewed():
                self.round.close()
                self._settled()
            case ChangeStaff():
                self.round.change_staff(what)
            case CallMisdeal(reason):
                if self.round.is_open:
                    self.round.give_up(reason, tell_device=True)
                    self._next_deck()
            case Silence():
                self._call(Want.BACKUP)
            case Unplug(why):
                self._void(why, tell_device=False)
                self._forget_device()
                self.round.entries.append(Unplugged(why))
            case Connected(welcome, _):
                self._connected(welcome)
            case Disconnected(reason, _, _):
                self._asking.under_way.clear()  # nothing that was sent will be answered
                self.round.entries.append(LineLost(reason.name))
            case EventsMissing(expected, found):
                self._void(f"events {expected} … {found - 1} were never seen", tell_device=True)
            case SetBack():
                self._device_set_back(what)

    def tick(self, now: int) -> Actions:
        """Let time pass: ask the device how it is, where that is what the table waits for; end a round in silence."""
        if self._poll_at is not None and now >= self._poll_at:
            self._poll_at = None
            self._asking.ask(m.GetStatus())
        if self.wants is not Want.DEVICE or not self.round.is_open:
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now
        elif now - self._quiet_since >= self._timeouts.stuck_us:
            self._quiet_since = None
            waited = self._timeouts.stuck_us // SECOND_US
            self._void(f"{self.waits_for}: nothing has moved for {waited} s", tell_device=True)
            self._call(Want.BACKUP)
        return self._actions() if self.round.entries or self._asking.sends or self._calls else ()

    def go_on(self) -> Actions:
        """Look whether the shared meter has answered."""
        if self.round.awaits_meter:
            self._progress()
        return self._actions()

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        poll, quiet = self._poll_at, self._quiet_since
        if quiet is None:
            return poll
        quiet += self._timeouts.stuck_us
        return quiet if poll is None or quiet < poll else poll

    @property
    def waits_for(self) -> str:
        """What the table waits for while it has a session, as a sentence."""
        deck, name = self.round.deck, self.round.round_id
        if self.wants in (Want.ATTENTION, Want.BACKUP):
            return "the shuffler is not ready: see its display"
        if not self.round.is_open or deck is None:
            return "the shuffler has not made a deck ready: is somebody at its trays?"
        if not deck.all_dealt:
            return f"hands of round {name} have not been dealt and taken: is somebody at the tray?"
        if deck.stub is None:
            return f"the stub of round {name} has not been taken from the tray"
        return f"the dealer's hand of round {name} has not been disclosed"

    def _actions(self) -> Actions:
        """What has gathered: entries, then commands, then calls."""
        found: list[Action] = []
        if self.round.entries:
            found.append(Write(tuple(self.round.entries)))
            self.round.entries = []
        found += self._asking.sends
        found += self._calls
        self._asking.sends = []
        self._calls = []
        return found

    # --------------------------------------------------------------------------------------------------- people's moves

    def open_round(self, wagers: tuple[SpotWagers, ...]) -> None:
        """Take wagers, lock them, and have the device deal."""
        deck = self.round.deck
        if self.wants is not Want.WAGERS or deck is None:
            raise LocalHostError(f"wagers are not wanted now: the table waits for {self.wants.value}")
        before, number = self.round.last_round, self._next_number()
        try:
            self.round.begin(wagers, number)
        except RoundEngineError:
            if self.round.last_round > before:  # opened, and void since its wagers could not be locked
                self._next_deck()
            raise
        self.device.last_round = self.device_rounds[self.device.store] = number
        self.wants = Want.DEVICE

    def _show(self, spot: int, cards: tuple[int, ...]) -> None:
        """An operator enters a hand of `to_show`."""
        self.round.show(spot, cards)
        try:
            self._progress()
        except RoundEngineError:
            self.round.dealer_cards = ()
            raise

    # -------------------------------------------------------------------------------------------------------- the line

    def _device_set_back(self, found: SetBack) -> None:
        """Its memory is older than the books: no word of it can be told from an old one, so it deals no more."""
        entry = DeviceSetBack(found.serial, found.epoch, found.stored, found.found)
        if entry == self._set_back:
            return
        self._set_back = entry
        self._void(found.text, tell_device=False)
        self._forget_device()
        self.round.entries.append(entry)
        self._call(Want.BACKUP)

    def _connected(self, welcome: m.Welcome) -> None:
        device = self.device
        if device.is_another(welcome):
            self._void("another device answers", tell_device=False)
            self._forget_device()
        elif self.refusal:
            self._forget_device()  # it may have been set right meanwhile
        device.greet(welcome)
        self._asking.under_way.clear()  # nothing that was sent will be answered
        if not device.is_met:
            self._asking.ask(m.GetInfo())
            self._asking.ask(m.ListGames())
        self._asking.ask(m.GetStatus())

    def _forget_device(self) -> None:
        self.device.forget()
        self._loaded = None
        self._start_again()
        self.round.deck = None
        self.refusal = ""
        self._poll_at = None
        self._asking.forget()
        self.wants = Want.DEVICE

    def _refuse(self, why: str) -> None:
        """Nothing can be played on this device until it comes back or another one does."""
        self._void(f"the device can't be played: {why}", tell_device=True)
        self.round.deck = None
        self.refusal = why
        self._poll_at = None
        self._asking.forget()
        welcome = self.device.welcome
        self.round.entries.append(DeviceRefused("" if welcome is None else welcome.serial, why))
        self._call(Want.ANOTHER)

    def _answer(self, command: m.Message, reply: m.Message, now: int) -> None:
        self._asking.under_way.discard(type(command))
        if self.refusal:
            return
        try:
            match reply:
                case m.Done():
                    return
                case m.Status():
                    self._status(reply, now)
                case m.Info():
                    self.device.introduce(reply)
                case m.Games():
                    self.device.choose(reply)
                case m.Error(code=code, text=text):
                    self._refused(command, code, text, now)
                case m.FateTold():
                    self._poll(now)  # whatever became of it: the status says where the machine is
        except Unfit as why:
            self._refuse(str(why))

    def _refused(self, command: m.Message, code: ErrorCode, text: str, now: int) -> None:
        """A refusal within a round ends it, as the deal can't go on; elsewhere the status says what to do."""
        match command:
            case m.BeginRound() | m.DealGroup() | m.CloseDecisions() if self.round.is_open:
                if code is ErrorCode.FORGOTTEN:
                    self._void(f"nobody can say what became of {type(command).__name__}: {text}", tell_device=True)
                elif code not in (ErrorCode.FAULTED, ErrorCode.EVENTS_FULL):
                    self._void(f"the device refused {type(command).__name__}: {text}", tell_device=True)
                elif isinstance(command, m.BeginRound):
                    self._void(f"the device has a fault: {text}", tell_device=False)
            case m.GetInfo() | m.ListGames():
                raise Unfit(f"it does not answer {type(command).__name__}: {text}")
            case m.SelectGame(game=game) if code not in PASSING_REFUSALS:
                raise Unfit(f"it would not be set to game {game}: {text}")
            case m.Shuffle(nonce=nonce):
                self.device.refused_shuffle(nonce)
        self._poll(now)

    # ------------------------------------------------------------------------------------------------------- its status

    def _status(self, status: m.Status, now: int) -> None:
        """Between rounds: the next thing to ask for; in a round: only whether the machine can go on."""
        self.device.heard(status)
        if status.fault is not FaultState.CLEAR:
            self._call(Want.BACKUP if self._faults >= FAULTS_BEFORE_BACKUP else Want.ATTENTION)
            if status.fault_code is FaultCode.CLOCK_LOST:
                self._asking.ask(m.SetTime(unix_ms=self._calendar()))
            self._not_ready(now)
        elif self.round.awaits_meter or self.round.is_paid:
            self._progress()
            self._poll(now)
        elif self.round.is_open:
            self._rejoin(status, now)
        elif not self.device.is_met or not can_prepare(status):
            self._not_ready(now)
        else:
            self._prepare(status, now)

    def _rejoin(self, status: m.Status, now: int) -> None:
        """A round is open in the books: is it open in the machine?"""
        deck = self.round.deck
        assert deck is not None
        if deck.is_complete:
            self._progress()
            return
        lost = self.round.rejoin(status)
        if lost is not None:
            self._void(lost, tell_device=True)
            return
        if self.wants in (Want.ATTENTION, Want.BACKUP):
            self.wants = Want.DEVICE
        self._progress()
        if self.round.is_open and self.wants is Want.DEVICE:
            self._poll(now)

    def _prepare(self, status: m.Status, now: int) -> None:
        """No round is open in the books: bring a fresh, checked deck into play."""
        self._next_number()
        try:
            ready = self._is_ready(status)
        except Lie as lie:
            self._lied(lie, now)
            ready = False
        if ready:
            self._no_deck_since = None
            self.wants = Want.WAGERS
        else:
            self._not_ready(now)

    def _is_ready(self, status: m.Status) -> bool:
        """Whether wagers can be taken; if not, the next command is asked for."""
        game = self.device.game
        assert game is not None
        if self._loaded is not None and status.deal is DealState.READY:
            loaded, self._loaded = self._loaded, None
            self.round.take_deck(self.device.loaded(loaded, status))
        deck = self.round.deck
        fresh = deck is not None and not deck.round and status.shuffle == deck.shuffled.shuffle
        if fresh and status.deal is DealState.READY and status.round_state is RoundState.NO_ROUND:
            return True
        command = next_command(status, game.game, self._nonce)
        if isinstance(command, m.Shuffle):
            self._shuffle(command)
        elif command is not None:
            self._asking.ask(command)
        return False

    def _shuffle(self, command: m.Shuffle) -> None:
        """Have the deck shuffled; the nonce is remembered, since the commitment must be made under it."""
        if self._asking.ask(command):
            self.device.nonces.append(command.nonce)

    def _nonce(self) -> bytes:
        return self._chance(16)

    def _next_number(self) -> int:
        """The device's number for the next round; raises Unfit where there is none."""
        return self.device.next_round(self.device_rounds.get(self.device.store, 0))

    def _not_ready(self, now: int) -> None:
        """No deck yet: ask again in a moment; after too long a time the backup is wanted."""
        if self._no_deck_since is None:
            self._no_deck_since = now
        elif now - self._no_deck_since > self._timeouts.stuck_us:
            self._call(Want.BACKUP)
        if self.wants is Want.WAGERS:
            self.wants = Want.DEVICE
        self._poll(now)

    def _poll(self, now: int) -> None:
        """Ask for the status in a moment, unless that is to happen anyway."""
        if self._poll_at is None:
            self._poll_at = now + self._timeouts.poll_us

    # --------------------------------------------------------------------------------------------------------- events

    def _event(self, event: m.Event, now: int) -> None:
        handler = _ON_EVENT.get(type(event))
        self._quiet_since = None
        if handler is None or self.refusal:
            return
        try:
            if not event.number:
                check_number(event)
            handler(self, event, now)
        except Lie as lie:
            self._lied(lie, now)
        except RoundEngineError as problem:
            self._void(f"the engine refused: {problem}", tell_device=True)

    def _lied(self, lie: Lie, now: int) -> None:
        """What the device said can't be: nothing is paid on it."""
        if self.round.is_open:
            self._void(str(lie), tell_device=True)
        else:
            self.round.deck = None
            self.round.entries.append(DeckRefused(str(lie)))
            self._poll(now)
        self._fault()

    def _deck_loaded(self, event: m.DeckLoaded, now: int) -> None:
        """Cards were taken in: they are shuffled, or dealt in their order where the device is a shoe."""
        if not self.device.is_met:
            self._poll(now)
        elif self.device.is_shoe:
            self._loaded = event
            self._asking.ask(m.GetInfo())  # it says whether these cards are rigged
            self._asking.ask(m.GetStatus())
        else:
            self._shuffle(m.Shuffle(nonce=self._nonce()))

    def _shuffled(self, event: m.ShuffleCompleted, now: int) -> None:
        """A deck is shuffled: from here on every word about it is checked."""
        if self.round.is_open:
            raise Lie("shuffle: a deck was shuffled while another one is dealt from")
        if not self.device.is_met:
            self._poll(now)
            return
        self.round.deck = None
        if (deck := self.device.shuffled(event)) is not None:
            self.round.take_deck(deck)
        self._asking.ask(m.GetStatus())

    def _group_ready(self, event: m.GroupReady, now: int) -> None:  # noqa: ARG002
        """A group lies in the tray: checked, and nothing follows from it before it is taken."""
        if self.round.is_open and self.round.deck is not None:
            self.round.deck.ready(event)

    def _group_removed(self, event: m.GroupRemoved, now: int) -> None:  # noqa: ARG002
        if self.round.is_open:
            self.round.group_removed(event)
            if self.round.deck is not None and self.round.deck.all_dealt:
                self._progress()

    def _exposed(self, event: m.CardExposed, now: int) -> None:  # noqa: ARG002
        """A card was seen that should not have been."""
        if self.round.is_open:
            self.round.expose(event.seat)
            self._progress()

    def _disclosed(self, event: m.HandDisclosed, now: int) -> None:  # noqa: ARG002
        if self.round.is_open:
            self.round.disclosed(event)
            self._progress()

    def _stub_removed(self, event: m.StubRemoved, now: int) -> None:
        """The rest of the deck was taken."""
        if not self.round.is_open:
            self.round.deck = None
            self._look(event, now)
        else:
            if self.round.deck is not None:
                self.round.deck.stub_removed(event)
            self._progress()

    def _fault_raised(self, event: m.FaultRaised, now: int) -> None:
        self._fault()
        self._look(event, now)

    def _look(self, event: m.Event, now: int) -> None:  # noqa: ARG002
        self._asking.ask(m.GetStatus())
        self._poll(now)

    def _misdealt(self, event: m.Misdealt, now: int) -> None:
        deck = self.round.deck
        if self.round.is_open and deck is not None and event.round == deck.round:
            self._void(f"the device called a misdeal: {event.reason.name} at group {event.group}", tell_device=False)
        self._poll(now)

    def _powered_up(self, event: m.PoweredUp, now: int) -> None:
        self._asking.under_way.clear()  # nothing that was sent will be answered
        self._look(event, now)

    # ------------------------------------------------------------------------------------------------------ the round

    def _progress(self) -> None:
        """Do whatever the round now allows."""
        settled = self.round.settled
        wants = self.round.progress()
        if wants is Want.FACES:
            self._call(wants)
        elif wants is not None:
            self.wants = wants
        elif self.round.settled > settled:
            self._settled()

    def _settled(self) -> None:
        self._start_again()
        self._next_deck()

    def _void(self, reason: str, *, tell_device: bool) -> None:
        """The device is the reason; a round whose cards are all known does not depend on it any more."""
        if self.round.is_open and not self.round.awaits_meter and not self.round.is_paid:
            self.round.give_up(reason, tell_device=tell_device)
            self._next_deck()

    def _next_deck(self) -> None:
        self.round.deck = None
        self.wants = Want.DEVICE
        self._asking.ask(m.GetStatus())

    # ------------------------------------------------------------------------------------------------ calls for people

    def _call(self, want: Want) -> None:
        """A person must come."""
        self.wants = want
        self._calls.append(Call(want))

    def _fault(self) -> None:
        """Something is wrong with the machine; after some of it without a settled round the backup is wanted."""
        self._faults += 1
        if self._faults >= FAULTS_BEFORE_BACKUP:  # however fast each of them is cleared
            self._call(Want.BACKUP)

    def _start_again(self) -> None:
        """A round was settled, or another device comes: what was wrong before does not count any more."""
        self._faults = 0
        self._no_deck_since = None


_ON_EVENT: dict[type[m.Event], Callable[[TableCore, Any, int], None]] = {
    m.DeckLoaded: TableCore._deck_loaded,
    m.ShuffleCompleted: TableCore._shuffled,
    m.GroupReady: TableCore._group_ready,
    m.GroupRemoved: TableCore._group_removed,
    m.CardExposed: TableCore._exposed,
    m.HandDisclosed: TableCore._disclosed,
    m.StubRemoved: TableCore._stub_removed,
    m.FaultRaised: TableCore._fault_raised,
    m.FaultCleared: TableCore._look,
    m.Misdealt: TableCore._misdealt,
    m.PoweredUp: TableCore._powered_up,
}
