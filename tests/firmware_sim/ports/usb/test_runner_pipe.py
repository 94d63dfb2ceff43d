"""A running device behind the pipe: threads, bounds, a port that is taken."""

import asyncio
import threading

import pytest

from firmware_sim.ports import DeviceRunner
from firmware_sim.ports.usb.runner_pipe import UNCARRIED_MAX, UNSENT_MAX, RunnerPipe
from protocol.framing import Framer


class Shouting:
    """A device that answers in capitals and remembers its cable."""

    def __init__(self) -> None:
        self.out = bytearray()
        self.pulled = 0
        self.threads: set[int] = set()

    def receive(self, data: bytes, now: int) -> None:
        self.threads.add(threading.get_ident())
        self.out += data.upper()

    def data_to_send(self, now: int) -> bytes:
        sent = bytes(self.out)
        self.out.clear()
        return sent

    def tick(self, now: int) -> None: ...

    def next_deadline(self) -> None:
        return None

    def pull_cable(self) -> None:
        self.pulled += 1


class Joined:
    """A pipe, its runner, and how often it woke its host side."""

    def __init__(self) -> None:
        self.device = Shouting()
        self.runner = DeviceRunner(self.device)
        self.pipe = RunnerPipe(self.runner)
        self.wakes = 0
        self.pipe.on_ready(self._woken)

    def _woken(self) -> None:
        self.wakes += 1


def in_loop(test):
    """Run a test in an event loop, where a runner lives."""

    def run() -> None:
        async def body() -> None:
            test(Joined())

        asyncio.run(body())

    return run


def test_bytes_go_through_the_runner_and_back() -> None:
    @in_loop
    def body(joined: Joined) -> None:
        joined.pipe.opened()
        assert joined.pipe.receive(b"abc") == 3
        assert joined.wakes == 1
        assert joined.pipe.data_to_send(2) == b"AB"
        assert joined.pipe.data_to_send(2) == b"C"

    body()


def test_closing_pulls_the_cable_and_forgets_what_was_not_fetched() -> None:
    @in_loop
    def body(joined: Joined) -> None:
        joined.pipe.opened()
        joined.pipe.receive(b"abc")
        joined.pipe.closed()
        assert joined.device.pulled == 1
        assert not joined.runner.attached
        joined.pipe.opened()
        assert joined.pipe.data_to_send(10) == b""

    body()


def test_replies_that_nobody_fetches_stop_the_port() -> None:
    @in_loop
    def body(joined: Joined) -> None:
        joined.pipe.opened()
        while joined.pipe.receive(bytes(1000)) > 0:
            pass
        waiting = 0
        before = joined.wakes
        while piece := joined.pipe.data_to_send(4096):
            waiting += len(piece)
        assert UNSENT_MAX < waiting <= UNSENT_MAX + 1000
        assert joined.wakes == before + 1
        assert joined.pipe.receive(b"x") == 1

    body()


def test_a_device_that_another_port_holds_says_so_and_is_taken_once_it_is_free() -> None:
    @in_loop
    def body(joined: Joined) -> None:
        assert joined.runner.attach(lambda data: None)
        joined.pipe.opened()
        joined.pipe.receive(b"hello")
        (frame,) = Framer().feed(joined.pipe.data_to_send(1000))
        assert b"another client holds this device" in frame.body
        joined.runner.detach()
        joined.pipe.receive(b"hello")
        assert joined.pipe.data_to_send(1000) == b"HELLOHELLO"  # what had been said is handed over
        joined.pipe.closed()
        assert not joined.runner.attached

    body()


def test_closing_leaves_another_ports_cable_alone() -> None:
    @in_loop
    def body(joined: Joined) -> None:
        assert joined.runner.attach(lambda data: None)
        joined.pipe.opened()
        joined.pipe.closed()
        assert joined.runner.attached
        assert joined.device.pulled == 0

    body()


@pytest.fixture
def elsewhere():
    """A pipe whose loop runs in another thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def make() -> Joined:
        return Joined()

    yield loop, asyncio.run_coroutine_threadsafe(make(), loop).result(5)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def settle(loop: asyncio.AbstractEventLoop) -> None:
    async def nothing() -> None: ...

    asyncio.run_coroutine_threadsafe(nothing(), loop).result(5)


def test_another_threads_bytes_reach_the_device_in_its_own_thread_and_in_order(elsewhere) -> None:
    loop, joined = elsewhere
    joined.pipe.opened()
    for letter in "abcdefgh":
        assert joined.pipe.receive(letter.encode()) == 1
    settle(loop)
    assert joined.pipe.data_to_send(100) == b"ABCDEFGH"
    assert threading.get_ident() not in joined.device.threads
    joined.pipe.closed()
    settle(loop)
    assert joined.device.pulled == 1


def test_bytes_that_a_busy_loop_has_not_carried_stop_the_port(elsewhere) -> None:
    loop, joined = elsewhere
    joined.pipe.opened()
    settle(loop)
    hold, held = threading.Event(), threading.Event()

    def block() -> None:
        held.set()
        hold.wait(5)

    loop.call_soon_threadsafe(block)
    held.wait(5)
    taken = 0
    while count := joined.pipe.receive(b"x" * 1000):
        taken += count
    assert UNCARRIED_MAX < taken <= UNCARRIED_MAX + 1000
    hold.set()
    settle(loop)
    assert joined.wakes >= 2
    assert len(joined.pipe.data_to_send(10**6)) == taken


def test_a_reply_of_an_earlier_opening_is_not_sent_into_the_next(elsewhere) -> None:
    loop, joined = elsewhere
    hold, held = threading.Event(), threading.Event()

    def block() -> None:
        held.set()
        hold.wait(5)

    loop.call_soon_threadsafe(block)
    held.wait(5)
    joined.pipe.opened()
    joined.pipe.receive(b"old")
    joined.pipe.closed()
    joined.pipe.opened()
    joined.pipe.receive(b"new")
    hold.set()
    settle(loop)
    assert joined.pipe.data_to_send(100) == b"NEW"
