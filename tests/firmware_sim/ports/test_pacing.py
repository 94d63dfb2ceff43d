"""Pacing: bytes go on no faster than the rate, all of them, in order; a pulled cable forgets what waits."""

from collections.abc import Callable

import pytest

from firmware_sim.ports import pacing
from firmware_sim.ports.pacing import LIMIT, Pacer


class Clock:
    """A loop and a clock that only move when told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.timer: tuple[float, Callable[[], None]] | None = None

    def monotonic(self) -> float:
        return self.now

    def call_later(self, delay: float, action: Callable[[], None]) -> "Clock":
        self.timer = (self.now + delay, action)
        return self

    def cancel(self) -> None:
        self.timer = None

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.timer is not None and self.timer[0] <= end:
            self.now, action = self.timer
            self.timer = None
            action()
        self.now = end


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    return clock


def made(clock: Clock, baud: int) -> tuple[Pacer, bytearray]:
    given = bytearray()
    return Pacer(baud, given.extend, clock), given  # type: ignore[arg-type]


@pytest.mark.parametrize("baud", [9600, 115200])
def test_ten_bits_a_byte(clock: Clock, baud: int) -> None:
    pacer, given = made(clock, baud)
    sent = bytes(range(256)) * 40
    pacer.take(sent)
    clock.run(0.5)
    assert len(given) == pytest.approx(min(len(sent), baud / 10 * 0.5), abs=baud / 10 * 0.006)
    clock.run(60)
    assert given == sent


def test_nothing_goes_at_once(clock: Clock) -> None:
    pacer, given = made(clock, 9600)
    pacer.take(b"abc")
    assert given == b""
    clock.run(0.006)
    assert given == b"abc"


def test_a_quiet_time_saves_nothing_up(clock: Clock) -> None:
    pacer, given = made(clock, 9600)
    pacer.take(b"a")
    clock.run(60)
    given.clear()
    pacer.take(bytes(9600))
    clock.run(0.1)
    assert len(given) == pytest.approx(96, abs=6)


def test_when_the_cable_is_out_what_waits_is_forgotten(clock: Clock) -> None:
    pacer, given = made(clock, 9600)
    pacer.take(bytes(1000))
    clock.run(0.1)
    seen = len(given)
    pacer.clear()
    clock.run(60)
    assert len(given) == seen < 1000
    pacer.take(b"new")
    clock.run(1)
    assert given.endswith(b"new")


def test_it_says_when_too_much_waits(clock: Clock) -> None:
    pacer, _ = made(clock, 9600)
    pacer.take(bytes(LIMIT))
    assert not pacer.full
    pacer.take(b"x")
    assert pacer.full
