"""Who holds a device: nobody is kept out by a connection that says nothing, and nobody takes a session away."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from firmware_sim.machine.profile import load
from firmware_sim.ports import PortSettings, Pty, Tcp, TcpPort, tcp
from firmware_sim.ports.cable import KNOCK_MAX, Cable
from firmware_sim.ports.serving import Background, Location, background
from firmware_sim.ports.usb import Usb, UsbBus
from firmware_sim.ports.usb import port as usb_port
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.framing import pack_header, wrap
from protocol.host_link import HostLink
from protocol.link import HELLO
from shuffler.errors import CannotOpen, HandshakeRefused
from shuffler.host.client import Client
from shuffler.transports.usbip_host import UsbipHost

KEY = bytes(range(32))


@contextmanager
def served(key: bytes | None = None, ports: tuple[PortSettings, ...] = (Tcp(),)) -> Iterator[Background]:
    build = Build(profile=load("i-deal-style"), serial="SB-7", seed=7, speed=400.0, key=key)
    over_usb = any(isinstance(port, Usb) for port in ports)
    with background([Location(build=build, ports=ports)], usbip=("127.0.0.1", 0) if over_usb else None) as devices:
        yield devices


def address(devices: Background) -> tuple[str, int]:
    port = devices.served[0].port(TcpPort)
    assert port is not None
    return port.address


def hello(key: bytes | None = None) -> bytes:
    link = HostLink(instance=b"i" * 16, chance=lambda count: bytes(range(count)), key=key)
    link.connect(0, 1)
    return link.data_to_send(0)


def asks(url: str, key: bytes | None = None) -> str:
    with Client.open(url, key=key, only_asks=True) as client:
        return client.ask(m.GetInfo(), m.Info).serial


def is_let_go(line: socket.socket) -> bool:
    line.settimeout(20)
    try:
        while line.recv(1000):
            pass
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "secure"])
@pytest.mark.parametrize("says", [b"", b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0"], ids=["nothing", "http", "noise"])
def test_a_connection_that_opens_no_session_keeps_nobody_out(key: bytes | None, says: bytes) -> None:
    with served(key) as devices, socket.create_connection(address(devices)) as idle:
        idle.sendall(says)
        assert asks(devices.url, key) == "SB-7"
        assert is_let_go(idle)


def test_a_plain_hello_takes_nothing_from_anybody_where_a_key_is_set() -> None:
    with served(KEY) as devices, socket.create_connection(address(devices)) as first:
        time.sleep(0.05)
        with socket.create_connection(address(devices)) as second:
            second.sendall(hello())
            second.settimeout(20)
            assert b"one at a time" in second.recv(1000)
        first.sendall(hello(KEY))
        first.settimeout(20)
        assert first.recv(1000)


def test_a_session_is_not_taken_away_by_a_hello() -> None:
    with served() as devices, Client.open(devices.url, only_asks=True) as first:
        with pytest.raises(HandshakeRefused, match="another client holds this device"):
            Client.open(devices.url)
        assert first.connection.lost == ""
        assert first.ask(m.GetInfo(), m.Info).serial == "SB-7"


def test_a_host_that_died_without_a_word_gives_way_after_the_silence_of_three_heartbeats() -> None:
    with served() as devices:
        first = Client.open(devices.url, only_asks=True)
        with first._lock:  # nobody pumps it any more, and its socket stays open
            started = time.monotonic()
            while True:
                try:
                    assert asks(devices.url) == "SB-7"
                    break
                except HandshakeRefused:
                    assert time.monotonic() < started + 30
        first.close()


def test_a_connection_that_stays_idle_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "IDLE_S", 0.05)
    with served() as devices, socket.create_connection(address(devices)) as idle:
        assert is_let_go(idle)


def test_a_device_on_two_ports_comes_over_to_the_one_with_a_valid_hello() -> None:
    with served(ports=(Tcp(), Pty())) as devices:
        over_tcp, over_pty = devices.served[0].urls
        with socket.create_connection(address(devices)):
            time.sleep(0.05)
            assert asks(over_pty) == "SB-7"
        assert asks(over_tcp) == "SB-7"


def test_on_a_pseudo_terminal_the_newest_valid_hello_wins() -> None:
    with served(ports=(Pty(),)) as devices, Client.open(devices.url, only_asks=True) as first:
        number = first.session.link.session.number
        with first._lock:
            assert asks(devices.url) == "SB-7"
        assert first.ask(m.GetInfo(), m.Info).serial == "SB-7"  # and now the first one has said the newest
        assert first.session.link.session.number != number


def test_a_usbip_host_without_a_session_gives_way_to_the_next_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(ports=(Tcp(), Usb(UsbBus()))) as devices:
        assert devices.usbip is not None
        with UsbipHost("1-1", *devices.usbip):
            with pytest.raises(CannotOpen, match="attached elsewhere"):
                asks(devices.usbip_url())
            monkeypatch.setattr(usb_port, "IDLE_S", -1.0)
            assert asks(devices.usbip_url()) == "SB-7"


class Held:
    """A runner whose device is another's; it notes who claims it."""

    def __init__(self) -> None:
        self.claims: list[m.Hello] = []
        self.got = b""

    def attach(self, write: object, let_go: object) -> bool:
        return False

    def claim(self, write: object, let_go: object, hello: m.Hello) -> bool:
        self.claims.append(hello)
        return len(self.claims) > 1

    def receive(self, data: bytes) -> None:
        self.got += data


def test_a_hello_in_pieces_claims_the_device_and_what_was_said_is_handed_over() -> None:
    runner = Held()
    cable = Cable(runner, lambda data: None, lambda: None)  # type: ignore[arg-type]
    said = hello()
    assert [cable.receive(said[at : at + 1]) for at in range(len(said))] == [False] * len(said)
    assert len(runner.claims) == 1
    assert cable.claim()
    assert runner.got == said


def test_what_a_knocking_cable_keeps_is_bounded_and_a_broken_hello_claims_nothing() -> None:
    runner = Held()
    cable = Cable(runner, lambda data: None, lambda: None)  # type: ignore[arg-type]
    cut = wrap(pack_header(0, HELLO, 0, 0, 0, 0), b"too short")
    for _ in range(200):
        assert not cable.receive(cut)
    assert len(cable._kept) <= KNOCK_MAX
    assert runner.claims == []
