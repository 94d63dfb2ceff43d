"""The USB side of `shuffler emulate`: a bus with a USB/IP server, and what to type to attach."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shuffler.cli.output import fail

if TYPE_CHECKING:
    from firmware_sim.ports.capture import CaptureFile
    from firmware_sim.ports.serving import Served
    from firmware_sim.ports.usb import UsbBus, UsbIdentity, UsbipServer

USBIP_PORT = 3240  # the protocol's own, which `usbip` assumes
ANY_ADDRESS = ("0.0.0.0", "::")
IDS = re.compile(r"([0-9a-fA-F]{1,4}):([0-9a-fA-F]{1,4})")


@dataclass(frozen=True, slots=True, kw_only=True)
class UsbOptions:
    """What was asked for on the command line."""

    host: str
    port: int
    ids: str
    full_speed: bool

    def identity(self, serial: str) -> "UsbIdentity":
        """The names a device has on the bus."""
        from firmware_sim.ports.usb import IdentityRefused, Speed, UsbIdentity

        found = IDS.fullmatch(self.ids)
        if found is None:
            raise fail(f"--usb-id {self.ids}: expected VID:PID, both hexadecimal, such as 1209:0001")
        try:
            return UsbIdentity(
                serial=serial,
                vendor_id=int(found[1], 16),
                product_id=int(found[2], 16),
                speed=Speed.FULL if self.full_speed else Speed.HIGH,
            )
        except IdentityRefused as problem:
            raise fail(str(problem)) from None

    async def serve(self, bus: "UsbBus") -> "tuple[UsbipServer, int]":
        """Start the server; the number is its port."""
        from firmware_sim.ports.usb import LocalUsbError, UsbipServer

        server = UsbipServer(bus)
        try:
            return server, await server.start(self.host, self.port)
        except LocalUsbError as problem:
            raise fail(f"{problem}; choose another port with --usbip-port") from None


def attach_command(host: str, port: int, served: "Served") -> str:
    """What a person types on Linux to get the device."""
    from firmware_sim.ports.usb import UsbPort

    other = "" if port == USBIP_PORT else f"--tcp-port {port} "
    where = "THIS-MACHINE" if host in ANY_ADDRESS else host
    return f"usbip {other}attach -r {where} -b {served.port(UsbPort).busid}"


def local_url(host: str, port: int, served: "Served") -> str:
    """What a client on this machine opens without attaching anything."""
    from firmware_sim.ports.usb import UsbPort

    return served.port(UsbPort).usbip_url("127.0.0.1" if host in ANY_ADDRESS else host, port)


def open_capture(path: Path | None, bus: "UsbBus | None") -> "CaptureFile | None":
    """The capture file, where one was asked for; USB transfers go into it by themselves."""
    if path is None:
        return None
    from firmware_sim.ports.capture import CaptureFile

    try:
        capture = CaptureFile(path)
    except OSError as problem:
        raise fail(f"--capture {path}: {problem.strerror}") from None
    if bus is not None:
        bus.watch(capture.transfer)
    return capture
