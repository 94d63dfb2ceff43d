"""A table on a real line: the same desk and core, with a port that comes and goes, in real time."""

import time
from collections.abc import Callable, Mapping, Sequence
from random import Random

from round_engine.table import Table
from shuffler.host.connection import Connection
from shuffler.host.line import Line
from shuffler.host.session import Happening, HostSession
from shuffler.table.core import TableCore
from shuffler.table.driver import Books, Desk, core_for
from shuffler.table.patience import Watchdog
from shuffler.table.people import Players, TablePeople, highest_spot
from shuffler.table.players import Bot
from shuffler.table.values import Silence, Unplug
from shuffler.timeouts import SECOND_US, USUAL, Timeouts
from shuffler.transports.ports import OpenPort, open_transport

WAIT_S = 0.02
STEP_MAX_US = SECOND_US  # more than this between two steps is time in which the table did not run


def _now() -> int:
    return time.monotonic_ns() // 1000


def _unheard(sentence: str) -> None:
    """Nobody listens."""


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
        timeouts: Timeouts | None = None,
        open_port: OpenPort = open_transport,
        people: TablePeople | None = None,
        core: TableCore | None = None,
        say: Callable[[str], None] = _unheard,
        clock: Callable[[], int] = _now,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Without `timeouts` it never gives up; `people` in place of the bots alone; `say` gets notices for them.

        `clock` gives microseconds, and `pause` lets seconds pass.
        """
        self.host = HostSession(store=books, chance=chance.randbytes, key=key)
        self.connection = Connection(self.host, url)
        self.line = Line(self.connection, open_port, clock=clock, pause=pause)
        self.core = core or core_for(
            table, chance=chance, last_round=last_round, seats=highest_spot(bots), device_rounds=device_rounds,
            timeouts=timeouts or USUAL,
        )  # fmt: skip
        at_table = people or Players(bots, table.rules, chance=chance)
        self.desk = Desk(self.core, books, at_table, self.host, carry=self._carry)
        self.watchdog = Watchdog(self.core, self.connection, timeouts) if timeouts is not None else None
        self._say = say
        self._clock = clock
        self._looked = clock()
        self._ran = 0  # microseconds: a table that was stopped and goes on does not blame the device for it

    @property
    def done(self) -> int:
        """Rounds that have come to an end in this run."""
        return self.core.round.settled + self.core.round.void

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
        now = self._time()
        if self.watchdog is not None:
            if (sentence := self.watchdog.look(happenings, now)) is not None:
                self._say(sentence)
            if self.watchdog.is_silent():
                self.desk.move(Silence(), now)
        self.desk.take(happenings, now)
        if self.line.was_idle:
            self.desk.books.flush()  # nothing is shown before it is durable, so it must not wait for a command
        self.line.flush()

    def swap(self, url: str, why: str) -> None:
        """Switch off and unplug this device, plug in the backup; a half-dealt round is void."""
        self.desk.move(Unplug(why), self._ran)
        self.close_port()
        self.connection.move(url)
        if self.watchdog is not None:
            self.watchdog.start_again()
        self.desk.take([], self._ran)

    def _time(self) -> int:
        """The time in which the table ran."""
        now = self._clock()
        self._ran += max(0, min(now - self._looked, STEP_MAX_US))
        self._looked = now
        return self._ran

    def close_port(self) -> None:
        """Let the port go, with a goodbye where there is a session."""
        self.line.close("the table closed the port")

    def _carry(self) -> list[Happening]:
        self.line.flush()
        return []
