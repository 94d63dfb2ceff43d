"""USB: the USB/IP server against a raw TCP echo, and the time a Linux guest sees.

Both servers run in a process of their own under asyncio, both clients are blocking sockets in this one. A USB round
trip is two transfers: the write and the read that brings it back.
"""

import asyncio
import multiprocessing
import os
import socket
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import Section, processor_us
from firmware_sim.ports.usb import UsbBus, UsbDevice, UsbIdentity, UsbipServer
from proofs.echo_pipe import EchoPipe
from protocol.usb.requests import SetupPacket
from shuffler.transports.usbip_host import UsbipHost

REPEATS = 5
ROUND_TRIPS = 4000
SMALL = bytes(64)

BULK_BYTES = 32 << 20
PIECE = bytes(16384)
PENDING = 16  # as many as Linux's cdc_acm keeps

OUT, IN = 0x02, 0x82


# ---- servers, each in its own process --------------------------------------------------------------------------------


async def serve_usbip(report: Any) -> None:
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(), EchoPipe(PENDING * len(PIECE))))
    report.send(await UsbipServer(bus).start(port=0))
    await asyncio.Event().wait()


class RawEcho(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(data)  # type: ignore[attr-defined]


async def serve_raw(report: Any) -> None:
    server = await asyncio.get_running_loop().create_server(RawEcho, "127.0.0.1", 0)
    report.send(server.sockets[0].getsockname()[1])
    await asyncio.Event().wait()


def run_server(serve: Any, report: Any) -> None:
    asyncio.run(serve(report))


@dataclass(frozen=True, kw_only=True)
class Served:
    """A server in a process of its own."""

    port: int
    process: int


@contextmanager
def serving(serve: Any) -> Iterator[Served]:
    """A server that lives as long as the block."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=run_server, args=(serve, theirs), daemon=True)
    process.start()
    try:
        assert process.pid is not None
        yield Served(port=ours.recv(), process=process.pid)
    finally:
        process.terminate()
        process.join()


# ---- clients ---------------------------------------------------------------------------------------------------------


def open_port(port: int) -> UsbipHost:
    host = UsbipHost("1-1", port=port, timeout_s=30)
    host.control(SetupPacket(request_type=0x00, request=0x09, value=1))
    host.control(SetupPacket(request_type=0x21, request=0x22, value=3))
    return host


def usb_round_trips(host: UsbipHost) -> int:
    waiting = host.submit_in(IN, 512)
    for _ in range(ROUND_TRIPS):
        with host.batch():  # the next read is pending before this one ends, as a driver keeps it
            writing = host.submit_out(OUT, SMALL)
            following = host.submit_in(IN, 512)
        host.reap(writing)
        assert host.reap(waiting).data == SMALL
        waiting = following
    host.reap(host.unlink(waiting))
    return ROUND_TRIPS


def raw_round_trips(client: socket.socket) -> int:
    for _ in range(ROUND_TRIPS):
        client.sendall(SMALL)
        got = 0
        while got < len(SMALL):
            got += len(client.recv(512))
    return ROUND_TRIPS


def usb_bulk(host: UsbipHost) -> int:
    reads = deque(host.submit_in(IN, len(PIECE)) for _ in range(PENDING))
    writes = []
    sent = got = 0
    while got < BULK_BYTES:
        with host.batch():
            while len(reads) < PENDING:
                reads.append(host.submit_in(IN, len(PIECE)))
            while sent < BULK_BYTES and sent - got < PENDING * len(PIECE):
                writes.append(host.submit_out(OUT, PIECE))
                sent += len(PIECE)
        got += len(host.reap(reads.popleft()).data)
        while reads and host.is_reaped(reads[0]):
            got += len(host.reap(reads.popleft()).data)
    for number in writes:
        host.reap(number)
    for number in reads:
        host.reap(host.unlink(number))
    return got


def raw_bulk(client: socket.socket) -> int:
    sent = got = 0
    while got < BULK_BYTES:
        while sent < BULK_BYTES and sent - got < PENDING * len(PIECE):
            client.sendall(PIECE)
            sent += len(PIECE)
        got += len(client.recv(262144))
    return got


# ---- the page --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a unit of work took: medians of interleaved repeats."""

    a_second: float
    processor_us: float


def in_turns(works: dict[str, tuple[Served, Callable[[], int]]], repeats: int) -> dict[str, Cost]:
    """Each work in turn, several times over; `work` returns how many units it did."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    costs: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, (server, work) in works.items():
            busy = processor_us(server.process) + time.process_time() * 1e6
            start = time.perf_counter()
            units = work()
            rates[name].append(units / (time.perf_counter() - start))
            costs[name].append((processor_us(server.process) + time.process_time() * 1e6 - busy) / units)
    return {
        name: Cost(a_second=statistics.median(rates[name]), processor_us=statistics.median(costs[name]))
        for name in works
    }


def against_raw_tcp() -> Section:
    with (
        serving(serve_usbip) as usb,
        serving(serve_raw) as raw,
        open_port(usb.port) as host,
        socket.create_connection(("127.0.0.1", raw.port)) as client,
    ):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        trips = in_turns(
            {"usb": (usb, lambda: usb_round_trips(host)), "raw": (raw, lambda: raw_round_trips(client))}, REPEATS
        )
        bulk = in_turns({"usb": (usb, lambda: usb_bulk(host)), "raw": (raw, lambda: raw_bulk(client))}, REPEATS)
    note = (
        "Server and client in two processes, both counted, kernel included; medians of "
        f"{REPEATS} interleaved repeats. A USB round trip is two transfers (four messages), TCP's two writes. Reach: "
        "≥ 0.4 of the raw echo's processor time. What limits it is Python: four headers packed and taken apart, two "
        "transfers queued and completed. What helped: one poll of the device where there were three, tuples for "
        "values, no poll of the system before each of the client's reads and writes. Tried and left out: an inbox of "
        "bytes instead of a bytearray (nothing, and slow for a peer that trickles)."
    )
    return Section(
        title="USB/IP server against a raw TCP echo",
        columns=("what", "USB/IP", "raw TCP", "ratio", "processor time, USB/IP", "raw TCP", "ratio"),
        rows=(
            (
                "64-byte round trips/s",
                f"{trips['usb'].a_second:,.0f}",
                f"{trips['raw'].a_second:,.0f}",
                f"{trips['usb'].a_second / trips['raw'].a_second:.2f}",
                f"{trips['usb'].processor_us:.0f} µs",
                f"{trips['raw'].processor_us:.0f} µs",
                f"{trips['raw'].processor_us / trips['usb'].processor_us:.2f}",
            ),
            (
                f"echoed MB/s, {PENDING} transfers of {len(PIECE) // 1024} KiB pending",
                f"{bulk['usb'].a_second / 1e6:,.0f}",
                f"{bulk['raw'].a_second / 1e6:,.0f}",
                f"{bulk['usb'].a_second / bulk['raw'].a_second:.2f}",
                f"{bulk['usb'].processor_us * 1e3:.1f} ms/MB",
                f"{bulk['raw'].processor_us * 1e3:.1f} ms/MB",
                f"{bulk['raw'].processor_us / bulk['usb'].processor_us:.2f}",
            ),
        ),
        note=note,
    )


def in_a_guest() -> list[Section]:
    from proofs.usb_guest import PACKAGES_VARIABLE, make_image, run_scenario, two_echoes

    if PACKAGES_VARIABLE not in os.environ:
        print(f"{PACKAGES_VARIABLE} is not set: no guest is measured")
        return []
    with TemporaryDirectory() as folder:
        transcript = asyncio.run(run_scenario(make_image(Path(folder)), "echo", two_echoes()))
    facts = transcript.facts
    rows = (
        ("64-byte round trip, /dev/ttyACM0 with pyserial, median", f"{facts['serial_round_trip_ms']} ms"),
        ("the same, worst of 200", f"{facts['serial_round_trip_ms_worst']} ms"),
        ("64-byte round trip, libusb with pyusb, median", f"{facts['libusb_round_trip_ms']} ms"),
        ("echoed through /dev/ttyACM0, 4 KiB at a time", f"{facts['serial_kib_per_s']} KiB/s"),
        ("boot to power-off, whole scenario", f"{transcript.seconds:.1f} s"),
    )
    note = "Debian's kernel under QEMU's full emulation, no hardware virtualisation: most is the guest's Python."
    return [Section(title="USB in a Linux guest", columns=("what", "measured"), rows=rows, note=note)]


def run() -> list[Section]:
    return [against_raw_tcp(), *in_a_guest()]
