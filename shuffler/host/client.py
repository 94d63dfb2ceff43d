"""The blocking client: open a port, call commands, read events. Reconnects by itself.

    with Client.open("socket://127.0.0.1:7001") as shuffler:
        shuffler.call(m.Load())
        for event in shuffler.events(timeout_s=30): ...

A call pumps the line itself, so that an answer costs no thread switch; while nobody calls, a quiet thread keeps the
link alive. All methods may be used from any thread. When to reconnect is `connection`'s to say.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Self, TypeVar

from protocol import messages as m
from protocol.vocabulary import Role
from shuffler.errors import EventsUnread, HandshakeRefused, LinkLost, MemorySetBack, TimedOut, WrongReply, refusal
from shuffler.host.base import ClientBase
from shuffler.host.commands import answer
from shuffler.host.line import Line
from shuffler.host.session import Answered, EventArrived
from shuffler.host.store import HostStore
from shuffler.transports.ports import OpenPort, open_transport

TIMEOUT_S = 10.0
SLICE_S = 0.05
TICK_S = 0.02
EVENT_LIMIT = 65536

Reply = TypeVar("Reply", bound=m.Message)


class Client(ClientBase):
    """A device, as a table controller sees it."""

    def __init__(
        self,
        url: str,
        *,
        store: HostStore | None = None,
        key: bytes | None = None,
        baud: int = 115200,
        only_asks: bool = False,
        discard_events: bool = False,
        open_port: OpenPort = open_transport,
    ) -> None:
        """Use `Client.open`, which also waits for the device."""
        super().__init__(
            url, store=store, key=key, only_asks=only_asks, discard_events=discard_events, chance=os.urandom
        )
        self._line = Line(self.connection, partial(open_port, baud=baud), clock=_now, pause=time.sleep)
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
        only_asks: bool = False,
        discard_events: bool = False,
    ) -> Self:
        """Open a port and wait for the device's welcome; raises the errors of `shuffler.errors`.

        With a store every event is acknowledged once it is stored. `only_asks` acknowledges none. Without either the
        client acknowledges its own events, and refuses where another host's wait, unless it may discard them.
        """
        client = cls(url, store=store, key=key, baud=baud, only_asks=only_asks, discard_events=discard_events)
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
            self._line.close("this client is closed")
        if self._keeper.is_alive():
            self._keeper.join()

    # ----------------------------------------------------------------------------------------------------- commands

    def call(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> Any:
        """Send a command and give its reply; raises Refused, FateForgotten, or TimedOut with its request id."""
        reply = self.wait(self.submit(command, timeout_s), timeout_s)
        if isinstance(reply, m.Error):
            raise refusal(reply.code, reply.text)
        return reply

    def ask(self, command: m.Message, reply_type: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """`call` for type checkers: the reply is known to be of this type."""
        reply = self.call(command, timeout_s)
        if not isinstance(reply, reply_type):
            raise WrongReply(command, reply)
        return reply

    def submit(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> int:
        """Send a command without waiting for its answer; returns the request id for `wait`."""
        deadline = time.monotonic() + timeout_s
        with self._lock:
            if len(self._events) > EVENT_LIMIT:
                raise EventsUnread(f"{len(self._events)} events wait to be read: call next_event() or events()")
            while not self.session.can_submit:
                self._pump_slice(deadline, lambda: "too many commands wait for their answers", 0)
            request = self.session.submit(command)
            self._line.flush()
            return request

    def wait(self, request: int, timeout_s: float = TIMEOUT_S) -> m.Message:
        """The answer to an earlier command; raises TimedOut, after which `wait` may be called again."""
        deadline = time.monotonic() + timeout_s
        with self._lock:
            while (reply := self._answers.pop(request, None)) is None:
                self._pump_slice(deadline, lambda: self._unanswered(timeout_s), request)
            return reply

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
                self._pump(min(left, TICK_S))

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
        self._line.open()
        while not self._is_ready:
            refused = self.connection.refusal
            if refused is not None and self.set_back is None:
                raise HandshakeRefused(refused.reason, refused.text)
            self._pump_slice(deadline, lambda: f"{self.connection.waits_for} ({timeout_s:g} s)", 0)

    def _pump_slice(self, deadline: float, complaint: Callable[[], str], request: int) -> None:
        left = deadline - time.monotonic()
        if self._closed.is_set():
            raise LinkLost("this client is closed")
        if self.set_back is not None:
            raise MemorySetBack(self.set_back.text)
        if left <= 0:
            raise TimedOut(complaint(), request)
        self._pump(min(left, TICK_S))

    def _pump(self, wait_s: float) -> None:
        """Read once, let time pass, write what is due; reopens a lost port. Needs the lock."""
        happenings = self._line.step(wait_s)
        if self._own is not None and not self._own.decided:
            self._own.look(happenings, _now())
        for happening in happenings:
            if isinstance(happening, Answered):
                self._answers[happening.request] = happening.reply
            elif isinstance(happening, EventArrived):
                self._events.append(happening.event)

    def _keep_alive(self) -> None:
        while not self._closed.wait(SLICE_S):
            if len(self._events) > EVENT_LIMIT:
                continue  # the device keeps what is not read here
            if self._lock.acquire(blocking=False):
                try:
                    if not self._closed.is_set():  # it may have been closed while this waited for the lock
                        self._pump(0.0)
                finally:
                    self._lock.release()


def _now() -> int:
    return time.monotonic_ns() // 1000
