"""What can go wrong on the USB side, and whose fault it is.

UsbError
├── LocalUsbError        the caller's
│   ├── IdentityRefused  a setting that no descriptor can carry
│   ├── DeviceUnknown    no device is plugged in at that bus id
│   └── DeviceBusy       a host holds the device already
└── RemoteUsbError       the peer's
    ├── ServerUnreachable  nobody takes a connection there
    └── UsbipViolation   bytes that are not the USB/IP protocol
"""


class UsbError(Exception):
    """Root of this package's errors."""


class LocalUsbError(UsbError):
    """The caller asked for something that cannot be."""


class IdentityRefused(LocalUsbError):
    """A setting that no descriptor can carry."""


class DeviceUnknown(LocalUsbError):
    """No device is plugged in at that bus id."""


class DeviceBusy(LocalUsbError):
    """A host holds the device already."""


class RemoteUsbError(UsbError):
    """The peer broke the rules."""


class ServerUnreachable(RemoteUsbError):
    """Nobody takes a connection there."""


class UsbipViolation(RemoteUsbError):
    """Bytes that are not the USB/IP protocol; the connection ends."""
