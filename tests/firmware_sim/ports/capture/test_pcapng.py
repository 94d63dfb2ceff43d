"""Blocks of a pcapng file, byte for byte."""

from firmware_sim.ports.capture.pcapng import Direction, LinkType, interface, packet, section_header


def test_a_section_header() -> None:
    assert section_header("ab") == bytes.fromhex(
        "0a0d0d0a 28000000  4d3c2b1a 0100 0000 ffffffffffffffff  0400 0200 61620000  0000 0000  28000000"
    )


def test_an_interface() -> None:
    assert interface(LinkType.USB_LINUX_MMAPPED, "usb") == bytes.fromhex(
        "01000000 28000000  dc00 0000 00000000  0200 0300 75736200  0900 0100 06000000  0000 0000  28000000"
    )


def test_a_packet_is_padded_and_timed() -> None:
    assert packet(1, 0x1_0000_0002, b"abcde", Direction.OUTBOUND) == bytes.fromhex(
        "06000000 34000000  01000000 01000000 02000000 05000000 05000000  6162636465000000"
        "0200 0400 02000000  0000 0000  34000000"
    )
