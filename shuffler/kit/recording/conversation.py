"""What was said in a recording: sessions, messages in the order of each session, and how each session ended. Pure.

Frames that the line spoiled, doubled or brought out of order are put right as the ends themselves would. Frames of a
secure session whose keys are not in the recording stay opaque.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from protocol.catalogue import Way
from protocol.codec import decode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import SEALED, Frame, Framer, pack_header
from protocol.link import HELLO, OUT_OF_ORDER, RESET, WELCOME
from protocol.messages import Event, Hello, Message, Reset, Welcome
from protocol.secure import KEY_BYTES, Seal
from protocol.stream import WINDOW, Stream
from shuffler.kit.recording.format import PieceKind, RecordedPiece, Recording

SESSIONS_KEPT = 64  # welcomed and perhaps still spoken in

WAYS = {PieceKind.HOST: Way.HOST, PieceKind.DEVICE: Way.DEVICE}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationStep:
    """One thing of the conversation; `number` counts the sound frames of the recording from 1."""

    number: int
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(ConversationStep):
    """A session was opened."""

    session: int
    hello: Hello
    welcome: Welcome


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRefused(ConversationStep):
    """The device would not open a session."""

    reset: Reset


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(ConversationStep):
    """A message in order."""

    way: Way
    message: Message
    request: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable(ConversationStep):
    """A frame in order whose body makes no sense."""

    way: Way
    frame: Frame
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque(ConversationStep):
    """A sealed frame whose session's keys are not known."""

    way: Way
    frame: Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(ConversationStep):
    """One end ended the session."""

    way: Way
    reset: Reset


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled(ConversationStep):
    """The cable was pulled; it has the number of the frame before."""


class _Session:
    """One session's two streams, and its seals where its keys are known."""

    def __init__(self, number: int, hello: Hello, welcome: Welcome) -> None:
        self.number, self.hello, self.welcome = number, hello, welcome
        self.opened = False
        window = max(1, min(WINDOW, welcome.window))
        self.streams = {Way.HOST: Stream(window), Way.DEVICE: Stream(window)}
        self.seals: dict[Way, Seal] = {}

    def unlock(self, keys: bytes) -> None:
        host, device = keys[:KEY_BYTES], keys[KEY_BYTES:]
        self.seals = {Way.HOST: Seal(send=device, receive=host), Way.DEVICE: Seal(send=host, receive=device)}

    def clear(self, way: Way, frame: Frame) -> Frame | None:
        """The frame with its body in clear; None where it can't be opened."""
        if not frame.flags & SEALED:
            return frame
        if way not in self.seals:
            return None
        body = self.seals[way].open(pack_header(*frame[1:7], version=frame.version), frame.body)
        return None if body is None else frame._replace(body=body)


class _Listener:
    def __init__(self) -> None:
        self._framers = {Way.HOST: Framer(), Way.DEVICE: Framer()}
        self._number = 0
        self._hellos: dict[bytes, Hello] = {}
        self._sessions: dict[int, _Session] = {}
        self._keys: dict[int, bytes] = {}

    def take(self, piece: RecordedPiece) -> Iterator[ConversationStep]:
        match piece.kind:
            case PieceKind.PULLED:
                self._framers = {Way.HOST: Framer(), Way.DEVICE: Framer()}
                yield Pulled(number=self._number, at_us=piece.at_us)
            case PieceKind.KEYS:
                number = int.from_bytes(piece.data[:4], "little")
                self._keys[number] = piece.data[4:]
                if number in self._sessions:
                    self._sessions[number].unlock(piece.data[4:])
            case PieceKind.HOST | PieceKind.DEVICE:
                way = WAYS[piece.kind]
                for frame in self._framers[way].feed(piece.data):
                    self._number += 1
                    yield from self._heard(way, frame, piece.at_us)

    def _heard(self, way: Way, frame: Frame, at_us: int) -> Iterator[ConversationStep]:
        session = self._sessions.get(frame.session)
        if frame.message in (HELLO, WELCOME) and frame.sequence == 0:
            self._greet(frame)
        elif session is None or (frame.message == RESET and frame.session == 0):
            if frame.message == RESET and frame.session == 0 and isinstance(reset := _decoded(frame), Reset):
                yield SessionRefused(number=self._number, at_us=at_us, reset=reset)
        else:
            if way is Way.HOST and not session.opened:
                session.opened = True
                yield Opened(
                    number=self._number, at_us=at_us, session=session.number, hello=session.hello,
                    welcome=session.welcome,
                )  # fmt: skip
            yield from self._in_session(session, way, frame, at_us)

    def _greet(self, frame: Frame) -> None:
        message, new = _decoded(frame), frame.session not in self._sessions
        if isinstance(message, Hello):
            self._hellos[message.nonce] = message
        elif isinstance(message, Welcome) and message.host_nonce in self._hellos and new:
            session = _Session(frame.session, self._hellos[message.host_nonce], message)
            self._sessions[frame.session] = session
            if frame.session in self._keys:
                session.unlock(self._keys[frame.session])
        for kept in (self._hellos, self._sessions):
            while len(kept) > SESSIONS_KEPT:
                del kept[next(iter(kept))]  # type: ignore[arg-type]

    def _in_session(self, session: _Session, way: Way, sealed: Frame, at_us: int) -> Iterator[ConversationStep]:
        frame = session.clear(way, sealed)
        if frame is None:
            if sealed.message not in OUT_OF_ORDER:
                yield Opaque(number=self._number, at_us=at_us, way=way, frame=sealed)
            return
        if frame.sequence == 0:
            if frame.message == RESET and isinstance(reset := _decoded(frame), Reset):
                del self._sessions[session.number]
                yield Ended(number=self._number, at_us=at_us, way=way, reset=reset)
            return
        for ready in session.streams[way].accept(frame._replace(acknowledge=0), at_us):
            try:
                message = decode_body(ready.message, ready.body)
            except RemoteProtocolError as error:
                yield Unreadable(number=self._number, at_us=at_us, way=way, frame=ready, why=str(error))
            else:
                yield Said(number=self._number, at_us=at_us, way=way, message=message, request=ready.request)


def _decoded(frame: Frame) -> Message | None:
    try:
        return decode_body(frame.message, frame.body)
    except RemoteProtocolError:
        return None


def conversation(recording: Recording) -> tuple[ConversationStep, ...]:
    """Everything that was said, in the order in which it passed."""
    return heard(recording.pieces)


def heard(pieces: Sequence[RecordedPiece]) -> tuple[ConversationStep, ...]:
    """The same of pieces."""
    listener = _Listener()
    return tuple(step for piece in pieces for step in listener.take(piece))


def said_once(steps: Sequence[ConversationStep]) -> tuple[ConversationStep, ...]:
    """Without what was said again word for word after a lost line: events, commands, answers."""
    kept: list[ConversationStep] = []
    told: dict[int, Message] = {}
    asked: dict[tuple[Way, int], Message] = {}
    epoch, instance = -1, b""
    for step in steps:
        if isinstance(step, Opened):
            if step.welcome.epoch != epoch:
                epoch, told = step.welcome.epoch, {}
            if step.hello.instance != instance:
                instance, asked = step.hello.instance, {}
        elif isinstance(step, Said):
            message = step.message
            if isinstance(message, Event) and message.number:
                if told.setdefault(message.number, message) is not message and told[message.number] == message:
                    continue
            elif step.request:
                key = step.way, step.request
                if asked.setdefault(key, message) is not message and asked[key] == message:
                    continue
        kept.append(step)
    return tuple(kept)
