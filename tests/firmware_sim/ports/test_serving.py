"""Devices on real ports: what the control plane does to power and cable is seen by the operating system's sockets."""

import socket
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_sim.control import setup as setups
from firmware_sim.control.control import Control
from firmware_sim.errors import BadControl
from firmware_sim.machine.profile import load
from firmware_sim.ports import Pty, Tcp, TcpPort
from firmware_sim.ports.serving import Background, Location, Served, background
from firmware_sim.ports.usb import LocalUsbError, Usb, UsbBus
from firmware_sim.ports.usb.events import Attached, Detached
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.vocabulary import FaultCode, PowerUpCause
from shuffler.host.client import Client
from shuffler.host.dealing import deal_round, ready_deck, wait_until_on

LOOPBACK = ("127.0.0.1", 0)
QUICK = 400.0
SEATS = tuple(range(1, 8))


def place(**more) -> Location:
    serial, setup = more.pop("serial", "SB-1"), more.pop("setup", None)
    made = Build(profile=load("i-deal-style"), serial=serial, seed=7, speed=QUICK, setup=setup)
    return Location(**{"build": made, "ports": (Tcp(),), **more})


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def is_closed(raw: socket.socket) -> bool:
    """Read to the end of a connection; a timeout is no end."""
    try:
        while raw.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True


def test_a_pulled_cable_closes_the_socket_of_a_client_on_tcp_and_it_may_come_back() -> None:
    with background([place()]) as served:
        tcp = served.served[0].port(TcpPort)
        assert tcp is not None
        with socket.create_connection(tcp.address, timeout=10) as raw:
            until(lambda: served.served[0].runner.attached)
            served.do(lambda one: one.emulator.control.inject("cable_pulled"))
            assert is_closed(raw)
        with Client.open(served.url) as client:
            assert client.ask(m.GetInfo(), m.Info).serial == "SB-1"


def test_the_set_up_of_a_pulled_cable_loses_the_connection_in_mid_round_and_no_event() -> None:
    lost: list[object] = []

    def watch(one: Served) -> None:
        port = one.port(TcpPort)
        drop = port.drop_client
        port.drop_client = lambda: (lost.append(len(port.clients)), drop())  # type: ignore[method-assign]

    with background([place(setup=setups.load("cable-pulled"))]) as served:
        served.do(watch)
        with Client.open(served.url) as client:
            wait_until_on(client)
            dealt = list(deal_round(client, 1, SEATS, ready_deck(client)))
            assert set(dealt[-1].hands) == {0, *SEATS}
            counters = client.ask(m.GetCounters(), m.Counters)
        assert (counters.rounds, counters.groups, counters.misdeals) == (1, 8, 0)
    assert lost[0] == 1


def test_what_a_tester_does_from_outside_is_told_at_once_and_time_can_be_turned_on() -> None:
    slow = place()
    slow = replace(slow, build=replace(slow.build, speed=1.0))
    with background([slow]) as served, Client.open(served.url) as client:
        served.do(lambda one: one.emulator.control.advance(10))
        wait_until_on(client)
        served.do(lambda one: one.emulator.control.open_door())
        assert client.wait_for(m.DoorMoved, 5).open
        served.do(lambda one: (one.emulator.control.close_door(), one.emulator.control.advance(10)))
        assert client.wait_for(m.FaultCleared, 5).code is FaultCode.DOOR_OPEN
        client.call(m.Load())
        served.do(lambda one: one.emulator.control.advance(60))
        assert client.wait_for(m.DeckLoaded, 5).count == 52


@pytest.mark.parametrize("given", [{"name": "jam_exitt"}, {"name": "jam_exit", "at_crad": 3}], ids=str)
def test_what_a_tester_mistypes_is_raised_to_the_tester(given: dict[str, Any]) -> None:
    with background([place()]) as served:
        with pytest.raises(BadControl):
            served.do(lambda one: one.emulator.control.inject(**given))
        with pytest.raises(BadControl):
            served.do(lambda one: one.do(lambda control: control.inject(**given)))
        assert served.do(lambda one: one.do(lambda control: control.clear())) == 0  # nothing waits, and that comes back


def test_a_power_cycle_loses_the_session_and_nothing_that_was_remembered(tmp_path: Path) -> None:
    with background([place(memory=tmp_path / "one.nv")]) as served, Client.open(served.url) as client:
        wait_until_on(client)
        shuffled = ready_deck(client)
        served.do(lambda one: one.do(lambda control: control.cut_power()))
        up = client.wait_for(m.PoweredUp)
        assert (up.boots, up.cause) == (2, PowerUpCause.POWER_RETURNED)
        assert list(deal_round(client, 1, SEATS, shuffled))[-1].verified
        assert client.ask(m.GetCounters(), m.Counters).groups == 8
    with background([place(memory=tmp_path / "one.nv")]) as served, Client.open(served.url) as client:
        assert client.ask(m.GetCounters(), m.Counters).power_ups == 3


