"""The emulated device as a USB device: one model behind a USB/IP server and behind a pyusb backend.

The pyusb backend is imported from its own module (`firmware_sim.usb.pyusb_backend`), since it needs pyusb.
"""

from firmware_sim.usb.acm import LineCoding, SerialState
from firmware_sim.usb.bus import Host, Slot, UsbBus
from firmware_sim.usb.device import UsbDevice
from firmware_sim.usb.errors import (
    DeviceBusy,
    DeviceUnknown,
    IdentityRefused,
    LocalUsbError,
    RemoteUsbError,
    ServerUnreachable,
    UsbError,
    UsbipViolation,
)
from firmware_sim.usb.identity import Speed, UsbIdentity
from firmware_sim.usb.pipe import BytePipe, EchoPipe
from firmware_sim.usb.usbip_client import UsbipHost, list_devices
from firmware_sim.usb.usbip_server import UsbipServer

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
    "UsbBus",
    "UsbDevice",
    "UsbError",
    "UsbIdentity",
    "UsbipHost",
    "UsbipServer",
    "UsbipViolation",
    "list_devices",
]
