"""Capture files: bounds, disks that fail, and Wireshark's own reader as the judge."""

import logging
import subprocess
from pathlib import Path

import pytest
import usb.core
import usb.util

from firmware_sim.ports.capture.file import CaptureFile
from firmware_sim.ports.capture.records import OPEN, SHUT, SerialEvent
from firmware_sim.ports.usb import UsbBus, UsbDevice, UsbIdentity
from firmware_sim.pyusb import EmulatedBackend
from proofs.echo_pipe import EchoPipe


def test_nothing_is_written_beyond_the_limit_and_it_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with CaptureFile(tmp_path / "c.pcapng", size_max=1000) as capture, caplog.at_level(logging.WARNING):
        line = capture.line("A")
        for _ in range(100):
            line.serial(SerialEvent.RECEIVED, OPEN, bytes(20))
    size = (tmp_path / "c.pcapng").stat().st_size
    assert 900 < size <= 1000
    assert caplog.text.count("reached its limit") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_capture_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        capture = CaptureFile(Path("/dev/full"))
        capture.line("A").serial(SerialEvent.RECEIVED, OPEN, b"x")
        capture.close()
    assert caplog.text.count("No space left on device") == 1


def test_a_place_where_no_file_can_be_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        CaptureFile(tmp_path / "nowhere" / "c.pcapng")


def record_a_conversation(path: Path) -> None:
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(), EchoPipe()))
    with CaptureFile(path) as capture:
        bus.watch(capture.transfer)
        device = usb.core.find(backend=EmulatedBackend(bus))
        device.ctrl_transfer(0x21, 0x20, 0, 0, bytes.fromhex("00c20100000008"))
        device.ctrl_transfer(0x21, 0x22, 3, 0)
        device.read(0x81, 16)
        device.write(0x02, b"hello capture")
        device.read(0x82, 512)
        with pytest.raises(usb.core.USBTimeoutError):
            device.read(0x82, 512, 5)
        with pytest.raises(usb.core.USBError):
            device.ctrl_transfer(0xC0, 0x51, 0, 0, 8)
        usb.util.dispose_resources(device)
        first, second = capture.line("A"), capture.line("B")
        first.serial(SerialEvent.RECEIVED, OPEN, b"ping")
        second.serial(SerialEvent.TRANSMITTED, OPEN, b"pong")
        first.serial(SerialEvent.STATUS_CHANGED, SHUT)


def tshark(path: Path, *arguments: str) -> list[list[str]]:
    command = ["tshark", "-r", str(path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    complaints = [line for line in done.stderr.splitlines() if "dangerous" not in line and line.strip()]
    assert complaints == []
    return [line.split("\t") for line in done.stdout.splitlines()]


def fields(*names: str) -> tuple[str, ...]:
    return ("-T", "fields", *(item for name in names for item in ("-e", name)))


@pytest.mark.slow
@pytest.mark.needs("tshark")
def test_tshark_reads_the_transfers_and_their_payload(tmp_path: Path) -> None:
    path = tmp_path / "c.pcapng"
    record_a_conversation(path)
    assert tshark(path, "-Y", "_ws.malformed || _ws.expert.severity >= 6291456") == []
    bulk = tshark(path, "-Y", "usb.transfer_type == 3", *fields("usb.urb_type", "usb.endpoint_address", "usb.capdata"))
    hello = b"hello capture".hex()
    assert bulk == [
        ["'S'", "0x02", hello],
        ["'C'", "0x02", ""],
        ["'S'", "0x82", ""],
        ["'C'", "0x82", hello],
        ["'S'", "0x82", ""],
        ["'C'", "0x82", ""],
    ]
    answered = tshark(path, "-Y", "usb.urb_type == 'C'", *fields("usb.request_in"))
    assert all(row[0].isdecimal() for row in answered)
    statuses = tshark(path, "-Y", "usb.urb_type == 'C' && usb.urb_status != 0", *fields("usb.urb_status"))
    assert statuses == [["-104"], ["-32"]]


@pytest.mark.slow
@pytest.mark.needs("tshark")
def test_tshark_reads_the_descriptors_and_the_line_coding(tmp_path: Path) -> None:
    path = tmp_path / "c.pcapng"
    record_a_conversation(path)
    found = tshark(path, "-Y", "usb.idVendor", *fields("usb.idVendor", "usb.bDeviceClass"))
    assert found == [["0x1209", "0x02"]]
    interfaces = tshark(path, "-Y", "usb.bInterfaceClass && usb.wTotalLength", *fields("usb.bInterfaceClass"))
    assert interfaces == [["0x02,0x0a"]]


@pytest.mark.slow
@pytest.mark.needs("tshark")
def test_tshark_reads_the_serial_stream(tmp_path: Path) -> None:
    path = tmp_path / "c.pcapng"
    record_a_conversation(path)
    rows = tshark(
        path, "-Y", "rtacser", *fields("frame.interface_name", "rtacser.eventtype", "rtacser.dtr", "data.data")
    )
    assert [(name, int(kind, 0), dtr, data) for name, kind, dtr, data in rows] == [
        ("serial A", 2, "1", b"ping".hex()),
        ("serial B", 1, "1", b"pong".hex()),
        ("serial A", 0, "0", ""),
    ]
