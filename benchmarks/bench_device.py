"""Whole rounds of the emulated device in virtual time over the in-memory wire: load, shuffle, eight groups, stub.

No peer emulates such a device. The floor it can be held against is what no emulation could leave out: drawing the
shuffle from the profile's kernel, and encoding, framing, deframing and decoding the messages of the round.
"""

import gc
import heapq
import time
from collections.abc import Callable
from random import Random

from benchmarks import Section
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.shuffling import kernel_for
from firmware_sim.unit.emulator import Build, Emulator
from protocol import messages as m
from protocol.codec import decode_body, encode_body, number_of
from protocol.framing import Framer, pack_header, wrap
from randomness import seeded_source
from shuffler.host.session import EventArrived, HostSession
from shuffler.host.store import MemoryStore
from shuffler.virtual.bench import VirtualBench

ROUNDS = 150
REPEATS = 3
FLEETS = (1, 10, 100, 1000)
FLEET_ROUNDS = 2000
SEATS = 0x7F
NONCE = bytes(16)


class Table:
    """A device, its host and a controller that acts on events alone."""

    def __init__(self, profile: str, seed: int, *, durable_events: bool = True) -> None:
        chance = Random(seed)
        made = profiles.load(profile)
        self.emulator = Emulator(Build(profile=made, serial=f"B-{seed}", seed=seed))
        self.host = HostSession(store=MemoryStore(chance.randbytes(16)), chance=chance.randbytes)
        self.bench = VirtualBench(self.host, self.emulator)
        self.closed = 0
        self.events: list[m.Event] | None = [] if durable_events else None
        self.commands: list[m.Message] | None = [] if durable_events else None
        self._shoe = made.is_shoe
        self._begun = 0
        self._left = 0
        self._take(self.bench.plug())

    def step(self) -> None:
        """Let time pass to whatever is due next."""
        self._take(self.bench.step())

    def play(self, rounds: int) -> int:
        """So many rounds more."""
        goal = self.closed + rounds
        while self.closed < goal:
            self.step()
        return rounds

    def _take(self, happenings: list) -> None:
        for happening in happenings:
            if isinstance(happening, EventArrived):
                if self.events is not None:
                    self.events.append(happening.event)
                self._react(happening.event)

    def _react(self, event: m.Event) -> None:
        if isinstance(event, m.GroupRemoved):
            self._left -= 1
            if not self._left:
                self._say(m.CloseDecisions(round=self._begun))
                self.closed += 1
                if self._shoe and self.closed % 2:
                    self._begin()
                else:
                    self._say(m.EjectStub())
        elif isinstance(event, m.DeckLoaded):
            if self._shoe:
                self._begin()
            else:
                self._say(m.Shuffle(nonce=NONCE))
        elif isinstance(event, m.ShuffleCompleted):
            self._begin()
        elif isinstance(event, m.PoweredUp | m.StubRemoved):
            self._say(m.Load())

    def _begin(self) -> None:
        self._begun += 1
        self._left = 24 if self._shoe else 8
        self._say(m.BeginRound(round=self._begun, seats=SEATS))
        self._say(m.DealGroup(round=self._begun, groups=0))

    def _say(self, command: m.Message) -> None:
        if self.commands is not None:
            self.commands.append(command)
        self.host.submit(command)


def run() -> list[Section]:
    """Rounds by profile against the floor, and the cost as the number of devices grows."""
    return [_rounds(), _fleet()]


def _rounds() -> Section:
    rows = []
    for name in profiles.names():
        table = Table(name, seed=1)
        table.play(4)
        rate = _best_rate(lambda table=table: table.play(ROUNDS), REPEATS)  # type: ignore[misc]
        shuffle, codec = _shuffle_us(name), _codec_us(name)
        round_us = 1e6 / rate
        rows.append(
            (
                name,
                f"{rate:,.0f}",
                f"{round_us:,.0f}",
                f"{shuffle:,.0f}",
                f"{codec:,.0f}",
                f"{round_us / (shuffle + codec):.1f}×",
            )
        )
    return Section(
        title="Rounds of the device over the in-memory wire",
        columns=("profile", "rounds a second", "µs a round", "its shuffle alone", "its messages alone", "× both"),
        rows=tuple(rows),
        note=f"Seven players and the dealer, seconds of processor time, best of {REPEATS} runs of {ROUNDS} rounds: "
        "load, shuffle, eight groups of three, decisions closed, stub, over host session, link and frames both ways, "
        "every step committed to the memory, every shuffle committed to and opened. The shoe deals 24 cards one by "
        "one, two rounds to a deck. The floor beside it is what no emulation can leave out: one deck from the bare "
        "batch kernel (a batch of one, as in play), and the round's commands, replies and events encoded, framed, "
        "deframed and decoded.",
    )


