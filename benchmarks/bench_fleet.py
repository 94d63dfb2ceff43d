"""Two hundred devices in one process on TCP, each dealing rounds without a pause: rate, latency, memory a device."""

import asyncio
import multiprocessing
import statistics
import time
from typing import Any

from benchmarks import Section
from firmware_sim.machine.profile import load
from firmware_sim.ports.serving import Location, open_all
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.vocabulary import PowerState
from shuffler.host.aio import AsyncClient

DEVICES = 200
SECONDS = 12.0
SPEED = 400.0


def run() -> list[Section]:
    """One section: what a fleet does."""
    context = multiprocessing.get_context("spawn")
    pipe, there = context.Pipe()
    server = context.Process(target=_serve, args=(there, DEVICES), daemon=True)
    server.start()
    urls, before_kib, after_kib = pipe.recv()
    rounds, trips = asyncio.run(_drive(urls))
    pipe.send("stop")
    server.join(20)
    latencies = sorted(trips)
    rows = (
        ("devices in one process", f"{DEVICES}"),
        ("rounds a second, all devices", f"{rounds / SECONDS:,.0f}"),
        ("groups a second, all devices", f"{8 * rounds / SECONDS:,.0f}"),
        ("command latency, median", f"{statistics.median(latencies) * 1e3:.1f} ms"),
        ("command latency, p99", f"{latencies[int(0.99 * len(latencies))] * 1e3:.1f} ms"),
        ("memory a device", f"{(after_kib - before_kib) / DEVICES:.0f} KiB"),
    )
    note = (
        f"One process serves {DEVICES} devices on TCP, machines {SPEED:g} times as fast as real ones; another drives a "
        "client for each, round after round of seven players. Both processes are busy all the time: latency is what is "
        "left of two cores."
    )
    return [Section(title="A fleet of devices", columns=("figure", "value"), rows=rows, note=note)]


async def _drive(urls: list[str]) -> tuple[int, list[float]]:
    clients = await asyncio.gather(*(AsyncClient.open(url, timeout_s=60) for url in urls))
    trips: list[float] = []
    end = time.monotonic() + SECONDS
    counts = await asyncio.gather(*(_rounds(client, end, trips) for client in clients))
    for client in clients:
        await client.close()
    return sum(counts), trips


async def _rounds(client: AsyncClient, end: float, trips: list[float]) -> int:
    async def call(command: m.Message) -> Any:
        start = time.perf_counter()
        reply = await client.call(command, 60)
        trips.append(time.perf_counter() - start)
        return reply

    while (await client.ask(m.GetStatus(), m.Status, 60)).power is not PowerState.ON:
        await asyncio.sleep(0.05)
    done = 0
    while time.monotonic() < end:
        number = done + 1
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
        done += 1
    return done


def _serve(pipe: Any, devices: int) -> None:
    async def main() -> None:
        profile = load("i-deal-style")
        before = _resident_kib()
        places = [
            Location(build=Build(profile=profile, serial=f"F-{n}", seed=n, speed=SPEED), tcp=("127.0.0.1", 0))
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
