"""The USB/IP protocol, version 1.1.1, as bytes: both directions, no state, no sockets.

Layouts from Documentation/usb/usbip_protocol.rst of the Linux kernel; every field is big-endian. Status words of the
import phase from `enum` in tools/usb/usbip/libsrc/usbip_common.h.
"""

import enum
import struct
from dataclasses import dataclass
from typing import NamedTuple

from protocol.usb.errors import UsbipViolation

VERSION = 0x0111
DEFAULT_PORT = 3240

OP_COMMON = struct.Struct(">HHI")
IMPORT_BUSID_SIZE = 32
IMPORT_REQUEST_SIZE = OP_COMMON.size + IMPORT_BUSID_SIZE
DEVICE = struct.Struct(">256s32sIIIHHHBBBBBB")
DEVICE_COUNT = struct.Struct(">I")
INTERFACE_SIZE = 4

HEADER_SIZE = 48
SUBMIT = struct.Struct(">IIIIIIiiii8s")
RET_SUBMIT = struct.Struct(">IIIIIiiiii8x")
UNLINK = struct.Struct(">IIIIII24x")
RET_UNLINK = struct.Struct(">IIIIIi24x")

# No driver in Linux sends more than a few hundred kilobytes in one transfer; usbfs allows 16 MB in all.
TRANSFER_MAX = 1024 * 1024

NOT_ISOCHRONOUS = -1

# The one transfer flag that changes an outcome here (include/uapi/linux/usbip.h); the rest concern the host's memory.
SHORT_NOT_OK = 0x0001


class Op(enum.IntEnum):
    """Codes of the first phase; requests have the top bit."""

    REQUEST_IMPORT = 0x8003
    REPLY_IMPORT = 0x0003
    REQUEST_DEVICES = 0x8005
    REPLY_DEVICES = 0x0005


class OpStatus(enum.IntEnum):
    """Why an import was refused."""

    OK = 0
    NOT_AVAILABLE = 1
    BUSY = 2
    DEVICE_ERROR = 3
    NO_DEVICE = 4
    ERROR = 5


class Command(enum.IntEnum):
    """Commands of the second phase, when the connection carries transfers."""

    SUBMIT = 1
    UNLINK = 2
    RET_SUBMIT = 3
    RET_UNLINK = 4


@dataclass(frozen=True, kw_only=True)
class DeviceRecord:
    """A device as list and import show it."""

    path: str
    busid: str
    bus_number: int
    device_number: int
    speed: int
    vendor_id: int
    product_id: int
    release_bcd: int
    device_class: int
    device_subclass: int
    device_protocol: int
    configuration: int
    configurations: int
    interfaces: tuple[tuple[int, int, int], ...]

    @property
    def device_id(self) -> int:
        return self.bus_number << 16 | self.device_number

    def build(self) -> bytes:
        """The 312 bytes that import and list have in common."""
        return DEVICE.pack(
            self.path.encode("ascii"),
            self.busid.encode("ascii"),
            self.bus_number,
            self.device_number,
            self.speed,
            self.vendor_id,
            self.product_id,
            self.release_bcd,
            self.device_class,
            self.device_subclass,
            self.device_protocol,
            self.configuration,
            self.configurations,
            len(self.interfaces),
        )

    @classmethod
    def parse(cls, raw: bytes, interfaces: bytes = b"") -> "DeviceRecord":
        """Read a record; `interfaces` is the list's tail of four bytes each, absent in an import."""
        path, busid, bus, number, speed, vendor, product, release, *classes, value, values, _ = DEVICE.unpack(raw)
        steps = range(0, len(interfaces), INTERFACE_SIZE)
        return cls(
            path=text_field(path),
            busid=text_field(busid),
            bus_number=bus,
            device_number=number,
            speed=speed,
            vendor_id=vendor,
            product_id=product,
            release_bcd=release,
            device_class=classes[0],
            device_subclass=classes[1],
            device_protocol=classes[2],
            configuration=value,
            configurations=values,
            interfaces=tuple((interfaces[at], interfaces[at + 1], interfaces[at + 2]) for at in steps),
        )


class CmdSubmit(NamedTuple):
    """A host's transfer; its OUT data follows the header."""

    seqnum: int
    device_id: int
    is_in: bool
    endpoint: int
    flags: int = 0
    length: int = 0
    start_frame: int = 0
    packets: int = NOT_ISOCHRONOUS
    interval: int = 0
    setup: bytes = bytes(8)


class CmdUnlink(NamedTuple):
    """A host takes a transfer back."""

    seqnum: int
    device_id: int
    victim: int