def _shuffle_us(name: str) -> float:
    made = profiles.load(name)
    kernel, source = kernel_for(made, made.games[0]), seeded_source(1)

    def work() -> int:
        for _ in range(500):
            kernel.permutations(52, 1, source).tolist()
        return 500

    return 1e6 / _best_rate(work, REPEATS) / (2 if made.is_shoe else 1)


def _codec_us(name: str) -> float:
    """What the messages of one round cost on their own: commands, a reply each, events."""
    table = Table(name, seed=1)
    table.play(4)
    assert table.events is not None
    assert table.commands is not None
    table.events.clear()
    table.commands.clear()
    table.play(8)
    messages = [*table.commands, *(m.Done() for _ in table.commands), *table.events]

    def work() -> int:
        framer = Framer()
        for message in messages:
            line = wrap(pack_header(0, number_of(message), 1, 1, 1, 1), encode_body(message))
            for frame in framer.feed(line):
                decode_body(frame.message, frame.body)
        return 8

    return 1e6 / _best_rate(work, 10)


def _fleet() -> Section:
    rows = []
    alone = 0.0
    for devices in FLEETS:
        before = _resident_kib()
        fleet = [Table("i-deal-style", seed, durable_events=False) for seed in range(1, devices + 1)]
        _play_together(fleet, devices)  # warm: each has dealt about once
        kib = (_resident_kib() - before) / devices
        cost = _time(lambda fleet=fleet: _play_together(fleet, FLEET_ROUNDS))  # type: ignore[misc]
        rounds_us = cost / FLEET_ROUNDS * 1e6
        alone = alone or rounds_us
        rows.append(
            (
                f"{devices:,}",
                f"{FLEET_ROUNDS / cost:,.0f}",
                f"{rounds_us:,.0f}",
                f"{rounds_us / alone:.2f}×",
                f"{kib:,.0f}" if devices >= 1000 else "",
            )
        )
        del fleet
        gc.collect()
    return Section(
        title="Rounds as the number of devices grows",
        columns=("devices in one process", "rounds a second", "µs a round", "× one device", "KiB a device"),
        rows=tuple(rows),
        note=f"i-Deal-style devices with a host session each, on one virtual clock: whatever is due first goes first, "
        f"so all of them are always in mid-round. {FLEET_ROUNDS:,} rounds in all, seconds of processor time. "
        "Memory is what the process grew by, host session included.",
    )


def _play_together(fleet: list[Table], rounds: int) -> None:
    """Step the devices in the order of their deadlines until so many rounds more are closed in all."""
    goal = sum(table.closed for table in fleet) + rounds
    done = goal - rounds
    due = [(table.bench.next_due() or 0, index) for index, table in enumerate(fleet)]
    heapq.heapify(due)
    while done < goal:
        _, index = due[0]
        table = fleet[index]
        before = table.closed
        table.step()
        done += table.closed - before
        heapq.heapreplace(due, (table.bench.next_due() or 0, index))


def _time(work: Callable[[], object]) -> float:
    """Processor time: one process that never waits, so it says the same on a busy machine."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _best_rate(work: Callable[[], int], repeats: int) -> float:
    """Units a second of processor time, the quickest of several runs; `work` returns how many units it did."""
    best = 0.0
    for _ in range(repeats):
        start = time.process_time()
        units = work()
        best = max(best, units / (time.process_time() - start))
    return best


def _resident_kib() -> int:
    gc.collect()
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
