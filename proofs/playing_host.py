"""A host in virtual time that plays rounds on a watching device, over any cable, whatever is done to its sessions."""

from collections.abc import Callable
from random import Random

from firmware_sim.machine.profile import load
from firmware_sim.unit.emulator import Build, Emulator
from protocol import messages as m
from protocol.vocabulary import PowerState
from shuffler.host.session import Answered, EventArrived, HostSession
from shuffler.host.store import MemoryStore
from shuffler.kit.conformance.controller.transcript import RunTranscript
from shuffler.kit.conformance.controller.watcher import Watcher
from shuffler.virtual.bench import BadCable, VirtualBench

ROUNDS = 4
PATIENCE_US = 12_000_000  # for an event, before the script goes on
IDLE_US = 6_000_000
MOST_STEPS = 60_000
JITTER_US = {False: 5_000, True: 400_000}  # of a good and of a bad cable

Make = Callable[[Random, bytes | None], HostSession]


def our_host(chance: Random, key: bytes | None) -> HostSession:
    """The product's own session core, on which both clients stand."""
    return HostSession(store=MemoryStore(chance.randbytes(16)), chance=chance.randbytes, key=key)


def script(chance: Random, number: int) -> list[tuple[m.Message, type[m.Event] | None]]:
    """One round's commands, each with the event to wait for."""
    return [
        (m.GetInfo(), None),
        (m.GetStatus(), None),
        (m.SetTime(unix_ms=1_800_000_000_000 + number), None),
        (m.Load(), m.DeckLoaded),
        (m.Shuffle(nonce=chance.randbytes(16)), m.ShuffleCompleted),
        (m.BeginRound(round=number, seats=0b11), None),
        (m.DealGroup(round=number, groups=0), m.HandDisclosed),
        (m.EjectStub(), m.StubRemoved),
    ]


def watched(
    make: Make = our_host, *, seed: int = 1, cable: BadCable | None = None, key: bytes | None = None
) -> RunTranscript:
    """Let a host play until it has been through every act; what the device saw of it."""
    chance = Random(seed)
    build = Build(profile=load("i-deal-style"), serial="WATCHER", seed=1, session_seed=seed, key=key, speed=20.0)
    watcher = Watcher(Emulator(build), chance.randbytes, jitter_us=JITTER_US[cable is not None], key=key)
    bench = VirtualBench(make(chance, key), watcher, cable, chance)
    bench.plug()
    steps = MOST_STEPS
    for number in range(1, ROUNDS + 1):
        for command, event in script(chance, number):
            steps = _do(bench, command, event, number, steps)
        steps = _pass_time(bench, IDLE_US, steps)
        if not watcher.acts_left and number > 1:
            break
    bench.host.close(bench.now)
    bench.exchange()
    return watcher.seen


def _do(bench: VirtualBench, command: m.Message, event: type[m.Event] | None, number: int, steps: int) -> int:
    end = bench.now + PATIENCE_US
    request: int | None = None
    answered = came = False
    closed = not isinstance(command, m.DealGroup)
    while steps > 0 and bench.now < end and not (answered and (event is None or came)):
        if request is None and bench.host.can_submit and bench.host.is_up:
            request = bench.host.submit(command)
            happenings = bench.exchange()
        else:
            happenings = bench.step(end)
        steps -= 1
        for happening in happenings:
            if isinstance(happening, Answered) and happening.request == request:
                answered = True
                if isinstance(happening.reply, m.Error):
                    event = None
                if isinstance(happening.reply, m.Status) and happening.reply.power is not PowerState.ON:
                    request, answered = None, False
            if isinstance(happening, EventArrived):
                came = came or (event is not None and isinstance(happening.event, event))
                removed = isinstance(happening.event, m.GroupRemoved) and happening.event.seat == 0
                if removed and not closed and bench.host.can_submit:
                    closed = True
                    bench.host.submit(m.CloseDecisions(round=number))
    return steps


def _pass_time(bench: VirtualBench, how_long_us: int, steps: int) -> int:
    end = bench.now + how_long_us
    while steps > 0 and bench.now < end:
        bench.step(end)
        steps -= 1
    return steps
