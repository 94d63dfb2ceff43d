"""Layouts of descriptors (construct, field names as in the specifications), and how a configuration is taken apart.

Knows the forms, not this device. USB 2.0, 9.6; association: USB Interface Association Descriptors ECN; functional ones:
CDC 1.2, 5.2.3, and PSTN 1.2, 5.3.
"""

import enum
from dataclasses import dataclass
from typing import Any

from construct import Byte, Bytes, Const, Container, GreedyBytes, GreedyRange, Int16ul, Prefixed, Struct, this


class DescriptorType(enum.IntEnum):
    """USB 2.0, table 9-5; CS_INTERFACE from CDC 1.2, table 12."""

    DEVICE = 0x01
    CONFIGURATION = 0x02
    STRING = 0x03
    INTERFACE = 0x04
    ENDPOINT = 0x05
    DEVICE_QUALIFIER = 0x06
    OTHER_SPEED_CONFIGURATION = 0x07
    INTERFACE_ASSOCIATION = 0x0B
    CS_INTERFACE = 0x24


class TransferType(enum.IntEnum):
    """bmAttributes of an endpoint, bits 1..0: USB 2.0, table 9-13."""

    CONTROL = 0
    ISOCHRONOUS = 1
    BULK = 2
    INTERRUPT = 3


# ---- layouts ---------------------------------------------------------------------------------------------------------

DEVICE = Struct(
    "bLength" / Const(18, Byte),
    "bDescriptorType" / Const(DescriptorType.DEVICE.value, Byte),
    "bcdUSB" / Int16ul,
    "bDeviceClass" / Byte,
    "bDeviceSubClass" / Byte,
    "bDeviceProtocol" / Byte,
    "bMaxPacketSize0" / Byte,
    "idVendor" / Int16ul,
    "idProduct" / Int16ul,
    "bcdDevice" / Int16ul,
    "iManufacturer" / Byte,
    "iProduct" / Byte,
    "iSerialNumber" / Byte,
    "bNumConfigurations" / Byte,
)

DEVICE_QUALIFIER = Struct(
    "bLength" / Const(10, Byte),
    "bDescriptorType" / Const(DescriptorType.DEVICE_QUALIFIER.value, Byte),
    "bcdUSB" / Int16ul,
    "bDeviceClass" / Byte,
    "bDeviceSubClass" / Byte,
    "bDeviceProtocol" / Byte,
    "bMaxPacketSize0" / Byte,
    "bNumConfigurations" / Byte,
    "bReserved" / Const(0, Byte),
)

CONFIGURATION = Struct(
    "bLength" / Const(9, Byte),
    "bDescriptorType" / Byte,
    "wTotalLength" / Int16ul,
    "bNumInterfaces" / Byte,
    "bConfigurationValue" / Byte,
    "iConfiguration" / Byte,
    "bmAttributes" / Byte,
    "bMaxPower" / Byte,
)

INTERFACE_ASSOCIATION = Struct(
    "bLength" / Const(8, Byte),
    "bDescriptorType" / Const(DescriptorType.INTERFACE_ASSOCIATION.value, Byte),
    "bFirstInterface" / Byte,
    "bInterfaceCount" / Byte,
    "bFunctionClass" / Byte,
    "bFunctionSubClass" / Byte,
    "bFunctionProtocol" / Byte,
    "iFunction" / Byte,
)

INTERFACE = Struct(
    "bLength" / Const(9, Byte),
    "bDescriptorType" / Const(DescriptorType.INTERFACE.value, Byte),
    "bInterfaceNumber" / Byte,
    "bAlternateSetting" / Byte,
    "bNumEndpoints" / Byte,
    "bInterfaceClass" / Byte,
    "bInterfaceSubClass" / Byte,
    "bInterfaceProtocol" / Byte,
    "iInterface" / Byte,
)

ENDPOINT = Struct(
    "bLength" / Const(7, Byte),
    "bDescriptorType" / Const(DescriptorType.ENDPOINT.value, Byte),
    "bEndpointAddress" / Byte,
    "bmAttributes" / Byte,
    "wMaxPacketSize" / Int16ul,
    "bInterval" / Byte,
)

CDC_HEADER = Struct(
    "bFunctionLength" / Const(5, Byte),
    "bDescriptorType" / Const(DescriptorType.CS_INTERFACE.value, Byte),
    "bDescriptorSubtype" / Const(0x00, Byte),
    "bcdCDC" / Int16ul,
)

CDC_CALL_MANAGEMENT = Struct(
    "bFunctionLength" / Const(5, Byte),
    "bDescriptorType" / Const(DescriptorType.CS_INTERFACE.value, Byte),
    "bDescriptorSubtype" / Const(0x01, Byte),
    "bmCapabilities" / Byte,
    "bDataInterface" / Byte,
)

CDC_ACM = Struct(
    "bFunctionLength" / Const(4, Byte),
    "bDescriptorType" / Const(DescriptorType.CS_INTERFACE.value, Byte),
    "bDescriptorSubtype" / Const(0x02, Byte),
    "bmCapabilities" / Byte,
)

CDC_UNION = Struct(
    "bFunctionLength" / Const(5, Byte),
    "bDescriptorType" / Const(DescriptorType.CS_INTERFACE.value, Byte),
    "bDescriptorSubtype" / Const(0x06, Byte),
    "bControlInterface" / Byte,
    "bSubordinateInterface0" / Byte,
)

# Any descriptor: its own length, its type, the rest.
ANY = Struct("bLength" / Byte, "bDescriptorType" / Byte, "body" / Bytes(this.bLength - 2))
DESCRIPTORS = GreedyRange(ANY)

# bLength counts itself, which is what `includelength` says.
STRING = Prefixed(
    Byte,
    Struct("bDescriptorType" / Const(DescriptorType.STRING.value, Byte), "units" / GreedyBytes),
    includelength=True,
)

# ---- reading them back -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class InterfaceTree:
    """One interface at one alternate setting: its descriptor, what stands between, its endpoints."""

    descriptor: Container[Any]
    extra: bytes
    endpoints: tuple[Container[Any], ...]


@dataclass(frozen=True, kw_only=True)
class ConfigurationTree:
    """A configuration descriptor taken apart the way libusb does: unknown ones are `extra` of what precedes them."""

    descriptor: Container[Any]
    extra: bytes
    interfaces: tuple[InterfaceTree, ...]


def parse_configuration(blob: bytes) -> ConfigurationTree:
    """Take a whole configuration apart; `blob` is what GET_DESCRIPTOR gave."""
    head = CONFIGURATION.parse(blob)
    extra = bytearray()
    interfaces: list[InterfaceTree] = []
    for item in DESCRIPTORS.parse(blob[CONFIGURATION.sizeof() : head.wTotalLength]):
        raw = bytes((item.bLength, item.bDescriptorType)) + item.body
        if item.bDescriptorType == DescriptorType.INTERFACE:
            interfaces.append(InterfaceTree(descriptor=INTERFACE.parse(raw), extra=b"", endpoints=()))
        elif not interfaces:
            extra += raw
        else:
            last = interfaces.pop()
            endpoints, between = last.endpoints, last.extra
            if item.bDescriptorType == DescriptorType.ENDPOINT:
                endpoints = (*endpoints, ENDPOINT.parse(raw))
            else:
                between += raw
            interfaces.append(InterfaceTree(descriptor=last.descriptor, extra=between, endpoints=endpoints))
    return ConfigurationTree(descriptor=head, extra=bytes(extra), interfaces=tuple(interfaces))
