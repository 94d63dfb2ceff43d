"""A bench with its API in a thread, and clients for it: what the tests of API, page and command line share."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx

from shuffler.api import Address, ApiServer, Bench
from shuffler.api.access import Limits

Result = TypeVar("Result")
GENEROUS = Limits(rate_a_second=1e6, burst=1e6)


@dataclass
class RunningBench:
    """The bench lives on its own thread's loop; `on_loop` runs something there."""

    bench: Bench
    address: Address
    loop: asyncio.AbstractEventLoop

    def client(self, **more: Any) -> httpx.Client:
        headers = {"authorization": f"Bearer {self.address.token}"}
        return httpx.Client(base_url=f"{self.address.url}/api/v1", headers=headers, timeout=120, **more)

    def on_loop(self, action: Callable[[], Result]) -> Result:
        async def run() -> Result:
            return action()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(120)


@contextmanager
def running_bench(
    folder: Path, *, limits: Limits = GENEROUS, make: Callable[[], Any] | None = None, **bench: Any
) -> Iterator[RunningBench]:
    """`make`, run on the loop, gives the bench's server where the plain one will not do."""
    ready: list[RunningBench] = []
    problems: list[BaseException] = []
    started = threading.Event()
    stop: list[asyncio.Event] = []

    async def serve() -> None:
        try:
            if make is None:
                server = await ApiServer.open(Bench(**bench), token_file=folder / "bench.token", limits=limits)
            else:
                server = await make()
        except BaseException as problem:
            problems.append(problem)
            started.set()
            return
        stop.append(asyncio.Event())
        ready.append(RunningBench(server.bench, server.address, asyncio.get_running_loop()))
        started.set()
        await stop[0].wait()
        await server.close()
        await server.bench.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert started.wait(120)
    if problems:
        raise problems[0]
    try:
        yield ready[0]
    finally:
        ready[0].loop.call_soon_threadsafe(stop[0].set)
        thread.join(120)
        assert not thread.is_alive(), "the bench did not end"


def sse(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Server-sent events: number, kind, data."""
    found: dict[str, Any] = {}
    for line in lines:
        if line == "":
            if "kind" in found:
                yield found
            found = {}
        elif line.startswith("id: "):
            found["number"] = int(line[4:])
        elif line.startswith("event: "):
            found["kind"] = line[7:]
        elif line.startswith("data: "):
            found["data"] = json.loads(line[6:])


@contextmanager
def bench_process(folder: Path) -> Iterator[httpx.Client]:
    """`shuffler live` as a process of its own, and a client for it."""
    token = folder / "process.token"
    command = [sys.executable, "-m", "shuffler", "live", "--port", "0", "--no-browser", "--token-file", str(token)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline().split()
            assert said[:2] == ["control", "API"], said
            headers = {"authorization": f"Bearer {token.read_text(encoding='ascii').strip()}"}
            with httpx.Client(base_url=said[2], headers=headers, timeout=120) as client:
                yield client
        finally:
            process.terminate()
            process.wait(60)
