"""A device on a serial port over the network, judged by pyserial's own client."""

import contextlib
import socket
from collections.abc import Iterator

import pytest
import serial

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.ports.rfc2217 import SUBOPTION_MAX, NetworkSerial, NotTelnet, Rfc2217
from firmware_sim.ports.serving import Background, Location, background
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.framing import Framer
from shuffler.host.client import Client
from shuffler.host.dealing import deal_round, ready_deck, wait_until_on

# pyserial's client names its thread in the old way.
pytestmark = [
    pytest.mark.filterwarnings("ignore:setDaemon:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:setName:DeprecationWarning"),
]

IAC, SB, SE, COM_PORT = b"\xff", b"\xfa", b"\xf0", b"\x2c"


@pytest.fixture
def devices() -> Iterator[Background]:
    build = Build(profile=load_profile("i-deal-style"), serial="SB-NET-1", seed=1, speed=300.0)
    with background([Location(build=build, ports=(Rfc2217(),))]) as served:
        yield served


@pytest.mark.slow
def test_a_round_is_dealt_through_pyserials_client(devices: Background) -> None:
    assert devices.url.startswith("rfc2217://127.0.0.1:")
    with Client.open(devices.url, timeout_s=30) as client:
        wait_until_on(client)
        shuffled = ready_deck(client)
        *_, dealt = deal_round(client, 1, (1, 2, 3), shuffled)
    assert dealt.verified
    assert len(dealt.hands) == 4


@pytest.mark.slow
def test_line_settings_are_taken_and_control_lines_told(devices: Background) -> None:
    with serial.serial_for_url(devices.url, baudrate=9600, timeout=5) as port:
        port.baudrate = 57600
        port.parity = serial.PARITY_EVEN
        assert port.baudrate == 57600
        assert (port.cts, port.dsr, port.cd) == (True, True, True)
        port.break_condition = True
        port.dtr = False


@pytest.mark.slow
def test_a_client_that_is_no_telnet_is_let_go_and_the_device_serves_the_next(devices: Background) -> None:
    host, port = devices.url.removeprefix("rfc2217://").split(":")
    with socket.create_connection((host, int(port)), 5) as plain:
        plain.settimeout(20)
        plain.sendall(IAC + SB + COM_PORT + b"x" * 4 * SUBOPTION_MAX)
        with contextlib.suppress(ConnectionResetError):
            while plain.recv(4096):
                pass
    with Client.open(devices.url, timeout_s=30) as client:
        assert client.ask(m.GetInfo(), m.Info).serial == "SB-NET-1"


def test_telnets_own_byte_is_doubled_on_the_way_out_and_single_inside() -> None:
    sent: list[bytes] = []
    wire = NetworkSerial(sent.append)
    sent.clear()
    wire.outward(b"a\xffb\x00")
    assert sent == [b"a\xff\xffb\x00"]
    assert wire.inward(b"a\xff\xffb\x00") == b"a\xffb\x00"
    assert Framer().feed(wire.inward(b"")) == []


def test_a_suboption_cut_anywhere_is_understood_and_a_short_one_is_refused() -> None:
    wire = NetworkSerial(lambda _: None)
    baud = IAC + SB + COM_PORT + b"\x01" + (38_400).to_bytes(4, "big") + IAC + SE
    assert b"".join(wire.inward(baud[at : at + 1]) for at in range(len(baud))) == b""
    assert wire.settings.baudrate == 38_400
    with pytest.raises(NotTelnet):
        wire.inward(IAC + SB + COM_PORT + b"\x01\x00" + IAC + SE)
