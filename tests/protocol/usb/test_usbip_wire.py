"""USB/IP on the wire, against the capture printed in the kernel's Documentation/usb/usbip_protocol.rst."""

import pytest

from protocol.usb.errors import UsbipViolation
from protocol.usb.usbip_wire import (
    DEVICE,
    HEADER_SIZE,
    TRANSFER_MAX,
    CmdSubmit,
    CmdUnlink,
    DeviceRecord,
    Op,
    OpStatus,
    RetSubmit,
    RetUnlink,
    build_ret_submit,
    build_ret_unlink,
    build_submit,
    build_unlink,
    parse_command,
    parse_return,
    refuse,
    reply_devices,
    reply_import,
    request_devices,
    request_import,
    text_field,
)

CAPTURED_SUBMIT_IN = (
    "00000001 00000d05 0001000f 00000001 00000001 00000200 00000040 ffffffff 00000000 00000004 00000000 00000000"
)
CAPTURED_SUBMIT_OUT = (
    "00000001 00000d06 0001000f 00000000 00000001 00000000 00000040 ffffffff 00000000 00000004 00000000 00000000"
)
CAPTURED_RETURN = (
    "00000003 00000d06 00000000 00000000 00000000 00000000 00000040 ffffffff 00000000 00000000 00000000 00000000"
)

RECORD = DeviceRecord(
    path="/sys/devices/pci0000:00/0000:00:1d.1/usb3/3-2",
    busid="3-2",
    bus_number=3,
    device_number=2,
    speed=2,
    vendor_id=0x1111,
    product_id=0x2222,
    release_bcd=0x0333,
    device_class=4,
    device_subclass=5,
    device_protocol=6,
    configuration=7,
    configurations=8,
    interfaces=((0x0A, 0x0B, 0x0C), (0x0D, 0x0E, 0x0F)),
)


def test_the_captured_submit_in() -> None:
    raw = bytes.fromhex(CAPTURED_SUBMIT_IN)
    command = CmdSubmit(
        seqnum=0xD05,
        device_id=0x1000F,
        is_in=True,
        endpoint=1,
        flags=0x200,
        length=64,
        start_frame=-1,
        packets=0,
        interval=4,
    )
    assert parse_command(raw) == command
    assert build_submit(command) == raw


def test_the_captured_submit_out() -> None:
    raw = bytes.fromhex(CAPTURED_SUBMIT_OUT)
    command = parse_command(raw)
    assert isinstance(command, CmdSubmit)
    assert not command.is_in
    assert build_submit(command, b"data") == raw + b"data"


def test_the_captured_return_repeats_frame_and_packets_of_its_submit() -> None:
    raw = bytes.fromhex(CAPTURED_RETURN)
    reply = RetSubmit(seqnum=0xD06, status=0, actual=64, start_frame=-1, packets=0)
    assert parse_return(raw) == reply
    assert build_ret_submit(reply) == raw


def test_unlink_both_ways() -> None:
    command = CmdUnlink(seqnum=7, device_id=0x10002, victim=6)
    raw = build_unlink(command)
    assert raw == bytes.fromhex("00000002 00000007 00010002 00000000 00000000 00000006") + bytes(24)
    assert parse_command(raw) == command
    reply = RetUnlink(seqnum=7, status=-104)
    raw = build_ret_unlink(reply)
    assert raw == bytes.fromhex("00000004 00000007 00000000 00000000 00000000 ffffff98") + bytes(24)
    assert parse_return(raw) == reply


def test_every_header_has_48_bytes() -> None:
    submit = CmdSubmit(seqnum=1, device_id=1, is_in=True, endpoint=0)
    sizes = {
        len(build_submit(submit)),
        len(build_unlink(CmdUnlink(seqnum=1, device_id=1, victim=1))),
        len(build_ret_submit(RetSubmit(seqnum=1, status=0, actual=0))),
        len(build_ret_unlink(RetUnlink(seqnum=1, status=0))),
    }
    assert sizes == {HEADER_SIZE} == {48}


def test_requests_of_the_first_phase() -> None:
    assert request_devices() == bytes.fromhex("0111 8005 00000000")
    assert request_import("3-2") == bytes.fromhex("0111 8003 00000000") + b"3-2" + bytes(29)
    assert refuse(Op.REPLY_IMPORT, OpStatus.BUSY) == bytes.fromhex("0111 0003 00000002")


def test_a_list_has_the_offsets_of_the_specification() -> None:
    raw = reply_devices([RECORD])
    assert raw[:0x0C] == bytes.fromhex("0111 0005 00000000 00000001")
    assert raw[0x0C:].startswith(b"/sys/devices/pci0000:00/0000:00:1d.1/usb3/3-2\0")
    assert raw[0x10C:].startswith(b"3-2\0")
    assert raw[0x12C:0x144] == bytes.fromhex("00000003 00000002 00000002 1111 2222 0333 04 05 06 07 08 02")
    assert raw[0x144:] == bytes.fromhex("0a0b0c00 0d0e0f00")


def test_an_import_ends_before_the_interfaces() -> None:
    raw = reply_import(RECORD)
    assert len(raw) == 0x140
    assert raw[0x128:] == bytes.fromhex("00000003 00000002 00000002 1111 2222 0333 04 05 06 07 08 02")


def test_a_record_reads_back() -> None:
    raw = reply_devices([RECORD])[0x0C:]
    assert DeviceRecord.parse(raw[: DEVICE.size], raw[DEVICE.size :]) == RECORD


def test_text_ends_at_the_first_zero_whatever_follows() -> None:
    assert text_field(b"1-1\0\xcc\xccjunk") == "1-1"
    assert text_field(b"\xff1-1") == "�1-1"


@pytest.mark.parametrize(
    ("word", "value", "says"),
    [
        (0, "00000005", "neither submit nor unlink"),
        (0, "00000003", "neither submit nor unlink"),
        (3, "00000002", "direction 2"),
        (4, "00000010", "endpoint 16"),
        (6, "ffffffff", "length -1"),
        (6, f"{TRANSFER_MAX + 1:08x}", "length 1048577"),
    ],
)
def test_a_command_outside_the_protocol_is_refused(word: int, value: str, says: str) -> None:
    words = CAPTURED_SUBMIT_IN.split()
    words[word] = value
    with pytest.raises(UsbipViolation, match=says):
        parse_command(bytes.fromhex("".join(words)))


@pytest.mark.parametrize(("word", "value"), [(0, "00000001"), (6, "7fffffff"), (6, "ffffffff")])
def test_a_return_outside_the_protocol_is_refused(word: int, value: str) -> None:
    words = CAPTURED_RETURN.split()
    words[word] = value
    with pytest.raises(UsbipViolation):
        parse_return(bytes.fromhex("".join(words)))
