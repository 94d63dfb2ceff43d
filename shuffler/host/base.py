"""What a client does. The blocking and the asyncio client drive the same steps over the same line.

Steps are a generator: it yields the time until which it waits, goes on when something has happened on the line or that
time has come, and returns its result. A driver steps the line, hands over the happenings and flushes. Times are
microseconds of a monotonic clock.
"""

from collections import deque
from collections.abc import Callable, Generator
from functools import partial
from typing import TypedDict, TypeVar

from protocol import messages as m
from protocol.secure import Chance
from protocol.vocabulary import Role
from shuffler.errors import (
    EventsUnread,
    EventsWaiting,
    HandshakeRefused,
    LinkLost,
    LocalHostError,
    MemorySetBack,
    TimedOut,
    WrongReply,
    refusal,
)
from shuffler.host.commands import answer
from shuffler.host.connection import Connection
from shuffler.host.line import Line
from shuffler.host.own_events import OwnEvents
from shuffler.host.session import Answered, EventArrived, EventsMissing, Happening, HostSession
from shuffler.host.store import HostStore, MemoryStore
from shuffler.transports.ports import OpenPort

TIMEOUT_S = 10.0
EVENT_LIMIT = 65536

Reply = TypeVar("Reply", bound=m.Message)
Result = TypeVar("Result")
Steps = Generator[int, None, Result]


class Options(TypedDict, total=False):
    """How a client is opened.

    With a store every event is acknowledged once it is stored. `only_asks` acknowledges none. Without either the client
    acknowledges its own events, and refuses if another host's wait, unless `discard_events` says to discard them.
    """

    store: HostStore | None
    key: bytes | None
    baud: int
    only_asks: bool
    discard_events: bool


class ClientBase:
    """A device as a table controller sees it."""

    def __init__(
        self,
        url: str,
        *,
        open_port: OpenPort,
        clock: Callable[[], int],
        pause: Callable[[float], None],
        chance: Chance,
        store: HostStore | None = None,
        key: bytes | None = None,
        baud: int = 115200,
        only_asks: bool = False,
        discard_events: bool = False,
    ) -> None:
        self.url = url
        self.session = HostSession(
            store=store or MemoryStore(chance(16)), chance=chance, key=key, acknowledges=store is not None
        )
        self.connection = Connection(self.session, url)
        self._line = Line(self.connection, partial(open_port, baud=baud), clock=clock, pause=pause)
        self._clock = clock
        self._keeps = store is not None
        self._own = OwnEvents(self.session, discard=discard_events) if store is None and not only_asks else None
        self._events: deque[m.Event] = deque()
        self._answers: dict[int, m.Message | None] = {}  # None until it has come
        self._problem: EventsWaiting | None = None
        self._closed = False
        self._has_unsent = False  # a command was submitted since the driver's last flush

    @property
    def welcome(self) -> m.Welcome | None:
        """How the device greeted this host last."""
        return self.connection.welcome

    @property
    def connected(self) -> bool:
        """Whether the device answers at the moment."""
        return self.session.is_up

    @property
    def gaps(self) -> list[EventsMissing]:
        """Events that never came; a client without a store can miss none from before its time."""
        return [gap for gap in self.connection.gaps if self._keeps or gap.expected > 1]

    # ---------------------------------------------------------------------------------------------------- for drivers

    def _take(self, happenings: list[Happening]) -> None:
        """Note what has happened on the line."""
        if self._own is not None and not self._own.decided:
            try:
                self._own.look(happenings, self._clock())
            except EventsWaiting as problem:
                self._problem = problem
        for happening in happenings:
            if isinstance(happening, Answered):
                if happening.request in self._answers:
                    self._answers[happening.request] = happening.reply
            elif isinstance(happening, EventArrived):
                self._events.append(happening.event)

    # ---------------------------------------------------------------------------------------------------------- steps

    def _welcomed(self, timeout_s: float) -> Steps[None]:
        until = self._until(timeout_s)
        while not self.session.is_up or (self._own is not None and not self._own.decided):
            if self._problem is not None:
                raise self._problem
            refused = self.connection.refusal
            if refused is not None and self.connection.set_back is None:
                raise HandshakeRefused(refused.reason, refused.text)
            yield from self._pause(until, lambda: f"{self.connection.waits_for} ({timeout_s:g} s)")

    def _submitted(self, command: m.Message, timeout_s: float) -> Steps[int]:
        if len(self._events) > EVENT_LIMIT:
            raise EventsUnread(f"{len(self._events)} events wait to be read: call next_event() or events()")
        until = self._until(timeout_s)
        while not self.session.can_submit:
            yield from self._pause(until, lambda: f"too many commands wait for their answers on {self.url}")
        if self.connection.set_back is not None:
            raise MemorySetBack(self.connection.set_back.text)
        request = self.session.submit(command)
        self._answers[request] = None
        self._has_unsent = True
        return request

    def _answered(self, request: int, timeout_s: float) -> Steps[m.Message]:
        if request not in self._answers:
            raise LocalHostError(f"request {request} is not one of this client's, or its answer was read before")
        until = self._until(timeout_s)
        while (reply := self._answers[request]) is None:
            yield from self._pause(until, lambda: self._unanswered(timeout_s), request)
        del self._answers[request]
        return reply

    def _called(self, command: m.Message, timeout_s: float) -> Steps[m.Message]:
        request = yield from self._submitted(command, timeout_s)
        reply = yield from self._answered(request, timeout_s)
        if isinstance(reply, m.Error):
            raise refusal(reply.code, reply.text)
        return reply

    def _asked(self, command: m.Message, reply_type: type[Reply], timeout_s: float) -> Steps[Reply]:
        reply = yield from self._called(command, timeout_s)
        if not isinstance(reply, reply_type):
            raise WrongReply(command, reply)
        return reply

    def _role_proved(self, role: Role, secret: str) -> Steps[None]:
        challenge = yield from self._asked(m.AskChallenge(role=role), m.Challenge, TIMEOUT_S)
        session, welcome = self.session.link.session, self.session.link.welcome
        if session is None or welcome is None:
            raise LinkLost("the session was lost while proving the role: try again")
        given = answer(challenge, secret, serial=welcome.serial, session=session.number, role=role)
        yield from self._called(given, TIMEOUT_S)

    def _next_event(self, timeout_s: float) -> Steps[m.Event | None]:
        until = self._until(timeout_s)
        while not self._events:
            if self._closed or self._clock() >= until:
                return None
            yield until
        return self._events.popleft()

    def _event_of(self, kind: type[Reply], timeout_s: float) -> Steps[Reply]:
        until = self._until(timeout_s)
        while (event := (yield from self._next_event((until - self._clock()) / 1e6))) is not None:
            if isinstance(event, kind):
                return event
        raise TimedOut(f"no {kind.__name__} from {self.url} in {timeout_s:g} s", 0)

    # --------------------------------------------------------------------------------------------------------- inside

    def _until(self, timeout_s: float) -> int:
        return self._clock() + int(timeout_s * 1e6)

    def _pause(self, until: int, complaint: Callable[[], str], request: int = 0) -> Steps[None]:
        """Wait until something has happened on the line; raises where waiting is of no use or the time is over."""
        if self._closed:
            raise LinkLost("this client is closed")
        if self.connection.set_back is not None:
            raise MemorySetBack(self.connection.set_back.text)
        if self._clock() >= until:
            raise TimedOut(complaint(), request)
        yield until

    def _unanswered(self, timeout_s: float) -> str:
        why = "" if self.connected else f": {self.connection.waits_for}"
        return f"no answer from {self.url} in {timeout_s:g} s{why}"
