"""Devices on real ports: what the control plane does to power and cable is seen by the operating system's sockets."""

import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_sim import setup as setups
from firmware_sim.emulator import Build
from firmware_sim.profile import load
from firmware_sim.serving import Place, Served, background
from protocol import messages as m
from protocol.vocabulary import PowerUpCause
from shuffler.client import Client
from shuffler.dealing import deal_round, ready_deck, wait_until_on

QUICK = 400.0
SEATS = tuple(range(1, 8))


def place(**more) -> Place:
    made = Build(profile=load("i-deal-style"), serial="SB-1", seed=7, speed=QUICK, setup=more.pop("setup", None))
    return Place(**{"build": made, "tcp": ("127.0.0.1", 0), **more})


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
        tcp = served.served[0].tcp
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
        assert one.tcp is not None
        drop = one.tcp.drop_client
        one.tcp.drop_client = lambda: (lost.append(len(one.tcp.clients)), drop())  # type: ignore[method-assign]

    with background([place(setup=setups.load("cable-pulled"))]) as served:
        served.do(watch)
        with Client.open(served.url) as client:
            wait_until_on(client)
            dealt = list(deal_round(client, 1, SEATS, ready_deck(client)))
            assert set(dealt[-1].hands) == {0, *SEATS}
            counters = client.ask(m.GetCounters(), m.Counters)
        assert (counters.rounds, counters.groups, counters.misdeals) == (1, 8, 0)
    assert lost[0] == 1


def test_a_power_cycle_loses_the_session_and_nothing_that_was_remembered(tmp_path: Path) -> None:
    with background([place(memory=tmp_path / "one.nv")]) as served, Client.open(served.url) as client:
        wait_until_on(client)
        shuffled = ready_deck(client)
        served.do(lambda one: one.power_cycle(PowerUpCause.POWER_RETURNED))
        up = client.wait_for(m.PoweredUp)
        assert (up.boots, up.cause) == (2, PowerUpCause.POWER_RETURNED)
        assert list(deal_round(client, 1, SEATS, shuffled))[-1].verified
        assert client.ask(m.GetCounters(), m.Counters).groups == 8
    with background([place(memory=tmp_path / "one.nv")]) as served, Client.open(served.url) as client:
        assert client.ask(m.GetCounters(), m.Counters).power_ups == 3


def test_when_one_port_can_not_be_had_those_already_open_are_closed() -> None:
    with background([place()]) as holder:
        taken = holder.served[0].tcp
        assert taken is not None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            free = probe.getsockname()
        with pytest.raises(OSError), background([place(tcp=free), place(tcp=taken.address)]):
            pass
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(free)
