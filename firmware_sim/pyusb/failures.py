"""How libusb reports what went wrong: its code, the errno that pyusb adds, its text (libusb.h; pyusb's libusb1.py)."""

import errno
from dataclasses import dataclass
from typing import NoReturn

import usb.core

from protocol.usb.transfers import UrbStatus


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One row of the table."""

    code: int
    errno: int
    text: str


IO_ERROR = Failure(code=-1, errno=errno.EIO, text="Input/Output Error")
NO_DEVICE = Failure(code=-4, errno=errno.ENODEV, text="No such device (it may have been disconnected)")
NOT_FOUND = Failure(code=-5, errno=errno.ENOENT, text="Entity not found")
BUSY = Failure(code=-6, errno=errno.EBUSY, text="Resource busy")
TIMED_OUT = Failure(code=-7, errno=errno.ETIMEDOUT, text="Operation timed out")
OVERFLOW = Failure(code=-8, errno=errno.EOVERFLOW, text="Overflow")
PIPE = Failure(code=-9, errno=errno.EPIPE, text="Pipe error")
NO_MEMORY = Failure(code=-11, errno=errno.ENOMEM, text="Insufficient memory")
UNSUPPORTED = Failure(code=-12, errno=errno.ENOSYS, text="Operation not supported or unimplemented on this platform")

FAILURES = {
    UrbStatus.NO_ENDPOINT: NOT_FOUND,
    UrbStatus.NO_MEMORY: NO_MEMORY,
    UrbStatus.STALLED: PIPE,
    UrbStatus.OVERFLOWED: OVERFLOW,
    UrbStatus.UNLINKED: TIMED_OUT,
    UrbStatus.SHUT_DOWN: NO_DEVICE,
    UrbStatus.TOO_SHORT: IO_ERROR,
}


def fail(failure: Failure) -> NoReturn:
    """Raise what pyusb raises for it."""
    kind = usb.core.USBTimeoutError if failure is TIMED_OUT else usb.core.USBError
    raise kind(failure.text, failure.code, failure.errno)
