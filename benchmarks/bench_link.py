"""Command round-trips against a raw echo of the same bytes on the same kind of port, and against pymodbus."""

import asyncio
import multiprocessing
import os
import select
import socket
import statistics
import time
import tty
from collections.abc import Callable
from multiprocessing.synchronize import Event
from typing import Any

from benchmarks import Section, processor_us
from firmware_sim.machine.profile import load
from firmware_sim.ports import Pty, Tcp
from firmware_sim.ports.serving import Location, open_all
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.codec import encode_body
from protocol.framing import pack_header, wrap
from shuffler.host.client import Client

TRIPS = 2000
REPEATS = 5
REQUEST = wrap(pack_header(0, 0x11, 0x12345678, 1000, 1000, 1000), b"")
REPLY_BYTES = len(wrap(pack_header(0, 0x91, 0x12345678, 1000, 1000, 1000), bytes(26)))


def run() -> list[Section]:
    """One section: rates side by side, each the median of interleaved repeats."""
    context = multiprocessing.get_context("spawn")
    ready: Any = context.Queue()
    stop = context.Event()
    servers = [
        context.Process(target=target, args=(ready, stop), daemon=True)
        for target in (_serve_device, _serve_echo, _serve_modbus)
    ]
    for server in servers:
        server.start()
    where: dict[str, Any] = {}
    for _ in servers:
        where.update(ready.get(timeout=60))
    try:
        return [_measure(where)]
    finally:
        stop.set()
        for server in servers:
            server.join(10)


def _measure(where: dict[str, Any]) -> Section:
    contenders: dict[str, Callable[[], None]] = {}
    opened: list[Any] = []
    for port in ("tcp", "pty"):
        client = Client.open(where[f"device {port}"])
        opened.append(client)
        contenders[f"shuffler command, {port}"] = lambda client=client: client.call(m.GetStatus())  # type: ignore[misc]
    echo = socket.create_connection(where["echo tcp"])
    echo.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    opened.append(echo)
    contenders["raw echo, tcp"] = lambda: _socket_trip(echo)
    descriptor = os.open(where["echo pty"], os.O_RDWR | os.O_NOCTTY)
    tty.setraw(descriptor)
    contenders["raw echo, pty"] = lambda: _descriptor_trip(descriptor)
    modbus = _modbus_client(where["modbus"])
    opened.append(modbus)
    contenders["pymodbus, own client, tcp"] = lambda: modbus.read_holding_registers(0, count=10)
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    for trip in contenders.values():
        for _ in range(200):
            trip()
    for _ in range(REPEATS):
        for name, trip in contenders.items():
            before = _busy_us(where, name)
            rates[name].append(_rate(trip, TRIPS))
            costs[name].append((_busy_us(where, name) - before) / TRIPS)
    for thing in opened:
        thing.close()
    os.close(descriptor)
    middle = {name: statistics.median(values) for name, values in rates.items()}
    cost = {name: statistics.median(values) for name, values in costs.items()}

    def against(name: str, peer: str) -> str:
        return f"{middle[name] / middle[peer]:.2f}×"

    rows = []
    for name, rate in middle.items():
        port = name.rsplit(", ", 1)[1]
        echo_name, modbus = f"raw echo, {port}", "pymodbus, own client, tcp"
        rows.append(
            (
                name,
                f"{rate:,.0f}",
                against(name, echo_name),
                against(name, modbus),
                f"{cost[name]:.0f} µs",
                f"{cost[echo_name] / cost[name]:.2f}×",
                f"{cost[modbus] / cost[name]:.2f}×",
            )
        )
    note = (
        f"A GetStatus command and its reply ({len(REQUEST)} and {REPLY_BYTES} bytes on the line) between processes, "
        f"blocking client; the echo sends the same number of bytes back. Median of {REPEATS} interleaved repeats of "
        f"{TRIPS:,} round-trips. The last three columns count processor time of both processes, kernel included: they "
        "hold on a busy machine too. Reach: ≥ 0.4× the raw echo, ≥ 2× pymodbus with its own client.\n\n"
        "One frame each way, with its acknowledgement in it; at each end one wait, one read and one write (`strace -c "
        "-f`). What limits the rows is Python that finds its caches cold: host and device take about 35 µs together "
        "while they run in one warm process, and up to three times as long when another process has run before each "
        "step; the ports and the client's pump are some 10 µs of either end. Tried and left out: uvloop (4 µs less at "
        "the device's end, nothing for a fleet), a time limit kept by the system instead of a poll (1 µs), no garbage "
        "collection (nothing), letting time pass only between answers (2 µs, at the price of late heartbeats)."
    )
    columns = ("round-trip", "a second", "× raw echo", "× pymodbus", "processor time", "× raw echo", "× pymodbus")
    return Section(title="Command round-trips", columns=columns, rows=tuple(rows), note=note)


