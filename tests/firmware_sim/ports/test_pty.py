"""A device on a pseudo-terminal: opened and closed as often as one likes, under a name of one's own."""

import asyncio
import os
import tty
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from firmware_sim.ports import DeviceRunner, PtyPort
from protocol.messages import Hello


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


def run(scene: Callable[[Echo, PtyPort], Coroutine[Any, Any, None]], **more: Any) -> None:
    async def main() -> None:
        device = Echo()
        runner = DeviceRunner(device)
        port = await PtyPort.open(runner, **more)
        try:
            await asyncio.wait_for(scene(device, port), 20)
        finally:
            await port.close()
            runner.stop()

    asyncio.run(main())


def opened(path: str) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(descriptor)
    return descriptor


async def answer(descriptor: int, size: int) -> bytes:
    got = b""
    while len(got) < size:
        await asyncio.sleep(0.002)
        try:
            got += os.read(descriptor, 65536)
        except BlockingIOError:
            continue
    return got


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.005)


def test_a_program_talks_to_the_device_byte_for_byte() -> None:
    async def scene(device: Echo, port: PtyPort) -> None:
        descriptor = opened(port.path)
        every = bytes(range(256)) * 4
        os.write(descriptor, every)
        assert await answer(descriptor, len(every)) == every
        os.close(descriptor)

    run(scene)


def test_closing_it_pulls_the_cable_and_it_can_be_opened_again() -> None:
    async def scene(device: Echo, port: PtyPort) -> None:
        for times in (1, 2, 3):
            descriptor = opened(port.path)
            os.write(descriptor, b"hello")
            assert await answer(descriptor, 5) == b"hello"
            os.close(descriptor)
            await until(lambda times=times: device.pulled == times)  # type: ignore[misc]

    run(scene)


def test_what_was_under_way_when_the_cable_was_pulled_is_lost() -> None:
    async def scene(device: Echo, port: PtyPort) -> None:
        descriptor = opened(port.path)
        os.write(descriptor, b"before")
        assert await answer(descriptor, 6) == b"before"
        device.out = b"never read"
        port.drop_client()
        assert device.pulled == 1
        device.out = b""
        await asyncio.sleep(0.05)
        os.write(descriptor, b"after")
        assert await answer(descriptor, 5) == b"after"
        os.close(descriptor)

    run(scene)


def test_a_name_of_ones_own_leads_to_it_and_goes_with_it(tmp_path: Path) -> None:
    link = tmp_path / "shuffler"
    link.symlink_to("/nowhere")

    async def scene(device: Echo, port: PtyPort) -> None:
        assert os.readlink(link) == port.path
        descriptor = opened(str(link))
        os.write(descriptor, b"x")
        assert await answer(descriptor, 1) == b"x"
        os.close(descriptor)

    run(scene, link=link)
    assert not link.is_symlink()


def test_a_name_that_is_a_file_is_not_overwritten(tmp_path: Path) -> None:
    link = tmp_path / "precious"
    link.write_text("data")

    async def scene(device: Echo, port: PtyPort) -> None:
        raise AssertionError("it was opened")

    with pytest.raises(FileExistsError):
        run(scene, link=link)
    assert link.read_text() == "data"


def test_more_than_the_kernel_takes_is_kept_until_it_is_read() -> None:
    async def scene(device: Echo, port: PtyPort) -> None:
        descriptor = opened(port.path)
        os.write(descriptor, b"x")
        await answer(descriptor, 1)
        device.out = bytes(range(1, 251)) * 200
        os.write(descriptor, b"!")
        got = await answer(descriptor, 50_001)
        assert got == bytes(range(1, 251)) * 200 + b"!"
        os.close(descriptor)

    run(scene)
