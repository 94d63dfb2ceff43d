"""The bytes a host reads, against bytes written out by hand from the specifications."""

import pytest

from firmware_sim.ports.usb.descriptors import (
    configuration_descriptor,
    device_descriptor,
    device_qualifier,
    endpoint_shapes,
    string_descriptors,
)
from firmware_sim.ports.usb.identity import Speed, UsbIdentity
from protocol.usb.layouts import (
    CDC_ACM,
    CDC_CALL_MANAGEMENT,
    CDC_HEADER,
    CDC_UNION,
    DescriptorType,
    parse_configuration,
)

DEVICE = """
12 01  00 02  02 02 00  40  09 12  01 00  00 01  01 02 03  01
"""

HIGH_SPEED = """
09 02  4b 00  02 01 04 e0 01
08 0b  00 02 02 02 00 02
09 04  00 00 01 02 02 00 05
05 24 00  10 01
05 24 01  00 01
04 24 02  06
05 24 06  00 01
07 05  81 03  10 00  08
09 04  01 00 02 0a 00 00 06
07 05  02 02  00 02  00
07 05  82 02  00 02  00
"""


def test_the_device_descriptor_byte_for_byte() -> None:
    assert device_descriptor(UsbIdentity()) == bytes.fromhex(DEVICE)


def test_the_high_speed_configuration_byte_for_byte() -> None:
    assert configuration_descriptor(Speed.HIGH) == bytes.fromhex(HIGH_SPEED)


def test_full_speed_differs_in_packet_sizes_and_interval_only() -> None:
    high, full = configuration_descriptor(Speed.HIGH), configuration_descriptor(Speed.FULL)
    changed = {at: (high[at], full[at]) for at in range(len(high)) if high[at] != full[at]}
    assert list(changed.values()) == [(0x08, 0x10), (0x00, 0x40), (0x02, 0x00), (0x00, 0x40), (0x02, 0x00)]


def test_the_other_speed_configuration_has_its_own_type() -> None:
    other = configuration_descriptor(Speed.FULL, DescriptorType.OTHER_SPEED_CONFIGURATION)
    assert other[:2] == bytes.fromhex("09 07")
    assert other[2:] == configuration_descriptor(Speed.FULL)[2:]


def test_the_qualifier_byte_for_byte() -> None:
    assert device_qualifier() == bytes.fromhex("0a 06  00 02  02 02 00  40  01  00")


def test_strings_are_utf_16_and_the_serial_is_the_third() -> None:
    strings = string_descriptors(UsbIdentity(serial="A-1", manufacturer="Ünïté ♠"))
    assert strings[0] == bytes.fromhex("04 03  09 04")
    assert strings[3] == bytes.fromhex("08 03  41 00  2d 00  31 00")
    assert strings[1][2:].decode("utf-16-le") == "Ünïté ♠"
    assert all(text[0] == len(text) and text[1] == 3 for text in strings.values())


@pytest.mark.parametrize("speed", Speed)
def test_every_string_a_descriptor_points_at_exists(speed: Speed) -> None:
    strings = string_descriptors(UsbIdentity())
    tree = parse_configuration(configuration_descriptor(speed))
    interfaces = {item.descriptor.iInterface for item in tree.interfaces}
    pointed_at = {tree.descriptor.iConfiguration, tree.extra[-1]} | interfaces
    assert pointed_at | {0, 1, 2, 3} == set(strings)


@pytest.mark.parametrize("speed", Speed)
def test_taken_apart_the_configuration_says_what_the_endpoints_are(speed: Speed) -> None:
    tree = parse_configuration(configuration_descriptor(speed))
    assert tree.descriptor.bNumInterfaces == len(tree.interfaces)
    assert all(item.descriptor.bNumEndpoints == len(item.endpoints) for item in tree.interfaces)
    found = {
        endpoint.bEndpointAddress: (endpoint.bmAttributes, endpoint.wMaxPacketSize, item.descriptor.bInterfaceNumber)
        for item in tree.interfaces
        for endpoint in item.endpoints
    }
    assert found == {
        address: (shape.transfer_type, shape.max_packet, shape.interface)
        for address, shape in endpoint_shapes(speed).items()
    }


def test_the_functional_descriptors_read_back() -> None:
    extra = parse_configuration(configuration_descriptor(Speed.HIGH)).interfaces[0].extra
    at = 0
    for layout in (CDC_HEADER, CDC_CALL_MANAGEMENT, CDC_ACM, CDC_UNION):
        assert layout.build(layout.parse(extra[at:])) == extra[at : at + layout.sizeof()]
        at += layout.sizeof()
    assert at == len(extra)