def _busy_us(where: dict[str, Any], name: str) -> float:
    """Processor time of this process and of the contender's server so far."""
    kind = "device" if name.startswith("shuffler") else "echo" if name.startswith("raw") else "modbus"
    return processor_us(where[f"{kind} pid"]) + time.process_time() * 1e6


def _rate(trip: Callable[[], None], trips: int) -> float:
    start = time.perf_counter()
    for _ in range(trips):
        trip()
    return trips / (time.perf_counter() - start)


def _socket_trip(connection: socket.socket) -> None:
    connection.sendall(REQUEST)
    got = 0
    while got < REPLY_BYTES:
        got += len(connection.recv(4096))


def _descriptor_trip(descriptor: int) -> None:
    os.write(descriptor, REQUEST)
    got = 0
    while got < REPLY_BYTES:
        select.select([descriptor], [], [])
        got += len(os.read(descriptor, 4096))


# ------------------------------------------------------------------------------------------ servers, a process each


def _serve_device(ready: Any, stop: Event) -> None:
    async def main() -> None:
        profile = load("i-deal-style")
        served = await open_all(
            [
                Location(build=Build(profile=profile, serial="B-1", seed=1), ports=(Tcp(),)),
                Location(build=Build(profile=profile, serial="B-2", seed=2), ports=(Pty(),)),
            ]
        )
        ready.put({"device pid": os.getpid(), "device tcp": served[0].urls[0], "device pty": served[1].urls[0]})
        await _until(stop)
        for one in served:
            await one.close()

    asyncio.run(main())


def _serve_echo(ready: Any, stop: Event) -> None:
    class Echo(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport: Any = transport

        def data_received(self, data: bytes) -> None:  # noqa: ARG002
            self.transport.write(bytes(REPLY_BYTES))

    async def main() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Echo, "127.0.0.1", 0)
        master, slave = os.openpty()
        tty.setraw(slave)

        def readable() -> None:
            os.read(master, 4096)
            os.write(master, bytes(REPLY_BYTES))

        loop.add_reader(master, readable)
        address = server.sockets[0].getsockname()[:2]
        ready.put({"echo pid": os.getpid(), "echo tcp": address, "echo pty": os.ttyname(slave)})
        await _until(stop)
        loop.remove_reader(master)
        server.close()

    asyncio.run(main())


def _serve_modbus(ready: Any, stop: Event) -> None:
    from pymodbus.server import ModbusTcpServer
    from pymodbus.simulator import DataType, SimData, SimDevice

    async def main() -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        context = SimDevice(id=1, simdata=[SimData(0, values=17, count=100, datatype=DataType.REGISTERS)])
        server = ModbusTcpServer(context, address=("127.0.0.1", port))
        task = asyncio.create_task(server.serve_forever())
        await asyncio.sleep(0.5)
        ready.put({"modbus pid": os.getpid(), "modbus": port})
        await _until(stop)
        await server.shutdown()
        task.cancel()

    asyncio.run(main())


def _modbus_client(port: int) -> Any:
    from pymodbus.client import ModbusTcpClient

    client = ModbusTcpClient("127.0.0.1", port=port)
    assert client.connect()
    return client


async def _until(stop: Event) -> None:
    while not stop.is_set():
        await asyncio.sleep(0.1)


assert encode_body(m.GetStatus()) == b""
