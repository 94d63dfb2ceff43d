"""The asyncio client: the same steps and the same calls as `client.Client`, awaited.

async with await AsyncClient.open("/dev/ttyACM0") as shuffler:
    await shuffler.call(m.Load())
    async for event in shuffler.events(): ...
"""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import AsyncIterator
from typing import Any, Self, Unpack

from protocol import messages as m
from protocol.vocabulary import Role
from shuffler.errors import CannotOpen, LinkLost
from shuffler.host.base import TIMEOUT_S, ClientBase, Options, Reply, Result, Steps
from shuffler.host.client import now_us
from shuffler.host.session import Happening
from shuffler.transports.ports import OpenPort, Transport, open_transport

THREAD_READ_S = 0.05


class AsyncClient(ClientBase):
    """A device, as an asyncio table controller sees it."""

    def __init__(self, url: str, *, open_port: OpenPort = open_transport, **options: Unpack[Options]) -> None:
        """Use `await AsyncClient.open(…)`, which also waits for the device."""
        super().__init__(url, open_port=open_port, clock=now_us, pause=time.sleep, chance=os.urandom, **options)
        self._loop = asyncio.get_running_loop()
        self._fd: int | None = None
        self._waiting: set[asyncio.Future[None]] = set()  # for anything to happen on the line
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._reopener: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, url: str, *, timeout_s: float = TIMEOUT_S, **options: Unpack[Options]) -> Self:
        """Open a port and wait for the device's welcome; raises the errors of `shuffler.errors`."""
        client = cls(url, **options)
        try:
            client._plug(await client._loop.run_in_executor(None, client._line.connect))
            await client._run(client._welcomed(timeout_s))
        except BaseException:
            await client.close()
            raise
        return client

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the session and let the port go."""
        if self._closed:
            return
        self._closed = True
        if self._reopener is not None:
            self._reopener.cancel()
        if self._timer is not None:
            self._timer.cancel()
        self._line.close("this client is closed")
        self._stepped([])
        self._wake()

    async def call(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> Any:
        """Send a command and return its reply; raises Refused, FateForgotten, or TimedOut with its request id."""
        return await self._run(self._called(command, timeout_s))

    async def ask(self, command: m.Message, reply_type: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """`call` for type checkers: the reply is known to be of this type."""
        return await self._run(self._asked(command, reply_type, timeout_s))

    async def submit(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> int:
        """Send a command without waiting for its answer; returns the request id for `wait`."""
        return await self._run(self._submitted(command, timeout_s))

    async def wait(self, request: int, timeout_s: float = TIMEOUT_S) -> m.Message:
        """Return the answer to a submitted command; raises TimedOut, after which `wait` may be called again."""
        return await self._run(self._answered(request, timeout_s))

    async def prove_role(self, role: Role, secret: str) -> None:
        """Take a role for this session by answering the device's challenge."""
        await self._run(self._role_proved(role, secret))

    async def next_event(self, timeout_s: float = TIMEOUT_S) -> m.Event | None:
        """Return the next event in order, or None if none came in time."""
        return await self._run(self._next_event(timeout_s))

    async def events(self, timeout_s: float = TIMEOUT_S) -> AsyncIterator[m.Event]:
        """Yield events as they come, until none came for `timeout_s`."""
        while (event := await self.next_event(timeout_s)) is not None:
            yield event

    async def wait_for(self, kind: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """Return the next event of a kind; those before it are passed over."""
        return await self._run(self._event_of(kind, timeout_s))

    # --------------------------------------------------------------------------------------------------------- inside

    async def _run(self, steps: Steps[Result]) -> Result:
        while True:
            try:
                until = next(steps)
            except StopIteration as end:
                self._flush()
                result: Result = end.value
                return result
            self._flush()
            await self._happening(until)

    async def _happening(self, until: int) -> None:
        """Return when something has happened on the line, or the time is over."""
        waiter = self._loop.create_future()
        timer = self._loop.call_later((until - now_us()) / 1e6, _end, waiter)
        self._waiting.add(waiter)
        try:
            await waiter
        finally:
            self._waiting.discard(waiter)
            timer.cancel()

    def _wake(self) -> None:
        for waiter in self._waiting:
            _end(waiter)

    def _flush(self) -> None:
        if self._has_unsent:
            self._has_unsent = False
            self._line.flush()
            self._stepped([])

    def _step(self) -> None:
        """The port can be read, or something is due."""
        self._timer = None
        self._stepped(self._line.step(0.0))

    def _stepped(self, happenings: list[Happening]) -> None:
        """After each step of the line: take what has happened, set the timer, reopen a lost port."""
        undecided = self._own is not None and not self._own.decided
        self._take(happenings)
        if happenings or undecided:
            self._wake()
        if self._line.port is None:
            self._unplugged()
        elif (due := self.connection.next_deadline()) is not None and (self._timer is None or due < self._timer_at):
            if self._timer is not None:
                self._timer.cancel()
            self._timer_at = due
            self._timer = self._loop.call_later(max(0, due - now_us()) / 1e6, self._step)

    # ------------------------------------------------------------------------------------------------------- the port

    def _plug(self, port: Transport) -> None:
        self._line.plug(port)
        self._fd = getattr(port, "fileno", lambda: None)()
        if self._fd is not None:
            self._loop.add_reader(self._fd, self._step)
        else:
            threading.Thread(target=self._read_in_thread, args=(port,), daemon=True).start()
        self._stepped([])

    def _unplugged(self) -> None:
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            self._fd = None
        self._wake()
        if not self._closed and (self._reopener is None or self._reopener.done()):
            self._reopener = self._loop.create_task(self._reopen())

    async def _reopen(self) -> None:
        while not self._closed:
            due = self.connection.next_deadline()
            await asyncio.sleep(0 if due is None else max(0, due - now_us()) / 1e6)
            if not self.connection.wants_port(now_us()):
                continue
            try:
                port = await self._loop.run_in_executor(None, self._line.connect)
            except CannotOpen as problem:
                self.connection.not_opened(str(problem), now_us())
                continue
            self._plug(port)
            return

    def _read_in_thread(self, port: Transport) -> None:
        """For ports without a file descriptor: what comes is handed to the loop."""
        while self._line.port is port:
            try:
                data, lost = port.read(THREAD_READ_S), ""
            except LinkLost as problem:
                data, lost = b"", str(problem)
            if data or lost:
                with contextlib.suppress(RuntimeError):  # the loop is closed
                    self._loop.call_soon_threadsafe(self._from_thread, port, data, lost)
            if lost:
                return

    def _from_thread(self, port: Transport, data: bytes, lost: str) -> None:
        if self._line.port is port:  # else it is no longer this client's
            if lost:
                self._line.lose(lost)
            self._stepped(self._line.take(data))


def _end(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
