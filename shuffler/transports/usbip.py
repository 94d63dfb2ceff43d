"""A device on a USB/IP server, in user space: `usbip://HOST:PORT/BUSID`, for machines without vhci-hcd or root.

This plays the part of the kernel and its serial driver: it attaches, configures, raises DTR, keeps reads pending and
bounds the writes under way. Without a port the protocol's own is meant, without a bus id the only device there is.
"""

import contextlib
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from construct import ConstructError

from protocol.usb.errors import DeviceBusy, DeviceUnknown, ServerUnreachable, UsbError
from protocol.usb.layouts import DescriptorType, InterfaceTree, parse_configuration
from protocol.usb.requests import RequestKey, SetupPacket
from protocol.usb.transfers import UrbStatus
from protocol.usb.usbip_wire import DEFAULT_PORT
from shuffler.errors import BadAddress, CannotOpen, LinkLost
from shuffler.transports.usbip_host import UsbipHost, list_devices

URL = re.compile(r"usbip://(?P<host>\[[^\]/]+\]|[^:/\[\]]+)(?::(?P<port>[0-9]{1,5}))?(?:/(?P<busid>[!-.0-~]{1,31}))?/?")
PORT_MAX = 65535

CLASS_COMMUNICATIONS, SUBCLASS_ACM, CLASS_DATA = 0x02, 0x02, 0x0A
DTR_AND_RTS = 3
LINE_CODING_115200_8N1 = bytes.fromhex("00 c2 01 00  00 00 08")  # PSTN 1.2, table 17
DESCRIPTOR_LENGTH = 255

# Reads pending at once hold less than a server buffers before it stops listening, so that a write never waits for one.
READS, READ_SIZE = 8, 4096
UNREAD_MAX = 262144  # beyond this nothing more is asked for until somebody reads
WRITES, WRITE_SIZE = 16, 16384

ANSWER_S = 5.0  # a server that takes longer is gone
SLICE_S = 0.05  # how long a closing port may have to wait for a reader
PATIENCE_S = 0.5  # for a server that has not yet noticed that the last host hung up


@dataclass(frozen=True, kw_only=True)
class UsbipAddress:
    """Which device a URL means."""

    host: str
    port: int = DEFAULT_PORT
    busid: str | None = None

    @classmethod
    def parse(cls, url: str) -> "UsbipAddress":
        """Read a URL; raises CannotOpen."""
        found = URL.fullmatch(url)
        if found is None or int(found["port"] or DEFAULT_PORT) > PORT_MAX:
            raise BadAddress(f"{url}: expected usbip://HOST:PORT/BUSID, such as usbip://127.0.0.1:{DEFAULT_PORT}/1-1")
        port = int(found["port"] or DEFAULT_PORT)
        return cls(host=found["host"].strip("[]"), port=port, busid=found["busid"])

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"usbip://{host}:{self.port}" + (f"/{self.busid}" if self.busid else "")


def open_transport(url: str) -> "UsbipTransport":
    """Open a device by URL; raises CannotOpen."""
    return UsbipTransport(UsbipAddress.parse(url))


