"""Emulated devices served on ports of the operating system, several in one process: the edge that `emulate` runs."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from firmware_sim.control.control import Control
from firmware_sim.control.world import Outside
from firmware_sim.errors import BadControl
from firmware_sim.ports import DeviceRunner, DirectPort, Port, PortSettings
from firmware_sim.ports.capture import CapturedDevice, CaptureFile
from firmware_sim.ports.capture.device import SerialSink
from firmware_sim.ports.clockwork import Clockwork
from firmware_sim.ports.runner import DeviceLike
from firmware_sim.ports.usb import LocalUsbError, Usb, UsbBus, UsbipServer, UsbPort
from firmware_sim.program.nvstore import Medium, VolatileMedium
from firmware_sim.unit.emulator import Build, Emulator
from firmware_sim.unit.memory_file import FileMedium
from firmware_sim.unit.snapshot import Snapshot

START_S = 30.0

Result = TypeVar("Result")
PortKind = TypeVar("PortKind", bound=Port)


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where one device is to be had: its ports, with a memory file or without."""

    build: Build
    ports: tuple[PortSettings, ...] = ()
    memory: Path | None = None
    restore: Snapshot | None = None  # to go on from; with it, or with `copied`, the memory is kept in this process
    copied: bool = False  # whether a snapshot can be taken where there is no memory file
    capture: CaptureFile | None = None
    taps: tuple[SerialSink, ...] = ()  # whoever else reads along


class Served(Outside):
    """One device with its runner and ports."""

    def __init__(self, place: Location, clockwork: Clockwork | None = None) -> None:
        """Devices that are served together share a clockwork."""
        self.place = place
        self._medium = FileMedium(place.memory, durable=False) if place.memory is not None else None
        medium: Medium | None = self._medium
        if medium is None and (place.restore is not None or place.copied):
            medium = VolatileMedium(place.restore.memory if place.restore is not None else b"")
        now = DeviceRunner.now()
        self.emulator = Emulator(place.build, medium, now, restored=place.restore)
        self.runner = DeviceRunner(self._recorded(), clockwork)
        self.ports: list[Port] = []
        self._direct: DirectPort | None = None
        self._closed = False
        self._loop = asyncio.get_running_loop()
        self.emulator.outside = self

    async def open(self) -> None:
        """Open the ports; raises OSError where one can't be had."""
        for settings in self.place.ports:
            self.ports.append(await settings.open(self.runner, self.place.build.serial))

    def port(self, kind: type[PortKind]) -> PortKind:
        """Its port of a kind; raises BadControl if it has none."""
        found = next((port for port in self.ports if isinstance(port, kind)), None)
        if found is None:
            raise BadControl(f"this device has no {kind.__name__}")
        return found

    def _recorded(self) -> DeviceLike:
        device: DeviceLike = self.emulator
        sinks: list[SerialSink] = list(self.place.taps)
        if self.place.capture is not None:
            sinks.append(self.place.capture.line(self.place.build.serial))
        for sink in sinks:
            device = CapturedDevice(device, sink)
        return device

    def connect(self, *, received: Callable[[bytes], None], lost: Callable[[], None]) -> DirectPort:
        """A port for a host in this process; it is not open yet, and takes the place of the one before."""
        if self._direct is not None:
            self._direct.close()
        self._direct = DirectPort(self.runner, received=received, lost=lost)
        return self._direct

    @property
    def urls(self) -> list[str]:
        """What a client opens."""
        return [port.url for port in self.ports]

    def pull_cable(self) -> None:
        """Pull the cable and put it back: the client sees its connection, port or USB device go."""
        self._loop.call_soon(self._drop_clients)

    def unplug(self) -> None:
        """Pull the cable and leave it out: a client that connects is dropped at once."""
        if not self.runner.unplugged:
            self.runner.unplugged = True
            self._drop_clients()
            self._appear(False)

    def plug(self) -> None:
        """Put the cable back in."""
        if self.runner.unplugged:
            self.runner.unplugged = False
            self._appear(True)

    def power_changed(self, on: bool) -> None:
        """Without power there is no device on a USB bus; a TCP or serial line stays as it is."""
        self._loop.call_soon(self._appear, on)

    def do(self, action: Callable[[Control], Result]) -> Result:
        """Act on the device from outside its cable: time up to now has passed before, and it acts on it after."""
        self.runner.wake()
        try:
            return action(self.emulator.control)
        finally:
            self.runner.wake()

    def _drop_clients(self) -> None:
        for port in (*self.ports, self._direct):
            if port is not None:
                port.drop_client()

    def _appear(self, there: bool) -> None:
        if self._closed:
            return
        if not there or (self.emulator.is_on and not self.runner.unplugged):
            for port in self.ports:
                port.appear(there)

    async def close(self) -> None:
        """Close the ports and let the memory file go."""
        self._closed = True
        if self._direct is not None:
            self._direct.close()
        for port in self.ports:
            await port.close()
        self.runner.stop()
        if self._medium is not None:
            self._medium.close()


