"""The devices of a bench: made, found, taken away; each with its transcript, its view kept fresh for whoever looks."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from firmware_sim.control.control import Control
from firmware_sim.ports import Pty, Tcp
from firmware_sim.ports.clockwork import Clockwork
from firmware_sim.ports.serving import Location, Served
from firmware_sim.unit.emulator import Build
from shuffler.api.hub import Hub
from shuffler.api.problems import conflict, not_found
from shuffler.api.views import device_view
from shuffler.kit.transcript import Transcript

Result = TypeVar("Result")

MAX_DEVICES = 2000
WATCH_S = 0.04  # how often devices are looked at while somebody reads the stream


def utc_now() -> str:
    """The time for a line of a log."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def wall_us() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


class BenchDevice:
    """One served device with its transcript."""

    def __init__(self, served: Served, transcript: Transcript) -> None:
        self.served = served
        self.transcript = transcript
        self.shown: dict[str, Any] = {}  # the view that was published last
        self.turns = -1  # of its runner when it was shown

    @property
    def serial(self) -> str:
        return self.served.place.build.serial

    def do(self, action: Callable[[Control], Result]) -> Result:
        """Act through the control plane."""
        return self.served.do(action)

    def view(self) -> dict[str, Any]:
        """As it is now."""
        self.served.runner.wake()
        return device_view(self.served)


class Devices:
    """All devices by serial number; publishes the view of each that has changed, and the frames on its line."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._all: dict[str, BenchDevice] = {}
        self._watcher: asyncio.Task[None] | None = None
        self._clockwork: Clockwork | None = None  # all devices' own, made with the first
        self.created = 0
        self.used_by: Callable[[str], str | None] = lambda _: None  # what a device is needed for; filled in by tables

    def __iter__(self) -> Iterator[BenchDevice]:
        return iter(self._all.values())

    def __len__(self) -> int:
        return len(self._all)

    def get(self, serial: str) -> BenchDevice:
        """By serial number; a problem where there is none."""
        found = self._all.get(serial)
        if found is None:
            raise not_found(f"there is no device {serial!r} on this bench")
        return found

    def __contains__(self, serial: str) -> bool:
        return serial in self._all

    def new_serial(self) -> str:
        """One that no device has."""
        number = self.created + 1
        while (serial := f"SB-{number:04d}") in self._all:
            number += 1
        return serial

    async def create(self, place: Location) -> BenchDevice:
        """Put a device on the bench and open its ports; raises OSError where one can't be had."""
        if len(self._all) >= MAX_DEVICES:
            raise conflict(f"a bench holds {MAX_DEVICES} devices: remove one first")
        if place.build.serial in self._all:
            raise conflict(f"there is a device {place.build.serial!r} already")
        transcript = Transcript(place.build.serial, wall_us)
        self._clockwork = self._clockwork or Clockwork()
        served = Served(replace(place, taps=(*place.taps, transcript), copied=True), self._clockwork)
        try:
            await served.open()
        except BaseException:
            await served.close()
            raise
        self.created += 1
        return self.add(served, transcript)

    def add(self, served: Served, transcript: Transcript) -> BenchDevice:
        """One that is served already and whose line the transcript taps."""
        device = BenchDevice(served, transcript)
        self._all[device.serial] = device
        self._hub.publish("devices", "", self.serials)
        self.refresh(device)
        return device

    async def remove(self, serial: str) -> None:
        """Take a device away: its cable, its ports, its memory in this process."""
        device = self.get(serial)
        if (user := self.used_by(serial)) is not None:
            raise conflict(f"{serial} is at {user}: close the table or swap the device first")
        del self._all[serial]
        await device.served.close()
        self._hub.publish("devices", "", self.serials)

    def let_go(self) -> None:
        """Look at none any more."""
        if self._watcher is not None:
            self._watcher.cancel()
        self._all.clear()

    async def close(self) -> None:
        """Take all away."""
        for serial in list(self._all):
            await self.remove(serial)

    @property
    def serials(self) -> list[str]:
        return list(self._all)

    def refresh(self, device: BenchDevice) -> None:
        """Publish what has changed."""
        device.turns = device.served.runner.turns
        view = device_view(device.served)
        if _without_time(view) != _without_time(device.shown):
            device.shown = view
            self._hub.publish("device", device.serial, view, latest=True)
        for frame in device.transcript.decode():
            self._hub.publish("frame", device.serial, frame)

    def watch(self) -> None:
        """Look at every device again and again while somebody reads the stream."""
        if self._watcher is None or self._watcher.done():
            self._watcher = asyncio.get_running_loop().create_task(self._watching())

    async def _watching(self) -> None:
        while self._hub.wakers:
            for device in list(self._all.values()):
                if device.turns != device.served.runner.turns:
                    self.refresh(device)
            await asyncio.sleep(WATCH_S)


def _without_time(view: dict[str, Any]) -> dict[str, Any]:
    """What makes a view another one: not that time has passed."""
    if not view:
        return view
    return {**view, "clock": {"rate": view["clock"]["rate"]}}


def place_for(build: Build, *, host: str, tcp: bool, pty: bool) -> Location:
    """Where a device of the bench is served."""
    ports = (*((Tcp(host),) if tcp else ()), *((Pty(),) if pty else ()))
    return Location(build=build, ports=ports)
