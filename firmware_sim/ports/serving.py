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
from firmware_sim.ports import DeviceRunner, DirectPort, PtyPort, TcpPort
from firmware_sim.ports.capture import CapturedDevice, CaptureFile
from firmware_sim.ports.capture.device import SerialSink
from firmware_sim.ports.clockwork import Clockwork
from firmware_sim.ports.runner import DeviceLike
from firmware_sim.ports.usb import LocalUsbError, UsbBus, UsbIdentity, UsbipServer
from firmware_sim.ports.usb.port import UsbPort
from firmware_sim.program.nvstore import Medium, VolatileMedium
from firmware_sim.unit.emulator import Build, Emulator
from firmware_sim.unit.memory_file import FileMedium
from firmware_sim.unit.snapshot import Snapshot

START_S = 30.0

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where one device is to be had: any of TCP, RFC 2217, pseudo-terminal and USB, with a memory file or without."""

    build: Build
    tcp: tuple[str, int] | None = None
    rfc2217: tuple[str, int] | None = None  # a serial port over the network
    pty: bool = False
    link: Path | None = None
    baud: int | None = None
    memory: Path | None = None
    restore: Snapshot | None = None  # to go on from; with it, or with `copied`, the memory is kept in this process
    copied: bool = False  # whether a snapshot can be taken where there is no memory file
    usb: UsbBus | None = None
    usb_identity: UsbIdentity | None = None  # by default the test ids, with the device's own serial number
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
        self.tcp: TcpPort | None = None
        self.rfc2217: TcpPort | None = None
        self.pty: PtyPort | None = None
        self.usb: UsbPort | None = None
        self.direct: DirectPort | None = None
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self.emulator.outside = self

    async def open(self) -> None:
        """Open the ports; raises OSError where one can't be had."""
        place = self.place
        if place.tcp is not None:
            self.tcp = await TcpPort.open(self.runner, *place.tcp, baud=place.baud)
        if place.rfc2217 is not None:
            self.rfc2217 = await TcpPort.open(self.runner, *place.rfc2217, baud=place.baud, rfc2217=True)
        if place.pty:
            self.pty = await PtyPort.open(self.runner, link=place.link, baud=place.baud)
        if place.usb is not None:
            identity = place.usb_identity or UsbIdentity(serial=place.build.serial)
            self.usb = UsbPort.open(self.runner, place.usb, identity)

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
        if self.direct is not None:
            self.direct.close()
        self.direct = DirectPort(self.runner, received=received, lost=lost)
        return self.direct

    @property
    def urls(self) -> list[str]:
        """What a client opens."""
        urls = [self.tcp.url] if self.tcp is not None else []
        urls += [self.rfc2217.url] if self.rfc2217 is not None else []
        urls += [self.pty.path] if self.pty is not None else []
        return urls + ([self.usb.url] if self.usb is not None else [])

    def pull_cable(self) -> None:
        """Pull the cable and put it back: the client sees its connection, port or USB device go."""
        self._loop.call_soon(self._drop_clients)
        self.power_changed(False)
        self.power_changed(True)

    def unplug(self) -> None:
        """Pull the cable and leave it out: a client that connects is dropped at once."""
        if not self.runner.unplugged:
            self.runner.unplugged = True
            self._drop_clients()
            self._show_on_usb(False)

    def plug(self) -> None:
        """Put the cable back in."""
        if self.runner.unplugged:
            self.runner.unplugged = False
            self._show_on_usb(True)

    def power_changed(self, on: bool) -> None:
        """Without power or cable there is no device on the USB bus; a TCP or serial line stays as it is."""
        self._loop.call_soon(self._show_on_usb, on)

    def do(self, action: Callable[[Control], Result]) -> Result:
        """Act on the device from outside its cable: time up to now has passed before, and it acts on it after."""
        self.runner.wake()
        try:
            return action(self.emulator.control)
        finally:
            self.runner.wake()

    def _drop_clients(self) -> None:
        for port in (self.tcp, self.rfc2217, self.pty, self.direct):
            if port is not None:
                port.drop_client()

    def _show_on_usb(self, on: bool) -> None:
        if self.usb is None or self._closed:
            return
        if not on:
            self.usb.pull()
        elif self.emulator.is_on and not self.runner.unplugged:
            self.usb.put_back()

    async def close(self) -> None:
        """Close the ports and let the memory file go."""
        self._closed = True
        if self.usb is not None:
            self.usb.close()
        if self.direct is not None:
            self.direct.close()
        for port in (self.tcp, self.rfc2217, self.pty):
            if port is not None:
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
        usb = self.served[index].usb
        if self.usbip is None or usb is None:
            raise LocalUsbError("these devices are not served over USB/IP")
        return usb.usbip_url(*self.usbip)

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
    buses = {id(place.usb): place.usb for place in places if place.usb is not None}
    if len(buses) != 1:
        raise LocalUsbError(f"a USB/IP server shows one bus; these devices are on {len(buses)}")
    return next(iter(buses.values()))