async def open_all(places: Sequence[Location]) -> list[Served]:
    """Serve these devices from the running loop; on a failure those already open are closed."""
    served: list[Served] = []
    clockwork = Clockwork()
    try:
        for place in places:
            one = Served(place, clockwork)
            served.append(one)
            await one.open()
    except BaseException:
        for one in served:
            await one.close()
        raise
    return served


class Background:
    """Devices served from a thread of their own, so that blocking code can talk to them."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, served: list[Served], usbip: tuple[str, int] | None = None
    ) -> None:
        self.served = served
        self.usbip = usbip
        self._loop = loop

    @property
    def url(self) -> str:
        """The first port of the first device."""
        return self.served[0].urls[0]

    def usbip_url(self, index: int = 0) -> str:
        """A device's address on the USB/IP server."""
        if self.usbip is None:
            raise LocalUsbError("these devices are not served over USB/IP")
        return self.served[index].port(UsbPort).usbip_url(*self.usbip)

    def do(self, action: Callable[[Served], Result], index: int = 0) -> Result:
        """Run something on a device in its own thread; gives what it returned, or raises what it raised."""
        done: Future[Result] = Future()

        def run() -> None:
            try:
                done.set_result(action(self.served[index]))
                self.served[index].runner.wake()
            except BaseException as problem:
                done.set_exception(problem)

        self._loop.call_soon_threadsafe(run)
        return done.result(START_S)


@contextmanager
def background(places: Sequence[Location], *, usbip: tuple[str, int] | None = None) -> Iterator[Background]:
    """Serve devices in a thread for the length of a `with` block; with `usbip`, their bus over USB/IP as well."""
    ready: list[Background] = []
    problems: list[BaseException] = []
    started, stop = threading.Event(), threading.Event()

    async def serve() -> None:
        served: list[Served] = []
        server = address = None
        try:
            served = await open_all(places)
            if usbip is not None:
                server = UsbipServer(_only_bus(places))
                address = usbip[0], await server.start(*usbip)
        except BaseException as problem:
            problems.append(problem)
        else:
            ready.append(Background(asyncio.get_running_loop(), served, address))
        started.set()
        if ready:
            await asyncio.get_running_loop().run_in_executor(None, stop.wait)
        if server is not None:
            await server.stop()
        for one in served:
            await one.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="emulated-devices", daemon=True)
    thread.start()
    started.wait(START_S)
    if problems:
        thread.join()
        raise problems[0]
    try:
        yield ready[0]
    finally:
        stop.set()
        thread.join()


def _only_bus(places: Sequence[Location]) -> UsbBus:
    buses = {id(port.bus): port.bus for place in places for port in place.ports if isinstance(port, Usb)}
    if len(buses) != 1:
        raise LocalUsbError(f"a USB/IP server shows one bus; these devices are on {len(buses)}")
    return next(iter(buses.values()))
