"""Where a virtual round and a TCP command spend their time, room by room: calls, and shares of processor time.

Calls are counted while every call is watched. Shares come from another run in which nothing is watched: every few
milliseconds of processor time the frame that runs is noted, so that a room of many small calls is not overrated.
"""

import asyncio
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from benchmarks import Section
from benchmarks.bench_table import WARM_UP, _table
from firmware_sim.machine.profile import load as load_profile
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, open_all
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from shuffler.host.aio import AsyncClient
from shuffler.virtual.memory_books import MemoryBooks

ROOT = Path(__file__).parent.parent
LIBRARY, PACKAGES = "Python's library", "packages"
DEVICE, HOST = "device", "host"
SAMPLE_S = 0.004
SAMPLES = 2_000
COUNTED = 100  # rounds, commands
AT_A_TIME = 20
LEAST_SHARE = 0.005  # what has less goes into one row


class Place(NamedTuple):
    """Where a frame runs: the end of the cable that it works for, and its room."""

    end: str
    room: str


def run() -> list[Section]:
    """The round in virtual time and the command over TCP."""
    return [_round(), asyncio.run(_command())]


def _round() -> Section:
    table = _table(MemoryBooks(), 7)
    table.play(WARM_UP)
    calls: Counter[Place] = Counter()
    with counted(calls):
        table.play(COUNTED)
    seen: Counter[Place] = Counter()
    spent, rounds = time.process_time(), 0
    with sampled(seen):
        while seen.total() < SAMPLES:
            table.play(AT_A_TIME)
            rounds += AT_A_TIME
    spent = time.process_time() - spent
    note = (
        f"Seven seats, nothing written to disk: {spent / rounds * 1e3:.2f} ms of processor time and "
        f"{calls.total() / COUNTED:,.0f} calls a round. {_how(seen)}"
    )
    columns = ("room", "calls a round")
    return _section("A virtual round by room", note, columns, _by_room(calls), _by_room(seen))


async def _command() -> Section:
    build = Build(profile=load_profile("i-deal-style"), serial="PROFILE", seed=1)
    (served,) = await open_all([Location(build=build, ports=(Tcp(),))])
    async with await AsyncClient.open(served.urls[0]) as client:
        for _ in range(COUNTED):
            await client.call(m.GetStatus())
        calls: Counter[Place] = Counter()
        with counted(calls):
            await _calls(client.call, COUNTED)
        seen: Counter[Place] = Counter()
        spent, trips = time.process_time(), 0
        with sampled(seen):
            while seen.total() < SAMPLES:
                await _calls(client.call, AT_A_TIME)
                trips += AT_A_TIME
        spent = time.process_time() - spent
    await served.close()
    note = (
        "GetStatus and its reply over a socket, device and asyncio client in one process: "
        f"{spent / trips * 1e6:.0f} µs of processor time and {calls.total() / COUNTED:,.0f} calls a command. "
        f"{_how(seen)}"
    )
    columns = ("end and room", "calls a command")
    return _section("A TCP command by end and room", note, columns, _by_end(calls), _by_end(seen))


async def _calls(call: Callable[[m.Message], Awaitable[Any]], times: int) -> None:
    for _ in range(times):
        await call(m.GetStatus())


# ---------------------------------------------------------------------------------------------------------- watching


@contextmanager
def counted(calls: Counter[Place]) -> Iterator[None]:
    """Count every call, also of functions in C, by where it is made or runs."""

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event in ("call", "c_call"):
            calls[place_of(frame)] += 1

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


@contextmanager
def sampled(seen: Counter[Place]) -> Iterator[None]:
    """Note every few milliseconds of processor time where the main thread is."""

    def look(_: int, frame: FrameType | None) -> None:
        if frame is not None:
            seen[place_of(frame)] += 1

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, SAMPLE_S, SAMPLE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def place_of(frame: FrameType) -> Place:
    """The room of a frame, and the end of the cable that called for it, as far as the stack says."""
    room, at = "", frame
    while True:
        if not room:
            room = room_of(at.f_code.co_filename)
        end = _END.get(room_of(at.f_code.co_filename).partition("/")[0])
        if end is not None or at.f_back is None:
            return Place(end or "", room or LIBRARY)
        at = at.f_back


@cache
def room_of(filename: str) -> str:
    """The folder of a source file, two deep; nothing for code that was made at run time: its caller tells."""
    if filename.startswith("<"):
        return LIBRARY if filename.startswith("<frozen") else ""
    path = Path(filename)
    if "site-packages" in path.parts:
        return PACKAGES
    if not path.is_relative_to(ROOT):
        return LIBRARY
    return "/".join(path.relative_to(ROOT).parts[:-1][:2])


_END = {"firmware_sim": DEVICE, "shuffler": HOST}


# ------------------------------------------------------------------------------------------------------------- showing


def _by_room(places: Counter[Place]) -> Counter[str]:
    rooms: Counter[str] = Counter()
    for place, count in places.items():
        rooms[place.room] += count
    return rooms


def _by_end(places: Counter[Place]) -> Counter[str]:
    rows: Counter[str] = Counter()
    for place, count in places.items():
        rows[f"{place.end}: {place.room}" if place.end else place.room] += count
    return rows


def _how(seen: Counter[Place]) -> str:
    return f"Shares are of {seen.total():,} samples of processor time; functions in C count for who calls them."


def _section(title: str, note: str, columns: tuple[str, str], calls: Counter[str], seen: Counter[str]) -> Section:
    shown = [name for name, count in seen.most_common() if count >= LEAST_SHARE * seen.total()]
    rows = [_row(name, calls[name], seen[name] / seen.total()) for name in shown]
    rest_calls = calls.total() - sum(calls[name] for name in shown)
    rest_seen = seen.total() - sum(seen[name] for name in shown)
    rows.append(_row("everything else", rest_calls, rest_seen / seen.total()))
    return Section(title=title, columns=(*columns, "processor time"), rows=tuple(rows), note=note)


def _row(name: str, calls: int, share: float) -> tuple[str, str, str]:
    return name, f"{calls / COUNTED:,.0f}", f"{share:.1%}"
