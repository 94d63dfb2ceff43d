"""The edge: the suites on real ports and in real time."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from firmware_sim.machine.profile import Profile
from firmware_sim.ports import PortSettings, Pty, Tcp
from firmware_sim.ports.serving import Location, Served, background
from firmware_sim.unit.emulator import Build
from shuffler.errors import CannotOpen
from shuffler.kit.conformance.controller.suite import judge
from shuffler.kit.conformance.controller.watcher import Watcher
from shuffler.kit.conformance.device.bench import SuiteBench
from shuffler.kit.conformance.device.talk import FrameLine
from shuffler.kit.conformance.verdict import RuleFinding
from shuffler.transports.ports import OpenPort, Transport, open_transport

REOPEN_TRIES = 20
REOPEN_S = 0.25
LOOK_S = 0.1


class LiveWire:
    """A transport opened by URL, with the clock of this machine."""

    def __init__(self, url: str, open_port: OpenPort = open_transport) -> None:
        """Raises CannotOpen."""
        self._url, self._open = url, open_port
        self._port: Transport = open_port(url, 115200)

    def write(self, data: bytes) -> None:
        self._port.write(data)

    def read(self, wait_us: int) -> bytes:
        return self._port.read(max(0, wait_us) / 1e6)

    def now(self) -> int:
        return time.monotonic_ns() // 1000

    def reopen(self) -> None:
        """Close the port and open it again, waiting a little for a device that is still letting the old one go."""
        self.close()
        for left in range(REOPEN_TRIES, 0, -1):
            try:
                self._port = self._open(self._url, 115200)
            except CannotOpen:
                if left == 1:
                    raise
                time.sleep(REOPEN_S)
            else:
                return

    def close(self) -> None:
        """Let the port go."""
        self._port.close()


@contextmanager
def device_bench(url: str, *, key: bytes | None, jitter_ms: int, deals: bool) -> Iterator[SuiteBench]:
    """A bench for the device at a URL; raises CannotOpen."""
    wire = LiveWire(url)
    try:
        yield SuiteBench(FrameLine(wire), os.urandom, key, jitter_us=jitter_ms * 1000, deals=deals)
    finally:
        wire.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """How a controller is to be watched."""

    profile: Profile
    host: str = "127.0.0.1"
    port: int | None = None
    pty: bool = False
    speed: float = 20.0
    key: bytes | None = None
    jitter_ms: int = 250
    patience_s: float = 120.0  # without a word of any host, before it is judged


class Watching:
    """A watching device on a port, until it has seen everything or nobody comes any more."""

    def __init__(self, watch: WatchOptions, watcher: Watcher, url: str, look: Callable[[], tuple[int, int]]) -> None:
        self.url = url
        self._watch, self._watcher, self._look = watch, watcher, look

    def until_done(self, stop: Callable[[], bool] = lambda: False) -> list[RuleFinding]:
        """Wait until every act was played and the host is through, or for so long that nobody spoke; the verdicts."""
        since, before = time.monotonic(), (0, 0)
        while not stop():
            now_seen = self._look()
            if now_seen != before:
                since, before = time.monotonic(), now_seen
            quiet = time.monotonic() - since
            if quiet > self._watch.patience_s or (now_seen[1] == 0 and quiet > 5.0):
                break
            time.sleep(LOOK_S)
        return self.findings()

    def findings(self) -> list[RuleFinding]:
        """The verdicts by what was seen so far."""
        return judge(self._watcher.seen)


@contextmanager
def watching(watch: WatchOptions) -> Iterator[Watching]:
    """Serve a device that watches its host; raises OSError where the port can't be had."""
    build = Build(profile=watch.profile, serial="WATCHING", speed=watch.speed, key=watch.key)
    ports: tuple[PortSettings, ...] = (Pty(),) if watch.pty else ()
    if watch.port is not None or not watch.pty:
        ports = (Tcp(watch.host, watch.port or 0), *ports)
    with background([Location(build=build, ports=ports)]) as bench:

        def replace(served: Served) -> Watcher:
            watcher = Watcher(served.emulator, os.urandom, jitter_us=watch.jitter_ms * 1000, key=watch.key)
            served.runner.replace(watcher)
            return watcher

        watcher = bench.do(replace)
        yield Watching(watch, watcher, bench.url, lambda: (watcher.seen.frames, watcher.acts_left))
