"""The fault desk: what holds the machine, what must be seen before it goes on, and what survives a power cut."""

import pytest
from device_support import of, powered

from firmware_sim.program.fault_desk import FaultDesk
from firmware_sim.program.faults import BY_CODE, CATALOGUE
from firmware_sim.program.faults import Test as Cure
from proofs.bare import Bare
from protocol import messages as m
from protocol.vocabulary import Cleared, FaultCode, FaultState, Place

_F = FaultCode


@pytest.fixture
def device() -> Bare:
    return powered(hands="manual")


@pytest.fixture
def desk(device: Bare) -> FaultDesk:
    return device.firmware.desk


def test_a_fault_is_told_once_however_often_it_is_found(device: Bare, desk: FaultDesk) -> None:
    for _ in range(3):
        device.firmware.raise_fault(_F.JAM_EXIT, 2)
    (raised,) = of(device, m.FaultRaised)
    assert (raised.code, raised.place, raised.detail) == (_F.JAM_EXIT, Place.EXIT, 2)
    assert (desk.state, desk.code) == (FaultState.FAULTED, _F.JAM_EXIT)


@pytest.mark.parametrize("fault", CATALOGUE, ids=lambda fault: fault.code.name)
def test_a_fault_is_mended_by_whom_the_catalogue_says_and_by_nobody_else(
    device: Bare, desk: FaultDesk, fault: object
) -> None:
    row = BY_CODE[fault.code]  # type: ignore[attr-defined]
    for how in Cleared:
        desk.raise_fault(row.code)
        allowed = how in row.clears
        assert (desk.objection(row.code, how) is None) is allowed
        assert desk.clear(row.code, how) is allowed
        assert (row.code in desk.active) is not allowed
        if not allowed:
            assert row.cure in (desk.objection(row.code, how) or "")


def test_recovery_takes_its_time_and_is_told_when_it_is_over(device: Bare, desk: FaultDesk) -> None:
    desk.raise_fault(_F.MOTOR_STALL)
    assert desk.clear(_F.MOTOR_STALL, Cleared.BY_DEALER)
    assert desk.state is FaultState.RECOVERING
    assert desk.recover_at == device.now_us + device.profile.timings.recover_us
    device.run_for(device.profile.timings.recover_us - 1)
    assert not of(device, m.FaultCleared)
    device.run_for(1)
    (cleared,) = of(device, m.FaultCleared)
    assert (cleared.code, cleared.how, desk.state) == (_F.MOTOR_STALL, Cleared.BY_DEALER, FaultState.CLEAR)


def test_what_needs_no_motor_goes_on_at_once(device: Bare, desk: FaultDesk) -> None:
    desk.raise_fault(_F.EARLY_GRAB)
    desk.clear(_F.EARLY_GRAB, Cleared.BY_DEALER)
    assert desk.recover_at == device.now_us


def test_of_several_faults_the_first_is_shown_and_the_last_releases_the_machine(device: Bare, desk: FaultDesk) -> None:
    desk.raise_fault(_F.JAM_EXIT)
    desk.raise_fault(_F.CLOCK_LOST)
    assert desk.row is BY_CODE[_F.JAM_EXIT]
    desk.clear(_F.JAM_EXIT, Cleared.BY_DEALER)
    assert (desk.state, desk.code) == (FaultState.FAULTED, _F.CLOCK_LOST)
    desk.clear(_F.CLOCK_LOST, Cleared.BY_HOST)
    device.run_for(device.profile.timings.recover_us)
    assert [event.code for event in of(device, m.FaultCleared)] == [_F.JAM_EXIT, _F.CLOCK_LOST]
    assert not device.firmware.board.held


def test_a_path_that_is_still_blocked_is_found_when_the_motors_run_free(device: Bare, desk: FaultDesk) -> None:
    desk.raise_fault(_F.JAM_EXIT)
    desk.clear(_F.JAM_EXIT, Cleared.BY_DEALER)
    device.machine.blocked.add(Place.EXIT)
    device.run_for(device.profile.timings.recover_us)
    assert (desk.state, desk.code) == (FaultState.FAULTED, _F.JAM_EXIT)
    assert not of(device, m.FaultCleared)
    assert "does not hold" not in (desk.objection(_F.JAM_EXIT, Cleared.BY_DEALER) or "")


