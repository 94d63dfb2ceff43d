"""Proof: whatever bytes a USB/IP client sends, the server neither breaks nor keeps a device, and its memory stays flat.

Each case is a connection: a sound conversation that was mutated, random commands with sound headers, or noise, cut into
random pieces and hung up on at a random place. After each the device must be free, idle and ready for the next host.
Every so often a case goes over a real socket, and a sound conversation must still give the answers it gave at first.
"""

import argparse
import asyncio
import gc
import resource
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from firmware_sim.ports.usb import UsbBus, UsbDevice, UsbIdentity, UsbipServer
from firmware_sim.ports.usb.usbip_session import UsbipSession
from proofs import evidence
from proofs.echo_pipe import EchoPipe
from proofs.usbip_cases import one_case, pieces, sound_conversation

CASES = 300_000
SOCKET_EVERY = 200
CHECK_EVERY = 5000

# Blocks of memory that the interpreter's own caches may add after the warm-up; a leak of one object a case adds more.
SLACK_BLOCKS = 2000

@dataclass(slots=True)
class Outcome:
    """What the run showed."""

    cases: int
    requests: int = 0
    over_sockets: int = 0
    violations: int = 0
    imports: int = 0
    blocks_after_warm_up: int = 0
    blocks_at_end: int = 0
    peak_kib: int = 0
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


def new_bus() -> UsbBus:
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(), EchoPipe(2048)))
    return bus


def check_idle(bus: UsbBus, outcome: Outcome, where: str) -> None:
    slot = bus.slot("1-1")
    device = slot.device
    if slot.host is not None or device.attached or device.pending or device.configuration or device.function.dtr:
        outcome.problems.append(f"{where}: the device was not given back")


def run_in_memory(bus: UsbBus, chance: Random, outcome: Outcome, number: int) -> None:
    parts, requests = one_case(chance)
    outcome.requests += requests
    session = UsbipSession(bus, wake=lambda: None)
    for piece in pieces(b"".join(parts), chance):
        held = session.slot
        session.receive_data(piece)
        session.data_to_send()
        outcome.imports += held is None and session.slot is not None
        if session.closing is not None:
            outcome.violations += 1
            break
        if chance.random() < 0.2:
            session.poll()
        if chance.random() < 0.01:
            bus.unplug("1-1")
            bus.plug("1-1")
    session.connection_lost()
    check_idle(bus, outcome, f"case {number}")


@dataclass(slots=True)
class Served:
    """A running server and how many connections it must have seen."""

    server: UsbipServer
    port: int
    bus: UsbBus
    connections: int = 0

    def send(self, data: Iterator[bytes], *, abruptly: bool) -> None:
        """One connection, ended by a close or by a reset."""
        self.connections += 1
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if abruptly:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, (1).to_bytes(4, "little") + bytes(4))
            try:
                for piece in data:
                    client.sendall(piece)
            except OSError:
                return  # the server hung up first

    def sound_answers(self) -> bytes:
        """All that the server answers to the sound conversation."""
        self.connections += 1
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
            client.sendall(b"".join(sound_conversation()))
            client.shutdown(socket.SHUT_WR)
            answers = bytearray()
            while data := client.recv(65536):
                answers += data
            return bytes(answers)

    def wait_until_idle(self, outcome: Outcome, where: str) -> None:
        """Every connection seen and ended, and the device free."""
        for _ in range(2000):
            if self.server.accepted == self.connections and self.server.connections == 0:
                break
            time.sleep(0.001)
        else:
            outcome.problems.append(f"{where}: {self.server.connections} connections were never closed")
        check_idle(self.bus, outcome, where)


