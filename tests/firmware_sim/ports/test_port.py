"""Ports are a list: any object with settings and a port can serve a device, and adding a kind touches nothing else."""

import asyncio
import socket
from dataclasses import dataclass, field

import pytest

from firmware_sim.errors import BadControl
from firmware_sim.machine.profile import load
from firmware_sim.ports import DeviceRunner, Port, Tcp, TcpPort, local_port
from firmware_sim.ports.keep_alive import keep_alive
from firmware_sim.ports.pty import Pty
from firmware_sim.ports.serving import Location, Served, open_all
from firmware_sim.unit.emulator import Build


@dataclass
class PostPort(Port):
    """A port that notes what is done to it."""

    serial: str
    done: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"post://{self.serial}"

    def drop_client(self) -> None:
        self.done.append("dropped")

    def appear(self, there: bool) -> None:
        self.done.append("came" if there else "went")

    async def close(self) -> None:
        self.done.append("closed")


class Post:
    async def open(self, runner: DeviceRunner, serial: str) -> PostPort:
        return PostPort(serial)


def served(*steps) -> PostPort:
    async def main() -> PostPort:
        build = Build(profile=load("i-deal-style"), serial="SB-1", seed=1)
        (one,) = await open_all([Location(build=build, ports=(Tcp(), Post()))])
        port = one.port(PostPort)
        assert one.urls == [one.port(TcpPort).url, "post://SB-1"]
        for step in steps:
            step(one)
            await asyncio.sleep(0)
        await one.close()
        return port

    return asyncio.run(main())


def test_power_and_cable_reach_every_port() -> None:
    port = served(
        lambda one: one.do(lambda control: control.cut_power()),
        lambda one: one.do(lambda control: control.unplug()),
        lambda one: one.do(lambda control: control.switch_off()),
        lambda one: one.do(lambda control: control.plug()),
        lambda one: one.do(lambda control: control.switch_on()),
        lambda one: one.do(lambda control: control.inject("cable_pulled")),
    )
    assert port.done == ["went", "came", "dropped", "went", "went", "came", "dropped", "closed"]


def test_a_port_that_a_device_has_not_is_refused() -> None:
    def ask(one: Served) -> None:
        with pytest.raises(BadControl, match="this device has no Port2"):
            one.port(type("Port2", (PostPort,), {}))

    served(ask)


def test_a_local_port_is_a_terminal_where_there_are_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    assert local_port() == Pty()
    monkeypatch.setattr("firmware_sim.ports.HAS_PTY", False)
    assert local_port() == Tcp()


def test_a_terminal_on_a_system_without_them_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_sim.ports.pty.AVAILABLE", False)
    build = Build(profile=load("i-deal-style"), serial="SB-1", seed=1)
    with pytest.raises(OSError, match="this system has no pseudo-terminals: use a TCP port"):
        asyncio.run(open_all([Location(build=build, ports=(Pty(),))]))


def test_keep_alive_is_left_out_on_a_socket_that_is_not_tcp() -> None:
    here, there = socket.socketpair()
    with here, there, socket.socket() as over_tcp:
        keep_alive(here)
        keep_alive(over_tcp)
        assert over_tcp.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        if here.family not in (socket.AF_INET, socket.AF_INET6):
            assert not here.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
