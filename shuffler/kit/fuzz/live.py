"""The edge: fuzzing on real ports and in real time."""

import os
import time
from collections.abc import Callable, Sequence

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, Served, background
from firmware_sim.unit.emulator import Build
from shuffler.errors import CannotOpen
from shuffler.kit.conformance.live import LiveWire
from shuffler.kit.conformance.verdict import Failed, NotSeen
from shuffler.kit.fuzz.controller import Thrower
from shuffler.kit.fuzz.device import Broke, run
from shuffler.kit.fuzz.shrinking import shrunk
from shuffler.kit.fuzz.steps import FuzzStep

BACK_S = 10.0  # for a device that broke to be there again
LOOK_S = 0.05


def fuzz_device(
    url: str, steps: Sequence[FuzzStep], *, key: bytes | None = None, progress: Callable[[int], None] = lambda _: None
) -> Broke | None:
    """What broke the device at a URL, or None; raises CannotOpen, and NotSeen where it does not answer at first."""
    wire = LiveWire(url)
    try:
        return run(wire, steps, os.urandom, key=key, progress=progress)
    finally:
        wire.close()


def shrink_device(url: str, steps: Sequence[FuzzStep], *, key: bytes | None = None) -> list[FuzzStep]:
    """Fewer steps that still break it, where the device comes back by itself after each try; else these."""

    def breaks(fewer: Sequence[FuzzStep]) -> bool:
        if not _is_back(url, key):
            return False
        try:
            return fuzz_device(url, fewer, key=key) is not None
        except (NotSeen, CannotOpen):
            return False

    return shrunk(steps, breaks) if _is_back(url, key) else list(steps)


def _is_back(url: str, key: bytes | None) -> bool:
    end = time.monotonic() + BACK_S
    while time.monotonic() < end:
        try:
            if fuzz_device(url, (), key=key) is None:
                return True
        except (CannotOpen, NotSeen, Failed):
            time.sleep(LOOK_S)
    return False


def fuzz_controller(
    steps: Sequence[FuzzStep], *, host: str, port: int, patience_s: float, key: bytes | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> Broke | None:  # fmt: skip
    """Be a device that throws steps at whoever connects; what broke the controller. Raises OSError, NotSeen."""
    build = Build(profile=load("i-deal-style"), serial="FUZZING", speed=20.0, key=key)
    with background([Location(build=build, ports=(Tcp(host, port),))]) as bench:

        def replace(served: Served) -> Thrower:
            thrower = Thrower(served.emulator, steps)
            served.runner.replace(thrower)
            return thrower

        thrower = bench.do(replace)
        ready(bench.url)
        begun = time.monotonic()
        while True:
            time.sleep(LOOK_S)
            progress, now = thrower.progress, time.monotonic_ns() // 1000
            if progress.heard_us is None and time.monotonic() - begun > patience_s:
                raise NotSeen(f"no controller came in {patience_s:g} s")
            if thrower.gone(now):
                return Broke(f"the controller has not been heard since step {progress.alive_at}", progress.thrown)
            if thrower.done and progress.alive_at >= progress.thrown:
                return None
