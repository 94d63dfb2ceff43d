"""A device by its USB address, through pyusb: `usb://VID:PID/SERIAL`, with no serial driver of the system in between.

VID and PID are hexadecimal; without them any shuffler with the emulator's default ids is meant, without a serial number
the only one there is. A driver of the system that holds the device is detached and given back on closing.
"""

import contextlib
import errno
import re
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from shuffler.errors import BadAddress, CannotOpen, LinkLost

# The emulator's default, pid.codes' test id: https://pid.codes/1209/0001/
DEFAULT_VENDOR_ID = 0x1209
DEFAULT_PRODUCT_ID = 0x0001

URL = re.compile(r"usb://(?:(?P<vendor>[0-9a-fA-F]{1,4}):(?P<product>[0-9a-fA-F]{1,4}))?(?:/(?P<serial>[^/]+))?/?")

CLASS_COMMUNICATIONS = 0x02
SUBCLASS_ACM = 0x02
CLASS_DATA = 0x0A

# PSTN 1.2, 6.3: class requests to the control interface.
REQUEST_TO_INTERFACE = 0x21
SET_LINE_CODING = 0x20
SET_CONTROL_LINE_STATE = 0x22
DTR_AND_RTS = 3
LINE_CODING_115200_8N1 = bytes.fromhex("00 c2 01 00  00 00 08")

READ_SIZE = 16384  # a whole number of packets at any speed
READ_SLICE_MS = 100  # how long a closing port may have to wait for a reader
WRITE_PIECE = 16384
WRITE_TIMEOUT_MS = 5000
REQUEST_TIMEOUT_MS = 1000

_backend: Any = None


@dataclass(frozen=True, kw_only=True)
class UsbAddress:
    """Which device a URL means."""

    vendor_id: int = DEFAULT_VENDOR_ID
    product_id: int = DEFAULT_PRODUCT_ID
    serial: str | None = None

    @classmethod
    def parse(cls, url: str) -> "UsbAddress":
        """Read a URL; raises CannotOpen."""
        found = URL.fullmatch(url)
        if found is None:
            raise BadAddress(f"{url}: expected usb://VID:PID/SERIAL with hexadecimal ids, usb://VID:PID or usb://")
        ids = {}
        if found["vendor"] is not None:
            ids = {"vendor_id": int(found["vendor"], 16), "product_id": int(found["product"], 16)}
        return cls(serial=None if found["serial"] is None else unquote(found["serial"]), **ids)

    def __str__(self) -> str:
        return f"usb://{self.vendor_id:04x}:{self.product_id:04x}" + (f"/{self.serial}" if self.serial else "")


def use_backend(backend: Any) -> None:
    """Look for devices with this pyusb backend from now on (the in-process one, say); None is the system's libusb."""
    global _backend
    _backend = backend


def open_transport(url: str) -> "UsbTransport":
    """Open a device by URL; raises CannotOpen."""
    return UsbTransport(UsbAddress.parse(url), _backend)


