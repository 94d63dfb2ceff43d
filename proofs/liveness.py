"""Proof: link, session and driver have no state without a next step: from each there is a way to an answered command.

A breadth-first walk over the real parts (`Line`, `Connection`, `HostSession`, `DeviceLink`, the device with its command
memory and event queue) on a virtual clock. The alphabet: time passes, a piece of data is delivered or lost, a command
is given, either end sleeps, dies and starts again, the port is pulled, goes deaf, comes back. States are told apart by
what decides what can happen next, with counts cut off and times sorted into steps.

Each state found is then left alone on a line that behaves from now on: something must be due, and within a stated time
of the virtual clock a command must be answered and every event stored. Whoever plants a dead end is found out.
"""

import argparse
import copy
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.nvstore import NvStore
from firmware_sim.unit.device import Device
from proofs import evidence
from protocol import messages as m
from protocol.framing import Framer
from protocol.vocabulary import Role
from shuffler.errors import CannotOpen, LinkLost
from shuffler.host.connection import Connection
from shuffler.host.line import Line
from shuffler.host.session import Answered, Happening, HostSession
from shuffler.host.store import MemoryStore

SECOND = 1_000_000
MOMENT_US = 10_000  # between two looks at something overdue
NAP_US = 3_500_000  # longer than the silence that ends a session
IN_FLIGHT = 1  # piece of data on its way, each way
LIMIT_US = 45 * SECOND  # to an answered command, from wherever it starts: every time-out of the parts once
STEPS_MAX = 1000
PLANTED_STATES = 60
TIMES = (0, SECOND, 4 * SECOND)


class Machine:
    """A firmware with one effect: what it is told to do, it reports."""

    def __init__(self, events: EventQueue) -> None:
        self._events = events

    def drain(self) -> tuple[m.Event, ...]:
        return ()

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:  # noqa: ARG002
        if isinstance(command, m.Load) and self._events.room > 0:
            self._events.append(m.DeckLoaded, now_us, count=52)
        return m.Done()

    def tick(self, now_us: int) -> None:
        """Nothing moves by itself."""

    def next_deadline(self) -> int | None:
        return None


