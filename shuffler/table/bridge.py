"""Device and round engine as one table. Pure: happenings and moves in, commands and book entries out.

Between rounds the bridge goes by the device's status, so that it finds its way from wherever a fault, a power cut or a
kill has left the machine; within a round it goes by events, each checked by `DeckWatch`. A round is settled only when
every group, the dealer's hand and the stub have been seen and checked; else it is void. A device that can't be played
at all (`KnownDevice` says so) is refused with a sentence.

Whoever drives it: take happenings, act on `wants`, write `entries` down durably, then submit `commands`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mypy_extensions import mypyc_attr

from protocol import messages as m
from protocol.vocabulary import ErrorCode, FaultCode, FaultState
from round_engine.errors import RoundEngineError
from round_engine.round.operations import BackOut, PressKey, VerifyWin
from round_engine.staff import Member
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.errors import LocalHostError
from shuffler.host.session import Answered, Connected, Disconnected, EventArrived, EventsMissing, Happening, SetBack
from shuffler.journal.entries import DeckRefused, DeviceRefused, DeviceSetBack, LineLost, Unplugged
from shuffler.table.asking import Asking
from shuffler.table.between_rounds import Preparing, can_prepare
from shuffler.table.booked_round import BookedRound
from shuffler.table.checks import DeckWatch, Lie, check_number
from shuffler.table.known_device import KnownDevice, Unfit
from shuffler.table.round_in_play import RoundInPlay
from shuffler.table.shared_meters import SharedMeters
from shuffler.table.wants import QUIET_US, Waiting, Want

PASSING_REFUSALS = (ErrorCode.NOT_NOW, ErrorCode.FAULTED, ErrorCode.EVENTS_FULL)


def store_name(serial: str, epoch: int) -> str:
    """A device's memory in the books."""
    return f"{serial}/{epoch:016x}"


