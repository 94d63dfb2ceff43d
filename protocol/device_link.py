"""The device's end of the link: answers hellos, and opens a session with the host's first frame in it.

A welcomed session stays half-open beside the one in use until its first frame arrives, so that an old hello, delayed or
replayed, ends nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from protocol.catalogue import BY_NUMBER, Chapter, Way, fingerprint
from protocol.codec import decode_body
from protocol.errors import Malformed, RemoteProtocolError
from protocol.framing import VERSION, Frame
from protocol.limits import MAX_BODY, MIN_BODY
from protocol.link import (
    HANDSHAKE_BYTES,
    HEARTBEAT_MS,
    HELLO,
    RESET,
    SILENT_INTERVALS,
    Link,
    LinkDown,
    LinkEvent,
    LinkUp,
    Session,
    Undecodable,
)
from protocol.messages import Heartbeat, Hello, Reset, Welcome
from protocol.secure import PUBLIC_BYTES, Chance, Ephemeral, Seal, derive, transcript
from protocol.stream import WINDOW, Stream
from protocol.vocabulary import Capability, ResetReason

CAPABILITIES = Capability.EVENT_REPLAY | Capability.COMMITMENTS
HALF_OPEN_LIMIT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The device's part of a welcome."""

    serial: str
    epoch: int
    boots: int
    last_event: int
    acknowledged_event: int
    command_memory: int
    known_instance: bool


@dataclass(frozen=True, slots=True)
class _HalfOpen:
    session: Session
    hello: Hello