class Deaf:
    """A port of the world; a deaf one takes everything and gives nothing, as a connection whose peer vanished."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.is_deaf = False
        self.is_out = False

    def read(self, timeout_s: float) -> bytes:  # noqa: ARG002
        if self.is_out:
            raise LinkLost("the cable is out")
        data, self._world.arrived = self._world.arrived, b""
        return b"" if self.is_deaf else data

    def write(self, data: bytes) -> None:
        if self.is_out:
            raise LinkLost("the cable is out")
        if not self.is_deaf:
            self._world.down.append(data)

    def close(self) -> None:
        self._world.hung_up(self)


class World:
    """Both ends, the cable between them and the clock."""

    line_type: type[Line] = Line
    connection_type: type[Connection] = Connection

    def __init__(self) -> None:
        self.now = 0
        self.chance = Random(5)
        self.store = MemoryStore(b"i" * 16)
        self.memory = NvStore()
        self.boots = 0
        self.down: list[bytes] = []
        self.up: list[bytes] = []
        self.arrived = b""
        self.can_open = True
        self.port: Deaf | None = None
        self.answers = 0
        self.start_host()
        self.start_device()

    # ---------------------------------------------------------------------------------------------------- the parts

    def clock(self) -> int:
        return self.now

    def pause(self, seconds: float) -> None:
        """Time passes by the walk's own steps."""

    def open(self, url: str) -> Deaf:
        if not self.can_open:
            raise CannotOpen(f"{url}: no such port")
        self.port = Deaf(self)
        self.down, self.up, self.arrived = [], [], b""
        return self.port

    def hung_up(self, port: Deaf) -> None:
        if port is self.port:
            self.port = None
            self.down, self.up, self.arrived = [], [], b""
            if not port.is_deaf:
                self.device.pull_cable()

    def start_host(self) -> None:
        self.session = HostSession(store=self.store, chance=self.chance.randbytes)
        self.connection = self.connection_type(self.session, "virtual")
        self.line = self.line_type(self.connection, self.open, clock=self.clock, pause=self.pause)

    def start_device(self) -> None:
        self.boots += 1
        events = EventQueue(self.memory, self.epoch)
        self.device = Device(
            firmware=Machine(events), store=self.memory, events=events, serial="SB-1", boots=self.boots,
            chance=self.chance.randbytes, now=self.now,
        )  # fmt: skip

    def epoch(self) -> int:
        return self.chance.getrandbits(63) + 1

    def heard(self, happenings: list[Happening]) -> None:
        self.answers += sum(isinstance(one, Answered) for one in happenings)

    # -------------------------------------------------------------------------------------------------- its movements

    def host_step(self) -> None:
        self.heard(self.line.step(0.0))

    def device_says(self) -> None:
        data = self.device.data_to_send(self.now)
        if data and self.port is not None and not self.port.is_deaf and not self.port.is_out:
            self.up.append(data)

    def due(self) -> int | None:
        both = (self.connection.next_deadline(), self.device.next_deadline())
        return min((at for at in both if at is not None), default=None)

    def pass_time(self) -> bool:
        due = self.due()
        if due is None:
            return False
        self.now = max(self.now + MOMENT_US, due)
        self.device.tick(self.now)
        self.device_says()
        self.host_step()
        return True

    def deliver_down(self) -> bool:
        if not self.down:
            return False
        self.device.receive(self.down.pop(0), self.now)
        self.device_says()
        return True

    def deliver_up(self) -> bool:
        if not self.up:
            return False
        self.arrived += self.up.pop(0)
        self.host_step()
        return True

    def lose_down(self) -> bool:
        return bool(self.down) and self.down.pop(0) is not None

    def lose_up(self) -> bool:
        return bool(self.up) and self.up.pop(0) is not None

    def command(self) -> bool:
        if self.session.open_commands or not self.session.can_submit:
            return False
        self.session.submit(m.Load())
        self.line.flush()
        return True

    def host_sleeps(self) -> bool:
        end = self.now + NAP_US
        while self.now < end and (due := self.device.next_deadline()) is not None and due <= end:
            self.now = max(self.now + MOMENT_US, due)
            self.device.tick(self.now)
            self.device_says()
        self.now = max(self.now, end)
        return True

    def device_sleeps(self) -> bool:
        end = self.now + NAP_US
        while self.now < end and (due := self.connection.next_deadline()) is not None and due <= end:
            self.now = max(self.now + MOMENT_US, due)
            self.host_step()
        self.now = max(self.now, end)
        return True

    def host_dies(self) -> bool:
        if self.port is not None:
            self.port.close()
        self.start_host()
        return True

    def host_dies_silently(self) -> bool:
        """Its machine is gone: nobody tells the device."""
        self.port = None
        self.down, self.up, self.arrived = [], [], b""
        self.start_host()
        return True

    def device_dies(self) -> bool:
        """The power goes and comes back; the cable stays in, and the host is not told."""
        self.down, self.up = [], []
        self.start_device()
        return True

    def pull(self) -> bool:
        if self.port is None or self.port.is_out:
            return False
        self.port.is_out = True
        self.can_open = False
        self.down, self.up, self.arrived = [], [], b""
        self.device.pull_cable()
        return True

    def put_back(self) -> bool:
        before, self.can_open = self.can_open, True
        return not before

    def go_deaf(self) -> bool:
        if self.port is None or self.port.is_deaf:
            return False
        self.port.is_deaf = True
        self.down, self.up, self.arrived = [], [], b""
        return True

    # ---------------------------------------------------------------------------------------------- telling them apart

    def key(self) -> tuple[object, ...]:
        """What decides what can happen next."""
        mine, theirs = self.session.link.session, self.device.link.session
        half = self.device.link._half_open
        names = {0: "none"}
        if mine is not None:
            names[mine.number] = "mine"
        if theirs is not None:
            names[theirs.number] = "both" if names.get(theirs.number) == "mine" else "theirs"
        return (
            self.can_open,
            self.port is None or (self.port.is_deaf, self.port.is_out),
            self.connection.is_open,
            self.connection.wants_close(self.now),
            self.session.link._hello is not None,
            None if mine is None else (names[mine.number], mine.number in half, *self._stream(mine)),
            None if theirs is None else (names[theirs.number], *self._stream(theirs)),
            min(len(half), 2),
            min(self.session.open_commands, 2),
            min(len(self.session._recovered), 1),
            min(self.device.events.kept, 2),
            self._kinds(self.down, names),
            self._kinds(self.up, names),
            self._step(self.connection.next_deadline()),
            self._step(self.device.next_deadline()),
        )

    @staticmethod
    def _stream(session: object) -> tuple[object, ...]:
        stream = session.stream  # type: ignore[attr-defined]
        return min(len(stream.flight), 1), stream.ack_due_us is None, stream.dead

    @staticmethod
    def _kinds(pieces: list[bytes], names: dict[int, str]) -> tuple[object, ...]:
        return tuple(
            tuple((frame.message, names.get(frame.session, "other")) for frame in Framer().feed(piece))
            for piece in pieces
        )

    def _step(self, due: int | None) -> int | None:
        return None if due is None else sum(due - self.now > step for step in TIMES)


ACTIONS: dict[str, Callable[[World], bool]] = {
    "time passes": World.pass_time,
    "delivered to the device": World.deliver_down,
    "delivered to the host": World.deliver_up,
    "lost to the device": World.lose_down,
    "lost to the host": World.lose_up,
    "a command": World.command,
    "the host sleeps": World.host_sleeps,
    "the device sleeps": World.device_sleeps,
    "the host dies": World.host_dies,
    "the host dies silently": World.host_dies_silently,
    "the device restarts": World.device_dies,
    "the cable is pulled": World.pull,
    "the cable is put back": World.put_back,
    "the port goes deaf": World.go_deaf,
}


