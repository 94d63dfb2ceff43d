"""The setup packet."""

from protocol.usb.requests import SetupPacket


def test_a_setup_packet_reads_and_writes() -> None:
    raw = bytes.fromhex("a1 21  34 12  78 56  07 00")
    setup = SetupPacket.parse(raw)
    assert setup == SetupPacket(request_type=0xA1, request=0x21, value=0x1234, index=0x5678, length=7)
    assert setup.is_in
    assert setup.build() == raw
