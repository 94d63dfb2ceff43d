"""How long a table waits, what it says meanwhile, and what it does about it. Pure: time comes in, in microseconds.

Silence is an event. A device without a session for `silent_us` is to be replaced by the backup; a round in which
nothing moves for `stuck_us` is void; after `give_up_us` the table gives up. Only time in which the table itself ran
counts, so that a table that was stopped and goes on does not blame the device for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from shuffler.errors import GaveUp
from shuffler.host.connection import Connection
from shuffler.host.session import Connected, EventArrived, Happening
from shuffler.table.bridge import Bridge
from shuffler.table.wants import Want

SECOND_US = 1_000_000
STEP_MAX_US = SECOND_US  # more than this between two looks is time in which the table did not run
SAY_AGAIN_US = 60 * SECOND_US
PEOPLE = (Want.WAGERS, Want.DECISIONS, Want.FACES, Want.KEYS)  # people may take as long as they like
PROGRESS_TIMES = 4  # so many times the patience for a device that is busy and gets nowhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The table's time-outs."""

    say_us: int = 5 * SECOND_US  # without a session, before a word is said
    say_idle_us: int = 15 * SECOND_US  # with a session in which the device says nothing
    silent_us: int = 15 * SECOND_US  # without a session, before the backup is asked for
    stuck_us: int = 180 * SECOND_US  # in a round in which nothing moves, before it is void
    give_up_us: int = 300 * SECOND_US

    @classmethod
    def of(cls, seconds: float) -> "Patience":
        """Time-outs for a table that gives up after so many seconds: none of the others is longer."""
        whole = int(seconds * SECOND_US)
        usual = cls()
        return cls(
            silent_us=min(usual.silent_us, whole // 2), stuck_us=min(usual.stuck_us, whole * 3 // 5), give_up_us=whole
        )


class Watchdog:
    """Watches one table; `look` says what is new and tells the bridge what the silence means."""

    def __init__(self, bridge: Bridge, connection: Connection, patience: Patience) -> None:
        self._bridge = bridge
        self._connection = connection
        self._patience = patience
        self._time = 0  # in which the table ran
        self._looked: int | None = None
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
        """Let time pass; gives a sentence for the people at the table, if there is one. Raises GaveUp."""
        if self._looked is not None:
            self._time += max(0, min(now - self._looked, STEP_MAX_US))
        self._looked = now
        if any(isinstance(happening, EventArrived | Connected) for happening in happenings):
            self._heard = self._time
        mark = self._progress()
        if mark != self._mark or self._bridge.wants in PEOPLE:
            self._mark, self._moved = mark, self._time
        if self._connection.session.is_up != self._up:
            self._up = not self._up
            self._changed = self._heard = self._called = self._time
            if self._up and self._said_at is not None:
                self._said_at = None
                return "the shuffler answers"
        return self._connected() if self._up else self._silent()

    @property
    def waits_for(self) -> str:
        """What the table waits for, as a sentence."""
        bridge, deck = self._bridge, self._bridge.deck
        if not self._connection.session.is_up:
            return self._connection.waits_for
        if bridge.wants in (Want.ATTENTION, Want.BACKUP):
            return "the shuffler is not ready: see its display"
        if not bridge.in_round or deck is None:
            return "the shuffler has not made a deck ready: is somebody at its trays?"
        if not deck.all_dealt:
            return f"hands of round {bridge.round_id} have not been dealt and taken: is somebody at the tray?"
        if deck.stub is None:
            return f"the stub of round {bridge.round_id} has not been taken from the tray"
        return f"the dealer's hand of round {bridge.round_id} has not been disclosed"

    # ------------------------------------------------------------------------------------------------------- inside

    def _progress(self) -> tuple[object, ...]:
        bridge, deck = self._bridge, self._bridge.deck
        rounds = (bridge.last_round, bridge.settled, bridge.void)
        return (*rounds, deck.dealt, deck.disclosed, deck.stub) if bridge.in_round and deck is not None else rounds

    def _silent(self) -> str | None:
        silent = self._time - self._changed
        if self._time - self._called >= self._patience.silent_us:
            self._called = self._time
            self._bridge.device_silent()
        if silent >= self._patience.give_up_us:
            raise GaveUp(f"gave up after {silent // SECOND_US} s: {self.waits_for}")
        return self._say(silent, self._patience.say_us)

    def _connected(self) -> str | None:
        if self._bridge.wants in PEOPLE:
            self._heard = self._time
            return None
        idle, still = self._time - self._heard, self._time - self._moved
        if self._bridge.in_round and min(idle, still) >= self._patience.stuck_us:
            reason = f"{self.waits_for}: nothing has moved for {idle // SECOND_US} s"
            self._heard = self._time
            self._bridge.misdeal(reason)
            return None
        if min(idle, still) >= self._patience.give_up_us or still >= PROGRESS_TIMES * self._patience.give_up_us:
            raise GaveUp(f"gave up after {still // SECOND_US} s: {self.waits_for}")
        return self._say(idle, self._patience.say_idle_us)

    def _say(self, waited: int, after: int) -> str | None:
        if waited < after or (self._said_at is not None and self._time - self._said_at < SAY_AGAIN_US):
            return None
        self._said_at = self._time
        left = (self._patience.give_up_us - waited) // SECOND_US
        return f"waiting: {self.waits_for} (giving up in {max(0, left)} s)"
