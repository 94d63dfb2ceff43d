"""Two hundred devices in one process on TCP, each dealing rounds without a pause: rate, latency, memory a device."""

import asyncio
import multiprocessing
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks import Section, processor_us
from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, open_all
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.vocabulary import PowerState
from shuffler.host.aio import AsyncClient

DEVICES = 200
SECONDS = 12.0
ALONE_S = 6.0
SPEED = 400.0


@dataclass(kw_only=True)
class Played:
    """What was played in a stretch of time."""

    rounds: int = 0  # ended within it
    all_rounds: int = 0  # with those that ended a little later
    trips_s: list[float] = field(default_factory=list)
    server_us: float = 0.0
    driver_us: float = 0.0

    def latency_ms(self, quantile: float) -> float:
        """So many commands were answered within this time."""
        return sorted(self.trips_s)[int(quantile * len(self.trips_s))] * 1e3


def run() -> list[Section]:
    """One section: what a fleet does."""
    context = multiprocessing.get_context("spawn")
    pipe, there = context.Pipe()
    server = context.Process(target=_serve, args=(there, DEVICES), daemon=True)
    server.start()
    urls, before_kib, after_kib = pipe.recv()
    assert server.pid is not None
    alone, together = asyncio.run(_drive(urls, server.pid))
    pipe.send("stop")
    server.join(20)
    rows = (
        ("devices in one process", f"{DEVICES}"),
        ("rounds a second, all devices", f"{together.rounds / SECONDS:,.0f}"),
        ("groups a second, all devices", f"{8 * together.rounds / SECONDS:,.0f}"),
        ("processor time a round, the devices' process", f"{together.server_us / together.all_rounds / 1e3:.2f} ms"),
        ("processor time a round, the driver's process", f"{together.driver_us / together.all_rounds / 1e3:.2f} ms"),
        ("command latency, median", f"{together.latency_ms(0.5):.1f} ms"),
        ("command latency, p99", f"{together.latency_ms(0.99):.1f} ms"),
        ("command latency of one device while the others are idle, median", f"{alone.latency_ms(0.5):.1f} ms"),
        ("command latency of one device while the others are idle, p99", f"{alone.latency_ms(0.99):.1f} ms"),
        ("p99, all devices × one alone", f"{together.latency_ms(0.99) / alone.latency_ms(0.99):.1f}"),
        ("memory a device", f"{(after_kib - before_kib) / DEVICES:.0f} KiB"),
    )
    note = (
        f"One process serves {DEVICES} devices on TCP, machines {SPEED:g} times as fast as real ones; another drives a "
        "client for each, round after round of seven players. Both processes are busy all the time: latency is what is "
        "left of two cores. Reach: ≥ 600 rounds a second, p99 ≤ 10 × that of one device alone.\n\n"
        "A round is some 25 reads, 24 timers and 29 writes of the devices' process. What limits it is the device's own "
        "Python behind them: with 200 of them each finds its data cold. The ports, the event loop and the system's "
        "calls are about a quarter of the devices' process. Since nobody pauses, the rate is a second over the larger "
        "of the two processor times, and latency is the queue of whatever 200 clients want at once. What helped: a "
        "clock that all devices share and that lets bytes in after each 5 ms of machines' turns (the median a fifth, "
        "p99 a third of what they were; less is done in one go, which costs the devices' process some 8 %), and a "
        "driver's client that waits with one future and one timer instead of three, and asks the system once a read "
        "and a write (a fifth of the driver's time at the same number of wake-ups). Tried and left out: uvloop "
        "(nothing, at either end), slices of 2 ms (no shorter, and dearer) and 10 ms (no cheaper), acknowledging "
        "events after 200 ms instead of 20 (half as many acknowledgements, but more frames, and no less time)."
    )
    return [Section(title="A fleet of devices", columns=("figure", "value"), rows=rows, note=note)]


async def _drive(urls: list[str], server: int) -> tuple[Played, Played]:
    """One device alone, then all of them."""
    clients = await asyncio.gather(*(AsyncClient.open(url, timeout_s=60) for url in urls))
    await asyncio.gather(*(_until_on(client) for client in clients))
    alone, together = Played(), Played()
    await _rounds(clients[0], time.monotonic() + ALONE_S, alone, 0)
    start_us, own_us = processor_us(server), time.process_time() * 1e6
    end = time.monotonic() + SECONDS
    await asyncio.gather(*(_rounds(client, end, together, alone.all_rounds) for client in clients))
    together.server_us = processor_us(server) - start_us
    together.driver_us = time.process_time() * 1e6 - own_us
    for client in clients:
        await client.close()
    return alone, together


async def _until_on(client: AsyncClient) -> None:
    while (await client.ask(m.GetStatus(), m.Status, 60)).power is not PowerState.ON:
        await asyncio.sleep(0.05)


async def _rounds(client: AsyncClient, end: float, played: Played, number: int) -> None:
    """Round after round until then; `number` is the last round that was played before."""

    async def call(command: m.Message) -> None:
        start = time.perf_counter()
        await client.call(command, 60)
        played.trips_s.append(time.perf_counter() - start)

    while time.monotonic() < end:
        number += 1
        await call(m.Load())
        await client.wait_for(m.DeckLoaded, 60)
        await call(m.Shuffle(nonce=bytes(16)))
        await client.wait_for(m.ShuffleCompleted, 60)
        await call(m.BeginRound(round=number, seats=0x7F))
        await call(m.DealGroup(round=number, groups=0))
        for _ in range(8):
            await client.wait_for(m.GroupRemoved, 60)
        await call(m.CloseDecisions(round=number))
        await client.wait_for(m.HandDisclosed, 60)
        await call(m.EjectStub())
        await client.wait_for(m.StubRemoved, 60)
        played.all_rounds += 1
        played.rounds += time.monotonic() < end


def _serve(pipe: Any, devices: int) -> None:
    async def main() -> None:
        profile = load("i-deal-style")
        before = _resident_kib()
        places = [
            Location(build=Build(profile=profile, serial=f"F-{n}", seed=n, speed=SPEED), ports=(Tcp(),))
            for n in range(devices)
        ]
        served = await open_all(places)
        pipe.send(([one.urls[0] for one in served], before, _resident_kib()))
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)
        for one in served:
            await one.close()

    asyncio.run(main())


def _resident_kib() -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
