"""Control requests as they travel: the setup packet and the numbers of the requests (USB 2.0, 9.3; PSTN 1.2, 6.3)."""

import enum
import struct
from dataclasses import dataclass

SETUP = struct.Struct("<BBHHH")

TO_HOST = 0x80


class RequestKey(enum.Enum):
    """(bmRequestType, bRequest) of every request the device knows; any other is stalled."""

    GET_DEVICE_STATUS = (0x80, 0x00)
    GET_INTERFACE_STATUS = (0x81, 0x00)
    GET_ENDPOINT_STATUS = (0x82, 0x00)
    CLEAR_DEVICE_FEATURE = (0x00, 0x01)
    CLEAR_ENDPOINT_FEATURE = (0x02, 0x01)
    SET_DEVICE_FEATURE = (0x00, 0x03)
    SET_ENDPOINT_FEATURE = (0x02, 0x03)
    SET_ADDRESS = (0x00, 0x05)
    GET_DESCRIPTOR = (0x80, 0x06)
    GET_CONFIGURATION = (0x80, 0x08)
    SET_CONFIGURATION = (0x00, 0x09)
    GET_INTERFACE = (0x81, 0x0A)
    SET_INTERFACE = (0x01, 0x0B)
    SET_LINE_CODING = (0x21, 0x20)
    GET_LINE_CODING = (0xA1, 0x21)
    SET_CONTROL_LINE_STATE = (0x21, 0x22)
    SEND_BREAK = (0x21, 0x23)


class Feature(enum.IntEnum):
    """Feature selectors: USB 2.0, table 9-6."""

    ENDPOINT_HALT = 0
    DEVICE_REMOTE_WAKEUP = 1


@dataclass(frozen=True, kw_only=True)
class SetupPacket:
    """The eight bytes that open a control transfer."""

    request_type: int
    request: int
    value: int = 0
    index: int = 0
    length: int = 0

    @classmethod
    def parse(cls, raw: bytes) -> "SetupPacket":
        """Read exactly eight bytes."""
        request_type, request, value, index, length = SETUP.unpack(raw)
        return cls(request_type=request_type, request=request, value=value, index=index, length=length)

    def build(self) -> bytes:
        """The eight bytes again."""
        return SETUP.pack(self.request_type, self.request, self.value, self.index, self.length)

    @property
    def is_in(self) -> bool:
        return self.request_type & TO_HOST != 0
