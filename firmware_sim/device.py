"""The device as one thing with a cable: link, command memory, event queue and firmware joined. No I/O, no clock.

Each step (a command, a tick) changes the store in one transaction; replies and events leave only after it is committed.
Link time is the cable's; the machine's time is 0 at `origin` of it and runs `speed` times as fast.
"""

from collections.abc import Mapping
from typing import Protocol

from firmware_sim.authority import Authority
from firmware_sim.commands import MEMORY, CommandMemory, New, Repeat
from firmware_sim.events import EventQueue
from firmware_sim.nvstore import NvStore
from protocol import messages as m
from protocol.catalogue import BY_BODY, Entry, Group, Way
from protocol.device_link import DeviceLink, Identity
from protocol.link import LinkDown, LinkEvent, LinkUp, Received, Undecodable
from protocol.secure import Chance
from protocol.vocabulary import ErrorCode, ResetReason, Role

ROOM_FOR_REPLIES = 64
DESK = frozenset({m.AskFate, m.AskChallenge, m.ProveRole, m.DropRole})  # answered here, not by the firmware


class FirmwareLike(Protocol):
    """What the device needs of a firmware; `firmware_sim.firmware.Firmware` is the real one."""

    passing: list[m.Event]

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:
        """Carry out a command or refuse it."""

    def tick(self, now_us: int) -> None:
        """Do what is due."""

    def next_deadline(self) -> int | None:
        """When it wants `tick` next."""


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
        origin: int = 0,
        speed: float = 1.0,
    ) -> None:
        self.firmware = firmware
        self.store = store
        self.events = events
        self.serial = serial
        self.boots = boots
        self._speed = speed
        self._origin = origin
        self.commands = CommandMemory(store)
        self.link = DeviceLink(identity=self._identity, chance=chance, key=key)
        self.authority = Authority(
            serial=serial, keys=role_keys or {}, store=store, chance=chance, now_us=self.machine_time(now)
        )
        self._instance = b""
        self._sent_event = 0
        store.commit()

    # ---------------------------------------------------------------------------------------------------- the cable

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes from the line."""
        for event in self.link.receive(data, now):
            self._handle(event, now)
        self._pump()

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""
        return self.link.data_to_send(now)

    def pull_cable(self) -> None:
        """The cable is out; the machine goes on."""
        self.link.lose_cable()
        self.authority.new_session()

    def power_off(self, now: int) -> bytes:
        """Say goodbye; the last bytes for the line."""
        self.link.end(ResetReason.POWERING_OFF, "switched off", now)
        return self.link.data_to_send(now)

    # --------------------------------------------------------------------------------------------------------- time

    def machine_time(self, now: int) -> int:
        """The firmware's time for a time of the link."""
        since = now - self._origin
        return since if self._speed == 1.0 else int(since * self._speed)

    def move_origin(self, origin: int) -> None:
        """From now on the machine's time counts from here: the control plane has turned its clock."""
        self._origin = origin

    def tick(self, now: int) -> None:
        """Let time pass for link and machine."""
        for event in self.link.tick(now, self.events.last):
            self._handle(event, now)
        due = self.firmware.next_deadline()
        machine_now = self.machine_time(now)
        if due is not None and due <= machine_now:
            self.firmware.tick(machine_now)
            self.store.commit()
        self._pump()

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called, in link time."""
        link = self.link.next_deadline()
        machine = self.firmware.next_deadline()
        if machine is None:
            return link
        due = self._origin + (machine if self._speed == 1.0 else int(machine / self._speed) + 1)
        return due if link is None else min(link, due)

    # ----------------------------------------------------------------------------------------------------- messages

    def _identity(self, hello: m.Hello) -> Identity:
        return Identity(
            serial=self.serial,
            epoch=self.events.epoch,
            boots=self.boots,
            last_event=self.events.last,
            acknowledged_event=self.events.acknowledged,
            command_memory=MEMORY,
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
                self.store.commit()
                self.authority.new_session()
                self._sent_event = self.events.acknowledged
            case LinkDown():
                self.authority.new_session()

    def _take(self, message: m.Message, request: int, now: int) -> None:
        entry = BY_BODY[type(message)]
        if isinstance(message, m.AckEvents):
            if not self.events.acknowledge(message.upto):
                text = f"there is no event {message.upto} yet; the newest is {self.events.last}"
                self._reply(m.Error(code=ErrorCode.OUT_OF_RANGE, text=text), request)
            self.store.commit()
            return
        if entry.way is not Way.HOST or entry.group is Group.LINK:
            self._reply(m.Error(code=ErrorCode.UNKNOWN_MESSAGE, text=f"{entry.name} is not a command"), request)
            return
        if entry.effect and request == 0:
            self._reply(m.Error(code=ErrorCode.MALFORMED, text=f"{entry.name} needs a request id"), request)
            return
        if self.link.is_up and self.link.room <= 0:
            self.link.end(ResetReason.BUSY, "replies are not being acknowledged", now)
            return
        self._reply(self._answer(entry, message, request, now), request)

    def _answer(self, entry: Entry, message: m.Message, request: int, now: int) -> m.Message:
        """The reply, committed where it had an effect."""
        if entry.effect:
            verdict = self.commands.look_up(self._instance, request)
            if isinstance(verdict, Repeat):
                return verdict.reply
            if not isinstance(verdict, New):
                text = f"request {request} was not executed and never will be"
                return m.Error(code=ErrorCode.STALE_REQUEST, text=text)
        reply = self._execute(entry, message, now)
        if entry.effect:
            self.commands.remember(self._instance, request, reply)
        self.store.commit()
        return reply

    def _execute(self, entry: Entry, message: m.Message, now: int) -> m.Message:
        machine_now = self.machine_time(now)
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
                return self.authority.challenge(role, machine_now)
            case m.ProveRole(role=role, proof=proof):
                assert self.link.session is not None
                return self.authority.prove(role, proof, self.link.session.number, machine_now)
        self.authority.new_session()
        return m.Done()

    def _reply(self, message: m.Message, request: int) -> None:
        if self.link.room > 0:
            self.link.send(message, request)

    def _pump(self) -> None:
        """Hand committed events to the link as its queue has room."""
        link = self.link
        passing = self.firmware.passing
        if not link.is_up:
            passing.clear()
            return
        while passing and link.room > ROOM_FOR_REPLIES:
            link.send(passing.pop(0))
        if self._sent_event < self.events.last:
            for number, code, body in self.events.encoded_after(self._sent_event):
                if link.room <= ROOM_FOR_REPLIES:
                    break
                link.send_encoded(code, body)
                self._sent_event = number
