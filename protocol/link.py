"""The common part of both ends of a link: frames in, frames out, one session with stream, seal and heartbeat.

`HostLink` and `DeviceLink` add the handshake, each from its side. Pure: bytes and `now` (microseconds) in, bytes and
link events out. Usage: `receive` bytes, `tick` when `next_deadline` has come, then `data_to_send`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from protocol.codec import decode_body, encode_body, encoded, number_of
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.framing import (
    HELLO_VERSION,
    KNOWN_FLAGS,
    MUST_UNDERSTAND,
    SEALED,
    VERSION,
    Frame,
    Framer,
    pack_header,
    plain_frame,
    wrap,
)
from protocol.limits import MAX_BODY
from protocol.messages import Ack, Heartbeat, Hello, Message, Reset, Welcome
from protocol.secure import Seal
from protocol.stream import QUEUE_LIMIT, Stream
from protocol.vocabulary import ResetReason

HEARTBEAT_MS = 1000
SILENT_INTERVALS = 3
HANDSHAKE_BYTES = 150  # approximately: a hello and a welcome, or a welcome and a heartbeat
HELLO = Hello.entry.number
WELCOME = Welcome.entry.number
RESET = Reset.entry.number
ACK = Ack.entry.number
HEARTBEAT = Heartbeat.entry.number
NOT_UNDERSTOOD = MUST_UNDERSTAND & ~KNOWN_FLAGS  # flags that this version does not know but must understand
GREETINGS = frozenset({HELLO, WELCOME, RESET})
OUT_OF_ORDER = frozenset({ACK, HEARTBEAT})


@dataclass(frozen=True, slots=True)
class Received:
    """A received message. `request` identifies the command that a reply answers; it is 0 for events."""

    message: Message
    request: int


@dataclass(frozen=True, slots=True)
class Undecodable:
    """A valid frame whose body can't be decoded. The device answers it with an error."""

    error: RemoteProtocolError
    request: int


