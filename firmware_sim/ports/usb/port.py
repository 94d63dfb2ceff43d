"""A device on a USB bus: what TCP and pseudo-terminals have as a port, with a cable that can be pulled."""

import time
from dataclasses import dataclass
from typing import Self

from firmware_sim.ports.port import Port
from firmware_sim.ports.runner import DeviceRunner
from firmware_sim.ports.usb.bus import UsbBus
from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.identity import UsbIdentity
from firmware_sim.ports.usb.runner_pipe import RunnerPipe

IDLE_S = 10.0  # for a host that has attached the device, until it must have a session or give way


@dataclass(frozen=True, slots=True)
class Usb:
    """A socket of a USB bus; by default with the test ids and the device's own serial number."""

    bus: UsbBus
    identity: UsbIdentity | None = None

    async def open(self, runner: DeviceRunner, serial: str) -> "UsbPort":
        """Plug the device in."""
        return UsbPort.open(runner, self.bus, self.identity or UsbIdentity(serial=serial))


class UsbPort(Port):
    """A socket of a bus with a running device in it."""

    def __init__(self, runner: DeviceRunner, bus: UsbBus, device: UsbDevice) -> None:
        self._runner = runner
        self._bus = bus
        self._slot = bus.add(device)
        self._slot.yields = self._yields

    @classmethod
    def open(cls, runner: DeviceRunner, bus: UsbBus, identity: UsbIdentity) -> Self:
        """Plug the device in; raises LocalUsbError where the bus has no place for it. Runs in the runner's loop."""
        return cls(runner, bus, UsbDevice(identity, RunnerPipe(runner)))

    @property
    def busid(self) -> str:
        """Its name on the bus, as `usbip attach` wants it."""
        return self._slot.busid

    @property
    def url(self) -> str:
        """How the client names the device."""
        return self._slot.device.identity.url

    def usbip_url(self, host: str, port: int) -> str:
        """How the client names it on a USB/IP server."""
        return f"usbip://[{host}]:{port}/{self.busid}" if ":" in host else f"usbip://{host}:{port}/{self.busid}"

    def drop_client(self) -> None:
        """Pull the cable and put it back: the host sees the device go and come."""
        self.appear(False)
        self.appear(True)

    def appear(self, there: bool) -> None:
        """Without power or cable there is no device on the bus."""
        if there:
            self._bus.plug(self.busid)
        else:
            self._bus.unplug(self.busid)

    def _yields(self) -> bool:
        """Whether a host that is attached and has no session gives way to another that asks for the device."""
        return not self._runner.has_session and time.monotonic() - self._slot.attached_at > IDLE_S

    async def close(self) -> None:
        """Take the device off the bus for good."""
        self._bus.remove(self.busid)
