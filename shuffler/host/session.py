"""The host's session core: commands with answers, events exactly once, over a link that comes and goes. No I/O.

Commands keep their request id until they are answered, also across sessions: after a reconnection they are sent again
under the same id, and the device answers a repeat with the first answer. Events are stored, then acknowledged.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from protocol import messages as m
from protocol.catalogue import fingerprint
from protocol.host_link import HostLink
from protocol.limits import EVENTS
from protocol.link import LinkDown, LinkEvent, LinkUp, Received, Undecodable
from protocol.secure import Chance
from protocol.vocabulary import ErrorCode, Fate, ResetReason
from shuffler.errors import LocalHostError
from shuffler.host.store import HostStore
from shuffler.timeouts import USUAL

OPEN_LIMIT = 32  # ids in use between the oldest open command and the newest; the device remembers twice as many
ACK_EVERY = 64  # a device keeps some hundreds
ROOM_FOR_ACK = 1


@dataclass(frozen=True, slots=True)
class Connected:
    """A session is open."""

    welcome: m.Welcome
    same_schema: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The session is lost; `refused` when the device would not open one."""

    reason: ResetReason
    text: str
    refused: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """A command has ended: `reply` is its answer, or an Error."""

    request: int
    command: m.Message
    reply: m.Message


@dataclass(frozen=True, slots=True)
class EventArrived:
    """An event of the device, once and in order; passing ones have number 0."""

    event: m.Event


@dataclass(frozen=True, slots=True)
class EventsMissing:
    """The device went on at a number that is not the next: this host's store is older than what it acknowledged."""

    expected: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetBack:
    """The device's memory is older than what this host has stored of it: it was copied back, or numbers run twice.

    The session is ended and tried again after a while; nothing is taken from such a memory.
    """

    serial: str
    epoch: int
    stored: int  # the newest event this host has of that epoch
    found: int  # the newest that the device has, or an event that it tells in another way than before

    @property
    def text(self) -> str:
        """For people."""
        return (
            f"the memory of {self.serial} was set back: event {self.stored} is stored here, the device is at"
            f" {self.found}; have its memory erased by service, or use another device"
        )


Happening = Connected | Disconnected | Answered | EventArrived | EventsMissing | SetBack


