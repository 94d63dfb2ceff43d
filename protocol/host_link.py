"""The host's end of the link: repeats its hello until it is welcomed, then keeps the session until it ends."""

from protocol.catalogue import fingerprint
from protocol.codec import decode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import VERSION, Frame
from protocol.limits import MAX_BODY
from protocol.link import HANDSHAKE_BYTES, HEARTBEAT_MS, RESET, WELCOME, Link, LinkDown, LinkEvent, LinkUp, Session
from protocol.messages import Heartbeat, Hello, Reset, Welcome
from protocol.secure import PUBLIC_BYTES, Chance, Ephemeral, Seal, derive, is_proof, transcript
from protocol.stream import WINDOW, Stream
from protocol.vocabulary import Capability, ResetReason

HELLO_RETRY_US = 250_000
HELLO_RETRY_MAX_US = 2_000_000
CAPABILITIES = Capability.EVENT_REPLAY | Capability.COMMITMENTS


class HostLink(Link):
    """Call `connect` when the transport is open. After LinkDown, call `connect` again."""

    def __init__(
        self,
        *,
        instance: bytes,
        chance: Chance,
        key: bytes | None = None,
        window: int = WINDOW,
        max_body: int = MAX_BODY,
    ) -> None:
        """A small host sets `window` to 1 and a low `max_body`."""
        super().__init__()
        self._window = window
        self._max_body = max_body
        self.welcome: Welcome | None = None
        self.stored_event = 0  # newest event that the host has stored; sent in heartbeats
        self.hearsay: Reset | None = None  # an unauthenticated refusal while a key is set: ignored, but shown to people
        self._instance = instance
        self._chance = chance
        self._key = key
        self._hello: Hello | None = None
        self._ephemeral: Ephemeral | None = None
        self._hellos = 0
        self._said_us = 0
        self._hello_wait_us = HELLO_RETRY_US

    def connect(self, now: int, next_request: int) -> None:
        """Send a hello and forget any earlier session."""
        self.session = None
        self._ephemeral = Ephemeral(self._chance) if self._key is not None else None
        self._hello = Hello(
            version_min=VERSION,
            version_max=VERSION,
            must=Capability.SECURE if self._key is not None else Capability(0),
            may=CAPABILITIES,
            window=self._window,
            max_body=self._max_body,
            fingerprint=fingerprint(),
            instance=self._instance,
            next_request=next_request,
            nonce=self._chance(16),
            ephemeral=self._ephemeral.public if self._ephemeral is not None else b"",
        )
        self._hello_wait_us = HELLO_RETRY_US
        self._hellos = 0
        self._say_hello(now)

    def close(self, now: int, reason: ResetReason = ResetReason.CLOSED, text: str = "") -> None:
        """End the session; queued messages are sent once without retransmission."""
        if self.session is not None:
            self._drain(self.session, now)
            self._send_loose(self.session, Reset(reason=reason, text=text), now)
        self.lose_cable()

    def lose_cable(self) -> None:
        """Forget the session and the hello after the transport was lost."""
        self.session = None
        self._hello = self._hello_at = None

    def _other(self, frame: Frame, now: int, events: list[LinkEvent]) -> None:
        if frame.message == WELCOME and self._hello is not None:
            self._take_welcome(frame, now, events)
        elif frame.message == RESET and self._hello is not None and frame.session == 0:
            self._take_refusal(frame, events)
        else:
            self.counters.other_session += 1

    def tick(self, now: int) -> list[LinkEvent]:
        """Handle due retries, heartbeats and timeouts."""
        if self.session is not None:
            beat = Heartbeat(uptime_ms=now // 1000, last_event=self.stored_event)
            down = self._tick_session(self.session, now, beat)
            return [] if down is None else [down]
        if self._hello_at is not None and now >= self._hello_at:
            self._say_hello(now)
        return []

    def _say_hello(self, now: int) -> None:
        assert self._hello is not None
        self._send_plain(self._hello)
        self._hellos += 1
        self._said_us = now
        self._hello_at = now + self._hello_wait_us
        self._hello_wait_us = min(HELLO_RETRY_MAX_US, 2 * self._hello_wait_us)

    def _take_welcome(self, frame: Frame, now: int, events: list[LinkEvent]) -> None:
        hello = self._hello
        assert hello is not None
        try:
            welcome = decode_body(WELCOME, frame.body)
        except RemoteProtocolError:
            self.counters.not_understood += 1
            return
        assert isinstance(welcome, Welcome)
        if welcome.host_nonce != hello.nonce or frame.session == 0:
            self.counters.other_session += 1
            return
        seal = None
        if self._key is not None:
            seal = self._secured(self._key, hello, welcome, frame.session)
            if seal is None:
                # A forger could send this too: it is dropped, and the hello is repeated.
                self.counters.bad_seal += 1
                return
        if not hello.version_min <= welcome.version <= hello.version_max:
            text = f"the device chose version {welcome.version}"
            self._send_plain(Reset(reason=ResetReason.VERSION, text=text), frame.session)
            self._refuse(ResetReason.VERSION, text, events)
            return
        heartbeat_us = (welcome.heartbeat_ms or HEARTBEAT_MS) * 1000
        stream = Stream(max(1, min(self._window, welcome.window)))
        if self._hellos == 1:
            stream.measured(now - self._said_us, HANDSHAKE_BYTES)
        self.session = Session(frame.session, stream, seal, heartbeat_us, now, now, welcome.max_body)
        self.welcome = welcome
        self.hearsay = None
        self._hello = self._hello_at = None
        self._send_loose(self.session, Heartbeat(uptime_ms=now // 1000, last_event=self.stored_event), now)
        events.append(LinkUp(frame.session, None, welcome))

    def _secured(self, key: bytes, hello: Hello, welcome: Welcome, session: int) -> Seal | None:
        """Return the session's seal if the device has proved that it has the key."""
        assert self._ephemeral is not None
        shared = self._ephemeral.shared(welcome.ephemeral) if len(welcome.ephemeral) == PUBLIC_BYTES else None
        if shared is None:
            return None
        keys = derive(key, shared, transcript(hello, welcome, session))
        if not is_proof(keys, welcome.proof):
            return None
        return Seal(send=keys.host, receive=keys.device)

    def _take_refusal(self, frame: Frame, events: list[LinkEvent]) -> None:
        """Handle a refused hello. With a key set it is ignored, because anyone could have sent it."""
        try:
            reset = decode_body(RESET, frame.body)
        except RemoteProtocolError:
            self.counters.not_understood += 1
            return
        assert isinstance(reset, Reset)
        if self._key is None:
            self._refuse(reset.reason, reset.text, events)
        else:
            self.counters.not_sealed += 1
            self.hearsay = reset

    def _refuse(self, reason: ResetReason, text: str, events: list[LinkEvent]) -> None:
        self._hello = self._hello_at = None
        events.append(LinkDown(reason, text, refused=True))
