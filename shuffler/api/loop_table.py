"""A table on the bench's own event loop: desk and core on a cable within the process, in real time, with people.

The device is driven byte for byte as over any port. What people do comes in as calls; each may be refused and then
changes nothing. Whatever is shown has been committed to the journal first.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from random import SystemRandom
from typing import Any

from firmware_sim.ports import DeviceRunner
from firmware_sim.ports.serving import Served
from protocol import messages as m
from round_engine.errors import RoundEngineError
from round_engine.round.operations import BackOut, ChangeStaff, OpenRound, PressKey, VerifyWin
from round_engine.round.state import Spot
from round_engine.staff import Member
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.api.problems import conflict
from shuffler.api.seating import Seating
from shuffler.errors import ShufflerError
from shuffler.host.session import Disconnected, Happening, HostSession
from shuffler.journal import JournalError, SqliteJournal
from shuffler.journal.entries import DealtFrom, DeviceSaid, Entry, Operated
from shuffler.table.checks import DeckWatch
from shuffler.table.driver import Desk, core_for
from shuffler.table.narration import operation_text
from shuffler.table.shared_meters import SharedMeters
from shuffler.table.values import CallMisdeal, Unplug, Want
from shuffler.timeouts import USUAL, Timeouts
from shuffler.virtual.eyes import TableEyes

LINES = 200
SHUFFLES = 64

# Joins a table to the meters that it shares; said by whoever knows the server. Leaving it sends what is unsent.
Joining = Callable[[SqliteJournal, Table, Callable[[str], None]], AbstractContextManager[SharedMeters]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePace:
    """How the table goes: who starts a round, and how long things take, in seconds."""

    deals: str = "auto"  # auto: after `between_s`; hand: when told to
    between_s: float = 4.0
    think_s: float = 0.7
    keys: str = "auto"  # auto: awards are keyed as they fall due; people: somebody presses the keys


class LoopTable:
    """One table with one device at a time."""

    def __init__(
        self,
        name: str,
        served: Served,
        table: Table,
        books: SqliteJournal,
        *,
        last_round: int = 0,
        device_rounds: Mapping[str, int] | None = None,
        changed: Callable[["LoopTable"], None],
        told: Callable[["LoopTable", Entry], None],
        join: Joining | None = None,
        timeouts: Timeouts = USUAL,
    ) -> None:
        """`changed` is called whenever something may look different, `told` for each entry once it lasts.

        `join` where the table's meters are shared with others; raises what it raises.
        """
        self.name = name
        self.table = table
        self.books = books
        self.served = served
        self.seating = Seating(table.rules, min(table.rules.house.seats, served.place.build.profile.games[0].groups))
        self.pace = TablePace()
        self.stopped = ""  # why nothing is dealt any more
        self.lines: deque[str] = deque(maxlen=LINES)
        self.shuffles: dict[tuple[str, int, int], m.ShuffleCompleted] = {}
        self.openings: dict[int, m.GroupRemoved | m.HandDisclosed] = {}  # of the round on the table, by seat
        self.dealt_from: DealtFrom | None = None
        self._changed = changed
        self._told = told
        self._chance = SystemRandom()
        self._loop = asyncio.get_running_loop()
        self.host = HostSession(store=books, chance=self._chance.randbytes)
        self.core = core_for(
            table, chance=self._chance, last_round=last_round, seats=1, device_rounds=device_rounds, timeouts=timeouts
        )
        self.desk = Desk(self.core, books, self, self.host, carry=self._carry)
        self._eyes = TableEyes(lambda: self.served.emulator.machine)
        self._timeouts = timeouts
        books.listeners.append(self._watch)
        self.award_pending = False
        self._shared = ExitStack()
        if join is not None:
            self.core.round.meters = self._shared.enter_context(join(books, table, self.lines.append))
        self._port = served.connect(received=self._received, lost=self._lost)
        self._inbox = bytearray()
        self._soon = False
        self._timer: asyncio.TimerHandle | None = None
        self._reopen_at = 0
        self._wake_at: int | None = None
        self._deal_asked = False
        self._ready_since: int | None = None
        self._thinking: dict[int, int] = {}
        self._decided: dict[int, bool] = {}
        self._closed = False
        self._poke()

    # ------------------------------------------------------------------------------------------------- what people do

    def set_pace(self, pace: TablePace) -> None:
        """Another pace from now on."""
        self.pace = pace
        self.core.round.keys_by_people = pace.keys == "people"
        self._poke()

    def deal(self) -> None:
        """No more bets: the round is dealt as soon as a deck is ready."""
        self._refuse_if_stopped()
        if self.core.round.is_open:
            raise conflict(f"round {self.core.round.round_id} is on the table: finish it first")
        if not self.seating.layout():
            raise conflict("nobody sits at this table: put somebody on a seat first")
        self._deal_asked = True
        self._poke()

    def take_decision(self, spot: int, play: bool) -> None:
        """A player plays or folds; before its turn the decision waits for it."""
        self._refuse_if_stopped()
        played = self.core.round
        held = self.table.in_play().spots.get(spot) if played.is_open else None
        if held is None:
            raise conflict(f"seat {spot} has no hand in play")
        if held.decision or spot in self._decided:
            raise conflict(f"seat {spot} has decided already")
        if spot not in played.to_decide and len(held.cards) < 3:
            raise conflict(f"seat {spot} has not got its cards yet")
        self._decided[spot] = play
        self._poke()

    def press(self, operation: PressKey | VerifyWin) -> None:
        """A key of a keypad, or a verification; raises what the engine refuses."""
        self._refuse_if_stopped()
        if self.core.wants is not Want.KEYS:
            raise conflict("no award waits to be keyed: keys are taken after the dealer's hand is turned")
        self.desk.move(operation, DeviceRunner.now())
        self._poke()

    def change_staff(self, members: tuple[Member, ...], by: str) -> None:
        """Other people at the table, or other roles; raises what the engine refuses."""
        self._refuse_if_stopped()
        by = by or self.core.round.supervisor
        self.desk.move(ChangeStaff(members=members, by=by), DeviceRunner.now())
        self._poke()

    def misdeal(self, reason: str) -> None:
        """A supervisor calls a misdeal."""
        self._refuse_if_stopped()
        if not self.core.round.is_open:
            raise conflict("no round is open")
        self.desk.move(CallMisdeal(reason), DeviceRunner.now())
        self._poke()

    def swap(self, served: Served, why: str) -> None:
        """Switch this device off and unplug it, put the backup in its place; a half-dealt round is void."""
        if served is self.served:
            raise conflict("this device is at the table already")
        self.desk.move(Unplug(why), DeviceRunner.now())
        self.host.close(DeviceRunner.now())
        self._carry()
        self._port.close()
        self.host.lose_cable()
        self.served = served
        self._port = served.connect(received=self._received, lost=self._lost)
        self._reopen_at = 0
        self._poke()

    async def close(self) -> None:
        """The table ends in good order; an open round stays open in the journal and is void when it is continued."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        try:
            self.desk.leave("the bench was closed")
        except (JournalError, RoundEngineError) as problem:
            self.stopped = str(problem)
        self.host.close(DeviceRunner.now())
        self._carry()
        self._port.close()
        await asyncio.to_thread(self._shared.close)
        self.books.close()

    # ---------------------------------------------------------------------------------------------------- the desk asks

    def wagers(self) -> tuple[SpotWagers, ...] | None:
        """What is on the layout when the betting is over; None: not yet."""
        wagers = self.seating.layout()
        if not wagers:
            return None
        now = DeviceRunner.now()
        if self._ready_since is None:
            self._ready_since = now
        if self.pace.deals == "auto":
            due = self._ready_since + int(self.pace.between_s * 1e6)
            if now < due:
                self._wake(due)
                return None
        elif not self._deal_asked:
            return None
        self._deal_asked = False
        self._ready_since = None
        self._thinking.clear()
        self._decided.clear()
        return wagers

    def decide(self, number: int, spot: Spot) -> bool | None:
        """Whether a spot plays; None: not yet."""
        if number in self._decided:
            return self._decided[number]
        if self.seating.seats[number].kind == "person":
            return None
        due = self._thinking.setdefault(number, DeviceRunner.now() + int(self.pace.think_s * 1e6))
        if DeviceRunner.now() < due:
            self._wake(due)
            return None
        return self.seating.bot_plays(number, spot, self._chance)

    def look(self, spot: int, deck: DeckWatch) -> tuple[int, ...]:
        """A hand that the device could not read, as it is on the emulated table."""
        return self._eyes(spot, deck)

    def come(self, want: Want) -> None:
        """The page shows what the table waits for; a person comes to the machine through the control API."""

    def review(self) -> Sequence[BackOut]:
        """Settled rounds are closed at once."""
        return ()

    def refused(self, reason: str) -> None:
        """Nothing is undone here."""

    def _watch(self, entries: Sequence[Entry]) -> None:
        """Entries that last."""
        for entry in entries:
            match entry:
                case DeviceSaid(serial, epoch, m.ShuffleCompleted() as event):
                    self.shuffles[serial, epoch, event.shuffle] = event
                    while len(self.shuffles) > SHUFFLES:
                        del self.shuffles[next(iter(self.shuffles))]
                case DeviceSaid(event=m.GroupRemoved() | m.HandDisclosed() as event) if event.opening.cards:
                    self.openings[event.seat] = event
                case DealtFrom():
                    self.dealt_from = entry
                case Operated(operation=OpenRound()):
                    self.openings = {}
            if isinstance(entry, Operated) and (line := operation_text(entry.operation)) is not None:
                self.lines.append(line.strip())
            self._told(self, entry)

    # --------------------------------------------------------------------------------------------------------- the line

    def _received(self, data: bytes) -> None:
        self._inbox += data
        self._poke()

    def _lost(self) -> None:
        self.host.lose_cable()
        self._inbox.clear()
        self._reopen_at = DeviceRunner.now() + self._timeouts.reopen_us
        self._poke()

    def _carry(self) -> list[Happening]:
        data = self.host.data_to_send(DeviceRunner.now())
        if data:
            self._port.write(data)
        return []

    def _poke(self) -> None:
        """Act soon, never in the middle of the device's own step."""
        if not self._soon and not self._closed:
            self._soon = True
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        self._soon = False
        if self._closed or self.stopped:
            return
        try:
            self._step(DeviceRunner.now())
        except (RoundEngineError, JournalError, ShufflerError) as problem:
            self.stopped = str(problem)
        self._changed(self)
        self._arm()

    def _step(self, now: int) -> None:
        if not self._port.is_open and now >= self._reopen_at:
            self._reopen_at = now + self._timeouts.reopen_us
            if self._port.open():
                self.host.connect(now)
        data, self._inbox = bytes(self._inbox), bytearray()
        happenings = self.host.receive(data, now) if data else []
        due = self.host.next_deadline()
        if due is not None and due <= now:
            happenings += self.host.tick(now)
        if self._port.is_open and any(isinstance(one, Disconnected) for one in happenings):
            self.host.connect(now)
        self._wake_at = None
        self._look_at_shared(now)
        self.desk.take(happenings, now)
        self.books.flush()
        self._carry()

    def _look_at_shared(self, now: int) -> None:
        """Meters that others move change by themselves, and their server fixes what an award is worth."""
        played = self.core.round
        if played.meters is None:
            return
        self.award_pending = played.awaits_meter or (self.core.wants is Want.KEYS and not played.award_ready())
        self._wake(now + (self._timeouts.award_us if self.award_pending else self._timeouts.meter_us))

    def _wake(self, at: int) -> None:
        self._wake_at = at if self._wake_at is None else min(at, self._wake_at)

    def _arm(self) -> None:
        dues = [self.host.next_deadline(), self.core.next_deadline(), self._wake_at]
        if not self._port.is_open:
            dues = [self._wake_at, self._reopen_at]
        known = [due for due in dues if due is not None]
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if known and not self._closed and not self.stopped:
            wait = max(0, min(known) - DeviceRunner.now()) / 1e6
            self._timer = self._loop.call_later(max(0.001, wait), self._turn)

    def _refuse_if_stopped(self) -> None:
        if self.stopped:
            raise conflict(f"this table deals no more: {self.stopped}")


def changed_pace(pace: TablePace, **said: Any) -> TablePace:
    """A pace with what was said changed."""
    return replace(pace, **{name: value for name, value in said.items() if value is not None})
