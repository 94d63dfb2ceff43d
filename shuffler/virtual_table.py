"""A whole table in virtual time: device, wire, session, bridge, engine, journal, players. A million rounds is a break.

The machine's clock runs far faster than the line's, so that a round takes a few milliseconds of line time and the
link's timers have nothing to do; nothing else is left out: every byte is framed, checked and parsed at both ends.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from firmware_sim.emulator import Build, Emulator
from firmware_sim.nvstore import Medium
from round_engine.table import Table
from shuffler.bots import Bot
from shuffler.bridge import Bridge, Want
from shuffler.bridge.entries import Entry
from shuffler.session import Happening, HostSession
from shuffler.store import HostStore
from shuffler.virtual import VirtualBench

MACHINE_SPEED = 20_000.0
STEP_LIMIT = 20_000


class Books(HostStore, Protocol):
    """The journal as the table uses it: a host store that also takes entries."""

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries; they last after the next `flush`."""


class Stalled(Exception):
    """The table waits for something that will not come."""


class VirtualTable:
    """Plays rounds; the parts are public, so that tests may break them."""

    def __init__(
        self,
        table: Table,
        books: Books,
        bots: Sequence[Bot],
        build: Build,
        *,
        seed: int = 0,
        medium: Medium | None = None,
        last_round: int = 0,
    ) -> None:
        self.chance = Random(seed)
        self.books = books
        self.bots = list(bots)
        self.emulator = Emulator(build, medium)
        host = HostSession(store=books, chance=self.chance.randbytes)
        self.bench = VirtualBench(host, self.emulator)
        self.bridge = Bridge(
            table, dealer="dealer", supervisor="supervisor", chance=self.chance.randbytes, last_round=last_round
        )
        self.attend: Callable[[VirtualTable], None] = no_attention
        self._wagers = tuple(bot.wagers(table.rules) for bot in self.bots)
        self._by_spot = {bot.spot: bot for bot in self.bots}
        self._take(self.bench.plug())

    def play(self, rounds: int) -> None:
        """Until so many more rounds have been settled or voided; raises Stalled where none comes to an end."""
        bridge = self.bridge
        goal = bridge.settled + bridge.void + rounds
        steps = 0
        done = bridge.settled + bridge.void
        while done < goal:
            self.step()
            now_done = bridge.settled + bridge.void
            steps = 0 if now_done > done else steps + 1
            done = now_done
            if steps > STEP_LIMIT:
                raise Stalled(f"the table waits for {bridge.wants.value} in round {bridge.round_id}")

    def step(self) -> None:
        """Let the next thing happen, and act on it."""
        bench, bridge = self.bench, self.bridge
        due = bench.next_due()
        poll = bridge.next_deadline()
        if poll is not None and (due is None or poll < due):
            bench.now = max(bench.now, poll)
            bridge.tick(bench.now)
            self._take([])
        else:
            self._take(bench.step())

    def _take(self, happenings: list[Happening]) -> None:
        """Happenings into the bridge, its entries into the books, its commands onto the line; until all is quiet."""
        bench, bridge = self.bench, self.bridge
        while True:
            for happening in happenings:
                bridge.take(happening, bench.now)
            happenings = self._act()
            if not happenings:
                return

    def _act(self) -> list[Happening]:
        bridge = self.bridge
        if bridge.wants is Want.WAGERS:
            bridge.open_round(self._wagers)
        while bridge.wants is Want.DECISIONS and (waiting := bridge.to_decide):
            spot = bridge.table.in_play().spots[waiting[0]]
            bridge.decide(waiting[0], self._by_spot[waiting[0]].decide(spot, self.chance))
        if bridge.wants in (Want.ATTENTION, Want.BACKUP, Want.FACES):
            self.attend(self)
        if bridge.entries:
            self.books.write(bridge.entries)
            bridge.entries.clear()
        host = self.bench.host
        while bridge.commands and host.can_submit:
            host.submit(bridge.commands.pop(0))
        return self.bench.carry()


def no_attention(table: VirtualTable) -> None:
    """Nobody comes: the machine has to help itself."""


def quick(build: Build) -> Build:
    """The same device with a machine clock fit for virtual time."""
    from dataclasses import replace

    return replace(build, speed=MACHINE_SPEED)