class UsbTransport:
    """The data pipes of a CDC-ACM device, claimed for this program alone."""

    def __init__(self, address: UsbAddress, backend: Any = None) -> None:
        try:
            import usb.core
            import usb.util
        except ImportError as problem:
            raise BadAddress(f"{address}: pyusb is not installed (pip install 'shuffler-bench[usb]')") from problem
        self._core, self._util = usb.core, usb.util
        self._device = self._find(address, backend)
        self._closed = False
        self._open = False
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._drivers: list[int] = []
        self._claimed: list[int] = []
        try:
            self._take(address)
        except BaseException as problem:
            self.close()
            if isinstance(problem, usb.core.USBError):
                raise CannotOpen(f"{address}: {_explained(problem)}") from problem
            raise

    # ---- opening -----------------------------------------------------------------------------------------------------

    def _find(self, address: UsbAddress, backend: Any) -> Any:
        try:
            found = list(
                self._core.find(
                    find_all=True, idVendor=address.vendor_id, idProduct=address.product_id, backend=backend
                )
            )
        except self._core.NoBackendError as problem:
            raise BadAddress(f"{address}: libusb is not installed (Debian: apt install libusb-1.0-0)") from problem
        if address.serial is not None:
            matching = [device for device in found if self._serial(device) == address.serial]
        else:
            matching = found
        for other in found:
            if matching != [other]:
                self._util.dispose_resources(other)
        if len(matching) == 1:
            return matching[0]
        seen = ", ".join(str(self._serial(device)) for device in found) or "none"
        for device in found:
            self._util.dispose_resources(device)
        what = "no such device" if not matching else f"{len(matching)} devices match: add the serial number"
        raise CannotOpen(f"{address}: {what}; serial numbers with these ids: {seen}")

    def _serial(self, device: Any) -> str | None:
        try:
            return str(device.serial_number)
        except (self._core.USBError, ValueError):  # no permission to ask, or another host has it
            return None

    def _take(self, address: UsbAddress) -> None:
        device, util = self._device, self._util
        configuration = self._configuration()
        control = util.find_descriptor(
            configuration, bInterfaceClass=CLASS_COMMUNICATIONS, bInterfaceSubClass=SUBCLASS_ACM
        )
        data = util.find_descriptor(configuration, bInterfaceClass=CLASS_DATA)
        if control is None or data is None:
            raise CannotOpen(f"{address}: not a serial device (CDC-ACM)")
        self._control = control.bInterfaceNumber
        numbers = (control.bInterfaceNumber, data.bInterfaceNumber)
        with contextlib.suppress(NotImplementedError):  # not every system has drivers to detach
            for number in numbers:
                if device.is_kernel_driver_active(number):
                    device.detach_kernel_driver(number)
                    self._drivers.append(number)
        for number in numbers:
            util.claim_interface(device, number)
            self._claimed.append(number)
        self._out = util.find_descriptor(data, custom_match=_is_direction(util, util.ENDPOINT_OUT))
        self._in = util.find_descriptor(data, custom_match=_is_direction(util, util.ENDPOINT_IN))
        self._request(SET_LINE_CODING, 0, LINE_CODING_115200_8N1)
        self._request(SET_CONTROL_LINE_STATE, DTR_AND_RTS)
        self._open = True

    def _configuration(self) -> Any:
        try:
            return self._device.get_active_configuration()
        except self._core.USBError as problem:
            if problem.errno is not None:
                raise
            self._device.set_configuration()
            return self._device.get_active_configuration()

    def _request(self, request: int, value: int, data: bytes = b"") -> None:
        self._device.ctrl_transfer(REQUEST_TO_INTERFACE, request, value, self._control, data, REQUEST_TIMEOUT_MS)

    # ---- bytes -------------------------------------------------------------------------------------------------------

    def read(self, timeout_s: float) -> bytes:
        """What has arrived, waiting for it at most so long; empty when nothing has."""
        deadline = time.monotonic() + timeout_s
        with self._reading:
            while not self._closed:
                left_ms = int((deadline - time.monotonic()) * 1000)
                try:
                    # Zero would mean "for ever" to libusb.
                    return bytes(self._device.read(self._in, READ_SIZE, max(1, min(left_ms, READ_SLICE_MS))))
                except self._core.USBTimeoutError:
                    if left_ms <= READ_SLICE_MS:
                        return b""
                except self._core.USBError as problem:
                    raise LinkLost(f"the USB device is gone: {_explained(problem)}") from problem
        raise LinkLost("the port was closed")

    def write(self, data: bytes) -> None:
        """All of it, before this returns."""
        at = 0
        with self._writing:
            while at < len(data):
                if self._closed:
                    raise LinkLost("the port was closed")
                try:
                    at += self._device.write(self._out, data[at : at + WRITE_PIECE], WRITE_TIMEOUT_MS)
                except self._core.USBError as problem:
                    raise LinkLost(f"the USB device takes no data: {_explained(problem)}") from problem

    def close(self) -> None:
        """Close the port and give the driver of the system its device back; never raises.

        Waits for a read or write of another thread to end: libusb must not lose its handle under one.
        """
        self._closed = True
        with self._reading, self._writing:
            self._let_go()

    def _let_go(self) -> None:
        device, util = self._device, self._util
        failures = (self._core.USBError, NotImplementedError)
        if self._open:
            self._open = False
            with contextlib.suppress(*failures):
                self._request(SET_CONTROL_LINE_STATE, 0)
        for interface in self._claimed:
            with contextlib.suppress(*failures):
                util.release_interface(device, interface)
        for interface in self._drivers:
            with contextlib.suppress(*failures):
                device.attach_kernel_driver(interface)
        self._claimed, self._drivers = [], []
        with contextlib.suppress(*failures):
            util.dispose_resources(device)


def _is_direction(util: Any, direction: int) -> Any:
    return lambda endpoint: util.endpoint_direction(endpoint.bEndpointAddress) == direction


def _explained(problem: Any) -> str:
    hints = {
        errno.EACCES: "no permission: run as root, or let a udev rule give your group access",
        errno.EBUSY: "another program holds it",
        errno.ENODEV: "it was unplugged",
        errno.ETIMEDOUT: "it did not answer in time",
    }
    return hints.get(problem.errno, str(problem))
