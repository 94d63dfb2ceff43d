"""The serial function (CDC-ACM): line coding, control lines, break, serial state, and bytes between USB and the pipe.

Owns what a serial port knows. Must not know of control transfers, queues of transfers or hosts: the device asks it.
"""

import enum
import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from firmware_sim.ports.usb.descriptors import CONTROL_INTERFACE
from firmware_sim.ports.usb.pipe import BytePipe

LINE_CODING = struct.Struct("<IBBB")  # PSTN 1.2, table 17

# PSTN 1.2, table 17.
STOP_BITS = {0: "1", 1: "1.5", 2: "2"}
PARITIES = {0: "N", 1: "O", 2: "E", 3: "M", 4: "S"}
DATA_BITS = (5, 6, 7, 8, 16)

# Enough for one write of Linux's cdc_acm (20 packets of 512), so that it ends while the firmware is still reading.
HELD_OUT_MAX = 16384

NOTIFY_SERIAL_STATE = struct.Struct("<BBHHHH")  # PSTN 1.2, 6.5.4: header of eight bytes, then the state
SERIAL_STATE_CODE = 0x20
NOTIFICATION_REQUEST_TYPE = 0xA1


class SerialState(enum.IntFlag):
    """PSTN 1.2, table 31. The upper five are irregular: reported once, then clear again."""

    CARRIER = 0x01  # bRxCarrier, DCD
    READY = 0x02  # bTxCarrier, DSR
    BREAK = 0x04
    RING = 0x08
    FRAMING = 0x10
    PARITY = 0x20
    OVERRUN = 0x40


CONSISTENT = SerialState.CARRIER | SerialState.READY
IRREGULAR = ~CONSISTENT
NOTHING = SerialState(0)


@dataclass(frozen=True, kw_only=True)
class LineCoding:
    """What the host believes the speed and format of the line to be; the pipe has neither."""

    baud: int = 9600
    stop_bits: str = "1"
    parity: str = "N"
    data_bits: int = 8

    @classmethod
    def parse(cls, raw: bytes) -> "LineCoding | None":
        """Seven bytes as a line coding; None where a field is not of the table or the baud rate is zero."""
        if len(raw) != LINE_CODING.size:
            return None
        baud, stop, parity, bits = LINE_CODING.unpack(raw)
        if baud == 0 or stop not in STOP_BITS or parity not in PARITIES or bits not in DATA_BITS:
            return None
        return cls(baud=baud, stop_bits=STOP_BITS[stop], parity=PARITIES[parity], data_bits=bits)

    def build(self) -> bytes:
        """The seven bytes again."""
        stop = next(code for code, text in STOP_BITS.items() if text == self.stop_bits)
        parity = next(code for code, text in PARITIES.items() if text == self.parity)
        return LINE_CODING.pack(self.baud, stop, parity, self.data_bits)

    def __str__(self) -> str:
        return f"{self.baud} {self.data_bits}{self.parity}{self.stop_bits}"


class InPackets(NamedTuple):
    """What an IN transfer got; `overflows` when the next packet, which stays, is larger than the room left."""

    data: bytes
    overflows: bool = False


@dataclass(kw_only=True)
class AcmFunction:
    """One serial port. Bytes wait here only while the pipe is full or the port is closed; never more than the bound."""

    pipe: BytePipe
    line_coding: LineCoding = LineCoding()
    dtr: bool = False
    rts: bool = False
    breaking: bool = False
    state: SerialState = CONSISTENT
    _reported: SerialState = NOTHING
    _irregular: SerialState = NOTHING
    _held_out: bytearray = field(default_factory=bytearray)
    _held_in: bytearray = field(default_factory=bytearray)
    _zero_length_owed: bool = False

    # ---- lines -------------------------------------------------------------------------------------------------------

    def set_lines(self, *, dtr: bool, rts: bool) -> None:
        """SET_CONTROL_LINE_STATE: DTR opens and closes the cable."""
        self.rts = rts
        if dtr == self.dtr:
            return
        self.dtr = dtr
        if dtr:
            self._reported = NOTHING
            self.pipe.opened()
        else:
            self._forget()
            self.pipe.closed()

    def reset(self) -> None:
        """Back to power-on, as a bus reset or a lost cable leaves it."""
        self.set_lines(dtr=False, rts=False)
        self._forget()
        self.line_coding = LineCoding()
        self.breaking = False
        self._irregular = NOTHING
        self._reported = NOTHING

    def _forget(self) -> None:
        self._held_out.clear()
        self._held_in.clear()
        self._zero_length_owed = False

    # ---- host to device ----------------------------------------------------------------------------------------------

    def accept(self, data: bytes) -> int:
        """Take bytes of an OUT transfer; the answer says how many, and zero means NAK."""
        self.hand_on()
        taken = self.pipe.receive(data) if self.dtr and not self._held_out else 0
        if taken == len(data):
            return taken
        held = data[taken : taken + HELD_OUT_MAX - len(self._held_out)]
        self._held_out += held
        return taken + len(held)

    def hand_on(self) -> None:
        """Offer the pipe what waits for it."""
        if self.dtr and self._held_out:
            taken = self.pipe.receive(bytes(self._held_out))
            del self._held_out[:taken]

    # ---- device to host ----------------------------------------------------------------------------------------------

    def packets(self, room: int, max_packet: int) -> InPackets | None:
        """What the data IN endpoint sends into a transfer of `room` bytes; None for NAK."""
        whole = room // max_packet * max_packet
        exact = whole == room != 0
        # Look one packet further than an odd-sized transfer goes, to know whether that packet would run over its end.
        self.fill(room if exact else whole + max_packet)
        if not self._held_in:
            owed, self._zero_length_owed = self._zero_length_owed, False
            return InPackets(b"") if owed else None
        overflows = not exact and len(self._held_in) > room
        count = whole if overflows else room
        data = bytes(self._held_in[:count])
        del self._held_in[:count]
        # A last packet of full size does not say that it was the last one. Where the transfer has no room for the
        # zero-length packet that does, the next one gets it.
        self._zero_length_owed = exact and len(data) == room
        return InPackets(data, overflows)

    def fill(self, wanted: int) -> None:
        """Fetch from the pipe until `wanted` bytes wait here, or it has no more."""
        if self.dtr and len(self._held_in) < wanted:
            self._held_in += self.pipe.data_to_send(wanted - len(self._held_in))

    @property
    def waiting(self) -> int:
        """Bytes fetched from the pipe and not yet sent."""
        return len(self._held_in)

    # ---- notifications -----------------------------------------------------------------------------------------------

    def set_state(self, state: SerialState) -> None:
        """Set carrier and ready; irregular bits are added to what is still to be reported."""
        self.state = state & CONSISTENT
        self._irregular |= state & IRREGULAR

    def notification(self) -> bytes | None:
        """SERIAL_STATE when something is to be told, else None. Changes that nobody fetched fold into one."""
        now = self.state | self._irregular
        if not self.dtr or now == self._reported:
            return None
        self._irregular = NOTHING
        self._reported = self.state
        return NOTIFY_SERIAL_STATE.pack(
            NOTIFICATION_REQUEST_TYPE, SERIAL_STATE_CODE, 0, CONTROL_INTERFACE, 2, int(now)
        )
