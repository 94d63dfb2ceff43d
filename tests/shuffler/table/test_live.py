"""The table on a real line: nothing that is due stays behind."""

from random import Random

import pytest

from firmware_sim.machine import profile as profiles
from firmware_sim.ports import Pty
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build, Emulator
from round_engine.rules.rulebook import load
from round_engine.table import Table
from shuffler.table.live import LiveTable
from shuffler.table.players import seated
from shuffler.virtual.memory_books import MemoryBooks


class Clock:
    """A microsecond clock that only moves when a port is read."""

    now = 0

    def pass_by(self, seconds: float) -> None:
        self.now += int(seconds * 1e6) + 1


class Joined:
    """A port whose other end is a device in this process; a read without data lets the full wait pass."""

    def __init__(self, emulator: Emulator, clock: Clock) -> None:
        self._device = emulator
        self._clock = clock

    def read(self, timeout_s: float) -> bytes:
        end = self._clock.now + int(timeout_s * 1e6)
        while True:
            data = self._device.data_to_send(self._clock.now)
            due = self._device.next_deadline()
            if data or due is None or due > end:
                self._clock.now = self._clock.now if data else end
                return data
            self._clock.now = max(self._clock.now, due)
            self._device.tick(self._clock.now)

    def write(self, data: bytes) -> None:
        self._device.receive(data, self._clock.now)

    def close(self) -> None:
        self._device.pull_cable()


def _table() -> Table:
    return Table(load("light-and-wonder", changes={"house": {"limit_ceiling": "$300"}}))


def test_every_step_leaves_nothing_that_is_due_off_the_line() -> None:
    clock = Clock()
    emulator = Emulator(Build(profile=profiles.load("i-deal-style"), serial="LIVE", seed=1, speed=50.0))
    live = LiveTable(
        "memory", _table(), MemoryBooks(), seated("Q-6-4", 3), chance=Random(1),
        open_port=lambda url, baud=0: Joined(emulator, clock), clock=lambda: clock.now, pause=clock.pass_by,
    )  # fmt: skip
    for _ in range(20_000):
        live.step()
        assert live.host.data_to_send(clock.now) == b""
        if live.done >= 12:
            break
    assert live.done == 12


@pytest.mark.slow
def test_fifteen_rounds_on_a_pseudo_terminal_in_real_time_come_to_their_end() -> None:
    build = Build(profile=profiles.load("i-deal-style"), serial="LIVE", speed=50.0)
    with background([Location(build=build, ports=(Pty(),))]) as served:
        live = LiveTable(served.url, _table(), MemoryBooks(), seated("Q-6-4", 7), chance=Random(2))
        live.play(15, limit_s=240)
        live.close_port()
    assert live.done >= 15
