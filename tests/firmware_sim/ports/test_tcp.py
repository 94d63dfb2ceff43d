"""A device on TCP: one client at a time, the next waits a moment for the one before to go, then is told why not."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from firmware_sim.ports import DeviceRunner, TcpPort, tcp
from protocol.codec import decode_body
from protocol.framing import Framer
from protocol.messages import Hello, Reset
from protocol.vocabulary import ResetReason


class Echo:
    """A device that gives back what it gets."""

    def __init__(self) -> None:
        self.out = b""
        self.pulled = 0

    def receive(self, data: bytes, now: int) -> None:
        self.out += data

    def data_to_send(self, now: int) -> bytes:
        data, self.out = self.out, b""
        return data

    def tick(self, now: int) -> None:
        """Nothing is ever due."""

    def next_deadline(self) -> int | None:
        return None

    def pull_cable(self) -> None:
        self.pulled += 1

    has_session = True

    def yields_to(self, hello: Hello, *, young: bool) -> bool:
        return not self.has_session


def run(scene: Callable[[Echo, TcpPort], Coroutine[Any, Any, None]], **more: Any) -> None:
    async def main() -> None:
        device = Echo()
        runner = DeviceRunner(device)
        port = await TcpPort.open(runner, **more)
        try:
            await asyncio.wait_for(scene(device, port), 20)
        finally:
            await port.close()
            runner.stop()

    asyncio.run(main())


async def said(port: TcpPort, text: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(*port.address)
    writer.write(text)
    assert await reader.readexactly(len(text)) == text
    return reader, writer


def test_a_client_talks_to_the_device_and_the_port_says_where_it_is() -> None:
    async def scene(device: Echo, port: TcpPort) -> None:
        _, writer = await said(port, b"hello")
        assert port.url == f"socket://127.0.0.1:{port.address[1]}"
        writer.close()

    run(scene)


def test_a_second_client_is_told_that_the_device_is_busy_and_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "PATIENCE_S", 0.05)

    async def scene(device: Echo, port: TcpPort) -> None:
        _, first = await said(port, b"mine")
        reader, second = await asyncio.open_connection(*port.address)
        (frame,) = Framer().feed(await reader.read())
        reset = decode_body(frame.message, frame.body)
        assert isinstance(reset, Reset)
        assert (reset.reason, "one at a time" in reset.text) == (ResetReason.BUSY, True)
        second.close()
        first.close()

    run(scene)


def test_a_second_client_that_comes_while_the_first_leaves_has_the_device_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tcp, "PATIENCE_S", 15.0)

    async def scene(device: Echo, port: TcpPort) -> None:
        _, first = await said(port, b"mine")
        reader, second = await asyncio.open_connection(*port.address)
        second.write(b"now mine")
        await asyncio.sleep(0.05)
        first.close()
        assert await reader.readexactly(8) == b"now mine"
        assert device.pulled == 1
        second.close()

    run(scene)


def test_pulling_the_cable_closes_the_socket_and_the_client_may_come_back() -> None:
    async def scene(device: Echo, port: TcpPort) -> None:
        reader, writer = await said(port, b"one")
        port.drop_client()
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
        while not device.pulled:
            await asyncio.sleep(0.005)
        _, again = await said(port, b"two")
        again.close()

    run(scene)


def test_a_baud_rate_loses_nothing_either_way() -> None:
    async def scene(device: Echo, port: TcpPort) -> None:
        _, writer = await said(port, bytes(range(1, 251)) * 8)
        writer.close()

    run(scene, baud=115_200)


def test_an_address_that_is_taken_is_an_error_of_the_system() -> None:
    async def scene(device: Echo, port: TcpPort) -> None:
        with pytest.raises(OSError, match="address already in use"):
            await TcpPort.open(DeviceRunner(Echo()), *port.address)

    run(scene)