class RetSubmit(NamedTuple):
    """A transfer's end; its IN data follows the header. Frame and packets repeat the submit's, as Linux's do."""

    seqnum: int
    status: int
    actual: int
    start_frame: int = 0
    packets: int = NOT_ISOCHRONOUS


class RetUnlink(NamedTuple):
    """An unlink's end."""

    seqnum: int
    status: int


# ---- first phase -----------------------------------------------------------------------------------------------------


def text_field(raw: bytes) -> str:
    """Text up to the first zero byte; what follows it may be anything (clients in the field leave junk there)."""
    return raw.split(b"\0", 1)[0].decode("ascii", "replace")


def request_devices() -> bytes:
    return OP_COMMON.pack(VERSION, Op.REQUEST_DEVICES, 0)


def request_import(busid: str) -> bytes:
    return OP_COMMON.pack(VERSION, Op.REQUEST_IMPORT, 0) + busid.encode("ascii").ljust(IMPORT_BUSID_SIZE, b"\0")


def reply_devices(records: list[DeviceRecord]) -> bytes:
    parts = [OP_COMMON.pack(VERSION, Op.REPLY_DEVICES, OpStatus.OK), DEVICE_COUNT.pack(len(records))]
    for record in records:
        parts.append(record.build())
        parts += (bytes((*codes, 0)) for codes in record.interfaces)
    return b"".join(parts)


def reply_import(record: DeviceRecord) -> bytes:
    return OP_COMMON.pack(VERSION, Op.REPLY_IMPORT, OpStatus.OK) + record.build()


def refuse(code: Op, status: OpStatus) -> bytes:
    return OP_COMMON.pack(VERSION, code, status)


# ---- second phase ----------------------------------------------------------------------------------------------------


def parse_command(buffer: bytes | bytearray, at: int = 0) -> CmdSubmit | CmdUnlink:
    """Read a host's header, 48 bytes from `at` on."""
    fields = SUBMIT.unpack_from(buffer, at)
    command = fields[0]
    if command == Command.SUBMIT:
        _, seqnum, device_id, direction, endpoint, flags, length, start, packets, interval, setup = fields
        if direction > 1 or endpoint > 15:
            raise UsbipViolation(f"submit {seqnum}: direction {direction}, endpoint {endpoint}: no such thing")
        if not 0 <= length <= TRANSFER_MAX:
            raise UsbipViolation(f"submit {seqnum}: length {length} is not between 0 and {TRANSFER_MAX}")
        return CmdSubmit(seqnum, device_id, direction == 1, endpoint, flags, length, start, packets, interval, setup)
    if command == Command.UNLINK:
        _, seqnum, device_id, _, _, victim = UNLINK.unpack_from(buffer, at)
        return CmdUnlink(seqnum=seqnum, device_id=device_id, victim=victim)
    raise UsbipViolation(f"command {command:#x} is neither submit nor unlink")


def parse_return(buffer: bytes, at: int = 0) -> RetSubmit | RetUnlink:
    """Read a server's header, 48 bytes from `at` on."""
    fields = RET_SUBMIT.unpack_from(buffer, at)
    command = fields[0]
    if command == Command.RET_SUBMIT:
        _, seqnum, _, _, _, status, actual, start, packets, _ = fields
        if not 0 <= actual <= TRANSFER_MAX:
            raise UsbipViolation(f"reply {seqnum}: length {actual} is not between 0 and {TRANSFER_MAX}")
        return RetSubmit(seqnum, status, actual, start, packets)
    if command == Command.RET_UNLINK:
        _, seqnum, _, _, _, status = RET_UNLINK.unpack_from(buffer, at)
        return RetUnlink(seqnum=seqnum, status=status)
    raise UsbipViolation(f"command {command:#x} is neither a submit's nor an unlink's return")


def build_submit(command: CmdSubmit, data: bytes = b"") -> bytes:
    header = SUBMIT.pack(Command.SUBMIT, *command)
    return header + data if data else header


def build_unlink(command: CmdUnlink) -> bytes:
    return UNLINK.pack(Command.UNLINK, command.seqnum, command.device_id, 0, 0, command.victim)


def build_ret_submit(reply: RetSubmit, data: bytes = b"") -> bytes:
    seqnum, *ended = reply
    header = RET_SUBMIT.pack(Command.RET_SUBMIT, seqnum, 0, 0, 0, *ended, 0)
    return header + data if data else header


def build_ret_unlink(reply: RetUnlink) -> bytes:
    return RET_UNLINK.pack(Command.RET_UNLINK, reply.seqnum, 0, 0, 0, reply.status)
