"""A capture file: the edge that has a clock and a disk. A full disk ends the capture, never the device."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from firmware_sim.ports.capture.pcapng import Direction, LinkType, interface, packet, section_header
from firmware_sim.ports.capture.records import (
    ControlLines,
    SerialEvent,
    serial_record,
    transfer_direction,
    transfer_record,
)
from firmware_sim.ports.usb.bus import Slot
from firmware_sim.ports.usb.device import TransferSeen

log = logging.getLogger(__name__)

SIZE_MAX = 1 << 30

USB = 0  # the first interface; serial lines follow as they are added


def wall_clock_us() -> int:
    return time.time_ns() // 1000


class CaptureFile:
    """Writes as things happen; readable by Wireshark while it grows. Raises OSError where the file can't be made."""

    def __init__(self, path: Path, *, clock: Callable[[], int] = wall_clock_us, size_max: int = SIZE_MAX) -> None:
        self.path = path
        self._clock = clock
        self._left = size_max
        self._file = path.open("wb", buffering=0)
        self._ended = False
        self._interfaces = 1
        self._put(section_header("shuffler bench") + interface(LinkType.USB_LINUX_MMAPPED, "usb"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """No more records."""
        self._ended = True
        self._file.close()

    def transfer(self, slot: Slot, seen: TransferSeen) -> None:
        """A tap for `UsbBus.watch`."""
        if not self._ended:
            now = self._clock()
            self._put(packet(USB, now, transfer_record(slot, seen, now), transfer_direction(seen)))

    def line(self, name: str) -> "CapturedLine":
        """A serial line of its own in this file."""
        number = self._interfaces
        self._interfaces += 1
        if not self._ended:
            self._put(interface(LinkType.RTAC_SERIAL, f"serial {name}"))
        return CapturedLine(self, number)

    def put_serial(self, number: int, event: SerialEvent, lines: ControlLines, data: bytes) -> None:
        """A record of one of the lines."""
        if not self._ended:
            now = self._clock()
            direction = Direction.OUTBOUND if event is SerialEvent.TRANSMITTED else Direction.INBOUND
            self._put(packet(number, now, serial_record(event, lines, data, now), direction))

    def _put(self, block: bytes) -> None:
        self._left -= len(block)
        if self._left < 0:
            log.warning("capture %s has reached its limit and ends here", self.path)
            self.close()
            return
        try:
            self._file.write(block)
        except OSError as error:
            log.warning("capture %s ends here: %s", self.path, error.strerror)
            self.close()


class CapturedLine:
    """One device's serial line in a capture."""

    def __init__(self, capture: CaptureFile, number: int) -> None:
        self._capture = capture
        self._number = number

    def serial(self, event: SerialEvent, lines: ControlLines, data: bytes = b"") -> None:
        """A piece of the stream, or a change of the lines."""
        self._capture.put_serial(self._number, event, lines, data)
