"""The emulated device as a USB device: one model behind a USB/IP server and behind a pyusb backend.

The pyusb backend is imported from its own module (`firmware_sim.ports.usb.pyusb_backend`), since it needs pyusb.
"""

from firmware_sim.ports.usb.acm import LineCoding, SerialState
from firmware_sim.ports.usb.bus import Host, Slot, UsbBus
from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.errors import (
    DeviceBusy,
    DeviceUnknown,
    IdentityRefused,
    LocalUsbError,
    RemoteUsbError,
    ServerUnreachable,
    UsbError,
    UsbipViolation,
)
from firmware_sim.ports.usb.identity import Speed, UsbIdentity
from firmware_sim.ports.usb.pipe import BytePipe, EchoPipe
from firmware_sim.ports.usb.port import Usb, UsbPort
from firmware_sim.ports.usb.usbip_client import UsbipHost, list_devices
from firmware_sim.ports.usb.usbip_server import UsbipServer

__all__ = [
    "BytePipe",
    "DeviceBusy",
    "DeviceUnknown",
    "EchoPipe",
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
    "UsbipHost",
    "UsbipServer",
    "UsbipViolation",
    "list_devices",
]
