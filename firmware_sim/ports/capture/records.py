"""What is captured, as the bytes of its link type: a USB transfer's start or end, and a piece of the serial stream."""

import enum
import struct

from firmware_sim.ports.capture.pcapng import Direction
from firmware_sim.ports.usb.bus import BUS_NUMBER, Slot
from firmware_sim.ports.usb.descriptors import endpoint_shapes
from firmware_sim.ports.usb.device import TransferSeen
from protocol.usb.layouts import TransferType

# `struct usb_device_mmapped` of Linux's usbmon (Documentation/usb/usbmon.rst, pcap/usb.h): id, event, type, endpoint,
# device, bus, setup flag, data flag, seconds, microseconds, status, length, captured, setup, interval, frame, flags, n.
USBMON = struct.Struct("<QcBBBHccqiiII8siiII")

SUBMITTED, COMPLETED = b"S", b"C"
PRESENT, NO_SETUP, NONE_IN, NONE_OUT = b"\0", b"-", b"<", b">"
IN_PROGRESS = -115  # -EINPROGRESS, the status of a transfer that has just begun

USBMON_TYPES = {
    TransferType.ISOCHRONOUS: 0,
    TransferType.INTERRUPT: 1,
    TransferType.CONTROL: 2,
    TransferType.BULK: 3,
}

# Times, event, control lines, footer (https://www.tcpdump.org/linktypes/LINKTYPE_RTAC_SERIAL.html); big-endian.
RTAC = struct.Struct(">IIBB2x")

US_PER_S = 1_000_000


class SerialEvent(enum.IntEnum):
    """What happened on the serial line; "transmitted" is the device's word."""

    STATUS_CHANGED = 0
    TRANSMITTED = 1
    RECEIVED = 2


class ControlLines(enum.IntFlag):
    """The control lines in an RTAC record; with DTR a cable is open."""

    CTS = 0x01
    DCD = 0x02
    DSR = 0x04
    RTS = 0x08
    DTR = 0x10


OPEN = ControlLines.CTS | ControlLines.DCD | ControlLines.DSR | ControlLines.RTS | ControlLines.DTR
SHUT = ControlLines.CTS | ControlLines.DCD | ControlLines.DSR


def transfer_record(slot: Slot, seen: TransferSeen, time_us: int) -> bytes:
    """A transfer's start (no completion) or end."""
    transfer, ended = seen.transfer, seen.completion
    shape = endpoint_shapes(slot.device.identity.speed).get(transfer.endpoint)
    kind = TransferType.CONTROL if transfer.endpoint & 0x0F == 0 or shape is None else shape.transfer_type
    if ended is None:
        data, length, status = transfer.data, transfer.length or len(transfer.data), IN_PROGRESS
    else:
        data, length, status = ended.data, ended.actual, int(ended.status)
    setup = transfer.setup if ended is None else None
    head = USBMON.pack(
        slot.number << 48 | transfer.id,
        SUBMITTED if ended is None else COMPLETED,
        USBMON_TYPES[kind],
        transfer.endpoint,
        slot.number,
        BUS_NUMBER,
        NO_SETUP if setup is None else PRESENT,
        PRESENT if data else (NONE_IN if transfer.is_in else NONE_OUT),
        time_us // US_PER_S,
        time_us % US_PER_S,
        status,
        length,
        len(data),
        setup or bytes(8),
        0,
        0,
        0,
        0,
    )
    return head + data


def transfer_direction(seen: TransferSeen) -> Direction:
    return Direction.OUTBOUND if seen.transfer.is_in else Direction.INBOUND


def serial_record(event: SerialEvent, lines: ControlLines, data: bytes, time_us: int) -> bytes:
    """A piece of the stream, or a change of the lines."""
    return RTAC.pack(time_us // US_PER_S & 0xFFFFFFFF, time_us % US_PER_S, event, lines) + data
