"""Every request on endpoint zero: what it answers, and what stalls."""

import itertools

import pytest

from firmware_sim.ports.usb.control import HANDLERS
from firmware_sim.ports.usb.descriptors import configuration_descriptor, device_descriptor
from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.events import BreakSent, ControlLinesSet, LineCodingSet, RequestStalled
from firmware_sim.ports.usb.identity import Speed, UsbIdentity
from protocol.usb.requests import RequestKey as Key
from protocol.usb.transfers import UrbStatus

LINE_CODING = bytes.fromhex("00 c2 01 00  00 00 08")


def test_the_table_is_total() -> None:
    assert set(HANDLERS) == {key.value for key in Key}


def test_every_request_outside_the_table_stalls(open_host) -> None:
    unknown = set(itertools.product(range(256), range(256))) - set(HANDLERS)
    for kind, request in sorted(unknown)[::97]:
        data: bytes | int = 8 if kind & 0x80 else b""
        assert open_host.control((kind, request), data=data).status == UrbStatus.STALLED, (kind, request)
    assert open_host.control(Key.GET_CONFIGURATION, data=1).data == b"\x01"


@pytest.mark.parametrize("asked", [0, 8, 9, 18, 64, 75, 255, 4096])
def test_a_descriptor_is_cut_to_what_was_asked_for(host, asked: int) -> None:
    ended = host.control(Key.GET_DESCRIPTOR, value=0x0200, data=asked)
    assert (ended.status, ended.data) == (UrbStatus.OK, configuration_descriptor(Speed.HIGH)[:asked])


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (0x0101, 0),  # a second device descriptor
        (0x0201, 0),  # a second configuration
        (0x0100, 1),
        (0x0307, 0x0409),  # a string beyond the last
        (0x03EE, 0),  # Microsoft's
        (0x0301, 0x0407),  # German
        (0x0F00, 0),  # BOS, of devices that say USB 2.01
        (0x2200, 0),  # HID report
    ],
)
def test_a_descriptor_that_is_not_there_stalls(host, value: int, index: int) -> None:
    assert host.control(Key.GET_DESCRIPTOR, value=value, index=index, data=255).status == UrbStatus.STALLED


def test_strings_come_in_english(host) -> None:
    assert host.control(Key.GET_DESCRIPTOR, value=0x0300, data=255).data == bytes.fromhex("04 03 09 04")
    serial = host.control(Key.GET_DESCRIPTOR, value=0x0303, index=0x0409, data=255).data
    assert serial[2:].decode("utf-16-le") == "BENCH-0001"


@pytest.mark.parametrize(("speed", "status"), [(Speed.HIGH, UrbStatus.OK), (Speed.FULL, UrbStatus.STALLED)])
@pytest.mark.parametrize("value", [0x0600, 0x0700])
def test_only_a_high_speed_device_has_another_speed(pipe, host_of, speed: Speed, status: UrbStatus, value: int) -> None:
    host = host_of(UsbDevice(UsbIdentity(speed=speed), pipe))
    assert host.control(Key.GET_DESCRIPTOR, value=value, data=255).status == status


def test_the_device_descriptor_is_there_before_any_address(host) -> None:
    assert host.control(Key.GET_DESCRIPTOR, value=0x0100, data=8).data == device_descriptor(UsbIdentity())[:8]


# ---- state of the device ---------------------------------------------------------------------------------------------


def test_configuration_is_read_back(host) -> None:
    assert host.control(Key.GET_CONFIGURATION, data=1).data == b"\0"
    assert host.control(Key.SET_CONFIGURATION, value=1).status == UrbStatus.OK
    assert host.control(Key.GET_CONFIGURATION, data=1).data == b"\1"
    assert host.control(Key.SET_CONFIGURATION, value=2).status == UrbStatus.STALLED
    assert host.control(Key.GET_CONFIGURATION, data=1).data == b"\1"
    assert host.control(Key.SET_CONFIGURATION, value=0).status == UrbStatus.OK
    assert host.control(Key.GET_CONFIGURATION, data=1).data == b"\0"


def test_an_address_is_taken_up_to_127_and_only_unconfigured(host) -> None:
    assert host.control(Key.SET_ADDRESS, value=127).status == UrbStatus.OK
    assert host.device.address == 127
    assert host.control(Key.SET_ADDRESS, value=128).status == UrbStatus.STALLED
    host.configure()
    assert host.control(Key.SET_ADDRESS, value=5).status == UrbStatus.STALLED


def test_device_status_shows_own_power_and_remote_wakeup(host) -> None:
    assert host.control(Key.GET_DEVICE_STATUS, data=2).data == bytes.fromhex("01 00")
    assert host.control(Key.SET_DEVICE_FEATURE, value=1).status == UrbStatus.OK
    assert host.control(Key.GET_DEVICE_STATUS, data=2).data == bytes.fromhex("03 00")
    assert host.control(Key.CLEAR_DEVICE_FEATURE, value=1).status == UrbStatus.OK
    assert host.control(Key.GET_DEVICE_STATUS, data=2).data == bytes.fromhex("01 00")


@pytest.mark.parametrize("key", [Key.SET_DEVICE_FEATURE, Key.CLEAR_DEVICE_FEATURE])
def test_no_other_device_feature_exists(host, key: Key) -> None:
    assert host.control(key, value=2).status == UrbStatus.STALLED  # test mode
    assert host.control(key, value=1, index=1).status == UrbStatus.STALLED


