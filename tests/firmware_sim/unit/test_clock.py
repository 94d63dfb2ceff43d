"""The machine's clock: continuous whatever is done to its speed, and standing still at speed 0."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.errors import BadControl
from firmware_sim.machine.profile import load
from firmware_sim.unit.clock import MachineClock
from firmware_sim.unit.emulator import Build, Emulator
from protocol.vocabulary import PowerState


@given(st.integers(0, 10**9), st.sampled_from([0.25, 1.0, 3.0, 50.0]), st.integers(0, 10**9))
def test_the_machine_is_there_when_the_clock_said_it_would_be(now: int, speed: float, ahead: int) -> None:
    clock = MachineClock(now, speed)
    due = clock.due(ahead)
    assert due is not None
    assert clock.at(due) >= ahead
    assert clock.at(due - 2) <= ahead


@given(st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0, 7.0])), max_size=8))
def test_a_change_of_speed_jumps_over_nothing(changes: list[tuple[int, float]]) -> None:
    clock, now = MachineClock(0), 0
    for wait, speed in changes:
        now += wait
        before = clock.at(now)
        clock.run_at(now, speed)
        assert clock.at(now) == before


@pytest.mark.parametrize("speed", [-1.0, float("nan"), float("inf"), 1e9])
def test_a_speed_that_is_none_is_refused_and_changes_nothing(speed: float) -> None:
    clock = MachineClock(0, 2.0)
    with pytest.raises(BadControl, match="times as fast"):
        clock.run_at(100, speed)
    assert (clock.at(100), clock.speed) == (200, 2.0)


def test_a_stopped_machine_does_nothing_until_it_is_stepped_or_started() -> None:
    emulator = Emulator(Build(profile=load("i-deal-style"), serial="SB-1", seed=1))
    emulator.control.run_at(0)
    emulator.tick(10**9)
    assert emulator.firmware.power.state is PowerState.SELF_TEST
    assert emulator.next_deadline() is None
    assert emulator.control.step() > 0
    assert emulator.firmware.power.state is PowerState.ON
    emulator.control.run_at(1.0)
    assert emulator.next_deadline() is not None