class UsbipTransport:
    """The data pipes of a CDC-ACM device, attached for this program alone. One reader and one writer at a time."""

    def __init__(self, address: UsbipAddress) -> None:
        self._address = address
        self._closed = False
        self._reading = threading.Lock()
        self._host_lock = threading.Lock()  # the host takes one thread at a time; nobody waits while holding this
        self._came = bytearray()
        self._reads: set[int] = set()
        self._writes: set[int] = set()
        try:
            self._host = self._attach()
            try:
                self._start()
            except BaseException:
                self._host.close()
                raise
        except ServerUnreachable as problem:
            raise CannotOpen(f"{address}: {problem}; is it running? (`shuffler emulate --usbip`)") from problem
        except (UsbError, TimeoutError) as problem:
            raise CannotOpen(f"{address}: {problem}") from problem

    # ---- opening -----------------------------------------------------------------------------------------------------

    def _attach(self) -> UsbipHost:
        address = self._address
        busid = address.busid or self._only_one()
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return UsbipHost(busid, address.host, address.port, timeout_s=ANSWER_S)
            except DeviceBusy:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(SLICE_S)
            except DeviceUnknown as problem:
                raise CannotOpen(f"{address}: {problem}; there are: {', '.join(self._busids()) or 'none'}") from problem

    def _only_one(self) -> str:
        found = self._busids()
        if len(found) != 1:
            raise CannotOpen(f"{self._address}: add the bus id; there are: {', '.join(found) or 'none'}")
        return found[0]

    def _busids(self) -> list[str]:
        return [record.busid for record in list_devices(self._address.host, self._address.port, timeout_s=ANSWER_S)]

    def _start(self) -> None:
        """What a kernel and its driver do with a new serial device before a program may use it."""
        wanted = DescriptorType.CONFIGURATION << 8
        raw = self._request(RequestKey.GET_DESCRIPTOR, value=wanted, length=DESCRIPTOR_LENGTH)
        try:
            tree = parse_configuration(raw)
        except ConstructError:
            raise CannotOpen(f"{self._address}: its configuration descriptor cannot be read") from None
        control = _interface(tree.interfaces, CLASS_COMMUNICATIONS, SUBCLASS_ACM)
        data = _interface(tree.interfaces, CLASS_DATA, None)
        ends = [] if data is None else [endpoint.bEndpointAddress for endpoint in data.endpoints]
        if control is None or sorted(end & 0x80 for end in ends) != [0, 0x80]:
            raise CannotOpen(f"{self._address}: not a serial device (CDC-ACM)")
        self._out, self._in = sorted(ends)
        self._control = control.descriptor.bInterfaceNumber
        self._request(RequestKey.SET_CONFIGURATION, value=tree.descriptor.bConfigurationValue)
        self._request(RequestKey.SET_LINE_CODING, index=self._control, data=LINE_CODING_115200_8N1)
        self._request(RequestKey.SET_CONTROL_LINE_STATE, value=DTR_AND_RTS, index=self._control)
        self._ask_for_reads()

    def _request(self, key: RequestKey, *, value: int = 0, index: int = 0, length: int = 0, data: bytes = b"") -> bytes:
        kind, request = key.value
        size = length or len(data)
        setup = SetupPacket(request_type=kind, request=request, value=value, index=index, length=size)
        ended = self._host.control(setup, data)
        if ended.reply.status != UrbStatus.OK:
            raise CannotOpen(f"{self._address}: {key.name} ended with status {ended.reply.status}")
        return ended.data

    # ---- bytes -------------------------------------------------------------------------------------------------------

    def read(self, timeout_s: float) -> bytes:
        """What has arrived, waiting for it at most so long; empty when nothing has."""
        deadline = time.monotonic() + timeout_s
        with self._reading:
            while True:
                self._collect()
                if self._came:
                    return self._taken()
                left_s = deadline - time.monotonic()
                if left_s <= 0:
                    return b""
                self._wait(min(left_s, SLICE_S))

    def write(self, data: bytes) -> None:
        """All of it on its way, before this returns; at most so much of it not yet taken by the device."""
        deadline = time.monotonic() + ANSWER_S
        for at in range(0, len(data), WRITE_SIZE):
            while len(self._writes) >= WRITES:
                if time.monotonic() > deadline:
                    raise LinkLost(f"the USB device takes no data for {ANSWER_S:g} s")
                self._wait(SLICE_S)
                self._collect()
            with self._host_lock, _loss():
                self._check_open()
                self._writes.add(self._host.submit_out(self._out, data[at : at + WRITE_SIZE]))
            deadline = time.monotonic() + ANSWER_S

    def close(self) -> None:
        """Drop DTR and hang up, which detaches; never raises."""
        if self._closed:
            return
        self._closed = True
        with self._reading, self._host_lock:
            with contextlib.suppress(UsbError, TimeoutError, CannotOpen):
                self._request(RequestKey.SET_CONTROL_LINE_STATE, index=self._control)
            self._host.close()

    def _wait(self, seconds: float) -> None:
        self._check_open()
        with _loss():
            self._host.wait(seconds)

    def _collect(self) -> None:
        """Take every reply that has come, and ask for more."""
        with self._host_lock, _loss():
            self._check_open()
            for ended in self._host.reap_all():
                number, status = ended.reply.seqnum, ended.reply.status
                if status != UrbStatus.OK:
                    raise LinkLost(f"the USB device ended a transfer with status {status}")
                self._writes.discard(number)
                if number in self._reads:
                    self._reads.remove(number)
                    self._came += ended.data
            self._ask_for_reads()

    def _taken(self) -> bytes:
        with self._host_lock, _loss():
            data = bytes(self._came)
            self._came.clear()
            self._ask_for_reads()
            return data

    def _ask_for_reads(self) -> None:
        with self._host.batch():
            while len(self._reads) < READS and len(self._came) < UNREAD_MAX:
                self._reads.add(self._host.submit_in(self._in, READ_SIZE))

    def _check_open(self) -> None:
        if self._closed:
            raise LinkLost("the port was closed")


def _interface(interfaces: tuple[InterfaceTree, ...], number: int, subclass: int | None) -> InterfaceTree | None:
    for tree in interfaces:
        codes = tree.descriptor.bInterfaceClass, tree.descriptor.bInterfaceSubClass
        if codes[0] == number and subclass in (None, codes[1]):
            return tree
    return None


@contextlib.contextmanager
def _loss() -> Iterator[None]:
    try:
        yield
    except (UsbError, TimeoutError) as problem:
        raise LinkLost(f"the USB device is gone: {problem}") from problem
