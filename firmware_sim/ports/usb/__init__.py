"""The emulated device as a USB device: one model behind a USB/IP server and behind a pyusb backend.

The pyusb backend has a door of its own, `firmware_sim.pyusb`, since it needs pyusb.
"""

from firmware_sim.ports.usb.acm import LineCoding, SerialState
from firmware_sim.ports.usb.bus import Host, Slot, UsbBus
from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.identity import Speed, UsbIdentity
from firmware_sim.ports.usb.pipe import BytePipe
from firmware_sim.ports.usb.port import Usb, UsbPort
from firmware_sim.ports.usb.usbip_server import UsbipServer
from protocol.usb.errors import (
    DeviceBusy,
    DeviceUnknown,
    IdentityRefused,
    LocalUsbError,
    RemoteUsbError,
    ServerUnreachable,
    UsbError,
    UsbipViolation,
)

__all__ = [
    "BytePipe",
    "DeviceBusy",
    "DeviceUnknown",
    "Host",
    "IdentityRefused",
    "LineCoding",
    "LocalUsbError",
    "RemoteUsbError",
    "SerialState",
    "ServerUnreachable",
    "Slot",
    "Speed",
    "Usb",
    "UsbBus",
    "UsbDevice",
    "UsbError",
    "UsbIdentity",
    "UsbPort",
    "UsbipServer",
    "UsbipViolation",
]
