"""What a table says while it waits for its device, and when it gives up. Pure: time comes in, in microseconds.

A table without a session calls for the backup; a table on which nothing moves gives up. `Timeouts` has the times.
"""

from collections.abc import Sequence

from shuffler.errors import GaveUp
from shuffler.host.connection import Connection
from shuffler.host.session import Connected, EventArrived, Happening
from shuffler.table.core import TableCore
from shuffler.table.values import Want
from shuffler.timeouts import SECOND_US, Timeouts

PEOPLE = (Want.WAGERS, Want.DECISIONS, Want.FACES, Want.KEYS, Want.REVIEW)  # people may take as long as they like


class Watchdog:
    """Watches one table; `look` returns what is to be said, `is_silent` that the session is away for too long."""

    def __init__(self, core: TableCore, connection: Connection, timeouts: Timeouts) -> None:
        self._core = core
        self._connection = connection
        self._timeouts = timeouts
        self._time = 0
        self._up = False
        self._changed = 0  # when the session came or went
        self._heard = 0  # the last event
        self._moved = 0  # the last progress of a round
        self._mark: tuple[object, ...] = ()
        self._called = 0
        self._said_at: int | None = None

    def start_again(self) -> None:
        """Another device takes its place: it gets the whole patience."""
        self._up = False
        self._changed = self._heard = self._moved = self._called = self._time
        self._said_at = None

    def look(self, happenings: Sequence[Happening], now: int) -> str | None:
        """Let time pass; return a sentence for the people at the table, if there is one. Raises GaveUp."""
        self._time = now
        if any(isinstance(happening, EventArrived | Connected) for happening in happenings):
            self._heard = now
        mark = self._progress()
        if mark != self._mark or self._core.wants in PEOPLE:
            self._mark, self._moved = mark, now
        if self._connection.session.is_up != self._up:
            self._up = not self._up
            self._changed = self._heard = self._called = now
            if self._up and self._said_at is not None:
                self._said_at = None
                return "the shuffler answers"
        return self._connected() if self._up else self._silent()

    def is_silent(self) -> bool:
        """Whether the backup is to be called for, again after each such time."""
        if self._up or self._time - self._called < self._timeouts.no_session_us:
            return False
        self._called = self._time
        return True

    @property
    def waits_for(self) -> str:
        """What the table waits for, as a sentence."""
        return self._core.waits_for if self._connection.session.is_up else self._connection.waits_for

    def _progress(self) -> tuple[object, ...]:
        played = self._core.round
        rounds, deck = (played.last_round, played.settled, played.void), played.deck
        return (*rounds, deck.dealt, deck.disclosed, deck.stub) if played.is_open and deck is not None else rounds

    def _silent(self) -> str | None:
        silent = self._time - self._changed
        if silent >= self._timeouts.give_up_us:
            raise GaveUp(f"gave up after {silent // SECOND_US} s: {self.waits_for}")
        return self._say(silent, self._timeouts.notice_us)

    def _connected(self) -> str | None:
        if self._core.wants in PEOPLE:
            self._heard = self._time
            return None
        idle, still = self._time - self._heard, self._time - self._moved
        if min(idle, still) >= self._timeouts.give_up_us or still >= self._timeouts.no_progress_us:
            raise GaveUp(f"gave up after {still // SECOND_US} s: {self.waits_for}")
        return self._say(idle, self._timeouts.notice_idle_us)

    def _say(self, waited: int, after: int) -> str | None:
        again = self._timeouts.notice_again_us
        if waited < after or (self._said_at is not None and self._time - self._said_at < again):
            return None
        self._said_at = self._time
        left = (self._timeouts.give_up_us - waited) // SECOND_US
        return f"waiting: {self.waits_for} (giving up in {max(0, left)} s)"