@mypyc_attr(allow_interpreted_subclasses=True)
class HostSession:
    """Bytes and time in, bytes and happenings out."""

    def __init__(
        self, *, store: HostStore, chance: Chance, key: bytes | None = None, acknowledges: bool = True
    ) -> None:
        """A host that keeps no events does not acknowledge any: those are another host's to store."""
        self.store = store
        self.acknowledges = acknowledges
        self.link = HostLink(instance=store.instance(), chance=chance, key=key)
        self._open: dict[int, m.Message] = store.open_commands()
        self._recovered = set(self._open)
        self._next = store.next_request()
        self._serial = ""
        self._epoch = 0
        self._newest = 0
        self._acknowledged = 0
        self._ack_at: int | None = None
        self._recent: dict[int, m.Event] = {}  # what a replay must repeat word for word
        self._hold_off_until = 0
        self._wants_hello = False
        self._awaited = 0  # the event that must have come before a command with an effect leaves; 0 where none is
        self._held: list[int] = []  # requests that wait for it

    @property
    def is_up(self) -> bool:
        """Whether the device answers."""
        return self.link.is_up

    @property
    def open_commands(self) -> int:
        """Commands that wait for their answer."""
        return len(self._open)

    @property
    def room_for_commands(self) -> int:
        """How many commands may be sent now."""
        room = OPEN_LIMIT - (self._next - next(iter(self._open), self._next))
        return max(0, min(room, self.link.room - ROOM_FOR_ACK) if self.link.session is not None else room)

    @property
    def can_submit(self) -> bool:
        """Whether another command may be sent now."""
        return self.room_for_commands > 0

    # ----------------------------------------------------------------------------------------------------- commands

    def submit(self, command: m.Message) -> int:
        """Send a command, now or when the device is back; returns its request id. Check `can_submit` first."""
        (request,) = self.submit_together((command,))
        return request

    def submit_together(self, commands: Sequence[m.Message]) -> list[int]:
        """The same for several commands, stored at one go before the first leaves; raises LocalHostError.

        Check `room_for_commands` first.
        """
        if len(commands) > self.room_for_commands:
            raise LocalHostError("too many commands wait for their answers: look at room_for_commands first")
        requests = []
        must_last = False
        for command in commands:
            request = self._next
            self._next = request + 1
            self._open[request] = command
            if command.entry.effect and self.store.save_command(request, command):
                must_last = True
            requests.append(request)
        if must_last:
            self.store.flush()
        if self.link.session is not None:
            if must_last:
                self._acknowledge()  # what has come before lasts too, so it costs no flush of its own
            for request in requests:
                if self._awaited:
                    self._send_or_hold(request)
                else:
                    self._send(request)
        return requests

    # ---------------------------------------------------------------------------------------------------- the cable

    def connect(self, now: int) -> None:
        """The cable is there: say hello, or a little later to a device whose memory was set back."""
        self._wants_hello = now < self._hold_off_until
        if not self._wants_hello:
            self.link.connect(now, self._next)

    def lose_cable(self) -> None:
        """The cable is gone."""
        self._wants_hello = False
        self.link.lose_cable()

    def close(self, now: int) -> None:
        """End the session in good order; commands still open stay so."""
        self._acknowledge()
        self.link.close(now)

    def receive(self, data: bytes, now: int) -> list[Happening]:
        """Take bytes from the line."""
        happenings: list[Happening] = []
        for event in self.link.receive(data, now):
            self._handle(event, now, happenings)
        if self._newest - self._acknowledged >= ACK_EVERY:
            self._acknowledge()
        return happenings

    def tick(self, now: int) -> list[Happening]:
        """Let time pass."""
        happenings: list[Happening] = []
        if self._wants_hello and now >= self._hold_off_until:
            self.connect(now)
        for event in self.link.tick(now):
            self._handle(event, now, happenings)
        if self._ack_at is not None and now >= self._ack_at:
            self._acknowledge()
        return happenings

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        due = self._hold_off_until if self._wants_hello else self.link.next_deadline()
        if self._ack_at is None:
            return due
        return self._ack_at if due is None else min(due, self._ack_at)

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""
        return self.link.data_to_send(now)

    # ------------------------------------------------------------------------------------------------------ inside

    def _handle(self, event: LinkEvent, now: int, happenings: list[Happening]) -> None:
        if isinstance(event, Received):
            if now < self._hold_off_until:
                return  # it came together with what gave the memory away
            if isinstance(event.message, m.Event):
                self._take_event(event.message, now, happenings)
            else:
                self._take_reply(event.message, event.request, happenings)
            return
        match event:
            case Undecodable(error, request):
                # A reply that this host can't read ends its command; an event that it can't read stays with the device.
                if request in self._open:
                    self._take_reply(m.Error(code=ErrorCode.MALFORMED, text=str(error)), request, happenings)
                elif self._awaited and not request:
                    self._release()
            case LinkUp(_, _, welcome):
                assert welcome is not None
                self._resume(welcome, now, happenings)
            case LinkDown(reason, text, refused):
                self._ack_at = None
                self._awaited, self._held = 0, []
                happenings.append(Disconnected(reason, text, refused))

    def _resume(self, welcome: m.Welcome, now: int, happenings: list[Happening]) -> None:
        """A session is open: say what is stored; what happened meanwhile comes before any command."""
        if (self._serial, self._epoch) != (welcome.serial, welcome.epoch):
            self._recent.clear()
        self._serial, self._epoch = welcome.serial, welcome.epoch
        self._newest = self.store.newest_event(welcome.serial, welcome.epoch)
        if welcome.last_event < self._newest:
            self._set_back(welcome.last_event, now, happenings)
            return
        self.link.stored_event = self._newest if self.acknowledges else 0
        self._acknowledged = min(welcome.acknowledged_event, self._newest)
        happenings.append(Connected(welcome, welcome.fingerprint == fingerprint()))
        if self._newest > self._acknowledged:
            self._ack_at = now + USUAL.ack_us  # not before the device has told its events again, to be compared
        is_told = welcome.last_event <= max(self._newest, welcome.acknowledged_event)
        self._awaited, self._held = 0 if is_told else welcome.last_event, []
        for request in self._open:
            self._send_or_hold(request)

    def _send_or_hold(self, request: int) -> None:
        """A question leaves at once; what has an effect, or may have had one, waits for the events before it."""
        if self._awaited and self._open[request].entry.effect:
            self._held.append(request)
        else:
            self._send(request)

    def _send(self, request: int) -> None:
        """Ask after a command of an earlier life; send any other, again where it was sent before."""
        recovered = request in self._recovered
        self.link.send(m.AskFate(command=request) if recovered else self._open[request], request)

    def _release(self) -> None:
        """Every event of the welcome has come."""
        held, self._awaited, self._held = self._held, 0, []
        for request in held:
            self._send(request)

    def _take_reply(self, reply: m.Message, request: int, happenings: list[Happening]) -> None:
        command = self._open.pop(request, None)
        if command is None:
            return
        self._recovered.discard(request)
        if command.entry.effect:
            self.store.settle_command(request, reply)
        happenings.append(Answered(request, command, reply))

    def _take_event(self, event: m.Event, now: int, happenings: list[Happening]) -> None:
        number = event.number
        if number == 0:
            happenings.append(EventArrived(event))
            return
        if number <= self._newest:
            if self._recent.get(number, event) != event:
                self._set_back(number, now, happenings)
            return
        if number != self._newest + 1:
            happenings.append(EventsMissing(self._newest + 1, number))
        if self.store.store_event(self._serial, self._epoch, event):
            happenings.append(EventArrived(event))
        self._recent[number] = event
        if len(self._recent) > EVENTS:
            del self._recent[next(iter(self._recent))]
        self._newest = number
        if self._ack_at is None:
            self._ack_at = now + USUAL.ack_us
        if self._awaited and number >= self._awaited:
            self._release()

    def _set_back(self, found: int, now: int, happenings: list[Happening]) -> None:
        """End the session: what this memory says can't be told from what is stored."""
        what = SetBack(serial=self._serial, epoch=self._epoch, stored=self._newest, found=found)
        self._ack_at = None
        self.link.close(now, ResetReason.SET_BACK, what.text)
        self._hold_off_until = now + USUAL.hold_off_us
        happenings.append(what)
        happenings.append(Disconnected(ResetReason.SET_BACK, what.text, refused=True))

    def _acknowledge(self) -> None:
        """Tell the device what is stored, once it lasts."""
        self._ack_at = None
        if self.acknowledges and self._newest > self._acknowledged and self.link.room > 0:
            self.store.flush()
            self.link.send(m.AckEvents(upto=self._newest))
            self._acknowledged = self._newest
            self.link.stored_event = self._newest


def fate_of(reply: m.Message) -> Fate:
    """What an answer says of its command; FORGOTTEN where nobody can say any more."""
    match reply:
        case m.FateTold(fate=fate):
            return fate
        case m.Error(code=code):
            return _FATE_OF_CODE.get(code, Fate.REFUSED)
    return Fate.DONE


_FATE_OF_CODE = {ErrorCode.STALE_REQUEST: Fate.NEVER_EXECUTED, ErrorCode.FORGOTTEN: Fate.FORGOTTEN}