@dataclass(frozen=True, slots=True)
class LinkUp:
    """A session is open; `hello` on the device's side, `welcome` on the host's."""

    session: int
    hello: Hello | None
    welcome: Welcome | None


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The session ended, or a hello was refused. Unacknowledged messages may or may not have arrived."""

    reason: ResetReason
    text: str
    refused: bool = False


LinkEvent = Received | Undecodable | LinkUp | LinkDown


@dataclass(slots=True)
class LinkCounters:
    """Valid frames that were dropped. The framer counts noise."""

    other_session: int = 0
    not_understood: int = 0
    not_sealed: int = 0
    bad_seal: int = 0


@dataclass(slots=True)
class Session:
    """One open (or, on the device, half-open) session."""

    number: int
    stream: Stream
    seal: Seal | None
    heartbeat_us: int
    heard_us: int
    sent_us: int
    max_body: int = MAX_BODY


class Link(ABC):
    """Base of the host's and the device's link."""

    def __init__(self) -> None:
        self.framer = Framer()
        self.counters = LinkCounters()
        self.session: Session | None = None
        self._out: list[bytes] = []
        self._hello_at: int | None = None  # when a host says hello again

    @property
    def is_up(self) -> bool:
        """Whether messages can be sent."""
        return self.session is not None

    @property
    def max_body(self) -> int:
        """The longest body of the open session."""
        return MAX_BODY if self.session is None else self.session.max_body

    @property
    def room(self) -> int:
        """The number of messages that can still be queued; 0 while the link is down."""
        if self.session is None:
            return 0
        stream = self.session.stream
        return QUEUE_LIMIT - len(stream.queue) - len(stream.flight)

    def send(self, message: Message, request: int = 0) -> None:
        """Queue a message for reliable, ordered delivery within the open session; raises QueueFull."""
        if self.session is None:
            raise LocalProtocolError("send() needs an open session")
        number, body = encoded(message)
        self.session.stream.send(number, request, body)

    def send_encoded(self, number: int, body: bytes, request: int = 0) -> None:
        """Queue a message that is already encoded."""
        if self.session is None:
            raise LocalProtocolError("send_encoded() needs an open session")
        self.session.stream.send(number, request, body)

    def data_to_send(self, now: int) -> bytes:
        """Return all bytes to send now."""
        session = self.session
        if session is not None:
            stream = session.stream
            due = stream.ack_due_us
            if stream.queue or stream.resend or stream.ack_now or (due is not None and now >= due):
                self._drain(session, now)
        if not self._out:
            return b""
        data = b"".join(self._out)
        self._out.clear()
        return data

    # ------------------------------------------------------------------------------------------- for the two sides

    def _drain(self, session: Session, now: int) -> None:
        """Queue the stream's due frames for sending."""
        number, seal = session.number, session.seal
        for flags, message, sequence, acknowledge, request, body in session.stream.drain(now, ACK):
            if seal is None:
                self._out.append(plain_frame(flags, message, number, sequence, acknowledge, request, body))
            else:
                header = pack_header(flags | SEALED, message, number, sequence, acknowledge, request)
                self._out.append(wrap(header, seal.seal(header, body)))
            session.sent_us = now

    def _send_plain(self, message: Message, session: int = 0) -> None:
        """Send a frame outside any session: hello, welcome, a refusing reset."""
        header = pack_header(0, number_of(message), session, 0, 0, 0, version=HELLO_VERSION)
        self._out.append(wrap(header, encode_body(message)))

    def _send_loose(self, session: Session, message: Message, now: int) -> None:
        """Send an unordered frame of the session: heartbeat, reset."""
        flags = SEALED if session.seal is not None else 0
        header = pack_header(flags, number_of(message), session.number, 0, session.stream.acknowledge_with(), 0)
        body = encode_body(message)
        self._out.append(wrap(header, body if session.seal is None else session.seal.seal(header, body)))
        session.sent_us = now

    def receive(self, data: bytes, now: int) -> list[LinkEvent]:
        """Handle received bytes; return what happened."""
        events: list[LinkEvent] = []
        for frame in self.framer.feed(data):
            if (frame.version != VERSION or frame.flags & NOT_UNDERSTOOD) and not self._understood(frame):
                continue
            session = self.session
            if session is not None and frame.session == session.number:
                unsealed = frame if session.seal is None and not frame.flags else self._unsealed(session, frame)
                if unsealed is not None:
                    self._accept(session, unsealed, now, events)
            else:
                self._other(frame, now, events)
        return events

    @abstractmethod
    def _other(self, frame: Frame, now: int, events: list[LinkEvent]) -> None:
        """Handle a frame that does not belong to the session: a handshake, or another session's."""

    def _understood(self, frame: Frame) -> bool:
        version = HELLO_VERSION if frame.message in GREETINGS and frame.sequence == 0 else VERSION
        if frame.version not in (VERSION, version) or frame.flags & NOT_UNDERSTOOD:
            self.counters.not_understood += 1
            return False
        return True

    def _unsealed(self, session: Session, frame: Frame) -> Frame | None:
        """Return the frame with its body decrypted, or None if the seal is invalid."""
        if session.seal is None:
            if frame.flags & SEALED:
                self.counters.not_understood += 1
                return None
            return frame
        if not frame.flags & SEALED:
            self.counters.not_sealed += 1
            return None
        header = pack_header(*frame[1:7], version=frame.version)
        body = session.seal.open(header, frame.body)
        if body is None:
            self.counters.bad_seal += 1
            return None
        return frame._replace(body=body)

    def _accept(self, session: Session, frame: Frame, now: int, events: list[LinkEvent]) -> None:
        """Handle a decrypted frame of the open session."""
        session.heard_us = now
        if frame.sequence == 0:
            self._accept_loose(session, frame, now, events)
            return
        for ready in session.stream.accept(frame, now):
            try:
                message = decode_body(ready.message, ready.body)
            except RemoteProtocolError as error:
                events.append(Undecodable(error, ready.request))
            else:
                events.append(Received(message, ready.request))

    def _accept_loose(self, session: Session, frame: Frame, now: int, events: list[LinkEvent]) -> None:
        """Handle an unordered frame."""
        if frame.message == RESET:
            self._take_reset(frame, events)
        elif frame.message not in OUT_OF_ORDER:
            self._stray(frame, events)
        else:
            early = int.from_bytes(frame.body, "little") if frame.message == ACK and len(frame.body) == 2 else 0
            session.stream.accept(frame, now, early)

    def _stray(self, frame: Frame, events: list[LinkEvent]) -> None:  # noqa: ARG002
        """Drop an unordered frame whose message must be ordered."""
        self.counters.not_understood += 1

    def _take_reset(self, frame: Frame, events: list[LinkEvent]) -> None:
        try:
            reset = decode_body(RESET, frame.body)
        except RemoteProtocolError:
            self.counters.not_understood += 1
            return
        assert isinstance(reset, Reset)
        self.session = None
        events.append(LinkDown(reset.reason, reset.text))

    def _tick_session(self, session: Session, now: int, heartbeat: Heartbeat) -> LinkDown | None:
        """Handle due heartbeats, retransmissions and silence."""
        session.stream.tick(now)
        silent = now - session.heard_us >= SILENT_INTERVALS * session.heartbeat_us
        if session.stream.spent:
            self._send_loose(session, Reset(reason=ResetReason.OUT_OF_NUMBERS, text=""), now)
            self.session = None
            return LinkDown(ResetReason.OUT_OF_NUMBERS, "the session's sequence numbers are used up")
        if silent or session.stream.dead:
            self.session = None
            return LinkDown(ResetReason.PEER_SILENT, "the peer has not been heard")
        if now - session.sent_us >= session.heartbeat_us:
            self._send_loose(session, heartbeat, now)
        return None

    def next_deadline(self) -> int | None:
        """Return when to call `tick`."""
        session = self.session
        if session is None:
            return self._hello_at
        beat = session.sent_us + session.heartbeat_us
        silent = session.heard_us + SILENT_INTERVALS * session.heartbeat_us
        due = beat if beat < silent else silent
        stream = session.stream
        if stream.ack_now or stream.resend:
            return 0
        if stream.ack_due_us is not None and stream.ack_due_us < due:
            due = stream.ack_due_us
        return due if stream.retransmit_at is None or due < stream.retransmit_at else stream.retransmit_at