def test_a_new_fault_while_it_recovers_stops_it_again(device: Bare, desk: FaultDesk) -> None:
    desk.raise_fault(_F.JAM_EXIT)
    desk.clear(_F.JAM_EXIT, Cleared.BY_DEALER)
    desk.raise_fault(_F.MOTOR_STALL)
    assert (desk.state, desk.recover_at) == (FaultState.FAULTED, None)


def test_a_fault_outlasts_a_power_cut_and_so_does_one_that_was_only_about_to_be_cleared(device: Bare) -> None:
    device.firmware.desk.raise_fault(_F.JAM_EXIT, 7)
    device.firmware.desk.raise_fault(_F.MOTOR_STALL)
    device.firmware.desk.clear(_F.MOTOR_STALL, Cleared.BY_DEALER)
    device.store.commit()
    device.cut_power()
    assert device.firmware.desk.active == {_F.JAM_EXIT: 7, _F.MOTOR_STALL: 0}
    assert device.firmware.board.held


# What a power-up finds put right in the dark, by the sensor that sees it.
GONE = {_F.DOOR_OPEN, _F.OVER_TEMPERATURE, _F.RANDOM_SOURCE, _F.SELF_TEST_FAILED, _F.EVENTS_FULL, _F.MEMORY_FULL} | {
    fault.code for fault in CATALOGUE if fault.test is Cure.TRAY
}


@pytest.mark.parametrize("fault", [fault for fault in CATALOGUE if fault.holds], ids=lambda fault: fault.code.name)
def test_a_power_up_clears_what_it_or_the_dark_has_mended_and_nothing_else(device: Bare, fault: object) -> None:
    code = fault.code  # type: ignore[attr-defined]
    device.firmware.desk.raise_fault(code)
    device.store.commit()
    device.cut_power()
    device.run_for(device.profile.timings.self_test_us)
    assert (code not in device.firmware.desk.active) is (code in GONE)


def test_a_fault_that_does_not_hold_the_machine_can_not_be_cleared(desk: FaultDesk) -> None:
    assert desk.objection(_F.JAM_EXIT, Cleared.BY_HOST) == "fault JAM_EXIT does not hold the machine"
    assert desk.objection(_F.NONE, Cleared.BY_HOST) == "fault NONE does not hold the machine"


# What each test of the catalogue looks at: a condition of the machine under which it must not pass.
BREAKS = {
    Cure.PATH: lambda device: device.machine.blocked.add(Place.EXIT),
    Cure.DOOR: lambda device: device.machine.move_door(True),
    Cure.TRAY: lambda device: device.machine.places.move(device.machine.places.aside[-1:], "aside", "tray"),
    Cure.SENSOR: lambda device: setattr(device.machine, "tray_sensor_stuck", True),
    Cure.HEAT: lambda device: device.machine.heat(True),
    Cure.SOURCE: lambda device: setattr(device.machine.noise, "stuck_share", 1.0),
    Cure.PARTS: lambda device: device.machine.dead_parts.add("reader"),
    Cure.EVENTS: lambda device: [device.firmware.board.emit(m.DoorMoved, open=True) for _ in range(450)],
    Cure.INSIDE: lambda device: device.machine.places.move(device.machine.places.aside[-1:], "aside", "rack"),
    Cure.CLOCK: lambda device: setattr(device.machine, "clock_lost", True),
    Cure.MEMORY: lambda device: setattr(device.firmware.board, "memory_full", True),
}


@pytest.mark.parametrize("test", [test for test in Cure if test is not Cure.NOTHING], ids=lambda test: test.name)
def test_a_fault_is_not_called_mended_while_its_cause_is_seen(device: Bare, desk: FaultDesk, test: Cure) -> None:
    row = next(fault for fault in CATALOGUE if fault.test is test)
    desk.raise_fault(row.code)
    BREAKS[test](device)
    objection = desk.objection(row.code, row.clears[0])
    assert objection == f"{test.value} is not the case yet: {row.cure}"
    assert not desk.clear(row.code, row.clears[0])
