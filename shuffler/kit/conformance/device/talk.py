"""The suite's end of a session with a device: a simple, patient host (P-1 to P-5) that can also say what no host may.

It sends again until a frame is acknowledged, keeps early frames, acknowledges at once, and keeps all it has seen.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from protocol import messages as m
from protocol.catalogue import BY_NUMBER, fingerprint
from protocol.codec import decode_body, encode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import HELLO_VERSION, RETRANSMITTED, SEALED, VERSION, Frame, Framer, pack_header, wrap
from protocol.limits import MAX_BODY
from protocol.link import ACK, HEARTBEAT, HELLO, RESET, WELCOME
from protocol.secure import Chance, Ephemeral, Seal, derive, is_proof, transcript
from protocol.vocabulary import Capability, ResetReason
from shuffler.kit.conformance.spoiling import wrong_check
from shuffler.kit.conformance.verdict import Failed, NotSeen
from shuffler.kit.conformance.wire import Wire

AGAIN_US = 300_000  # P-5
SLICE_US = 100_000
HELLO_TRIES = 40
SETTLED_US = 250_000  # longer than a line holds anything back
MOST_SETTLING = 100
PATIENCE_US = 15_000_000  # for an answer, over any line
QUIET_US = 700_000  # in which what must not come would have come

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Arrival:
    """A sound frame from the device, with its body in clear."""

    at: int
    frame: Frame
    sealed: bool

    @property
    def message(self) -> m.Message | None:
        """The body as a message; None where it can't be read."""
        try:
            return decode_body(self.frame.message, self.frame.body)
        except RemoteProtocolError:
            return None


@dataclass(slots=True)
class FrameLine:
    """The wire with frames on it, and what came over all sessions."""

    wire: Wire
    framer: Framer = field(default_factory=Framer)
    raw: bytearray = field(default_factory=bytearray)
    unsettled: bool = False  # an answer that names nobody may still be under way

    def settle(self) -> None:
        """Throw away what is under way until the line has been quiet for a while."""
        for _ in range(MOST_SETTLING):
            before = len(self.raw)
            self.take(SETTLED_US)
            if len(self.raw) == before:
                break
        self.unsettled = False

    def put(self, frame: bytes) -> None:
        """Bytes to the device."""
        self.wire.write(frame)

    def take(self, wait_us: int) -> list[Frame]:
        """Sound frames that came, waiting so long for the first."""
        data = self.wire.read(wait_us)
        self.raw += data
        return self.framer.feed(data)


@dataclass(frozen=True, slots=True)
class Greeted:
    """What became of a hello: the frame that answered it."""

    hello: m.Hello
    frame: Frame
    answer: m.Welcome | m.Reset


def hello_of(chance: Chance, *, ephemeral: bytes = b"", secure: bool = False) -> m.Hello:
    """A hello like any host's, of a new instance."""
    return m.Hello(
        version_min=VERSION, version_max=VERSION, must=Capability.SECURE if secure else Capability(0),
        may=Capability.EVENT_REPLAY | Capability.COMMITMENTS, window=16, max_body=MAX_BODY, fingerprint=fingerprint(),
        instance=chance(16), next_request=1, nonce=chance(16), ephemeral=ephemeral,
    )  # fmt: skip


def greet(
    line: FrameLine, hello: m.Hello, *, version: int = HELLO_VERSION, tries: int = HELLO_TRIES, any_nonce: bool = False
) -> Greeted | None:
    """Say hello until it is answered; None where nobody does. A refusal does not say which hello it is for."""
    if line.unsettled:
        line.settle()
    said = wrap(pack_header(0, HELLO, 0, 0, 0, 0, version=version), encode_body(hello))
    for _ in range(tries):
        line.put(said)
        end = line.wire.now() + AGAIN_US
        while (left := end - line.wire.now()) > 0:
            for frame in line.take(left):
                answer = _answer(frame)
                if isinstance(answer, m.Welcome) and (answer.host_nonce == hello.nonce or any_nonce):
                    return Greeted(hello, frame, answer)
                if isinstance(answer, m.Reset) and frame.session == 0:
                    line.unsettled = True
                    return Greeted(hello, frame, answer)
    return None


def _answer(frame: Frame) -> m.Message | None:
    if frame.message not in (WELCOME, RESET):
        return None
    try:
        return decode_body(frame.message, frame.body)
    except RemoteProtocolError:
        return None


