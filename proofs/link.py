"""Proof: over a cable that loses, doubles, corrupts, splits and delays, nothing happens twice and nothing is lost.

Host and device talk in virtual time. Each command makes the device emit ten events. With `kills`, the host is killed
and restarted from what its store had flushed, and the device's power is cut in the middle of a write. At the end each
event must have taken effect once and in order, no command twice, and every command's fate must be known.
"""

import argparse
import time
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import Any

import msgspec

from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.nvstore import NvStore, VolatileMedium
from firmware_sim.program.records import Value, read_value
from firmware_sim.unit.device import Device
from proofs import evidence
from protocol import messages as m
from protocol.limits import COMMAND_MEMORY
from protocol.vocabulary import ErrorCode, Fate, Role
from shuffler.host.session import Answered, EventsMissing, HostSession, fate_of
from shuffler.host.store import MemoryStore
from shuffler.virtual.bench import BadCable, VirtualBench

EVENTS_A_COMMAND = 10
TEN_PERCENT = BadCable(lose=0.1, duplicate=0.1, corrupt=0.1, split=0.1, delay=0.1)
IN_FLIGHT = 8
STEPS_A_COMMAND = 2000


class PowerCut(Exception):
    """The power went in the middle of a write."""


class CutMedium(VolatileMedium):
    """A medium whose power can be made to fail part of the way through a write."""

    def __init__(self) -> None:
        super().__init__()
        self.writes_left: int | None = None
        self.chance = Random(0)

    def append(self, data: bytes) -> None:
        if self.writes_left is not None:
            self.writes_left -= 1
            if self.writes_left < 0:
                super().append(data[: self.chance.randrange(len(data) + 1)])
                self.writes_left = None
                raise PowerCut
        super().append(data)


class DoingFirmware:
    """Does each VoidRound by counting it in the store; every third is refused."""

    def __init__(self, store: NvStore, events: EventQueue) -> None:
        self._store, self._events = store, events

    def drain(self) -> tuple[m.Event, ...]:
        return ()

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:  # noqa: ARG002
        assert isinstance(command, m.VoidRound)
        if command.round % 3 == 0:
            return m.Error(code=ErrorCode.NOT_NOW, text="every third is refused")
        key = f"did:{command.round}"
        self._store.put(key, self._store.get(key, 0) + 1)
        for part in range(EVENTS_A_COMMAND):
            self._events.append(m.DeckLoaded, now_us, count=part)
        return m.Done()

    def tick(self, now_us: int) -> None:
        """Nothing moves by itself."""

    def next_deadline(self) -> int | None:
        return None

    def memory_failed(self, now_us: int) -> None:
        """Its memory does not fail."""

    def memory_returned(self, now_us: int) -> None:
        """Nor return."""


class SurvivingStore(MemoryStore):
    """A host store of which a kill leaves what was flushed."""

    def __init__(self, instance: bytes) -> None:
        super().__init__(instance)
        self.effects: list[tuple[int, int]] = []  # epoch and number
        self._durable: dict[str, Any] = {}
        self.flush()

    def store_event(self, serial: str, epoch: int, event: m.Event) -> bool:
        new = super().store_event(serial, epoch, event)
        if new:
            self.effects.append((epoch, event.number))
        return new

    def flush(self) -> None:
        self._durable = {
            "next": self._next, "open": dict(self._open), "newest": dict(self._newest), "effects": len(self.effects),
        }  # fmt: skip

    def kill(self) -> None:
        """The host dies: what was not flushed is gone."""
        self._next = self._durable["next"]
        self._open = dict(self._durable["open"])
        self._newest = dict(self._durable["newest"])
        del self.effects[self._durable["effects"] :]


@dataclass(slots=True)
class Outcome:
    """What the run showed."""

    commands: int
    done: int = 0
    refused: int = 0
    never_executed: int = 0
    forgotten: int = 0
    events: int = 0
    host_kills: int = 0
    power_cuts: int = 0
    problems: list[str] = field(default_factory=list)


def _schema(key: str, packed: msgspec.Raw) -> Value:
    """The device's own keys, and those of the proof's firmware."""
    return msgspec.msgpack.decode(packed, type=int) if key.startswith("did:") else read_value(key, packed)


