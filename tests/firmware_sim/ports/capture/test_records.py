"""Records of both link types, byte for byte."""

import pytest

from firmware_sim.ports.capture.pcapng import Direction
from firmware_sim.ports.capture.records import (
    OPEN,
    SHUT,
    USBMON,
    SerialEvent,
    serial_record,
    transfer_direction,
    transfer_record,
)
from firmware_sim.ports.usb import UsbBus, UsbDevice, UsbIdentity
from firmware_sim.ports.usb.bus import Slot
from firmware_sim.ports.usb.device import TransferSeen
from proofs.echo_pipe import EchoPipe
from protocol.usb.transfers import Completion, Transfer, TransferId, UrbStatus

TIME_US = 1_700_000_000_123_456
TIME = "00f15365 00000000  40e20100"  # seconds and microseconds


@pytest.fixture
def slot() -> Slot:
    return UsbBus().add(UsbDevice(UsbIdentity(), EchoPipe()))


def record(slot: Slot, transfer: Transfer, completion: Completion | None = None) -> bytes:
    return transfer_record(slot, TransferSeen(transfer=transfer, completion=completion), TIME_US)


def test_the_header_has_64_bytes() -> None:
    assert USBMON.size == 64


def test_a_bulk_write_goes_in_with_its_data(slot: Slot) -> None:
    transfer = Transfer(id=TransferId(7), endpoint=0x02, data=b"hi")
    assert record(slot, transfer) == bytes.fromhex(
        "0700000000000100  53 03 02 01 0100 2d 00" + TIME + "8dffffff 02000000 02000000" + "00" * 24 + "6869"
    )


def test_and_comes_out_without(slot: Slot) -> None:
    transfer = Transfer(id=TransferId(7), endpoint=0x02, data=b"hi")
    ended = Completion(id=TransferId(7), status=UrbStatus.OK, actual=2)
    assert record(slot, transfer, ended) == bytes.fromhex(
        "0700000000000100  43 03 02 01 0100 2d 3e" + TIME + "00000000 02000000 00000000" + "00" * 24
    )


def test_a_read_comes_out_with_its_data(slot: Slot) -> None:
    transfer = Transfer(id=TransferId(8), endpoint=0x82, length=512)
    assert record(slot, transfer)[14:16] == b"-<"
    ended = Completion(id=TransferId(8), status=UrbStatus.OK, actual=3, data=b"abc")
    assert record(slot, transfer, ended) == bytes.fromhex(
        "0800000000000100  43 03 82 01 0100 2d 00" + TIME + "00000000 03000000 03000000" + "00" * 24 + "616263"
    )


def test_a_control_request_goes_in_with_its_setup(slot: Slot) -> None:
    setup = bytes.fromhex("8006000100001200")
    transfer = Transfer(id=TransferId(9), endpoint=0x80, length=18, setup=setup)
    assert record(slot, transfer) == bytes.fromhex(
        "0900000000000100  53 02 80 01 0100 00 3c" + TIME + "8dffffff 12000000 00000000" + setup.hex() + "00" * 16
    )
    stalled = Completion(id=TransferId(9), status=UrbStatus.STALLED)
    assert record(slot, transfer, stalled)[28:32] == bytes.fromhex("e0ffffff")


def test_an_interrupt_endpoint_is_known_as_one(slot: Slot) -> None:
    assert record(slot, Transfer(id=TransferId(1), endpoint=0x81, length=16))[9] == 1


def test_directions_are_the_devices() -> None:
    def of(endpoint: int) -> Direction:
        return transfer_direction(TransferSeen(transfer=Transfer(id=TransferId(1), endpoint=endpoint), completion=None))

    assert (of(0x82), of(0x02)) == (Direction.OUTBOUND, Direction.INBOUND)


def test_a_piece_of_the_stream() -> None:
    assert serial_record(SerialEvent.RECEIVED, OPEN, b"ping", TIME_US) == bytes.fromhex(
        "6553f100 0001e240  02 1f 0000" + b"ping".hex()
    )
    assert serial_record(SerialEvent.STATUS_CHANGED, SHUT, b"", TIME_US)[8:] == bytes.fromhex("00 07 0000")
