"""How the emulated device names itself on the bus: ids, strings and speed. All of it is a setting."""

import enum
import re
from dataclasses import dataclass

from protocol.usb.errors import IdentityRefused

# pid.codes keeps 1209:0001 for tests in private, never for a product on sale: https://pid.codes/1209/0001/
TEST_VENDOR_ID = 0x1209
TEST_PRODUCT_ID = 0x0001

# bLength is one byte and two of them are the header: USB 2.0, 9.6.7.
STRING_UNITS_MAX = (255 - 2) // 2

# Stable across hosts and safe in a URL; Windows refuses control characters, blanks and commas in a serial number.
SERIAL = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Speed(enum.IntEnum):
    """Bus speeds by their number in USB/IP and in Linux (`enum usb_device_speed`, linux/usb/ch9.h)."""

    FULL = 2
    HIGH = 3


@dataclass(frozen=True, kw_only=True)
class UsbIdentity:
    """What the device descriptor and the strings say."""

    serial: str = "BENCH-0001"
    vendor_id: int = TEST_VENDOR_ID
    product_id: int = TEST_PRODUCT_ID
    release_bcd: int = 0x0100
    manufacturer: str = "Shuffler bench"
    product: str = "Emulated card shuffler"
    speed: Speed = Speed.HIGH

    @property
    def url(self) -> str:
        """How the client names this device."""
        return f"usb://{self.vendor_id:04x}:{self.product_id:04x}/{self.serial}"

    def __post_init__(self) -> None:
        for name, number in (("vendor id", self.vendor_id), ("product id", self.product_id)):
            if not 0x0001 <= number <= 0xFFFF:
                raise IdentityRefused(f"{name} {number:#x} is not between 0x0001 and 0xffff")
        if not (0 <= self.release_bcd <= 0xFFFF and f"{self.release_bcd:04x}".isdecimal()):
            raise IdentityRefused(f"release {self.release_bcd:#x} is not four binary-coded decimal digits")
        if SERIAL.fullmatch(self.serial) is None:
            raise IdentityRefused(f"serial number {self.serial!r} must be 1 to 64 of A-Z a-z 0-9 . _ -")
        for name, text in (("manufacturer", self.manufacturer), ("product", self.product)):
            try:
                units = len(text.encode("utf-16-le")) // 2
            except UnicodeEncodeError as error:
                raise IdentityRefused(f"{name} {text!r} is not valid text: {error.reason}") from error
            if not 1 <= units <= STRING_UNITS_MAX:
                raise IdentityRefused(f"{name} has {units} UTF-16 units; a descriptor holds 1 to {STRING_UNITS_MAX}")
