"""A Debian kernel in QEMU as the judge: what it saw, and what the server saw meanwhile."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from firmware_sim.ports.capture import CaptureFile
from firmware_sim.ports.usb.events import Attached, BreakSent, ControlLinesSet, Detached, LineCodingSet
from proofs.guest.image import GuestImage
from proofs.usb_guest import PACKAGES_VARIABLE, make_image, play_at_a_table, run_scenario, two_echoes

# Facts that differ from machine to machine.
MEASURED = ("_ms", "_worst", "_per_s", "_lines", "kernel")

pytestmark = [pytest.mark.slow, pytest.mark.needs("qemu-system-x86_64", "dpkg-deb")]


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> GuestImage:
    if PACKAGES_VARIABLE not in os.environ:
        pytest.skip(f"{PACKAGES_VARIABLE} is not set; fill a folder with proofs/guest/fetch-packages")
    return make_image(Path(tmp_path_factory.mktemp("guest")))


def test_linux_takes_the_device_for_a_real_one(image: GuestImage) -> None:
    bus = two_echoes()
    transcript = asyncio.run(run_scenario(image, "echo", bus))
    facts = transcript.facts
    told = {name: facts[name] for name in facts if not name.endswith(MEASURED)}
    assert told == {
        "server_reached": "True",
        "others_reached": "[]",
        "listed": "True",
        "enumerated": "True",
        "driver": "['cdc_acm 1-1:1.0: ttyACM0: USB ACM device']",
        "list_ports": "['/dev/ttyACM0 USB VID:PID=1209:0001 SER=BENCH-0001 LOCATION=1-1:1.0', '/dev/ttyS0 PNP0501']",
        "speed": "480",
        "lsusb_complaints": "0",
        "carrier": "True",
        "strings": "Shuffler bench, Emulated card shuffler, BENCH-0001",
        "notification": "a1200000000002000300",
        "libusb_timeout": "yes",
        "libusb_stall": "32",
        "second_speed": "12",
        "second_complaints": "0",
        "two_at_once": "['BENCH-0001', 'BENCH-0002']",
        "reader_told": "yes",
        "kernel_errors": "[]",
        "tainted": "0",
        "done": "yes",
    }, str(transcript)
    history = list(bus.slot("1-1").device.history)
    # The kernel does not mind a stalled line coding; the server knows that it was accepted.
    assert "115200 8N1" in {str(event.coding) for event in history if isinstance(event, LineCodingSet)}
    assert BreakSent(milliseconds=None) in history
    assert history.count(ControlLinesSet(dtr=True, rts=True)) >= 8
    assert history.count(ControlLinesSet(dtr=False, rts=False)) >= 7
    assert history.count(Attached()) == history.count(Detached()) == 3
    for slot in bus:
        assert (slot.host, slot.device.pending) == (None, 0)


@pytest.mark.needs("tshark")
def test_a_controller_in_the_guest_deals_through_a_pulled_cable(image: GuestImage, tmp_path: Path) -> None:
    path = tmp_path / "table.pcapng"
    with CaptureFile(path) as capture:
        transcript = asyncio.run(play_at_a_table(image, capture))
    whole_round = "8 hands, 24 cards, stub of 28, verified"
    told = {name: value for name, value in transcript.facts.items() if not name.endswith(MEASURED)}
    assert told == {
        "hello": "SB-0001, i-deal-style",
        "shuffled": "52 cards",
        "pulled_after_hands": "3",
        "round_with_a_pulled_cable": whole_round,
        "events_missing": "0",
        "link_was_lost": "True",
        "round_over_libusb": whole_round,
        "kernel_errors": "[]",
        "tainted": "0",
        "done": "yes",
    }, str(transcript)
    assert tshark(path, "_ws.malformed || _ws.expert.severity >= 6291456", "frame.number") == []
    assert tshark(path, "usb.urb_type == 'C' && !usb.request_in", "frame.number") == []
    # Whoever reads the USB payloads reads what the serial stream has: the device's hello goes out over both.
    sent = "".join(tshark(path, "usb.urb_type == 'C' && usb.endpoint_address == 0x82", "usb.capdata"))
    streamed = tshark(path, "rtacser.eventtype == 1", "data.data")
    assert len(streamed) > 50
    assert streamed[0] in sent


def tshark(path: Path, which: str, field: str) -> list[str]:
    command = ["tshark", "-r", str(path), "-Y", which, "-T", "fields", "-e", field]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.split()
