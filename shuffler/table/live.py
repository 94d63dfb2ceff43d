"""A table on a real line: the same desk and bridge, with a port that comes and goes, in real time."""

import time
from collections.abc import Callable, Mapping, Sequence
from random import Random

from round_engine.table import Table
from shuffler.host.connection import Connection
from shuffler.host.line import Line
from shuffler.host.session import Happening, HostSession
from shuffler.table.bridge import Bridge
from shuffler.table.driver import Books, Desk, bridge_for
from shuffler.table.patience import Patience, Watchdog
from shuffler.table.players import Bot
from shuffler.transports.ports import OpenPort, open_transport

WAIT_S = 0.02


def _now() -> int:
    return time.monotonic_ns() // 1000


class LiveTable:
    """One table over one port at a time; `swap` puts the backup's port in its place."""

    def __init__(
        self,
        url: str,
        table: Table,
        books: Books,
        bots: Sequence[Bot],
        *,
        chance: Random,
        last_round: int = 0,
        device_rounds: Mapping[str, int] | None = None,
        key: bytes | None = None,
        patience: Patience | None = None,
        open_port: OpenPort = open_transport,
        bridge: Bridge | None = None,
        clock: Callable[[], int] = _now,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Without `patience` it waits for ever; `clock` gives microseconds, and `pause` lets seconds pass."""
        self.host = HostSession(store=books, chance=chance.randbytes, key=key)
        self.connection = Connection(self.host, url)
        self.line = Line(self.connection, open_port, clock=clock, pause=pause)
        self.desk = Desk(
            bridge or bridge_for(table, chance=chance, last_round=last_round, bots=bots, device_rounds=device_rounds),
            books, bots, self.host, chance=chance, carry=self._carry,
        )  # fmt: skip
        self.say: Callable[[str], None] = _unheard
        self.watchdog = Watchdog(self.desk.bridge, self.connection, patience) if patience is not None else None
        self._clock = clock

    @property
    def url(self) -> str:
        """The port in use."""
        return self.connection.url

    @property
    def done(self) -> int:
        """Rounds that have come to an end in this run."""
        return self.desk.bridge.settled + self.desk.bridge.void

    def play(self, rounds: int, *, limit_s: float = float("inf")) -> None:
        """Until so many more rounds have come to an end, or the time is up; raises GaveUp when patience is over."""
        goal, end = self.done + rounds, time.monotonic() + limit_s
        while self.done < goal and time.monotonic() < end:
            self.step()

    def step(self) -> None:
        """Read what has come, let time pass, act; whatever is due for the line is on it when this returns.

        Without a port the same happens, but for the reading: time passes for the table, too.
        """
        happenings = self.line.step(WAIT_S)
        now = self._clock()
        self.desk.bridge.tick(now)
        if self.watchdog is not None and (sentence := self.watchdog.look(happenings, now)) is not None:
            self.say(sentence)
        self.desk.take(happenings, now)
        if self.line.was_idle:
            self.desk.books.flush()  # nothing is shown before it lasts, so what is pending must not wait for a command
        self.line.flush()

    def swap(self, url: str, why: str) -> None:
        """Switch off and unplug this device, plug in the backup; a half-dealt round is void."""
        self.desk.bridge.unplugged(why)
        self.close_port()
        self.connection.move(url)
        if self.watchdog is not None:
            self.watchdog.start_again()
        self.desk.take([], self._clock())

    def close_port(self) -> None:
        """Let the port go, with a goodbye where there is a session."""
        self.line.close("the table closed the port")

    def _carry(self) -> list[Happening]:
        self.line.flush()
        return []


def _unheard(sentence: str) -> None:
    """Nobody listens."""
