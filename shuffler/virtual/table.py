"""A whole table in virtual time: device, wire, session, bridge, engine, journal, players. A million rounds is a break.

The machine's clock runs far faster than the line's, so that a round takes a few milliseconds of line time and the
link's timers have nothing to do; nothing else is left out: every byte is framed, checked and parsed at both ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from firmware_sim.ports.capture.device import CapturedDevice, SerialSink
from firmware_sim.program.nvstore import Medium
from firmware_sim.unit.emulator import Build, Emulator
from round_engine.round.operations import BackOut
from round_engine.table import Table
from shuffler.host.session import HostSession
from shuffler.table.core import TableCore
from shuffler.table.driver import Books, Desk, core_for
from shuffler.table.people import Look, Players, highest_spot
from shuffler.table.players import Bot
from shuffler.table.values import Want
from shuffler.virtual.bench import BadCable, DeviceEnd, VirtualBench
from shuffler.virtual.eyes import TableEyes

MACHINE_SPEED = 20_000.0
STEP_LIMIT = 20_000
USB_FRAME_US = 1_000  # how often a full-speed host asks a device for data


class Stalled(Exception):
    """The table waits for something that will not come."""


def quick(build: Build) -> Build:
    """The same device for virtual time: a quick machine, and a seed that repeats the session's secrets as well."""
    return replace(build, speed=MACHINE_SPEED, session_seed=build.seed)


def tapped(emulator: Emulator, taps: Sequence[SerialSink]) -> DeviceEnd:
    """A device whose line others read along."""
    device: Emulator | CapturedDevice = emulator
    for sink in taps:
        device = CapturedDevice(device, sink)
    return device


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
        cable: BadCable | None = None,
        poll_us: int = 0,
        core: type[TableCore] = TableCore,
        session: type[HostSession] = HostSession,
        taps: Sequence[SerialSink] = (),
        come: Callable[[Want], None] | None = None,
        look: Look | None = None,
        review: Callable[[], Sequence[BackOut]] | None = None,
        refused: Callable[[str], None] | None = None,
    ) -> None:
        """`taps` read along on the device's line; other cores and sessions are for tests that break them.

        `come` is called where the machine needs a person. `look` in place of eyes on the emulated table. `review`
        gives what is to be undone in a settled round, `refused` gets the reason where the engine will not.
        """
        self.chance = Random(seed)
        self.books = books
        self.emulator = Emulator(build, medium)
        host = session(store=books, chance=self.chance.randbytes)
        self.bench = VirtualBench(host, tapped(self.emulator, taps), cable, self.chance, poll_us=poll_us)
        people = Players(
            bots, table.rules, chance=self.chance, look=look or TableEyes(lambda: self.emulator.machine), come=come,
            review=review, refused=refused,
        )  # fmt: skip
        self.core = core_for(
            table, chance=self.chance, last_round=last_round, seats=highest_spot(bots), reviewed=review is not None,
            make=core,
        )  # fmt: skip
        self.desk = Desk(self.core, books, people, host, carry=self.bench.exchange)
        self.desk.take(self.bench.plug(), self.bench.now)

    @property
    def done(self) -> int:
        """Rounds that have come to an end."""
        return self.core.round.settled + self.core.round.void

    def play(self, rounds: int) -> None:
        """Until so many more rounds have come to an end; raises Stalled where none does."""
        before, steps = self.done, 0
        goal = before + rounds
        while before < goal:
            self.step()
            done = self.core.round.settled + self.core.round.void
            steps = 0 if done > before else steps + 1
            before = done
            if self.core.refusal:
                raise Stalled(f"the device can't be played: {self.core.refusal}")
            if steps > STEP_LIMIT:
                raise Stalled(f"the table waits for {self.core.wants.value} in round {self.core.round.round_id}")

    def step(self) -> None:
        """Let the next thing happen, and act on it."""
        self.desk.take(self.bench.step(until=self.core.next_deadline()), self.bench.now)
