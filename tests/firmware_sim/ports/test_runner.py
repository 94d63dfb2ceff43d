"""The runner: real time for a device, one cable at a time, timers only where they are needed."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from firmware_sim.ports import DeviceRunner
from protocol.messages import Hello


class Fake:
    """A device that echoes, and ticks when it said it wants to."""

    def __init__(self) -> None:
        self.out = b""
        self.ticks: list[int] = []
        self.due: int | None = None
        self.pulled = 0

    def receive(self, data: bytes, now: int) -> None:
        self.out += data

    def data_to_send(self, now: int) -> bytes:
        data, self.out = self.out, b""
        return data

    def tick(self, now: int) -> None:
        self.ticks.append(now)
        self.due = None
        self.out += b"tick"

    def next_deadline(self) -> int | None:
        return self.due

    def pull_cable(self) -> None:
        self.pulled += 1

    has_session = True

    def yields_to(self, hello: Hello, *, young: bool) -> bool:
        return not self.has_session


def run(scene: Callable[[Fake, DeviceRunner, list[bytes]], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        device = Fake()
        runner = DeviceRunner(device)
        try:
            await scene(device, runner, [])
        finally:
            runner.stop()

    asyncio.run(main())


def test_what_comes_in_goes_to_the_device_and_what_it_says_goes_out_at_once() -> None:
    async def scene(device: Fake, runner: DeviceRunner, written: list[bytes]) -> None:
        assert runner.attach(written.append)
        runner.receive(b"abc")
        assert written == [b"abc"]

    run(scene)


def test_one_cable_at_a_time_and_the_next_when_it_was_pulled() -> None:
    async def scene(device: Fake, runner: DeviceRunner, written: list[bytes]) -> None:
        assert runner.attach(written.append)
        assert not runner.attach(written.append)
        runner.detach()
        runner.detach()
        assert (device.pulled, runner.attached) == (1, False)
        assert runner.attach(written.append)

    run(scene)


def test_without_a_cable_the_device_goes_on_and_what_it_says_is_lost() -> None:
    async def scene(device: Fake, runner: DeviceRunner, written: list[bytes]) -> None:
        runner.receive(b"abc")
        runner.attach(written.append)
        assert written == []

    run(scene)


def test_a_deadline_is_kept_and_not_early() -> None:
    async def scene(device: Fake, runner: DeviceRunner, written: list[bytes]) -> None:
        runner.attach(written.append)
        device.due = due = runner.now() + 20_000
        runner.receive(b"")
        for _ in range(500):
            await asyncio.sleep(0.005)
            if device.ticks:
                break
        assert device.ticks[0] >= due
        assert written == [b"tick"]

    run(scene)


def test_an_earlier_deadline_takes_the_place_of_a_later_one() -> None:
    async def scene(device: Fake, runner: DeviceRunner, written: list[bytes]) -> None:
        device.due = runner.now() + 3_600_000_000
        runner.receive(b"")
        device.due = runner.now() + 10_000
        runner.receive(b"")
        for _ in range(500):
            await asyncio.sleep(0.005)
            if device.ticks:
                return
        raise AssertionError("it waits for the later one")

    run(scene)


def test_waking_lets_it_act_and_a_replaced_device_answers_on_the_same_cable() -> None:
    async def scene(device: Fake, runner: DeviceRunner, written: list[bytes]) -> None:
        runner.attach(written.append)
        runner.wake()
        other = Fake()
        runner.replace(other)
        runner.receive(b"x")
        assert (len(device.ticks), len(other.ticks), written) == (1, 1, [b"tick", b"tick", b"x"])

    run(scene)


def test_a_stopped_runner_does_nothing_any_more() -> None:
    async def scene(device: Fake, runner: DeviceRunner, written: list[bytes]) -> None:
        runner.attach(written.append)
        runner.stop()
        runner.receive(b"abc")
        runner.wake()
        assert not runner.attach(written.append)
        assert (written, device.ticks, device.pulled) == ([], [], 1)

    run(scene)
