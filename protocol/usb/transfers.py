"""Transfers and how they end: the unit a host driver, USB/IP and libusb all work in (Linux calls it a URB)."""

import enum
from typing import NamedTuple, NewType

TransferId = NewType("TransferId", int)


class UrbStatus(enum.IntEnum):
    """How a transfer ended: a negative errno, as Linux and USB/IP have it (driver-api/usb/error-codes.rst)."""

    OK = 0
    NO_ENDPOINT = -2  # -ENOENT: the endpoint does not exist in the active configuration
    NO_MEMORY = -12  # -ENOMEM: more is pending than the device's bounds allow
    STALLED = -32  # -EPIPE
    OVERFLOWED = -75  # -EOVERFLOW: the next packet is larger than the room left in the transfer
    UNLINKED = -104  # -ECONNRESET
    SHUT_DOWN = -108  # -ESHUTDOWN: the device went away, was reset or configured anew
    TOO_SHORT = -121  # -EREMOTEIO: a short packet where the host said that none may come


class Transfer(NamedTuple):
    """A request of the host: `data` for OUT, `length` for IN; `setup` on endpoint zero only."""

    id: TransferId
    endpoint: int
    data: bytes = b""
    length: int = 0
    setup: bytes | None = None
    short_not_ok: bool = False

    @property
    def is_in(self) -> bool:
        return self.endpoint & 0x80 != 0


class Completion(NamedTuple):
    """The end of a transfer: `actual` bytes moved; `data` is what came in."""

    id: TransferId
    status: UrbStatus
    actual: int = 0
    data: bytes = b""