def test_when_one_port_can_not_be_had_those_already_open_are_closed() -> None:
    with background([place()]) as holder:
        taken = holder.served[0].port(TcpPort)
        assert taken is not None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            free = probe.getsockname()
        with pytest.raises(OSError), background([place(ports=(Tcp(*free),)), place(ports=(Tcp(*taken.address),))]):
            pass
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(free)


# --- USB --------------------------------------------------------------------------------------------------------------


def test_a_device_has_an_address_on_each_port() -> None:
    with background([place(ports=(Tcp(), Pty(), Usb(UsbBus())))], usbip=LOOPBACK) as devices:
        tcp, pty, usb = devices.served[0].urls
        assert tcp.startswith("socket://127.0.0.1:")
        assert pty.startswith("/dev/")
        assert usb == "usb://1209:0001/SB-1"
        assert devices.usbip is not None
        assert devices.usbip_url() == f"usbip://127.0.0.1:{devices.usbip[1]}/1-1"


def test_devices_of_one_bus_are_served_by_one_server() -> None:
    bus = UsbBus()
    with background([place(serial=f"SB-{n}", ports=(Usb(bus),)) for n in (1, 2)], usbip=LOOPBACK) as devices:
        for index in (0, 1):
            with Client.open(devices.usbip_url(index)) as client:
                assert client.ask(m.GetInfo(), m.Info).serial == f"SB-{index + 1}"


def test_there_is_no_usbip_address_without_a_server() -> None:
    with background([place()]) as devices, pytest.raises(LocalUsbError, match="not served"):
        devices.usbip_url()


@pytest.mark.parametrize("buses", [(), (UsbBus(), UsbBus())])
def test_a_usbip_server_shows_one_bus(buses: tuple[UsbBus, ...]) -> None:
    places = [place(serial=f"SB-{n}", ports=(Usb(bus),)) for n, bus in enumerate(buses)] or [place()]
    with pytest.raises(LocalUsbError, match="shows one bus"), background(places, usbip=LOOPBACK):
        pass
    assert all(list(bus) == [] for bus in buses)


def cut_power(devices: Background) -> None:
    until(lambda: devices.served[0].emulator.device.events.last > 0)  # it is through its first self-test
    devices.do(lambda served: served.emulator.control.inject("power_cut"))


def wait_for_second_boot(client: Client) -> None:
    assert [client.wait_for(m.PoweredUp, 30).boots for _ in range(2)] == [1, 2]


def test_a_power_cut_takes_the_device_off_the_usb_bus() -> None:
    bus = UsbBus()
    with background([place(ports=(Usb(bus),))], usbip=LOOPBACK) as devices, Client.open(devices.usbip_url()) as client:
        cut_power(devices)
        wait_for_second_boot(client)
        history = list(bus.slot("1-1").device.history)
        assert (history.count(Attached()), history.count(Detached())) == (2, 1)


def test_a_power_cut_leaves_a_tcp_connection_as_it_is() -> None:
    with background([place()]) as devices, Client.open(devices.url) as client:
        (before,) = devices.served[0].port(TcpPort).clients
        cut_power(devices)
        wait_for_second_boot(client)
        assert list(devices.served[0].port(TcpPort).clients) == [before]


def test_what_is_done_to_a_device_gives_its_result_or_its_error() -> None:
    with background([place()]) as served:
        assert served.do(lambda one: one.place.build.serial) == "SB-1"
        with pytest.raises(BadControl, match="gremlin"):
            served.do(lambda one: one.emulator.control.inject("gremlin"))


def test_an_unplugged_device_lets_every_client_go_until_the_cable_is_back() -> None:
    with background([place()]) as devices:
        devices.do(lambda served: served.do(Control.unplug))
        with socket.create_connection(_address(devices), 5) as line:
            assert not _answers(line)
        devices.do(lambda served: served.do(Control.plug))
        with Client.open(devices.url) as client:
            assert client.ask(m.GetInfo(), m.Info).serial == "SB-1"


def test_a_device_that_is_switched_off_stays_off() -> None:
    with background([place()]) as devices:
        devices.do(lambda served: served.do(Control.switch_off))
        assert not devices.served[0].emulator.is_on
        devices.do(lambda served: served.do(Control.switch_on))
        with Client.open(devices.url) as client:
            wait_until_on(client)


def _address(devices: Background) -> tuple[str, int]:
    port = devices.served[0].port(TcpPort)
    assert port is not None
    return port.address


def _answers(line: socket.socket) -> bool:
    try:
        return bool(line.recv(1))
    except ConnectionResetError:
        return False
