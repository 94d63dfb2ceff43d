"""The device as one thing with a cable: link, command memory, event queue and firmware joined. No I/O, no clock.

Each step (a command, a tick) changes the store in one transaction; replies and events leave only after it is committed.
Link time is the cable's; `clock` says what the machine's is.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from firmware_sim.program.authority import Authority
from firmware_sim.program.command_memory import REFUSALS, CommandMemory, New, Repeat
from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.faults import BY_CODE
from firmware_sim.program.nvstore import NvStore
from firmware_sim.unit.clock import MachineClock
from protocol import messages as m
from protocol.catalogue import CatalogueEntry, Chapter, Way
from protocol.codec import encode_body
from protocol.device_link import DeviceLink, Identity
from protocol.errors import QueueFull
from protocol.limits import COMMAND_MEMORY, MAX_BODY
from protocol.link import LinkDown, LinkEvent, LinkUp, Received, Undecodable
from protocol.secure import Chance
from protocol.vocabulary import ErrorCode, FaultCode, ResetReason, Role

ROOM_FOR_REPLIES = 64
HELD_REPLIES = 64
RETRY_US = 1_000_000  # between two tries to write a memory that could not be written
NO_MEMORY = m.Error(code=ErrorCode.FAULTED, text=f"MEMORY_FULL: {BY_CODE[FaultCode.MEMORY_FULL].cure}"[:120])
DESK = frozenset({m.AskFate, m.AskChallenge, m.ProveRole, m.DropRole})  # answered here, not by the firmware


class FirmwareLike(Protocol):
    """What the device needs of a firmware; `firmware_sim.program.firmware.Firmware` is the real one."""

    def drain(self) -> tuple[m.Event, ...]:
        """The events since the last call that nobody stores."""

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:
        """Carry out a command or refuse it."""

    def tick(self, now_us: int) -> None:
        """Do what is due."""

    def next_deadline(self) -> int | None:
        """When it wants `tick` next."""

    def memory_failed(self, now_us: int) -> None:
        """The memory can't be written; there is no `tick` until it can."""

    def memory_returned(self, now_us: int) -> None:
        """The memory was written again."""


