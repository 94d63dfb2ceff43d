"""pcapng blocks as bytes (draft-ietf-opsawg-pcapng, section 4). Little-endian, times in microseconds."""

import enum
import struct

BYTE_ORDER_MAGIC = 0x1A2B3C4D
SECTION_LENGTH_UNKNOWN = -1

SECTION_HEADER_BLOCK = 0x0A0D0D0A
INTERFACE_BLOCK = 0x00000001
ENHANCED_PACKET_BLOCK = 0x00000006

OPTION_END = 0
OPTION_USER_APPLICATION = 4  # of a section header
OPTION_INTERFACE_NAME = 2
OPTION_TIME_RESOLUTION = 9
OPTION_PACKET_FLAGS = 2

MICROSECONDS = 6  # ten to the minus sixth


class LinkType(enum.IntEnum):
    """https://www.tcpdump.org/linktypes.html"""

    USB_LINUX_MMAPPED = 220
    IPV4 = 228
    RTAC_SERIAL = 250


class Direction(enum.IntEnum):
    """The two low bits of a packet's flags, seen from the device."""

    INBOUND = 1
    OUTBOUND = 2


def section_header(application: str) -> bytes:
    """The block a file starts with."""
    body = struct.pack("<IHHq", BYTE_ORDER_MAGIC, 1, 0, SECTION_LENGTH_UNKNOWN)
    return _block(SECTION_HEADER_BLOCK, body + _options((OPTION_USER_APPLICATION, application.encode())))


def interface(link_type: LinkType, name: str) -> bytes:
    """One interface; packets name it by its position in the file."""
    body = struct.pack("<HHI", link_type, 0, 0)
    options = _options((OPTION_INTERFACE_NAME, name.encode()), (OPTION_TIME_RESOLUTION, bytes((MICROSECONDS,))))
    return _block(INTERFACE_BLOCK, body + options)


def packet(interface_number: int, time_us: int, data: bytes, direction: Direction) -> bytes:
    """One packet with its time since 1970."""
    head = struct.pack("<IIIII", interface_number, time_us >> 32, time_us & 0xFFFFFFFF, len(data), len(data))
    flags = _options((OPTION_PACKET_FLAGS, struct.pack("<I", direction)))
    return _block(ENHANCED_PACKET_BLOCK, head + _padded(data) + flags)


def _block(kind: int, body: bytes) -> bytes:
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def _options(*options: tuple[int, bytes]) -> bytes:
    parts = [struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options]
    return b"".join(parts) + struct.pack("<HH", OPTION_END, 0)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
