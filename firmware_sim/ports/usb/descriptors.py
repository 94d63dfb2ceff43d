"""The descriptors of this device: every byte a host reads to learn what it is. No requests, no transfers, no state."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from construct import Int16ul

from firmware_sim.ports.usb.identity import Speed, UsbIdentity
from protocol.usb.layouts import (
    CDC_ACM,
    CDC_CALL_MANAGEMENT,
    CDC_HEADER,
    CDC_UNION,
    CONFIGURATION,
    DEVICE,
    DEVICE_QUALIFIER,
    ENDPOINT,
    INTERFACE,
    INTERFACE_ASSOCIATION,
    STRING,
    DescriptorType,
    TransferType,
)

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