class Unacknowledged(NamedTuple):
    """A frame under way, to be sent again."""

    number: int
    request: int
    body: bytes
    flags: int


class Talk:
    """One session that the device has welcomed."""

    def __init__(self, line: FrameLine, greeted: Greeted, seal: Seal | None = None) -> None:
        assert isinstance(greeted.answer, m.Welcome)
        self.line = line
        self.hello = greeted.hello
        self.welcome = greeted.answer
        self.number = greeted.frame.session
        self.seal = seal
        self.acknowledges = True  # False: the link's acknowledgements are held back
        self.silent = False  # not even a heartbeat
        self.arrivals: list[Arrival] = []  # of this session, in the order they came, copies too
        self.in_order: list[Arrival] = []
        self.ended: m.Reset | None = None
        self.sent = 0
        self.peer_has = 0
        self.expected = 1
        self.next_request = self.hello.next_request
        self._early: dict[int, Arrival] = {}
        self._flight: dict[int, Unacknowledged] = {}
        self._again_at = 0
        self._beat_at = line.wire.now()
        self._beat()

    # ------------------------------------------------------------------------------------------------------ sending

    def frame(
        self, number: int, body: bytes, *, sequence: int = 0, request: int = 0, flags: int = 0,
        version: int = VERSION, session: int | None = None, acknowledge: int | None = None, sealed: bool = True,
    ) -> bytes:  # fmt: skip
        """A frame as bytes, with any field changed."""
        session = self.number if session is None else session
        acknowledge = (self.expected - 1 if self.acknowledges else 0) if acknowledge is None else acknowledge
        if self.seal is None or not sealed:
            return wrap(pack_header(flags, number, session, sequence, acknowledge, request, version=version), body)
        header = pack_header(flags | SEALED, number, session, sequence, acknowledge, request, version=version)
        return wrap(header, self.seal.seal(header, body))

    def spoilt(self, number: int, body: bytes, *, sequence: int, request: int) -> bytes:
        """A frame whose check is wrong in more bits than a bad line flips back."""
        return wrong_check(self.frame(number, body, sequence=sequence, request=request))

    def message(self, message: m.Message, *, sequence: int = 0, request: int = 0, flags: int = 0) -> bytes:
        """A message as a frame's bytes."""
        number = message.entry.number
        return self.frame(number, encode_body(message), sequence=sequence, request=request, flags=flags)

    def post(self, message: m.Message, request: int = 0) -> int:
        """Send a message in order, and again until it is acknowledged; gives its sequence number."""
        return self.post_raw(message.entry.number, encode_body(message), request)

    def post_raw(
        self, number: int, body: bytes, request: int = 0, *, flags: int = 0, before: bytes = b"", behind: bytes = b""
    ) -> int:
        """The same for any number, body and flags, with any bytes around it."""
        self.sent += 1
        self._flight[self.sent] = Unacknowledged(number, request, body, flags)
        self.line.put(before + self.frame(number, body, sequence=self.sent, request=request, flags=flags) + behind)
        self._again_at = self.line.wire.now() + AGAIN_US
        return self.sent

    def new_request(self) -> int:
        """An id that was not used before."""
        self.next_request += 1
        return self.next_request - 1

    # ---------------------------------------------------------------------------------------------------- receiving

    def until(self, found: Callable[[], T | None], wait_us: int = PATIENCE_US) -> T | None:
        """What `found` gives once it gives something; None where the time is over first."""
        end = self.line.wire.now() + wait_us
        while (value := found()) is None and self.line.wire.now() < end:
            self.step(end - self.line.wire.now())
        return value

    def step(self, wait_us: int) -> None:
        """Read once, keep the session alive, send again what is not acknowledged."""
        for frame in self.line.take(min(wait_us, SLICE_US)):
            if frame.session == self.number:
                self._take(frame)
        now = self.line.wire.now()
        if self._flight and now >= self._again_at and self.ended is None:
            self._again_at = now + AGAIN_US
            for sequence, sent in list(self._flight.items())[:2]:
                flags = sent.flags | RETRANSMITTED
                self.line.put(self.frame(sent.number, sent.body, sequence=sequence, request=sent.request, flags=flags))
        if now >= self._beat_at and not self.silent and self.ended is None:
            self._beat()

    def quiet(self, wait_us: int = QUIET_US) -> None:
        """Let time pass and take what comes."""
        self.until(lambda: None, wait_us)

    def _beat(self) -> None:
        self._beat_at = self.line.wire.now() + (self.welcome.heartbeat_ms or 1000) * 600
        beat = m.Heartbeat(uptime_ms=self.line.wire.now() // 1000, last_event=0)
        self.line.put(self.frame(HEARTBEAT, encode_body(beat)))

    def _take(self, frame: Frame) -> None:
        sealed = bool(frame.flags & SEALED)
        if self.seal is not None and sealed:
            body = self.seal.open(pack_header(*frame[1:7], version=frame.version), frame.body)
            if body is None:
                return  # a copy, or damaged on purpose
            frame = frame._replace(body=body)
        arrival = Arrival(self.line.wire.now(), frame, sealed)
        if frame.message == WELCOME:
            return
        self.arrivals.append(arrival)
        if frame.message == RESET:
            reset = arrival.message
            if isinstance(reset, m.Reset) and (sealed or self.seal is None):
                self.ended = reset
            return
        if frame.acknowledge > self.peer_has:
            self.peer_has = frame.acknowledge
            for sequence in [one for one in self._flight if one <= self.peer_has]:
                del self._flight[sequence]
        if frame.sequence == 0:
            return
        if frame.sequence >= self.expected:
            self._early[frame.sequence] = arrival
        while (ready := self._early.pop(self.expected, None)) is not None:
            self.in_order.append(ready)
            self.expected += 1
        if self.acknowledges:
            bits = sum(1 << one - self.expected - 1 for one in self._early if one > self.expected)
            self.line.put(self.frame(ACK, (bits & 0xFFFF).to_bytes(2, "little")))

    # ------------------------------------------------------------------------------------------------ conversations

    def reply(self, request: int, wait_us: int = PATIENCE_US) -> Arrival | None:
        """The first answer to a command."""
        return self.until(
            lambda: next((one for one in self.in_order if one.frame.request == request and request), None), wait_us
        )

    def ask(self, command: m.Message, request: int | None = None) -> m.Message:
        """Send a command and give its answer; raises NotSeen where none comes."""
        request = self.new_request() if request is None else request
        before = len(self.in_order)
        self.post(command, request)
        found = self.until(lambda: next((one for one in self.in_order[before:] if one.frame.request == request), None))
        if found is None:
            why = f": {self.ended.reason.name} {self.ended.text}" if self.ended is not None else ""
            raise NotSeen(f"{type(command).__name__} got no answer{why}")
        answer = found.message
        if answer is None:
            raise Failed(f"the answer to {type(command).__name__} can't be read: {found.frame.body.hex(' ')}")
        return answer

    def still_answers(self, after: str) -> None:
        """Raise Failed where the session did not outlive something."""
        try:
            if isinstance(self.ask(m.GetInfo()), m.Info):
                return
        except NotSeen as problem:
            raise Failed(f"after {after} a sound question is not answered: {problem}") from None
        raise Failed(f"after {after} GetInfo is not answered with Info")

    def events(self) -> list[m.Event]:
        """Events that have come so far, in order."""
        return [one for arrival in self.in_order if isinstance(one := arrival.message, m.Event)]

    def close(self) -> None:
        """End the session."""
        if self.ended is None:
            self.line.put(self.frame(RESET, encode_body(m.Reset(reason=ResetReason.CLOSED, text="checked"))))
            self.quiet(50_000)


def secured(line: FrameLine, key: bytes, chance: Chance, hello: m.Hello) -> tuple[Greeted | None, Seal | None]:
    """The handshake with a key: the answer, and the seal where the device has proved that it holds the key."""
    ephemeral = Ephemeral(chance)
    hello = replace(hello, must=hello.must | Capability.SECURE, ephemeral=ephemeral.public)
    greeted = greet(line, hello)
    if greeted is None or not isinstance(greeted.answer, m.Welcome):
        return greeted, None
    shared = ephemeral.shared(greeted.answer.ephemeral)
    if shared is None:
        return greeted, None
    keys = derive(key, shared, transcript(greeted.hello, greeted.answer, greeted.frame.session))
    if not is_proof(keys, greeted.answer.proof):
        return greeted, None
    return greeted, Seal(send=keys.host, receive=keys.device)


def named(frame: Frame) -> str:
    """A frame for people."""
    entry = BY_NUMBER.get(frame.message)
    return entry.name if entry is not None else f"message 0x{frame.message:02x}"