@mypyc_attr(allow_interpreted_subclasses=True)
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
        seats: int = 1,
        calendar: Callable[[], int] = lambda: 0,
    ) -> None:
        """`device_rounds`: the last round number used on each device store, so that none is ever used twice.

        `seats`: the highest spot that is played. `calendar` gives the time of day in Unix milliseconds, for a device
        that has lost it.
        """
        self.table = table
        self.keys_by_people = False  # whether awards wait for `press`; else they are keyed as they fall due
        self.refusal = ""  # why the device can't be played
        self.device = KnownDevice(table.rules, seats)
        self.device_rounds: dict[str, int] = dict(device_rounds or {})
        self._round = BookedRound(
            table, dealer=dealer, supervisor=supervisor, prefix=round_prefix, last_round=last_round
        )
        self._asking = Asking()
        self._play = RoundInPlay(self._round, self._asking)
        self.entries = self._round.entries
        self.commands = self._asking.commands
        self._waiting = Waiting()
        self._preparing = Preparing(self.device, self._play, self._asking, chance)
        self._calendar = calendar
        self._set_back: DeviceSetBack | None = None  # noted once, however often the device is tried

    # ------------------------------------------------------------------------------------------------- for the driver

    @property
    def wants(self) -> Want:
        """What the driver is to provide."""
        return self._waiting.wants

    @property
    def calls(self) -> int:
        """How often somebody has been asked to come."""
        return self._waiting.calls

    @property
    def deck(self) -> DeckWatch | None:
        """The deck that is ready or dealt from, if it is known and checked."""
        return self._play.deck

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

    def must_show(self, spot: int) -> bool:
        """Whether the hand of a spot that has to decide is one of `to_show`."""
        return self._round.must_show(spot)

    @property
    def supervisor(self) -> str:
        """Who confirms awards at this table."""
        return self._round.supervisor

    @property
    def meters(self) -> SharedMeters | None:
        """The meters that the table shares with others."""
        return self._round.meters

    @meters.setter
    def meters(self, meters: SharedMeters | None) -> None:
        self._round.meters = meters

    def review_with(self, review: Callable[[], None]) -> None:
        """People look at every settled round before it is closed: they may `back_out` an award then."""
        self._round.review = review

    def back_out(self, move: BackOut) -> None:
        """An award of a settled round is undone; raises what the engine refuses, with nothing changed."""
        self._round.back_out(move)

    @property
    def awaits_meter(self) -> bool:
        """Whether a round has come to its settlement and waits for a shared meter: nothing can void it any more."""
        return self._round.awaits_meter

    def go_on(self) -> None:
        """Look whether the shared meter has answered."""
        if self.awaits_meter:
            self._progress()

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        due = (self._asking.poll_at, self._waiting.quiet_until())
        return min((at for at in due if at is not None), default=None)

    def tick(self, now: int) -> None:
        """Let time pass: ask the device how it is, where that is what the bridge waits for; end a round in silence."""
        self._asking.tick(now)
        if self._waiting.too_quiet(now, in_round=self.in_round):
            self._void(f"the device said nothing for {QUIET_US // 1_000_000} s", tell_device=True)
            self._waiting.call(Want.BACKUP)

    def open_round(self, wagers: tuple[SpotWagers, ...]) -> None:
        """Take wagers, lock them, and have the device deal; raises what the engine refuses, with nothing changed."""
        if self.wants is not Want.WAGERS or self.deck is None:
            raise LocalHostError(f"wagers are not wanted now: the bridge waits for {self.wants.name.lower()}")
        before, number = self.last_round, self._next_number()
        try:
            self._play.open(wagers, number)
        except RoundEngineError:
            if self.last_round > before:  # opened, and void since its wagers could not be locked
                self._next_deck()
            raise
        self.device.last_round = self.device_rounds[store_name(self.deck.serial, self.deck.epoch)] = number
        self._waiting.wants = Want.DEVICE

    def decide(self, spot: int, play: bool) -> None:
        """A player plays or folds."""
        self._round.decide(spot, play)
        self._progress()

    def press(self, operation: PressKey | VerifyWin) -> None:
        """A key of a keypad, or a verification; raises what the engine refuses, with nothing changed."""
        self._round.press(operation)
        self._progress()

    def change_staff(self, members: tuple[Member, ...], by: str) -> None:
        """Other people at the table, or other roles; raises what the engine refuses, with nothing changed."""
        self._round.change_staff(members, by)

    def award_ready(self) -> bool:
        """Whether people may key the award in turn; a shared meter's prize is asked for until its server fixed it."""
        return self._round.award_ready()

    def show(self, spot: int, cards: tuple[int, ...]) -> None:
        """An operator enters a hand of `to_show`; raises what the engine refuses, with nothing changed."""
        self._round.show(spot, cards)
        try:
            self._progress()
        except RoundEngineError:
            self._round.dealer_cards = []
            raise

    def misdeal(self, reason: str) -> None:
        """The table calls a misdeal."""
        if self.in_round:
            self._play.void(reason, tell_device=True)
            self._next_deck()

    def unplugged(self, why: str) -> None:
        """The device is taken away for good: a half-dealt round is void, never finished from a second deck."""
        if self.in_round:
            self._void(why, tell_device=False)
        self._forget_device()
        self._round.note(Unplugged(why))

    def device_silent(self) -> None:
        """The device has not been heard for too long: put the backup in its place."""
        self._waiting.call(Want.BACKUP)

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
                self._round.note(LineLost(reason.name))
            case EventsMissing(expected, found):
                if self.in_round:
                    self._void(f"events {expected} … {found - 1} were never seen", tell_device=True)
            case SetBack():
                self._device_set_back(happening)

    def _device_set_back(self, found: SetBack) -> None:
        """Its memory is older than the books: no word of it can be told from an old one, so it deals no more."""
        entry = DeviceSetBack(found.serial, found.epoch, found.stored, found.found)
        if entry == self._set_back:
            return
        self._set_back = entry
        if self.in_round:
            self._void(found.text, tell_device=False)
        self._forget_device()
        self._round.note(entry)
        self._waiting.call(Want.BACKUP)

    def _connected(self, welcome: m.Welcome) -> None:
        device = self.device
        if device.is_another(welcome):
            if self.in_round:
                self._void("another device answers", tell_device=False)
            self._forget_device()
        elif self.refusal:
            self._forget_device()  # it may have been set right meanwhile
        device.welcome = welcome
        self._asking.line_lost()
        if not device.is_met:
            self._asking.ask(m.GetInfo())
            self._asking.ask(m.ListGames())
        self._asking.ask(m.GetStatus())

    def _forget_device(self) -> None:
        self.device.forget()
        self._preparing.forget()
        self._waiting.start_again()
        self._play.deck = None
        self.refusal = ""
        self._asking.device_gone()
        self._waiting.wants = Want.DEVICE

    def _refuse(self, why: str) -> None:
        """Nothing can be played on this device until it comes back or another one does."""
        if self.in_round:
            self._void(f"the device can't be played: {why}", tell_device=True)
        self._play.deck = None
        self.refusal = why
        self._asking.device_gone()
        self._round.note(DeviceRefused(self.device.welcome.serial if self.device.welcome is not None else "", why))
        self._waiting.call(Want.ANOTHER)

    def _answer(self, command: m.Message, reply: m.Message, now: int) -> None:
        self._asking.answered(command)
        if self.refusal:
            return
        try:
            match reply:
                case m.Info():
                    self.device.introduce(reply)
                case m.Games():
                    self.device.choose(reply)
                case m.Status():
                    self._status(reply, now)
                case m.Error(code=code, text=text):
                    self._refused(command, code, text, now)
                case m.FateTold():
                    self._asking.poll(now)  # whatever became of it: the status says where the machine is
        except Unfit as why:
            self._refuse(str(why))

    def _refused(self, command: m.Message, code: ErrorCode, text: str, now: int) -> None:
        """A refusal within a round ends it, as the deal can't go on; elsewhere the status says what to do."""
        match command:
            case m.BeginRound() | m.DealGroup() | m.CloseDecisions() if self.in_round:
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
        self._asking.poll(now)

    def _status(self, status: m.Status, now: int) -> None:
        """Between rounds: the next thing to ask for; in a round: only whether the machine can go on."""
        self.device.heard(status)
        if status.fault is not FaultState.CLEAR:
            self._waiting.held_by_fault()
            if status.fault_code is FaultCode.CLOCK_LOST:
                self._asking.ask(m.SetTime(unix_ms=self._calendar()))
            self._wait(now)
        elif self.awaits_meter:
            self._progress()
            self._asking.poll(now)
        elif self.in_round:
            self._rejoin(status, now)
        elif not self.device.is_met or not can_prepare(status):
            self._wait(now)
        else:
            self._prepare(status, now)

    def _rejoin(self, status: m.Status, now: int) -> None:
        """A round is open in the books: is it open in the machine?"""
        assert self.deck is not None
        if self.deck.is_complete:
            self._progress()
            return
        lost = self._play.rejoin(status)
        if lost is not None:
            self._void(lost, tell_device=True)
            return
        if self.wants in (Want.ATTENTION, Want.BACKUP):
            self._waiting.wants = Want.DEVICE
        self._progress()
        if self.in_round and self.wants is Want.DEVICE:
            self._asking.poll(now)

    def _prepare(self, status: m.Status, now: int) -> None:
        """No round is open in the books: bring a fresh, checked deck into play."""
        self._next_number()
        try:
            ready = self._preparing.is_ready(status)
        except Lie as lie:
            self._lied(lie, now)
            ready = False
        if ready:
            self._waiting.ready()
        else:
            self._wait(now)

    def _next_number(self) -> int:
        """The device's number for the next round; raises Unfit where there is none."""
        welcome = self.device.welcome
        assert welcome is not None
        return self.device.next_round(self.device_rounds.get(store_name(welcome.serial, welcome.epoch), 0))

    def _wait(self, now: int) -> None:
        """Ask again in a moment."""
        self._waiting.not_ready(now)
        self._asking.poll(now)

    # --------------------------------------------------------------------------------------------------------- events

    def _event(self, event: m.Event, now: int) -> None:
        handler = _ON_EVENT.get(type(event))
        self._waiting.heard()
        if handler is None or self.refusal:
            return
        try:
            check_number(event)
            handler(self, event, now)
        except Lie as lie:
            self._lied(lie, now)
        except RoundEngineError as problem:
            self._void(f"the engine refused: {problem}", tell_device=True)

    def _lied(self, lie: Lie, now: int) -> None:
        """What the device said can't be: nothing is paid on it."""
        if self.in_round:
            self._void(str(lie), tell_device=True)
        else:
            self._play.deck = None
            self._round.note(DeckRefused(str(lie)))
            self._asking.poll(now)
        self._waiting.fault()

    def _deck_loaded(self, event: m.DeckLoaded, now: int) -> None:
        if self.device.is_met:
            self._preparing.deck_loaded(event)
        else:
            self._asking.poll(now)

    def _shuffled(self, event: m.ShuffleCompleted, now: int) -> None:
        if self.in_round:
            raise Lie("shuffle: a deck was shuffled while another one is dealt from")
        if self.device.is_met:
            self._preparing.shuffled(event)
        else:
            self._asking.poll(now)

    def _group_ready(self, event: m.GroupReady, now: int) -> None:  # noqa: ARG002
        """A group lies in the tray: checked, and nothing follows from it before it is taken."""
        if self.in_round:
            self._play.group_ready(event)

    def _dealt(self, event: m.Event, now: int) -> None:  # noqa: ARG002
        """An event of the round."""
        if self.in_round:
            _IN_ROUND[type(event)](self._play, event)
            self._progress()

    def _stub_removed(self, event: m.StubRemoved, now: int) -> None:
        if self.in_round:
            self._dealt(event, now)
        else:
            self._play.deck = None
            self._asking.ask(m.GetStatus())
            self._asking.poll(now)

    def _fault(self, event: m.FaultRaised, now: int) -> None:
        self._waiting.fault()
        self._look(event, now)

    def _look(self, event: m.Event, now: int) -> None:  # noqa: ARG002
        self._asking.ask(m.GetStatus())
        self._asking.poll(now)

    def _misdealt(self, event: m.Misdealt, now: int) -> None:
        if self.in_round and self.deck is not None and event.round == self.deck.round:
            self._void(f"the device called a misdeal: {event.reason.name} at group {event.group}", tell_device=False)
        self._asking.poll(now)

    def _powered_up(self, event: m.PoweredUp, now: int) -> None:
        self._asking.line_lost()
        self._look(event, now)

    # ------------------------------------------------------------------------------------------------------ the round

    def _progress(self) -> None:
        """Do whatever the round now allows."""
        settled = self._round.settled
        wants = self._play.progress(keys_by_people=self.keys_by_people)
        if wants is Want.FACES:
            self._waiting.call(wants)
        elif wants is not None:
            self._waiting.wants = wants
        elif self._round.settled > settled:
            self._waiting.start_again()
            self._next_deck()

    def _void(self, reason: str, *, tell_device: bool) -> None:
        """The device is the reason; a round whose cards are all known does not depend on it any more."""
        if self.awaits_meter:
            return
        self._play.void(reason, tell_device=tell_device)
        self._next_deck()

    def _next_deck(self) -> None:
        self._play.deck = None
        self._waiting.wants = Want.DEVICE
        self._asking.ask(m.GetStatus())


_ON_EVENT: dict[type[m.Event], Callable[[Bridge, Any, int], None]] = {
    m.DeckLoaded: Bridge._deck_loaded,
    m.ShuffleCompleted: Bridge._shuffled,
    m.GroupReady: Bridge._group_ready,
    m.GroupRemoved: Bridge._dealt,
    m.CardExposed: Bridge._dealt,
    m.HandDisclosed: Bridge._dealt,
    m.StubRemoved: Bridge._stub_removed,
    m.FaultRaised: Bridge._fault,
    m.FaultCleared: Bridge._look,
    m.Misdealt: Bridge._misdealt,
    m.PoweredUp: Bridge._powered_up,
}

_IN_ROUND: dict[type[m.Event], Callable[[RoundInPlay, Any], None]] = {
    m.GroupRemoved: RoundInPlay.group_removed,
    m.CardExposed: RoundInPlay.exposed,
    m.HandDisclosed: RoundInPlay.disclosed,
    m.StubRemoved: RoundInPlay.stub_removed,
}
