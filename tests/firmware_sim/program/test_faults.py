"""The fault catalogue: complete, and every fault raised, seen, cleared and survived over the wire."""

from itertools import product

import pytest

from firmware_sim.control.injections import INJECTIONS
from firmware_sim.machine import profile as profiles
from firmware_sim.program.faults import BY_CODE, CATALOGUE
from proofs.fault_scenarios import ELSEWHERE, SCENARIOS, Elsewhere, Scenario, find_instead, perform
from protocol.vocabulary import FaultCode

ONCE = [pytest.param(scenario, scenario.profiles[0], id=scenario.code.name) for scenario in SCENARIOS]
OTHERS = [
    pytest.param(scenario, profile, id=f"{scenario.code.name}-{profile}")
    for scenario in SCENARIOS
    for profile in scenario.profiles[1:]
]


def test_every_code_of_the_wire_has_one_row() -> None:
    assert [fault.code for fault in CATALOGUE] == [code for code in FaultCode if code is not FaultCode.NONE]


def test_every_row_is_filled_in() -> None:
    for fault in CATALOGUE:
        assert all((fault.cause, fault.sensed, fault.panel, fault.wire, fault.cure, fault.clears)), fault.code.name


def test_panel_texts_tell_faults_apart_and_fit_the_display() -> None:
    panels = [fault.panel for fault in CATALOGUE]
    assert len(set(panels)) == len(panels)
    assert max(map(len, panels)) <= 20


def test_every_fault_has_a_scenario_and_every_injection_a_fault_it_should_become() -> None:
    assert {scenario.code for scenario in SCENARIOS} == set(BY_CODE)
    assert {kind.fault for kind in INJECTIONS if kind.fault is not None} <= set(BY_CODE)


def test_every_fault_is_raised_on_every_profile_or_it_is_said_what_is_seen_there_instead() -> None:
    raised = [(scenario.code, profile) for scenario in SCENARIOS for profile in scenario.profiles]
    elsewhere = [(row.code, row.profile) for row in ELSEWHERE]
    assert sorted(raised + elsewhere) == sorted(product(BY_CODE, profiles.names()))


def check(scenario: Scenario, profile: str) -> None:
    row = BY_CODE[scenario.code]
    story = perform(scenario, profile)
    assert story.raised
    assert story.objections == []
    assert story.rounds_after == 2
    if not row.holds:
        assert (story.panel, story.cleared) == (None, None)
        return
    assert story.told is scenario.code
    assert story.refused == f"{scenario.code.name}: {row.cure}"
    assert story.panel is not None
    assert story.panel.top.startswith(row.panel)
    assert (story.panel.bottom, story.panel.red) == (row.cure, True)
    assert story.cleared is scenario.how
    assert scenario.how in row.clears


@pytest.mark.parametrize("row", ELSEWHERE, ids=lambda row: f"{row.code.name}-{row.profile}")
def test_what_a_profile_can_not_see_is_found_as_said_or_not_at_all(row: Elsewhere) -> None:
    found, wrong = find_instead(row)
    assert found is row.instead
    assert wrong == []


@pytest.mark.parametrize(("scenario", "profile"), ONCE)
def test_a_fault_is_raised_seen_and_cleared_and_dealing_goes_on(scenario: Scenario, profile: str) -> None:
    check(scenario, profile)


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "profile"), OTHERS)
def test_the_same_on_the_other_profiles(scenario: Scenario, profile: str) -> None:
    check(scenario, profile)
