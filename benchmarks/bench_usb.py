"""USB: the USB/IP server against a raw TCP echo, and the time a Linux guest sees.

Both servers run in a process of their own under asyncio, both clients are blocking sockets in this one. A USB round
trip is two transfers: the write and the read that brings it back.
"""

import asyncio
import multiprocessing
import os
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import Section, best_rate
from firmware_sim.ports.usb import EchoPipe, UsbBus, UsbDevice, UsbIdentity, UsbipHost, UsbipServer
from firmware_sim.ports.usb.requests import SetupPacket

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


@contextmanager
def serving(serve: Any) -> Iterator[int]:
    """The port of a server that lives as long as the block."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=run_server, args=(serve, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv()
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


def against_raw_tcp() -> Section:
    with serving(serve_usbip) as port, open_port(port) as host:
        usb_trips = best_rate(lambda: usb_round_trips(host))
        usb_bytes = best_rate(lambda: usb_bulk(host), repeats=3)
    with serving(serve_raw) as port, socket.create_connection(("127.0.0.1", port)) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw_trips = best_rate(lambda: raw_round_trips(client))
        raw_bytes = best_rate(lambda: raw_bulk(client), repeats=3)
    return Section(
        title="USB/IP server against a raw TCP echo",
        columns=("what", "USB/IP", "raw TCP", "ratio"),
        rows=(
            ("64-byte round trips/s", f"{usb_trips:,.0f}", f"{raw_trips:,.0f}", f"{usb_trips / raw_trips:.2f}"),
            (
                f"echoed MB/s, {PENDING} transfers of {len(PIECE) // 1024} KiB pending",
                f"{usb_bytes / 1e6:,.0f}",
                f"{raw_bytes / 1e6:,.0f}",
                f"{usb_bytes / raw_bytes:.2f}",
            ),
        ),
        note="Server and client in two processes; a USB round trip is two transfers (four messages), TCP's two writes.",
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