class Device:
    """One emulated device from power-up to power-down; its store outlives it."""

    def __init__(
        self,
        *,
        firmware: FirmwareLike,
        store: NvStore,
        events: EventQueue,
        serial: str,
        boots: int,
        chance: Chance,
        key: bytes | None = None,
        role_keys: Mapping[Role, bytes] | None = None,
        now: int = 0,
        clock: MachineClock | None = None,
    ) -> None:
        self.firmware = firmware
        self._passing: list[m.Event] = []
        self.store = store
        self.events = events
        self.serial = serial
        self.boots = boots
        self._clock = clock if clock is not None else MachineClock(0)
        self.commands = CommandMemory(store)
        if store.get("unsound") is not None:
            self.commands.doubt()
        self.link = DeviceLink(identity=self._identity, chance=chance, key=key)
        self.authority = Authority(serial=serial, keys=role_keys or {}, store=store, chance=chance, now_us=now)
        self._instance = b""
        self._sent_event = 0
        self._retry_at: int | None = None  # the memory can't be written: nothing may leave or happen till then
        self._lasting_event = 0
        self._held: list[tuple[m.Message, int]] = []  # replies to what has not lasted yet
        self._commit(now)

    # ---------------------------------------------------------------------------------------------------- the cable

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes from the line."""
        for event in self.link.receive(data, now):
            self._handle(event, now)
        self._pump(now)

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""
        return self.link.data_to_send(now)

    def pull_cable(self) -> None:
        """The cable is out; the machine goes on."""
        self.link.lose_cable()
        self.authority.new_session()

    @property
    def has_session(self) -> bool:
        """Whether a host talks to it."""
        return self.link.is_up

    def yields_to(self, hello: m.Hello, *, young: bool) -> bool:
        """Whether its cable may be taken by another that brings this hello."""
        return self.link.yields_to(hello, young=young)

    def power_off(self, now: int) -> bytes:
        """Say goodbye; the last bytes for the line."""
        self.link.end(ResetReason.POWERING_OFF, "switched off", now)
        return self.link.data_to_send(now)

    # --------------------------------------------------------------------------------------------------------- time

    def machine_time(self, now: int) -> int:
        """The firmware's time for a time of the link."""
        return self._clock.at(now)

    def tick(self, now: int) -> None:
        """Let time pass for link and machine."""
        if self._retry_at is not None and self._retry_at <= now:
            self._commit(now)
        last = self.events.served.last if self._retry_at is None else self._lasting_event
        for event in self.link.tick(now, last):
            self._handle(event, now)
        due = self.firmware.next_deadline()
        if due is not None and self._retry_at is None and due <= (machine_now := self._clock.at(now)):
            self.firmware.tick(machine_now)
            self._commit(now)
        self._pump(now)

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called, in link time."""
        link = self.link.next_deadline()
        if self._retry_at is not None:
            return self._retry_at if link is None else min(link, self._retry_at)
        machine = self.firmware.next_deadline()
        if machine is None:
            return link
        due = self._clock.due(machine)
        return link if due is None else due if link is None else min(link, due)

    # ----------------------------------------------------------------------------------------------------- messages

    def _identity(self, hello: m.Hello) -> Identity:
        served = self.events.served
        return Identity(
            serial=self.serial,
            epoch=served.epoch,
            boots=self.boots,
            last_event=self._last_event(),
            acknowledged_event=served.acknowledged,
            command_memory=COMMAND_MEMORY,
            known_instance=self.commands.knows(hello.instance),
        )

    def _handle(self, event: LinkEvent, now: int) -> None:
        if isinstance(event, Received):
            self._take(event.message, event.request, now)
            return
        match event:
            case Undecodable(error, request):
                code = ErrorCode.MALFORMED if type(error).__name__ == "Malformed" else ErrorCode.UNKNOWN_MESSAGE
                self._reply(m.Error(code=code, text=str(error)[:120]), request)
            case LinkUp(_, hello, _):
                assert hello is not None
                self._instance = hello.instance
                self.commands.admit(hello.instance, hello.next_request)
                self._held.clear()
                self._commit(now)
                self.authority.new_session()
                self._sent_event = self.events.served.acknowledged
            case LinkDown():
                self.authority.new_session()

    def _take(self, message: m.Message, request: int, now: int) -> None:
        entry = message.entry
        if isinstance(message, m.AckEvents):
            served = self.events.served
            if not self.events.acknowledge(message.upto):
                text = f"there is no event {message.upto} yet; the newest is {served.last}"
                self._reply(m.Error(code=ErrorCode.OUT_OF_RANGE, text=text), request)
            self._commit(now)
            if self.events.served is not served:
                self.link.end(ResetReason.CLOSED, "a new epoch of events begins: say hello again", now)
            return
        if entry.way is not Way.HOST or entry.chapter is Chapter.LINK:
            self._reply(m.Error(code=ErrorCode.UNKNOWN_MESSAGE, text=f"{entry.name} is not a command"), request)
            return
        if entry.effect and request == 0:
            self._reply(m.Error(code=ErrorCode.MALFORMED, text=f"{entry.name} needs a request id"), request)
            return
        if self.link.session is not None and self.link.room <= 0:
            self.link.end(ResetReason.BUSY, "replies are not being acknowledged", now)
            return
        reply = self._answer(entry, message, request, now)
        if self._retry_at is None or not (entry.effect or isinstance(message, m.AskFate)) or _is_refused(reply):
            self._reply(reply, request)
        elif len(self._held) < HELD_REPLIES:
            self._held.append((reply, request))

    def _answer(self, entry: CatalogueEntry, message: m.Message, request: int, now: int) -> m.Message:
        """The reply, committed where it had an effect."""
        if entry.effect:
            verdict = self.commands.look_up(self._instance, request, message)
            if isinstance(verdict, Repeat):
                return verdict.reply
            if not isinstance(verdict, New):
                code, text = REFUSALS[type(verdict)]
                return m.Error(code=code, text=text.format(request))
            if self._retry_at is not None:
                return NO_MEMORY  # not carried out and not remembered
        reply = self._execute(entry, message, now)
        if entry.effect:
            self.commands.remember(self._instance, request, message, reply)
        self._commit(now)
        return reply

    def _commit(self, now: int) -> None:
        """Let the step last; where it can't, the machine stands and nothing leaves until it can."""
        if self._retry_at is not None and self._retry_at > now:
            return
        was_full = self._retry_at is not None
        try:
            self.store.commit()
        except OSError:
            self._retry_at = now + RETRY_US
            if not was_full:
                self.firmware.memory_failed(self.machine_time(now))
            return
        self._lasting_event = self.events.served.last
        if was_full:
            self._retry_at = None
            self.firmware.memory_returned(self.machine_time(now))
            held, self._held = self._held, []
            for reply, request in held:
                self._reply(reply, request)

    def _last_event(self) -> int:
        return self.events.served.last if self._retry_at is None else self._lasting_event

    def _execute(self, entry: CatalogueEntry, message: m.Message, now: int) -> m.Message:
        machine_now = self._clock.at(now)
        if not self.authority.may(entry.roles):
            names = " or ".join(role.name.lower() for role in entry.roles)
            text = f"{entry.name} needs the role {names}: ask for a challenge and prove it"
            return m.Error(code=ErrorCode.NOT_AUTHORISED, text=text)
        if type(message) not in DESK:
            return self.firmware.execute(message, self.authority.role, machine_now)
        match message:
            case m.AskFate(command=command):
                return self.commands.fate(self._instance, command)
            case m.AskChallenge(role=role):
                return self.authority.challenge(role, now)
            case m.ProveRole(role=role, proof=proof):
                assert self.link.session is not None
                return self.authority.prove(role, proof, self.link.session.number, now)
        self.authority.new_session()
        return m.Done()

    def _reply(self, message: m.Message, request: int) -> None:
        session = self.link.session
        if session is not None:
            fitting = message if session.max_body == MAX_BODY else self._fitting(message)
            try:  # noqa: SIM105 - a context manager costs two calls a reply
                self.link.send(fitting, request)
            except QueueFull:
                pass  # the host asks again

    def _fitting(self, reply: m.Message) -> m.Message:
        """The reply, or as much of it as the session takes: a small host reads a log in shorter pages."""
        longest = self.link.max_body
        while (length := len(encode_body(reply))) > longest:
            if not isinstance(reply, m.LogPage) or not reply.lines:
                text = f"the reply takes {length} bytes, this session {longest}: say hello with a larger max_body"
                return m.Error(code=ErrorCode.TOO_LONG, text=text)
            reply = replace(reply, lines=reply.lines[:-1])
        return reply

    def _pump(self, now: int) -> None:
        """Hand events that last to the link as its queue has room; with the memory full, those from before."""
        link, passing = self.link, self._passing
        if drained := self.firmware.drain():
            passing += drained
        is_down = link.session is None
        if passing and (is_down or self._retry_at is not None):
            passing.clear()
        last = self.events.served.last if self._retry_at is None else self._lasting_event
        if is_down or (self._sent_event >= last and not passing):
            return
        room = link.room - ROOM_FOR_REPLIES
        while passing and room > 0:
            link.send(passing.pop(0))
            room -= 1
        for number, code, body in self.events.served.encoded_after(self._sent_event):
            if number > last or room <= 0:
                break
            if len(body) > link.max_body:
                text = f"event {number} takes {len(body)} bytes, this session {link.max_body}: it stays here"
                link.end(ResetReason.TOO_LONG, text, now)
                self.authority.new_session()
                break
            link.send_encoded(code, body)
            room -= 1
            self._sent_event = number


def _is_refused(reply: m.Message) -> bool:
    """Whether a command was refused without a trace: such a reply need not last."""
    return reply is NO_MEMORY or (isinstance(reply, m.Error) and reply.code in _TRACELESS)


_TRACELESS = frozenset(code for code, _ in REFUSALS.values())
