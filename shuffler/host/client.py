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
from collections.abc import Iterator
from typing import Any, Self, Unpack

from protocol import messages as m
from protocol.vocabulary import Role
from shuffler.host.base import EVENT_LIMIT, TIMEOUT_S, ClientBase, Options, Reply, Result, Steps
from shuffler.transports.ports import OpenPort, open_transport

SLICE_S = 0.05
TICK_S = 0.02


def now_us() -> int:
    """Return the time of a monotonic clock."""
    return time.monotonic_ns() // 1000


class Client(ClientBase):
    """A device, as a table controller sees it."""

    def __init__(self, url: str, *, open_port: OpenPort = open_transport, **options: Unpack[Options]) -> None:
        """Use `Client.open`, which also waits for the device."""
        super().__init__(url, open_port=open_port, clock=now_us, pause=time.sleep, chance=os.urandom, **options)
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._keeper = threading.Thread(target=self._keep_alive, name="shuffler-keep-alive", daemon=True)

    @classmethod
    def open(cls, url: str, *, timeout_s: float = TIMEOUT_S, **options: Unpack[Options]) -> Self:
        """Open a port and wait for the device's welcome; raises the errors of `shuffler.errors`."""
        client = cls(url, **options)
        try:
            client._line.open()
            client._run(client._welcomed(timeout_s))
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
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._ended.set()
            self._line.close("this client is closed")
        if self._keeper.is_alive():
            self._keeper.join()

    def call(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> Any:
        """Send a command and return its reply; raises Refused, FateForgotten, or TimedOut with its request id."""
        return self._run(self._called(command, timeout_s))

    def ask(self, command: m.Message, reply_type: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """`call` for type checkers: the reply is known to be of this type."""
        return self._run(self._asked(command, reply_type, timeout_s))

    def submit(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> int:
        """Send a command without waiting for its answer; returns the request id for `wait`."""
        return self._run(self._submitted(command, timeout_s))

    def wait(self, request: int, timeout_s: float = TIMEOUT_S) -> m.Message:
        """Return the answer to a submitted command; raises TimedOut, after which `wait` may be called again."""
        return self._run(self._answered(request, timeout_s))

    def prove_role(self, role: Role, secret: str) -> None:
        """Take a role for this session by answering the device's challenge."""
        self._run(self._role_proved(role, secret))

    def next_event(self, timeout_s: float = TIMEOUT_S) -> m.Event | None:
        """Return the next event in order, or None if none came in time."""
        return self._run(self._next_event(timeout_s))

    def events(self, timeout_s: float = TIMEOUT_S) -> Iterator[m.Event]:
        """Yield events as they come, until none came for `timeout_s`."""
        while (event := self.next_event(timeout_s)) is not None:
            yield event

    def wait_for(self, kind: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """Return the next event of a kind; those before it are passed over."""
        return self._run(self._event_of(kind, timeout_s))

    # --------------------------------------------------------------------------------------------------------- inside

    def _run(self, steps: Steps[Result]) -> Result:
        while True:
            with self._lock:
                try:
                    until = next(steps)
                except StopIteration as end:
                    self._flush()
                    result: Result = end.value
                    return result
                self._flush()
                self._pump(min((until - now_us()) / 1e6, TICK_S))

    def _flush(self) -> None:
        if self._has_unsent:
            self._has_unsent = False
            self._line.flush()

    def _pump(self, wait_s: float) -> None:
        """Read once, let time pass, write what is due; reopens a lost port. Needs the lock."""
        self._take(self._line.step(wait_s))

    def _keep_alive(self) -> None:
        while not self._ended.wait(SLICE_S):
            if len(self._events) > EVENT_LIMIT:
                continue  # the device keeps what is not read here
            if self._lock.acquire(blocking=False):
                try:
                    if not self._closed:  # it may have been closed while this waited for the lock
                        self._pump(0.0)
                finally:
                    self._lock.release()
