"""The asyncio client: the same session core and the same calls as `client.Client`, awaited.

async with await AsyncClient.open("/dev/ttyACM0") as shuffler:
    await shuffler.call(m.Load())
    async for event in shuffler.events(): ...
"""

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, Self, TypeVar

from protocol import messages as m
from protocol.vocabulary import Role
from shuffler.errors import (
    CannotOpen,
    EventsUnread,
    EventsWaiting,
    HandshakeRefused,
    LinkLost,
    MemorySetBack,
    ShufflerError,
    TimedOut,
    WrongReply,
    refusal,
)
from shuffler.host.base import ClientBase
from shuffler.host.commands import answer
from shuffler.host.session import Answered, EventArrived, Happening
from shuffler.host.store import HostStore
from shuffler.transports.ports import OpenPort, Transport, open_transport

TIMEOUT_S = 10.0
THREAD_READ_S = 0.05
EVENT_LIMIT = 65536

Reply = TypeVar("Reply", bound=m.Message)


class AsyncClient(ClientBase):
    """A device, as an asyncio table controller sees it."""

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
        """Use `await AsyncClient.open(…)`, which also waits for the device."""
        super().__init__(
            url, store=store, key=key, only_asks=only_asks, discard_events=discard_events, chance=os.urandom
        )
        self._problem: ShufflerError | None = None
        self._open_port: Callable[[], Transport] = partial(open_port, url, baud)
        self._loop = asyncio.get_running_loop()
        self._transport: Transport | None = None
        self._closed = False
        self._answers: dict[int, m.Message | None] = {}  # None until it has come
        self._events: deque[m.Event] = deque()
        self._waiting: set[asyncio.Future[None]] = set()  # for anything to happen on the line
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._reopener: asyncio.Task[None] | None = None

    @classmethod
    async def open(
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

        Which events are acknowledged is as with the blocking client.
        """
        client = cls(url, store=store, key=key, baud=baud, only_asks=only_asks, discard_events=discard_events)
        try:
            client._plug(await client._loop.run_in_executor(None, client._open_port))
            await client._welcomed(timeout_s)
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
        self.session.close(_now())
        self._flush()
        self._unplug()
        self._wake()

    # ----------------------------------------------------------------------------------------------------- commands

    async def call(self, command: m.Message, timeout_s: float = TIMEOUT_S) -> Any:
        """Send a command and give its reply; raises Refused, FateForgotten, or TimedOut with its request id."""
        if self.set_back is not None:
            raise MemorySetBack(self.set_back.text)
        if len(self._events) > EVENT_LIMIT:
            raise EventsUnread(f"{len(self._events)} events wait to be read: call next_event() or events()")
        until = self._loop.time() + timeout_s
        while not self.session.can_submit:
            await self._pause(until, lambda: f"too many commands wait for their answers on {self.url}", 0)
        request = self.session.submit(command)
        self._answers[request] = None
        self._flush()
        reply = await self.wait(request, timeout_s)
        if isinstance(reply, m.Error):
            raise refusal(reply.code, reply.text)
        return reply

    async def ask(self, command: m.Message, reply_type: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """`call` for type checkers: the reply is known to be of this type."""
        reply = await self.call(command, timeout_s)
        if not isinstance(reply, reply_type):
            raise WrongReply(command, reply)
        return reply

    async def wait(self, request: int, timeout_s: float = TIMEOUT_S) -> m.Message:
        """The answer to an earlier command; raises TimedOut, after which `wait` may be called again."""
        until = self._loop.time() + timeout_s
        while (reply := self._answers[request]) is None:
            await self._pause(until, lambda: self._unanswered(timeout_s), request)
        del self._answers[request]
        return reply

    async def prove_role(self, role: Role, secret: str) -> None:
        """Take a role for this session by answering the device's challenge."""
        challenge = await self.ask(m.AskChallenge(role=role), m.Challenge)
        session, welcome = self.session.link.session, self.session.link.welcome
        if session is None or welcome is None:
            raise LinkLost("the session was lost while proving the role: try again")
        await self.call(answer(challenge, secret, serial=welcome.serial, session=session.number, role=role))

    # ------------------------------------------------------------------------------------------------------- events

    async def next_event(self, timeout_s: float = TIMEOUT_S) -> m.Event | None:
        """The next event in order, or None where none came in time."""
        until = self._loop.time() + timeout_s
        while not self._events:
            if self._closed or self._loop.time() >= until:
                return None
            await self._happening(until)
        return self._events.popleft()

    async def events(self, timeout_s: float = TIMEOUT_S) -> AsyncIterator[m.Event]:
        """Events as they come, until none came for so long."""
        while (event := await self.next_event(timeout_s)) is not None:
            yield event

    async def wait_for(self, kind: type[Reply], timeout_s: float = TIMEOUT_S) -> Reply:
        """The next event of a kind; those before it are passed over."""
        until = self._loop.time() + timeout_s
        while (event := await self.next_event(until - self._loop.time())) is not None:
            if isinstance(event, kind):
                return event
        raise TimedOut(f"no {kind.__name__} from {self.url} in {timeout_s:g} s", 0)

    # ------------------------------------------------------------------------------------------------------- inside

    async def _welcomed(self, timeout_s: float) -> None:
        until = self._loop.time() + timeout_s
        while not self._is_ready:
            if self._problem is not None:
                raise self._problem
            if self.set_back is not None:
                raise MemorySetBack(self.set_back.text)
            if (refused := self.connection.refusal) is not None:
                raise HandshakeRefused(refused.reason, refused.text)
            if self._transport is None and self.connection.lost:
                raise LinkLost(self.connection.lost)
            await self._pause(until, lambda: f"{self.connection.waits_for} ({timeout_s:g} s)", 0)

    async def _pause(self, until: float, complaint: Callable[[], str], request: int) -> None:
        """Until something has happened on the line; raises where waiting is of no use or the time is over."""
        if self._closed:
            raise LinkLost("this client is closed")
        if self.set_back is not None:
            raise MemorySetBack(self.set_back.text)
        if self._loop.time() >= until:
            raise TimedOut(complaint(), request)
        await self._happening(until)

    async def _happening(self, until: float) -> None:
        """Something has happened on the line, or the time is over: look again."""
        waiter = self._loop.create_future()
        timer = self._loop.call_at(until, _end, waiter)
        self._waiting.add(waiter)
        try:
            await waiter
        finally:
            self._waiting.discard(waiter)
            timer.cancel()

    def _wake(self) -> None:
        for waiter in self._waiting:
            _end(waiter)

    def _plug(self, transport: Transport) -> None:
        self._transport = transport
        fileno = getattr(transport, "fileno", lambda: None)()
        if fileno is not None:
            self._loop.add_reader(fileno, self._readable)
        else:
            threading.Thread(target=self._read_in_thread, args=(transport,), daemon=True).start()
        self.connection.opened(_now())
        self._flush()

    def _unplug(self) -> None:
        if self._transport is None:
            return
        fileno = getattr(self._transport, "fileno", lambda: None)()
        if fileno is not None and fileno >= 0:
            self._loop.remove_reader(fileno)
        self._transport.close()
        self._transport = None

    def _readable(self) -> None:
        assert self._transport is not None
        try:
            data = self._transport.read(0)
        except LinkLost as problem:
            self._lose(str(problem))
            return
        if data:
            self._received(data)

    def _read_in_thread(self, transport: Transport) -> None:
        """For ports without a file descriptor."""
        while self._transport is transport:
            try:
                data = transport.read(THREAD_READ_S)
            except LinkLost as problem:
                self._from_thread(transport, partial(self._lose, str(problem)))
                return
            if data:
                self._from_thread(transport, partial(self._received, data))

    def _from_thread(self, transport: Transport, action: Callable[[], None]) -> None:
        """Do something in the loop, unless the port is no longer this client's by then."""

        def act() -> None:
            if self._transport is transport:
                action()

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(act)

    def _received(self, data: bytes) -> None:
        now = _now()
        self._note(self.connection.receive(data, now), now)
        self._flush()

    def _flush(self) -> None:
        """Whatever is due goes on the line."""
        out = self.connection.data_to_send(_now())
        if out and self._transport is not None:
            try:
                self._transport.write(out)
            except LinkLost as problem:
                self._lose(str(problem))
        self._arm()

    def _arm(self) -> None:
        due = self.connection.next_deadline() if self._transport is not None else None
        if self._closed or due is None or (self._timer is not None and self._timer_at <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = due
        self._timer = self._loop.call_later(max(0, due - _now()) / 1e6, self._fire)

    def _fire(self) -> None:
        self._timer = None
        now = _now()
        self._note(self.connection.tick(now), now)
        if self.connection.wants_close(now):
            self._lose(self.connection.waits_for)
        self._flush()

    def _lose(self, why: str) -> None:
        if self._closed:
            return
        self._unplug()
        self.connection.lose(why, _now())
        self._wake()
        if self._reopener is None or self._reopener.done():
            self._reopener = self._loop.create_task(self._reopen())

    async def _reopen(self) -> None:
        while not self._closed:
            due = self.connection.next_deadline()
            await asyncio.sleep(0 if due is None else max(0, due - _now()) / 1e6)
            if not self.connection.wants_port(_now()):
                continue
            try:
                transport = await self._loop.run_in_executor(None, self._open_port)
            except CannotOpen as problem:
                self.connection.not_opened(str(problem), _now())
                continue
            self._plug(transport)
            return

    def _note(self, happenings: list[Happening], now: int) -> None:
        if self._own is not None and not self._own.decided:
            try:
                self._own.look(happenings, now)
            except EventsWaiting as problem:
                self._problem = problem
            self._wake()
        for happening in happenings:
            if isinstance(happening, EventArrived):
                self._events.append(happening.event)
            elif isinstance(happening, Answered) and happening.request in self._answers:
                self._answers[happening.request] = happening.reply
        if happenings:
            self._wake()


def _end(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def _now() -> int:
    return time.monotonic_ns() // 1000
