"""The blocking client: open a port, call commands, read events. Reconnects by itself.

    with Client.open("socket://127.0.0.1:7001") as shuffler:
        shuffler.call(m.Load())
        for event in shuffler.events(timeout_s=30): ...

A call pumps the line itself, so that an answer costs no thread switch; while nobody calls, a quiet thread keeps the
link alive. All methods may be used from any thread.
"""

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any, Self, TypeVar

from protocol import messages as m
from protocol.catalogue import BY_BODY
from protocol.vocabulary import Role
from shuffler.commands import answer
from shuffler.errors import CannotOpen, EventsUnread, HandshakeRefused, LinkLost, Refused, TimedOut
from shuffler.session import Answered, Connected, Disconnected, EventArrived, EventsMissing, Happening, HostSession
from shuffler.store import HostStore, MemoryStore
from shuffler.transports import Transport, open_transport

TIMEOUT_S = 10.0
SLICE_S = 0.05
TICK_S = 0.02
TICK_US = 20_000
REOPEN_S = 0.1
REOPEN_MAX_S = 2.0
EVENT_LIMIT = 65536

Reply = TypeVar("Reply", bound=m.Message)


class Client:
    """A device, as a table controller sees it."""

    def __init__(
        self, url: str, *, store: HostStore | None = None, key: bytes | None = None, baud: int = 115200
    ) -> None:
        """Use `Client.open`, which also waits for the device."""
        self.url = url
        self.session = HostSession(store=store or MemoryStore(os.urandom(16)), chance=os.urandom, key=key)
        self.welcome: m.Welcome | None = None
        self.same_schema = True
        self.gaps: list[EventsMissing] = []
        self._baud = baud
        self._transport: Transport | None = None
        self._reopen_at = 0.0
        self._tick_at = 0
        self._reopen_wait = REOPEN_S
        self._refusal: Disconnected | None = None
        self.lost = ""  # why the port was last lost
        self._events: deque[m.Event] = deque()
        self._answers: dict[int, m.Message] = {}
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._keeper = threading.Thread(target=self._keep_alive, name="shuffler-keep-alive", daemon=True)

    @classmethod
    def open(
        cls,
        url: str,
        *,
        store: HostStore | None = None,
        key: bytes | None = None,
        baud: int = 115200,
        timeout_s: float = TIMEOUT_S,
    ) -> Self:
        """Open a port and wait for the device's welcome; raises CannotOpen, HandshakeRefused or TimedOut."""
        client = cls(url, store=store, key=key, baud=baud)
        try:
            client._connect(timeout_s)
        except BaseException:
            client.close()
            raise
        client._keeper.start()
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session and let the port go."""
        if self._closed.is_set():
            return
        self._closed.set()
        with self._lock:
            now = _now()
            self.session.close(now)
            if self._transport is not None:
                with contextlib.suppress(LinkLost):
                    self._transport.write(self.session.data_to_send(now))
                self._transport.close()
                self._transport = None
        if self._keeper.is_alive():
            self._keeper.join()

    @property
    def connected(self) -> bool:
        """Whether the device answers at the moment."""
        return self.session.is_up

    # ----------------------------------------------------------------------------------------------------- commands

    def call(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> Any:
        """Send a command and give its reply; raises Refused, or TimedOut with the request id to ask for later."""
        reply = self.wait(self.submit(command, timeout_s), timeout_s)
        if isinstance(reply, m.Error):
            raise Refused(reply.code, reply.text)
        return reply

    def ask(self, command: m.Message, reply_type: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """`call` for type checkers: the reply is known to be of this type."""
        reply = self.call(command, timeout_s)
        assert isinstance(reply, reply_type), f"{BY_BODY[type(command)].name} was answered by {reply!r}"
        return reply

    def submit(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> int:
        """Send a command without waiting for its answer; returns the request id for `wait`."""
        deadline = time.monotonic() + timeout_s
        with self._lock:
            if len(self._events) > EVENT_LIMIT:
                raise EventsUnread(f"{len(self._events)} events wait to be read: call next_event() or events()")
            while not self.session.can_submit:
                self._pump_slice(deadline, "too many commands wait for their answers", 0)
            request = self.session.submit(command)
            self._flush()
            return request

    def wait(self, request: int, timeout_s: float = TIMEOUT_S) -> m.Message:
        """The answer to an earlier command; raises TimedOut, after which `wait` may be called again."""
        deadline = time.monotonic() + timeout_s
        with self._lock:
            while request not in self._answers:
                self._pump_slice(deadline, f"no answer from {self.url} in {timeout_s:g} s", request)
            return self._answers.pop(request)

    def prove_role(self, role: Role, secret: str) -> None:
        """Take a role for this session by answering the device's challenge."""
        challenge = self.ask(m.AskChallenge(role=role), m.Challenge)
        with self._lock:
            session, welcome = self.session.link.session, self.session.link.welcome
        if session is None or welcome is None:
            raise LinkLost("the session was lost while proving the role: try again")
        self.call(answer(challenge, secret, serial=welcome.serial, session=session.number, role=role))

    # ------------------------------------------------------------------------------------------------------- events

    def next_event(self, timeout_s: float = TIMEOUT_S) -> m.Event | None:
        """The next event in order, or None where none came in time."""
        deadline = time.monotonic() + timeout_s
        while True:
            with self._lock:
                if self._events:
                    return self._events.popleft()
                left = deadline - time.monotonic()
                if left <= 0 or self._closed.is_set():
                    return None
                self._pump(min(left, SLICE_S))

    def events(self, timeout_s: float = TIMEOUT_S) -> Iterator[m.Event]:
        """Events as they come, until none came for so long."""
        while (event := self.next_event(timeout_s)) is not None:
            yield event

    def wait_for(self, kind: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """The next event of a kind; those before it are passed over."""
        deadline = time.monotonic() + timeout_s
        while (event := self.next_event(max(0.0, deadline - time.monotonic()))) is not None:
            if isinstance(event, kind):
                return event
        raise TimedOut(f"no {kind.__name__} from {self.url} in {timeout_s:g} s", 0)

    # ------------------------------------------------------------------------------------------------------- inside

    def _connect(self, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        self._transport = open_transport(self.url, self._baud)
        self.session.connect(_now())
        while not self.session.is_up:
            self._pump_slice(deadline, f"no device answers on {self.url}: is it switched on?", 0)
            if self._refusal is not None:
                raise HandshakeRefused(self._refusal.reason, self._refusal.text)

    def _pump_slice(self, deadline: float, complaint: str, request: int) -> None:
        left = deadline - time.monotonic()
        if self._closed.is_set():
            raise LinkLost("this client is closed")
        if left <= 0:
            raise TimedOut(complaint, request)
        self._pump(min(left, SLICE_S))

    def _pump(self, wait_s: float) -> None:
        """Read once, let time pass, write what is due; reopens a lost port. Needs the lock."""
        if self._transport is None:
            self._reopen(wait_s)
            return
        try:
            data = self._transport.read(min(wait_s, TICK_S))
            now = _now()
            if data:
                self._note(self.session.receive(data, now))
            if not data or now >= self._tick_at:
                self._tick_at = now + TICK_US
                self._note(self.session.tick(now))
            out = self.session.data_to_send(now)
            if out:
                self._transport.write(out)
        except LinkLost as problem:
            self._lose(str(problem))

    def _flush(self) -> None:
        out = self.session.data_to_send(_now())
        if out and self._transport is not None:
            try:
                self._transport.write(out)
            except LinkLost as problem:
                self._lose(str(problem))

    def _lose(self, why: str) -> None:
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        self.session.lose_cable()
        self._reopen_wait = REOPEN_S
        self._reopen_at = time.monotonic() + self._reopen_wait
        self.lost = why

    def _reopen(self, wait_s: float) -> None:
        now = time.monotonic()
        if now < self._reopen_at:
            time.sleep(min(wait_s, self._reopen_at - now))
            return
        try:
            self._transport = open_transport(self.url, self._baud)
        except CannotOpen:
            self._reopen_wait = min(REOPEN_MAX_S, 2 * self._reopen_wait)
            self._reopen_at = time.monotonic() + self._reopen_wait
            return
        self.session.connect(_now())
        self._flush()

    def _note(self, happenings: list[Happening]) -> None:
        for happening in happenings:
            match happening:
                case EventArrived(event):
                    self._events.append(event)
                case Answered(request, _, reply):
                    self._answers[request] = reply
                case Connected(welcome, same_schema):
                    self.welcome, self.same_schema = welcome, same_schema
                    self._refusal = None
                    self._reopen_wait = REOPEN_S
                case Disconnected():
                    if happening.refused:
                        self._refusal = happening
                    self.session.connect(_now())
                case EventsMissing():
                    self.gaps.append(happening)

    def _keep_alive(self) -> None:
        while not self._closed.wait(SLICE_S):
            if len(self._events) > EVENT_LIMIT:
                continue  # the device keeps what is not read here
            if self._lock.acquire(blocking=False):
                try:
                    self._pump(0.0)
                finally:
                    self._lock.release()


def _now() -> int:
    return time.monotonic_ns() // 1000