@pytest.mark.parametrize(
    ("key", "value", "index", "data"),
    [
        (Key.GET_INTERFACE_STATUS, 0, 0, 2),
        (Key.GET_INTERFACE, 0, 1, 1),
        (Key.SET_INTERFACE, 0, 1, b""),
        (Key.GET_ENDPOINT_STATUS, 0, 0x82, 2),
        (Key.SET_ENDPOINT_FEATURE, 0, 0x82, b""),
        (Key.CLEAR_ENDPOINT_FEATURE, 0, 0x82, b""),
        (Key.SET_LINE_CODING, 0, 0, LINE_CODING),
        (Key.GET_LINE_CODING, 0, 0, 7),
        (Key.SET_CONTROL_LINE_STATE, 0, 0, b""),
        (Key.SEND_BREAK, 100, 0, b""),
    ],
)
def test_what_belongs_to_the_configuration_stalls_without_it(host, key, value, index, data) -> None:
    assert host.control(key, value, index, data).status == UrbStatus.STALLED
    host.configure()
    assert host.control(key, value, index, data).status == UrbStatus.OK
    assert host.control(key, value, index + 7, data).status == UrbStatus.STALLED


def test_endpoint_zero_has_a_status_and_a_halt_to_clear_always(host) -> None:
    assert host.control(Key.GET_ENDPOINT_STATUS, index=0x80, data=2).data == bytes(2)
    assert host.control(Key.CLEAR_ENDPOINT_FEATURE, index=0).status == UrbStatus.OK


def test_halt_shows_in_the_endpoint_status(open_host) -> None:
    open_host.control(Key.SET_ENDPOINT_FEATURE, index=0x82)
    assert open_host.control(Key.GET_ENDPOINT_STATUS, index=0x82, data=2).data == bytes.fromhex("01 00")
    open_host.control(Key.CLEAR_ENDPOINT_FEATURE, index=0x82)
    assert open_host.control(Key.GET_ENDPOINT_STATUS, index=0x82, data=2).data == bytes.fromhex("00 00")


def test_the_only_alternate_setting_is_zero_and_choosing_it_clears_halts(open_host) -> None:
    open_host.control(Key.SET_ENDPOINT_FEATURE, index=0x82)
    open_host.control(Key.SET_ENDPOINT_FEATURE, index=0x81)
    assert open_host.control(Key.SET_INTERFACE, value=1, index=1).status == UrbStatus.STALLED
    assert open_host.control(Key.SET_INTERFACE, value=0, index=1).status == UrbStatus.OK
    assert open_host.device.halted == {0x81}


# ---- the serial port -------------------------------------------------------------------------------------------------


def test_line_coding_is_kept_and_remembered(open_host) -> None:
    assert open_host.control(Key.SET_LINE_CODING, data=LINE_CODING).status == UrbStatus.OK
    assert open_host.control(Key.GET_LINE_CODING, data=7).data == LINE_CODING
    assert [str(e.coding) for e in open_host.device.history if isinstance(e, LineCodingSet)] == ["115200 8N1"]


@pytest.mark.parametrize("bad", [LINE_CODING[:6], LINE_CODING + b"\0", b"", bytes(7)])
def test_a_bad_line_coding_stalls_and_changes_nothing(open_host, bad: bytes) -> None:
    assert open_host.control(Key.SET_LINE_CODING, data=bad).status == UrbStatus.STALLED
    assert str(open_host.device.function.line_coding) == "9600 8N1"


def test_control_lines_open_and_close_the_cable(host, pipe) -> None:
    host.configure()
    for value in (2, 3, 1, 0):
        assert host.control(Key.SET_CONTROL_LINE_STATE, value=value).status == UrbStatus.OK
    assert pipe.cable == ["opened", "closed"]
    assert [(e.dtr, e.rts) for e in host.device.history if isinstance(e, ControlLinesSet)] == [
        (False, True),
        (True, True),
        (True, False),
        (False, False),
    ]


def test_a_break_has_a_length_or_lasts_until_told(open_host) -> None:
    open_host.control(Key.SEND_BREAK, value=250)
    assert not open_host.device.function.breaking
    open_host.control(Key.SEND_BREAK, value=0xFFFF)
    assert open_host.device.function.breaking
    open_host.control(Key.SEND_BREAK, value=0)
    assert not open_host.device.function.breaking
    breaks = [event.milliseconds for event in open_host.device.history if isinstance(event, BreakSent)]
    assert breaks == [250, None, 0]


def test_a_data_stage_shorter_than_announced_stalls(open_host) -> None:
    setup = bytes.fromhex("21 20  00 00  00 00  07 00")
    assert open_host.do(0x00, data=LINE_CODING[:4], setup=setup).status == UrbStatus.STALLED


def test_an_in_request_submitted_as_out_stalls(host) -> None:
    assert host.do(0x00, data=bytes(18), setup=bytes.fromhex("80 06  00 01  00 00  12 00")).status == UrbStatus.STALLED


def test_stalls_are_remembered(host) -> None:
    host.control((0xC0, 0x33), value=5, data=2)
    assert [e.setup.request for e in host.device.history if isinstance(e, RequestStalled)] == [0x33]
