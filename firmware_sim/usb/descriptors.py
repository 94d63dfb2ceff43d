"""The descriptors: their layouts (construct, field names as in the specifications) and those of this device.

Owns every byte a host reads to learn what the device is. Knows nothing of requests, transfers or state.
Layouts: USB 2.0, 9.6; association: USB Interface Association Descriptors ECN; functional ones: CDC 1.2, 5.2.3,
and PSTN 1.2, 5.3.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from construct import Byte, Bytes, Const, Container, GreedyBytes, GreedyRange, Int16ul, Prefixed, Struct, this

from firmware_sim.usb.identity import Speed, UsbIdentity


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

# ---- this device -----------------------------------------------------------------------------------------------------

BCD_USB_2_0 = 0x0200
# PSTN 1.2 is a subclass specification of CDC 1.2; drivers in the field were written to 1.10 and look for it.
BCD_CDC_1_10 = 0x0110

# Class and subclass of a modem-like serial port. On the device descriptor itself they make Windows load usbser.sys
# by its compatible id USB\Class_02&SubClass_02 ("USB serial driver (Usbser.sys)", learn.microsoft.com).
CLASS_COMMUNICATIONS = 0x02
SUBCLASS_ACM = 0x02
CLASS_DATA = 0x0A
PROTOCOL_NONE = 0x00

CONTROL_INTERFACE = 0
DATA_INTERFACE = 1
INTERFACE_NUMBERS = (CONTROL_INTERFACE, DATA_INTERFACE)

NOTIFICATION_ENDPOINT = 0x81
DATA_OUT_ENDPOINT = 0x02
DATA_IN_ENDPOINT = 0x82

CONFIGURATION_VALUE = 1

# Bit 7 always one, bit 6 self-powered (the machine has its own mains lead), bit 5 remote wake-up: USB 2.0, table 9-10.
SELF_POWERED_WITH_REMOTE_WAKEUP = 0xE0
POWER_2_MA = 1  # in units of 2 mA: the machine draws nothing worth naming from the bus

# Line coding, control lines and serial state; send break: PSTN 1.2, table 4.
ACM_CAPABILITIES = 0x02 | 0x04

MAX_PACKET_CONTROL = 64
MAX_PACKET_NOTIFICATION = 16
MAX_PACKET_BULK = {Speed.FULL: 64, Speed.HIGH: 512}  # USB 2.0, 5.8.3

# 16 ms both: full speed counts frames of 1 ms, high speed 2^(n-1) microframes of 125 µs (USB 2.0, table 9-13).
NOTIFICATION_INTERVAL = {Speed.FULL: 16, Speed.HIGH: 8}

OTHER_SPEED = {Speed.FULL: Speed.HIGH, Speed.HIGH: Speed.FULL}

LANGUAGE_ENGLISH_US = 0x0409


class StringIndex(enum.IntEnum):
    """Where each text stands among the string descriptors; 0 lists the languages."""

    LANGUAGES = 0
    MANUFACTURER = 1
    PRODUCT = 2
    SERIAL = 3
    CONFIGURATION = 4
    CONTROL_INTERFACE = 5
    DATA_INTERFACE = 6


@dataclass(frozen=True, kw_only=True)
class EndpointShape:
    """What a transfer must know of an endpoint."""

    address: int
    transfer_type: TransferType
    max_packet: int
    interface: int

    @property
    def is_in(self) -> bool:
        return self.address & 0x80 != 0


def endpoint_shapes(speed: Speed) -> dict[int, EndpointShape]:
    """The endpoints beside zero, by address."""
    bulk = MAX_PACKET_BULK[speed]
    rows = (
        (NOTIFICATION_ENDPOINT, TransferType.INTERRUPT, MAX_PACKET_NOTIFICATION, CONTROL_INTERFACE),
        (DATA_OUT_ENDPOINT,     TransferType.BULK,      bulk,                    DATA_INTERFACE),
        (DATA_IN_ENDPOINT,      TransferType.BULK,      bulk,                    DATA_INTERFACE),
    )  # fmt: skip
    return {
        address: EndpointShape(address=address, transfer_type=kind, max_packet=size, interface=interface)
        for address, kind, size, interface in rows
    }


@lru_cache(maxsize=64)
def device_descriptor(identity: UsbIdentity) -> bytes:
    """GET_DESCRIPTOR(DEVICE)."""
    return DEVICE.build(
        {
            "bcdUSB": BCD_USB_2_0,
            "bDeviceClass": CLASS_COMMUNICATIONS,
            "bDeviceSubClass": SUBCLASS_ACM,
            "bDeviceProtocol": PROTOCOL_NONE,
            "bMaxPacketSize0": MAX_PACKET_CONTROL,
            "idVendor": identity.vendor_id,
            "idProduct": identity.product_id,
            "bcdDevice": identity.release_bcd,
            "iManufacturer": StringIndex.MANUFACTURER,
            "iProduct": StringIndex.PRODUCT,
            "iSerialNumber": StringIndex.SERIAL,
            "bNumConfigurations": 1,
        }
    )


@lru_cache(maxsize=64)
def device_qualifier() -> bytes:
    """GET_DESCRIPTOR(DEVICE_QUALIFIER): what the device descriptor would be at the other speed."""
    return DEVICE_QUALIFIER.build(
        {
            "bcdUSB": BCD_USB_2_0,
            "bDeviceClass": CLASS_COMMUNICATIONS,
            "bDeviceSubClass": SUBCLASS_ACM,
            "bDeviceProtocol": PROTOCOL_NONE,
            "bMaxPacketSize0": MAX_PACKET_CONTROL,
            "bNumConfigurations": 1,
        }
    )


@lru_cache(maxsize=64)
def configuration_descriptor(
    speed: Speed, descriptor_type: DescriptorType = DescriptorType.CONFIGURATION
) -> bytes:
    """GET_DESCRIPTOR(CONFIGURATION) with everything that belongs to it, at one speed."""
    body = b"".join((
        _association(),
        _interface(CONTROL_INTERFACE, 1, CLASS_COMMUNICATIONS, SUBCLASS_ACM, StringIndex.CONTROL_INTERFACE),
        CDC_HEADER.build({"bcdCDC": BCD_CDC_1_10}),
        CDC_CALL_MANAGEMENT.build({"bmCapabilities": 0, "bDataInterface": DATA_INTERFACE}),
        CDC_ACM.build({"bmCapabilities": ACM_CAPABILITIES}),
        CDC_UNION.build({"bControlInterface": CONTROL_INTERFACE, "bSubordinateInterface0": DATA_INTERFACE}),
        _endpoint(NOTIFICATION_ENDPOINT, speed),
        _interface(DATA_INTERFACE, 2, CLASS_DATA, 0, StringIndex.DATA_INTERFACE),
        _endpoint(DATA_OUT_ENDPOINT, speed),
        _endpoint(DATA_IN_ENDPOINT, speed),
    ))  # fmt: skip
    head = CONFIGURATION.build(
        {
            "bDescriptorType": descriptor_type,
            "wTotalLength": CONFIGURATION.sizeof() + len(body),
            "bNumInterfaces": len(INTERFACE_NUMBERS),
            "bConfigurationValue": CONFIGURATION_VALUE,
            "iConfiguration": StringIndex.CONFIGURATION,
            "bmAttributes": SELF_POWERED_WITH_REMOTE_WAKEUP,
            "bMaxPower": POWER_2_MA,
        }
    )
    return head + body


@lru_cache(maxsize=64)
def string_descriptors(identity: UsbIdentity) -> Mapping[int, bytes]:
    """GET_DESCRIPTOR(STRING), by index."""
    texts = {
        StringIndex.MANUFACTURER: identity.manufacturer,
        StringIndex.PRODUCT: identity.product,
        StringIndex.SERIAL: identity.serial,
        StringIndex.CONFIGURATION: "Serial port",
        StringIndex.CONTROL_INTERFACE: "Serial port control",
        StringIndex.DATA_INTERFACE: "Serial port data",
    }
    built = {int(index): STRING.build({"units": text.encode("utf-16-le")}) for index, text in texts.items()}
    built[int(StringIndex.LANGUAGES)] = STRING.build({"units": Int16ul.build(LANGUAGE_ENGLISH_US)})
    return MappingProxyType(built)


def _association() -> bytes:
    return INTERFACE_ASSOCIATION.build(
        {
            "bFirstInterface": CONTROL_INTERFACE,
            "bInterfaceCount": len(INTERFACE_NUMBERS),
            "bFunctionClass": CLASS_COMMUNICATIONS,
            "bFunctionSubClass": SUBCLASS_ACM,
            "bFunctionProtocol": PROTOCOL_NONE,
            "iFunction": StringIndex.PRODUCT,
        }
    )


def _interface(number: int, endpoints: int, class_code: int, subclass: int, text: StringIndex) -> bytes:
    return INTERFACE.build(
        {
            "bInterfaceNumber": number,
            "bAlternateSetting": 0,
            "bNumEndpoints": endpoints,
            "bInterfaceClass": class_code,
            "bInterfaceSubClass": subclass,
            "bInterfaceProtocol": PROTOCOL_NONE,
            "iInterface": text,
        }
    )


def _endpoint(address: int, speed: Speed) -> bytes:
    shape = endpoint_shapes(speed)[address]
    interrupt = shape.transfer_type is TransferType.INTERRUPT
    return ENDPOINT.build(
        {
            "bEndpointAddress": address,
            "bmAttributes": shape.transfer_type,
            "wMaxPacketSize": shape.max_packet,
            "bInterval": NOTIFICATION_INTERVAL[speed] if interrupt else 0,
        }
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
