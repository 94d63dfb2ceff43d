"""`shuffler emulate --usbip` as a person runs it: what it says, serves, records and refuses."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from protocol import messages as m
from protocol.usb.requests import SetupPacket
from shuffler.cli import app
from shuffler.host.client import Client
from shuffler.transports.usbip_host import UsbipHost, list_devices

EMULATE = [sys.executable, "-m", "shuffler", "emulate"]


@contextmanager
def emulating(*options: str) -> Iterator[tuple[list[dict[str, object]], subprocess.Popen[str]]]:
    """The program with --json; what it printed; ended by Ctrl-C."""
    process = subprocess.Popen([*EMULATE, "--json", *options], stdout=-1, stderr=-1, text=True, env=os.environ)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline()), process
        process.send_signal(signal.SIGINT)
        process.wait(20)
    finally:
        process.kill()
        process.communicate()


def port_of(attach: str) -> int:
    words = attach.split()
    return int(words[words.index("--tcp-port") + 1])


@pytest.mark.slow
def test_devices_are_listed_attached_and_captured(tmp_path: Path) -> None:
    capture = tmp_path / "c.pcapng"
    options = ("--usbip", "--usbip-port", "0", "--devices", "2", "--usb-id", "cafe:4001", "--usb-full-speed")
    with emulating(*options, "--capture", str(capture)) as (told, process):
        assert [one["urls"] for one in told] == [["usb://cafe:4001/SB-0001"], ["usb://cafe:4001/SB-0002"]]
        port = port_of(str(told[1]["attach"]))
        assert str(told[1]["attach"]).endswith("attach -r 127.0.0.1 -b 1-2")
        assert told[1]["usbip"] == f"usbip://127.0.0.1:{port}/1-2"
        with Client.open(str(told[0]["usbip"])) as client:
            assert client.ask(m.GetInfo(), m.Info).serial == "SB-0001"
        records = list_devices(port=port)
        assert [(r.busid, r.vendor_id, r.product_id, r.speed) for r in records] == [
            ("1-1", 0xCAFE, 0x4001, 2),
            ("1-2", 0xCAFE, 0x4001, 2),
        ]
        with UsbipHost("1-2", port=port) as host:
            serial = host.control(SetupPacket(request_type=0x80, request=6, value=0x0303, index=0x0409, length=255))
            assert serial.data[2:].decode("utf-16-le") == "SB-0002"
    assert process.returncode == 0
    assert capture.read_bytes().startswith(bytes.fromhex("0a0d0d0a"))
    assert b"serial SB-0002" in capture.read_bytes()


@pytest.mark.slow
def test_another_address_comes_with_a_warning() -> None:
    with emulating("--usbip", "--usbip-port", "0", "--host", "0.0.0.0") as (told, process):
        assert "-r THIS-MACHINE -b 1-1" in str(told[0]["attach"])
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert "no authentication" in errors


@pytest.mark.slow
def test_a_port_in_use_is_said_plainly() -> None:
    with emulating("--usbip", "--usbip-port", "0") as (told, _):
        port = port_of(str(told[0]["attach"]))
        second = subprocess.run([*EMULATE, "--usbip", "--usbip-port", str(port)], capture_output=True, text=True)
    assert second.returncode == 2
    assert f"cannot listen on 127.0.0.1 port {port}" in second.stderr
    assert "--usbip-port" in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--usb-id", "1209"), "expected VID:PID"),
        (("--usb-id", "0:1"), "vendor id 0x0"),
        (("--serial", "has blank"), "serial number 'has blank'"),
        (("--devices", "128"), "127 sockets"),
        (("--capture", "/no/such/folder/c.pcapng"), "--capture /no/such/folder/c.pcapng: No such file"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(options: tuple[str, ...], says: str) -> None:
    result = CliRunner().invoke(app, ["emulate", "--usbip", *options])
    assert result.exit_code == 2
    assert says in result.output