def run(
    commands: int, seed: int, *, cable: BadCable = TEN_PERCENT, kills: float = 0.0, key: bytes | None = None
) -> Outcome:
    """Send so many commands; `kills` is how often, per step, an end dies."""
    chance = Random(seed)
    medium = CutMedium()
    medium.chance = chance
    host_store = SurvivingStore(chance.randbytes(16))
    outcome = Outcome(commands)
    fates: dict[int, Fate] = {}

    def power_up(now: int) -> Device:
        store = NvStore(medium, schema=_schema)
        events = EventQueue(store, lambda: chance.getrandbits(64))
        boots = store.get("boots", 0) + 1
        store.put("boots", boots)
        firmware = DoingFirmware(store, events)
        device = Device(
            firmware=firmware, store=store, events=events, serial="PROOF", boots=boots,
            chance=chance.randbytes, key=key, now=now,
        )  # fmt: skip
        store.put("unsound", None)  # its epoch has begun: nothing else here would have to begin anew
        store.commit()
        return device

    def start_host() -> HostSession:
        return HostSession(store=host_store, chance=chance.randbytes, key=key)

    bench = VirtualBench(start_host(), power_up(0), cable, chance)
    bench.plug()
    next_round = 1
    in_flight: dict[int, int] = {}  # request id -> round
    told: dict[int, Fate] = {}  # by request id
    steps_left = STEPS_A_COMMAND * commands
    while next_round <= commands or in_flight:
        steps_left -= 1
        if steps_left < 0:
            outcome.problems.append(f"commands without an end: {sorted(in_flight.values())}")
            return outcome
        while next_round <= commands and len(in_flight) < IN_FLIGHT and bench.host.can_submit:
            request = bench.host.submit(m.VoidRound(round=next_round))
            in_flight[request] = next_round
            next_round += 1
        if kills and chance.random() < kills:
            if chance.random() < 0.5:
                outcome.host_kills += 1
                host_store.kill()
                bench.replace_host(start_host())
            else:
                medium.writes_left = chance.randrange(3)
        try:
            happenings = bench.step()
        except PowerCut:
            outcome.power_cuts += 1
            bench.replace_device(power_up(bench.now))
            continue
        for happening in happenings:
            match happening:
                case Answered(request, _, reply):
                    fate = fate_of(reply)
                    if request in in_flight:
                        fates[in_flight.pop(request)] = told[request] = fate
                    elif not outcome.host_kills or fate not in (told.get(request), Fate.FORGOTTEN):
                        # only a host that died before it had noted the answer asks again, and is told the same
                        outcome.problems.append(f"request {request} was answered twice or never made")
                case EventsMissing(expected, found):
                    outcome.problems.append(f"event {found} came where {expected} was next")
    medium.writes_left = None
    device = bench.device
    assert isinstance(device, Device)
    bench.run(lambda _: host_store.newest_event("PROOF", device.events.epoch) == device.events.last)
    _judge(outcome, device, host_store, fates)
    return outcome


def _judge(outcome: Outcome, device: Device, host_store: SurvivingStore, fates: dict[int, Fate]) -> None:
    """Compare what the host believes with what the device did."""
    outcome.events = len(host_store.effects)
    executed = sum(device.store.get(f"did:{number}", 0) for number in range(1, outcome.commands + 1))
    by_epoch = groupby(host_store.effects, itemgetter(0))
    due = [(epoch, number) for epoch, stream in by_epoch for number, _ in enumerate(stream, 1)]
    if due != host_store.effects or outcome.events != EVENTS_A_COMMAND * executed:
        outcome.problems.append("events did not take effect once each and in order")
    for number in range(1, outcome.commands + 1):
        did = device.store.get(f"did:{number}", 0)
        fate = fates.get(number)
        if did > 1:
            outcome.problems.append(f"command {number} was executed {did} times")
        if fate is None:
            outcome.problems.append(f"the fate of command {number} is not known")
        elif fate is not Fate.FORGOTTEN and (fate is Fate.DONE) != (did == 1):
            outcome.problems.append(f"command {number} was executed {did} times and is believed {fate.name}")
        outcome.done += fate is Fate.DONE
        outcome.refused += fate is Fate.REFUSED
        outcome.never_executed += fate is Fate.NEVER_EXECUTED
        outcome.forgotten += fate is Fate.FORGOTTEN


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=16_000, help="two thirds are executed, with ten events each")
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()
    names = "run|commands|done|refused|never executed|forgotten|events|host kills|power cuts|problems|s"
    rows = [f"| {names.replace('|', ' | ')} |", "|---" * 11 + "|"]
    failed = False
    for name, more in (
        ("bad cable", {}),
        ("bad cable, secure mode", {"key": bytes(range(32))}),
        ("bad cable, kills and power cuts", {"kills": 0.012}),
    ):
        start = time.perf_counter()
        out = run(options.commands, options.seed, **more)  # type: ignore[arg-type]
        cells = (name, out.commands, out.done, out.refused, out.never_executed, out.forgotten, out.events,
                 out.host_kills, out.power_cuts, len(out.problems), f"{time.perf_counter() - start:.0f}")  # fmt: skip
        rows.append("| " + " | ".join(map(str, cells)) + " |")
        print(rows[-1])
        failed = failed or bool(out.problems)
        print(*out.problems[:10], sep="\n")
    body = (
        "The cable loses, doubles, corrupts, splits and delays 10 % of the pieces it carries, each on its own.\n\n"
        + "\n".join(rows)
    )
    evidence.record("link", command="make proof-link", seed=options.seed, body=body)
    raise SystemExit(failed)


if __name__ == "__main__":
    assert IN_FLIGHT < COMMAND_MEMORY
    main()