class DeviceLink(Link):
    """`identity` is called for each hello. With a key set, only sealed sessions are opened."""

    def __init__(
        self,
        *,
        identity: Callable[[Hello], Identity],
        chance: Chance,
        key: bytes | None = None,
        heartbeat_ms: int = HEARTBEAT_MS,
    ) -> None:
        super().__init__()
        self._identity = identity
        self._chance = chance
        self._key = key
        self._heartbeat_ms = heartbeat_ms
        self._half_open: dict[int, _HalfOpen] = {}
        self._welcomes: dict[bytes, tuple[int, Welcome]] = {}

    def lose_cable(self) -> None:
        """Forget all sessions and any partial frame after the cable was pulled."""
        self.session = None
        self._half_open.clear()
        self._welcomes.clear()
        self._out.clear()
        self.framer = type(self.framer)()

    def yields_to(self, hello: Hello, *, young: bool) -> bool:
        """Whether a host on another cable may take over: no session is open, and its hello would be welcomed.

        A `young` cable, plugged in just now, keeps a handshake that is under way.
        """
        return self.session is None and self._refusal(hello) is None and not (young and self._half_open)

    def end(self, reason: ResetReason, text: str, now: int) -> None:
        """End the session."""
        if self.session is not None:
            self._drain(self.session, now)
            self._send_loose(self.session, Reset(reason=reason, text=text), now)
            self.session = None

    def _other(self, frame: Frame, now: int, events: list[LinkEvent]) -> None:
        if frame.message == HELLO and frame.session == 0:
            self._take_hello(frame, now)
        elif frame.session in self._half_open:
            self._open(frame, now, events)
        else:
            self._unknown_session(frame)

    def tick(self, now: int, last_event: int) -> list[LinkEvent]:
        """Handle due heartbeats, retransmissions and timeouts."""
        session = self.session
        if session is None:
            return []
        beat, again = session.heartbeat_us, session.stream.retransmit_at
        silent = now - session.heard_us >= SILENT_INTERVALS * beat
        if not silent and now - session.sent_us < beat and (again is None or now < again):
            return []
        down = self._tick_session(session, now, Heartbeat(uptime_ms=now // 1000, last_event=last_event))
        return [] if down is None else [down]

    def _stray(self, frame: Frame, events: list[LinkEvent]) -> None:
        """Answer an unordered command with an error; it is not executed."""
        super()._stray(frame, events)
        entry = BY_NUMBER.get(frame.message)
        if entry is not None and entry.way is Way.HOST and entry.chapter is not Chapter.LINK:
            text = f"{entry.name} came with sequence 0: a command needs its number in the order of the session"
            events.append(Undecodable(Malformed(text), frame.request))

    def _take_hello(self, frame: Frame, now: int) -> None:
        try:
            hello = decode_body(HELLO, frame.body)
        except RemoteProtocolError as error:
            return self._send_plain(Reset(reason=ResetReason.BAD_HELLO, text=str(error)[:80]))
        assert isinstance(hello, Hello)
        refusal = self._refusal(hello)
        if refusal is not None:
            return self._send_plain(refusal)
        again = self._welcomes.get(hello.nonce)
        if again is not None and again[0] in self._half_open:
            self._half_open[again[0]].session.sent_us = -1  # unknown which copy was answered
            return self._send_plain(again[1], again[0])
        return self._welcome(hello, now)

    def _refusal(self, hello: Hello) -> Reset | None:
        """Return why this hello is refused; None if it is welcome."""
        if not hello.version_min <= VERSION <= hello.version_max:
            spoken = str(hello.version_max) if hello.version_min == hello.version_max else (
                f"{hello.version_min} to {hello.version_max}"
            )
            text = f"this device speaks version {VERSION} of the protocol, the host {spoken}: update the older one"
            return Reset(reason=ResetReason.VERSION, text=text)
        if self._key is None and hello.must & Capability.SECURE:
            return Reset(reason=ResetReason.SECURE_UNAVAILABLE, text="no key is set in this device")
        if self._key is not None and not hello.must & Capability.SECURE:
            return Reset(reason=ResetReason.SECURE_REQUIRED, text="a key is set: only secure sessions are opened")
        if self._key is not None and len(hello.ephemeral) != PUBLIC_BYTES:
            text = f"the hello's public key has {len(hello.ephemeral)} bytes, not {PUBLIC_BYTES}"
            return Reset(reason=ResetReason.BAD_HELLO, text=text)
        if hello.max_body < MIN_BODY:
            text = f"a host must take bodies of {MIN_BODY} bytes at least, this one takes {hello.max_body}"
            return Reset(reason=ResetReason.CAPABILITY, text=text)
        if missing := int(hello.must) & ~int(CAPABILITIES | Capability.SECURE):
            return Reset(reason=ResetReason.CAPABILITY, text=f"this device lacks capability bits 0x{missing:x}")
        return None

    def _welcome(self, hello: Hello, now: int) -> None:
        number = 0
        while number == 0 or number in self._half_open or (self.session and number == self.session.number):
            number = int.from_bytes(self._chance(4), "little")
        known = self._identity(hello)
        ephemeral = Ephemeral(self._chance) if self._key is not None else None
        welcome = Welcome(
            version=VERSION,
            capabilities=(hello.must | hello.may) & CAPABILITIES | (Capability.SECURE if ephemeral else Capability(0)),
            window=max(1, min(WINDOW, hello.window)),
            max_body=min(MAX_BODY, hello.max_body),
            heartbeat_ms=self._heartbeat_ms,
            fingerprint=fingerprint(),
            epoch=known.epoch,
            boots=known.boots,
            last_event=known.last_event,
            acknowledged_event=known.acknowledged_event,
            command_memory=known.command_memory,
            known_instance=known.known_instance,
            host_nonce=hello.nonce,
            nonce=self._chance(16),
            serial=known.serial,
            ephemeral=ephemeral.public if ephemeral is not None else b"",
            proof=b"",
        )
        seal = None
        if self._key is not None and ephemeral is not None:
            shared = ephemeral.shared(hello.ephemeral)
            if shared is None:
                return self._send_plain(Reset(reason=ResetReason.BAD_HELLO, text="that public key is not usable"))
            keys = derive(self._key, shared, transcript(hello, welcome, number))
            welcome = replace(welcome, proof=keys.proof)
            seal = Seal(send=keys.device, receive=keys.host)
        session = Session(
            number, Stream(welcome.window), seal, self._heartbeat_ms * 1000, now, now, welcome.max_body
        )
        while len(self._half_open) >= HALF_OPEN_LIMIT:
            self._half_open.pop(next(iter(self._half_open)))
        self._half_open[number] = _HalfOpen(session, hello)
        self._welcomes = {nonce: sent for nonce, sent in self._welcomes.items() if sent[0] in self._half_open}
        self._welcomes[hello.nonce] = (number, welcome)
        return self._send_plain(welcome, number)

    def _open(self, frame: Frame, now: int, events: list[LinkEvent]) -> None:
        """Open a half-open session with its first frame, if the seal is valid."""
        half = self._half_open[frame.session]
        unsealed = self._unsealed(half.session, frame)
        if unsealed is None:
            return
        if self.session is not None:
            events.append(LinkDown(ResetReason.CLOSED, "the host opened another session"))
        self._half_open.clear()
        self._welcomes.clear()
        self.session = half.session
        if half.session.sent_us >= 0:
            half.session.stream.measured(now - half.session.sent_us, HANDSHAKE_BYTES)
        half.session.sent_us = now
        events.append(LinkUp(frame.session, half.hello, None))
        self._accept(half.session, unsealed, now, events)

    def _unknown_session(self, frame: Frame) -> None:
        """Answer a frame of an unknown session with a reset, unless it is a reset or a key is set."""
        self.counters.other_session += 1
        if self._key is None and frame.message != RESET and frame.session != 0:
            text = "this device knows no such session: say hello"
            self._send_plain(Reset(reason=ResetReason.UNKNOWN_SESSION, text=text), frame.session)
