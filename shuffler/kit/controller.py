"""A controller in memory: the clients' own methods on the virtual clock. Times are virtual, so waiting costs nothing.

The device below it is `ControlledDevice`; `port` gives its line to somebody else's controller instead.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, TypeVar

from firmware_sim.ports.capture.device import CapturedDevice
from firmware_sim.unit.emulator import Emulator
from protocol import messages as m
from protocol.vocabulary import Role
from shuffler.errors import LinkLost, TimedOut, WrongReply, refusal
from shuffler.host.commands import answer
from shuffler.host.session import Answered, EventArrived, Happening, HostSession
from shuffler.host.store import MemoryStore
from shuffler.kit.dealing import deal_round
from shuffler.kit.memory import MemoryDevice
from shuffler.kit.memory_port import MemoryPort
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.transcript import Transcript
from shuffler.virtual.bench import BadCable, VirtualBench

TIMEOUT_S = 60.0
EVENTS_KEPT = 100_000

Reply = TypeVar("Reply", bound=m.Message)


class MemoryClient:
    """A device as a table controller sees it; the same calls as `shuffler.Client`."""

    def __init__(self, bench: VirtualBench, step: Callable[[int], None]) -> None:
        self.seen: deque[m.Event] = deque(maxlen=EVENTS_KEPT)  # every event that came, in order
        self.answers: dict[int, m.Message] = {}
        self._events: deque[m.Event] = deque(maxlen=EVENTS_KEPT)
        self._bench = bench
        self._step = step

    @property
    def session(self) -> HostSession:
        """The session core below this client."""
        return self._bench.host

    @property
    def connected(self) -> bool:
        """Whether the device answers at the moment."""
        return self.session.is_up

    def take(self, happenings: list[Happening]) -> None:
        """What has come of a step."""
        for happening in happenings:
            match happening:
                case EventArrived(event):
                    self.seen.append(event)
                    self._events.append(event)
                case Answered(request, _, reply):
                    self.answers[request] = reply

    # ----------------------------------------------------------------------------------------------------- commands

    def call(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> Any:
        """Send a command and give its reply; raises Refused, FateForgotten, or TimedOut with its request id."""
        reply = self.wait(self.submit(command), timeout_s)
        if isinstance(reply, m.Error):
            raise refusal(reply.code, reply.text)
        return reply

    def ask(self, command: m.Message, reply_type: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """`call` for type checkers: the reply is known to be of this type."""
        reply = self.call(command, timeout_s)
        if not isinstance(reply, reply_type):
            raise WrongReply(command, reply)
        return reply

    def submit(self, command: m.Message) -> int:
        """Send a command without waiting for its answer; returns the request id for `wait`."""
        request = self.session.submit(command)
        self.take(self._bench.exchange())
        return request

    def wait(self, request: int, timeout_s: float = TIMEOUT_S) -> m.Message:
        """The answer to an earlier command; raises TimedOut, after which `wait` may be called again."""
        if not self._run(lambda: request in self.answers, timeout_s):
            why = "" if self.connected else ": the device does not answer"
            raise TimedOut(f"no answer in {timeout_s:g} s of virtual time{why}", request)
        return self.answers.pop(request)

    def prove_role(self, role: Role, secret: str) -> None:
        """Take a role for this session by answering the device's challenge."""
        challenge = self.ask(m.AskChallenge(role=role), m.Challenge)
        session, welcome = self.session.link.session, self.session.link.welcome
        if session is None or welcome is None:
            raise LinkLost("the session was lost while proving the role: try again")
        self.call(answer(challenge, secret, serial=welcome.serial, session=session.number, role=role))

    # ------------------------------------------------------------------------------------------------------- events

    def next_event(self, timeout_s: float = TIMEOUT_S) -> m.Event | None:
        """The next event in order, or None where none came in time."""
        return self._events.popleft() if self._run(lambda: bool(self._events), timeout_s) else None

    def events(self, timeout_s: float = TIMEOUT_S) -> Iterator[m.Event]:
        """Events as they come, until none came for so long."""
        while (event := self.next_event(timeout_s)) is not None:
            yield event

    def wait_for(self, kind: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """The next event of a kind; those before it are passed over."""
        end = self._bench.now + int(timeout_s * 1_000_000)
        while (event := self.next_event(max(0, end - self._bench.now) / 1e6)) is not None:
            if isinstance(event, kind):
                return event
        raise TimedOut(f"no {kind.__name__} in {timeout_s:g} s of virtual time", 0)

    def _run(self, done: Callable[[], bool], timeout_s: float) -> bool:
        end = self._bench.now + int(timeout_s * 1_000_000)
        while not done():
            if self._bench.now >= end:
                return False
            self._step(end)
        return True


class ControlledDevice(MemoryDevice):
    """A device in memory with a controller, or a bare port, on its cable."""

    def __init__(
        self, settings: DeviceSettings, *, host: type[HostSession] = HostSession, cable: BadCable | None = None
    ) -> None:
        build = settings.build()
        transcript = Transcript(settings.serial, lambda: self.now_us)
        emulator = Emulator(build)
        super().__init__(settings, emulator, transcript, lambda: self)
        self._chance = Random(settings.seed or 0)
        self._store = MemoryStore(self._chance.randbytes(16))
        self._host = host
        line = CapturedDevice(emulator, transcript)
        self.bench: VirtualBench = VirtualBench(self._new_host(), line, cable, self._chance)
        self._port: MemoryPort | None = None
        self._client: MemoryClient | None = None

    @property
    def client(self) -> MemoryClient:
        """The controller; its cable is plugged in when it is first asked for."""
        return self._client if self._client is not None else self.plug_in()

    def plug_in(self) -> MemoryClient:
        """The kit's own controller takes the cable."""
        if self._port is not None:
            raise LinkLost("a port is open on this device: one cable at a time")
        self._client = MemoryClient(self.bench, self.pass_time)
        self.plug()
        return self._client

    def port(self, timeout: float | None = None) -> MemoryPort:
        """Its line as a serial port for somebody else's controller, with pyserial's own methods."""
        if self._client is not None:
            raise LinkLost("the kit's own controller is on this device: one cable at a time")
        self._port = MemoryPort(self.bench.device, lambda: self.bench.now, self._set_clock, timeout=timeout)
        return self._port

    def deal(self, seats: Sequence[int] = (1, 2, 3), *, limit_s: float = 300.0) -> dict[int, str]:
        return deal_round(self.client, seats, nonce=self._chance.randbytes(16), limit_s=limit_s)

    # -------------------------------------------------------------------------------------------------------- the world

    def pass_time(self, until_us: int) -> None:
        if self._port is not None:
            self._port.step(until_us)
            return
        self.happened(self.bench.step(until=self.until(until_us)))
        self.stepped()

    def happened(self, happenings: list[Happening]) -> None:
        if self._client is not None:
            self._client.take(happenings)

    def kill_host(self) -> None:
        """The controller dies with everything but its store; what was under way to it is lost."""
        self.bench.replace_host(self._new_host())

    def deliver_and_kill(self, command: m.Message) -> int:
        """The device gets a command, and its host dies before the answer is here; the request id."""
        request = self.client.session.submit(command)
        self.bench.device.receive(self.bench.host.data_to_send(self.bench.now), self.bench.now)
        self.kill_host()
        return request

    def _new_host(self) -> HostSession:
        return self._host(store=self._store, chance=self._chance.randbytes, key=self.settings.key)

    def _set_clock(self, now_us: int) -> None:
        self.bench.now = now_us