@dataclass
class Walked:
    """What the walk has found."""

    states: int = 0
    steps: int = 0
    is_complete: bool = True
    by_action: Counter[str] = field(default_factory=Counter)
    longest_us: int = 0
    longest_way: tuple[str, ...] = ()
    dead_ends: list[str] = field(default_factory=list)


def recovers(world: World) -> int | None:
    """How long it takes to an answered command and stored events on a line that behaves; None where it never comes."""
    started, wanted = world.now, None
    world.can_open = True
    for _ in range(STEPS_MAX):
        if world.now - started > LIMIT_US:
            return None
        if wanted is None and world.command():
            wanted = world.answers + 1
        elif wanted is None and world.session.open_commands:
            wanted = world.answers + world.session.open_commands
        if wanted is not None and world.answers >= wanted and world.device.events.kept == 0:
            return world.now - started
        if not (world.deliver_down() or world.deliver_up() or world.pass_time()):
            return None
    return None


def walk(start: World, *, most: int, depth: int | None = None) -> Walked:
    """Breadth first, at most so many states; each is also left alone to see whether it recovers."""
    found = Walked()
    seen = {start.key()}
    todo: deque[tuple[World, tuple[str, ...]]] = deque([(start, ())])
    while todo:
        world, way = todo.popleft()
        found.states += 1
        _judge(world, way, found)
        if depth is not None and len(way) >= depth:
            found.is_complete = False
            continue
        for name, act in ACTIONS.items():
            after = copy.deepcopy(world)
            if not act(after) or len(after.down) > IN_FLIGHT or len(after.up) > IN_FLIGHT:
                continue
            found.steps += 1
            key = after.key()
            if key in seen:
                continue
            if len(seen) >= most:
                found.is_complete = False
                continue
            seen.add(key)
            found.by_action[name] += 1
            todo.append((after, (*way, name)))
    return found


def _judge(world: World, way: tuple[str, ...], found: Walked) -> None:
    taken = recovers(copy.deepcopy(world))
    if taken is None:
        found.dead_ends.append(" → ".join(way) or "the start")
    elif taken > found.longest_us:
        found.longest_us, found.longest_way = taken, way


# ---------------------------------------------------------------------------------------------------- planted dead ends


class SaysNothingByItself(Line):
    """Only commands bring bytes to the line: acknowledgements, heartbeats and a new hello stay queued."""

    def step(self, wait_s: float) -> list[Happening]:
        send_due, self._send_due = self._send_due, _nothing  # type: ignore[method-assign]
        try:
            return super().step(wait_s)
        finally:
            self._send_due = send_due  # type: ignore[method-assign]


class KeepsDeafPorts(Connection):
    """A port on which nobody answers is kept for ever."""

    def wants_close(self, now: int) -> bool:  # noqa: ARG002
        return False

    def next_deadline(self) -> int | None:
        return self.session.next_deadline() if self.is_open else super().next_deadline()


class GivesUpPorts(Connection):
    """A port that could not be opened once is not tried again."""

    def wants_port(self, now: int) -> bool:
        return super().wants_port(now) and not self.lost


def _nothing(now: int) -> None:
    """Nothing is sent."""


PLANTED: dict[str, tuple[type[Line], type[Connection]]] = {
    "says nothing by itself": (SaysNothingByItself, Connection),
    "keeps deaf ports": (Line, KeepsDeafPorts),
    "gives up ports": (Line, GivesUpPorts),
}


def planted(name: str) -> World:
    """A world with a dead end in it."""
    line, connection = PLANTED[name]
    return type("Planted", (World,), {"line_type": line, "connection_type": connection})()  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=60_000)
    options = parser.parse_args()
    started = time.perf_counter()
    found = walk(World(), most=options.states)
    traps = {name: walk(planted(name), most=PLANTED_STATES) for name in PLANTED}
    lines = [
        f"- states: {found.states:,}, steps tried between them: {found.steps:,}"
        + (" (all that can be reached)" if found.is_complete else f" (the first {options.states:,}, breadth first)"),
        f"- states without a way to an answered command: {len(found.dead_ends)}",
        f"- longest way back: {found.longest_us / SECOND:.1f} s of {LIMIT_US // SECOND} s, after:"
        f" {' → '.join(found.longest_way)}",
        *(f"- planted, '{name}': {len(one.dead_ends)} dead ends in {one.states} states" for name, one in traps.items()),
        f"- {time.perf_counter() - started:.0f} s",
        "",
        "| first reached by | states |",
        "|---|---|",
        *(f"| {name} | {count:,} |" for name, count in found.by_action.most_common()),
        *(["", *(f"- dead end: {way}" for way in found.dead_ends[:20])] if found.dead_ends else []),
    ]
    print("\n".join(lines))
    evidence.record("liveness", command="make proof-liveness", seed="fixed", body="\n".join(lines))
    raise SystemExit(bool(found.dead_ends) or not all(one.dead_ends for one in traps.values()))


if __name__ == "__main__":
    main()
