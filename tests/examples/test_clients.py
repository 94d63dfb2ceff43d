"""The clients written from the reference alone, in C and in Node: a whole round at 10 % loss, every opening checked."""

import asyncio
import contextlib
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build

ROOT = Path(__file__).parent.parent.parent
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-g", "-fsanitize=address,undefined"]


class LossyProxy:
    """Between a client and a device on TCP: loses a tenth of the frames each way, and flips a bit in some."""

    def __init__(self, port: int, *, lose: float, seed: int) -> None:
        self.port = 0
        self.lost = 0
        self.carried = 0
        self._device = port
        self._lose = lose
        self._chance = Random(seed)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "LossyProxy":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(10)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._done = asyncio.Event()
        server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._done.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await task

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        device_reader, device_writer = await asyncio.open_connection("127.0.0.1", self._device)
        await asyncio.gather(self._carry(reader, device_writer), self._carry(device_reader, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                piece = await reader.readuntil(b"\0")
                if len(piece) > 1:
                    self.carried += 1
                    if self._chance.random() < self._lose:
                        self.lost += 1
                        if self._chance.random() < 0.5:
                            continue
                        damaged = bytearray(piece)
                        damaged[self._chance.randrange(len(piece) - 1)] ^= 1 << self._chance.randrange(8)
                        piece = bytes(damaged)
                writer.write(piece)
                await writer.drain()
        writer.close()


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[int]:
    profile = getattr(request, "param", "i-deal-style")
    build = Build(profile=load(profile), serial="EXAMPLE", speed=50.0, seed=7)
    with background([Location(build=build, ports=(Tcp(),))]) as bench:
        yield int(bench.url.rsplit(":", 1)[1])


@pytest.fixture(scope="module")
def small_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    binary = tmp_path_factory.mktemp("c") / "small_host"
    source = ROOT / "examples" / "c" / "small_host.c"
    subprocess.run(["gcc", *STRICT, "-I", ROOT / "docs" / "protocol", "-o", binary, source], check=True)
    return binary


def plays_a_round(command: list[str | Path], device: int, seed: int) -> str:
    with LossyProxy(device, lose=0.1, seed=seed) as proxy:
        done = subprocess.run([*command, "127.0.0.1", str(proxy.port)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    assert proxy.lost > 0
    lines = done.stdout.splitlines()
    assert lines[0].endswith(" with EXAMPLE")
    assert [line.split(":")[0] for line in lines[2:10]] == [*(f"seat {seat}" for seat in range(1, 8)), "seat 0"]
    assert lines[-1].endswith("every hand opens the commitment")
    return done.stdout


@pytest.mark.slow
@pytest.mark.needs("gcc")
@pytest.mark.parametrize("device", ["i-deal-style", "ace-style"], indirect=True)
def test_the_small_host_in_c_plays_a_round_at_ten_percent_loss(
    small_host: Path, device: int, request: pytest.FixtureRequest
) -> None:
    said = plays_a_round([small_host], device, seed=3)
    assert ("place" in said) is ("ace-style" in request.node.name)


@pytest.mark.slow
@pytest.mark.needs("node")
@pytest.mark.parametrize("device", ["i-deal-style", "ace-style"], indirect=True)
def test_the_client_in_node_plays_a_round_at_ten_percent_loss(device: int, request: pytest.FixtureRequest) -> None:
    said = plays_a_round(["node", ROOT / "examples" / "node" / "client.mjs"], device, seed=4)
    assert ("place" in said) is ("ace-style" in request.node.name)


@pytest.mark.needs("gcc")
def test_the_small_host_says_why_a_device_refuses_it(small_host: Path) -> None:
    build = Build(profile=load("i-deal-style"), serial="EXAMPLE", speed=50.0, key=bytes(32))
    with background([Location(build=build, ports=(Tcp(),))]) as bench:
        port = bench.url.rsplit(":", 1)[1]
        done = subprocess.run([small_host, "127.0.0.1", port], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "a key is set: only secure sessions are opened" in done.stderr