@contextmanager
def serving(bus: UsbBus) -> Iterator[Served]:
    """The real server in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = UsbipServer(bus)
    try:
        port = asyncio.run_coroutine_threadsafe(server.start(port=0), loop).result(10)
        yield Served(server=server, port=port, bus=bus)
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def run(cases: int, seed: int, *, progress: bool = False) -> Outcome:
    """Fuzz; the outcome's list of problems must be empty."""
    outcome = Outcome(cases=cases)
    memory_bus, socket_bus = new_bus(), new_bus()
    started = time.monotonic()
    with serving(socket_bus) as served:
        expected = served.sound_answers()
        served.wait_until_idle(outcome, "before the first case")
        for number in range(cases):
            chance = Random(f"{seed} {number}")  # its own: a case is the same alone, however far sockets took others
            if number % SOCKET_EVERY == 0:
                parts, requests = one_case(chance)
                outcome.requests += requests
                outcome.over_sockets += 1
                served.send(pieces(b"".join(parts), chance), abruptly=chance.random() < 0.5)
                served.wait_until_idle(outcome, f"case {number} over a socket")
            else:
                try:
                    run_in_memory(memory_bus, chance, outcome, number)
                except Exception as error:
                    outcome.problems.append(f"case {number}: {error!r}")
                    memory_bus = new_bus()
            if number == cases // 5:
                gc.collect()
                outcome.blocks_after_warm_up = sys.getallocatedblocks()
            if progress and number % CHECK_EVERY == 0:
                print(f"\r{number:,} of {cases:,} cases, {len(outcome.problems)} problems", end="", flush=True)
            if len(outcome.problems) > 20:
                break
        if served.sound_answers() != expected:
            outcome.problems.append("the sound conversation got other answers at the end than at the beginning")
        served.wait_until_idle(outcome, "after the last case")
    gc.collect()
    outcome.blocks_at_end = sys.getallocatedblocks()
    if outcome.blocks_at_end - outcome.blocks_after_warm_up > SLACK_BLOCKS:
        outcome.problems.append(
            f"memory grew from {outcome.blocks_after_warm_up:,} to {outcome.blocks_at_end:,} blocks"
        )
    outcome.peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome.seconds = time.monotonic() - started
    if progress:
        print()
    return outcome


def cut_everywhere(stride: int = 1) -> Outcome:
    """Hang up after every `stride`-th byte of the sound conversation, by close and by reset; all must still work."""
    talk = b"".join(sound_conversation())
    places = range(0, len(talk) + 1, stride)
    outcome = Outcome(cases=2 * len(places))
    bus = new_bus()
    with serving(bus) as served:
        expected = served.sound_answers()
        served.wait_until_idle(outcome, "before the first cut")
        for abruptly in (False, True):
            for place in places:
                served.send(iter([talk[:place]]), abruptly=abruptly)
                outcome.over_sockets += 1
                served.wait_until_idle(outcome, f"cut after byte {place}")
        if served.sound_answers() != expected:
            outcome.problems.append("the sound conversation got other answers after the cuts")
        served.wait_until_idle(outcome, "after the last cut")
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=20_180_616)
    options = parser.parse_args()
    cuts = cut_everywhere()
    outcome = run(options.cases, options.seed, progress=True)
    problems = cuts.problems + outcome.problems
    rows = [
        ("connections fuzzed", f"{outcome.cases:,}, {outcome.over_sockets:,} of them over a socket"),
        ("requests in them", f"{outcome.requests:,}"),
        ("imports that succeeded", f"{outcome.imports:,}"),
        ("connections ended by the server for a violation or a refusal", f"{outcome.violations:,}"),
        ("connections cut, at every byte of a conversation, by close and by reset", f"{cuts.cases:,}"),
        ("devices not given back, exceptions, other answers at the end", f"{len(problems)}"),
        ("memory blocks after the first fifth", f"{outcome.blocks_after_warm_up:,}"),
        ("memory blocks at the end", f"{outcome.blocks_at_end:,}"),
        ("peak resident memory", f"{outcome.peak_kib / 1024:.1f} MiB"),
        ("time", f"{outcome.seconds:.0f} s"),
    ]
    body = "| what | count |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)
    print(body)
    command = "make proof-usbip-fuzz"
    evidence.record(
        "usbip_fuzz",
        command=command if options.cases == CASES else f"python -m proofs.usbip_fuzz --cases {options.cases}",
        seed=options.seed,
        body=body + "\n" + ("\n".join(problems) if problems else "No problem was found."),
    )
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
