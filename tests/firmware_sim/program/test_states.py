"""The state tables: total, closed, and every state of theirs reached on the way of a deck."""

from collections.abc import Mapping
from enum import IntEnum

import pytest

from firmware_sim.program import states as tables
from firmware_sim.program.states import NO, Row, States, __
from proofs.reach import cell_of, travelled, visited
from protocol.vocabulary import DealState, FaultState, InfeedState, Mode, PowerState, RoundState

TABLES: list[tuple[str, Mapping[IntEnum, Row], type[IntEnum], type[IntEnum]]] = [
    ("power", tables.POWER, PowerState, tables.PowerEvent),  # type: ignore[list-item]
    ("infeed", tables.INFEED, InfeedState, tables.InfeedEvent),  # type: ignore[list-item]
    ("deal", tables.DEAL, DealState, tables.DealEvent),  # type: ignore[list-item]
    ("round", tables.ROUND, RoundState, tables.RoundEvent),  # type: ignore[list-item]
    ("fault", tables.FAULT, FaultState, tables.FaultEvent),  # type: ignore[list-item]
    ("mode", tables.MODE, Mode, tables.ModeEvent),  # type: ignore[list-item]
]
IDS = [name for name, *_ in TABLES]


@pytest.mark.parametrize(("name", "table", "states", "events"), TABLES, ids=IDS)
def test_every_state_has_a_cell_for_every_event(
    name: str, table: Mapping[IntEnum, Row], states: type[IntEnum], events: type[IntEnum]
) -> None:
    assert list(table) == list(events)
    assert {len(row) for row in table.values()} == {len(states)}


@pytest.mark.parametrize(("name", "table", "states", "events"), TABLES, ids=IDS)
def test_every_cell_is_a_state_of_the_same_machine_or_a_refusal_or_nothing(
    name: str, table: Mapping[IntEnum, Row], states: type[IntEnum], events: type[IntEnum]
) -> None:
    for event, row in table.items():
        assert all(isinstance(cell, states) or cell in (NO, __) for cell in row), event.name
        assert any(isinstance(cell, states) for cell in row), f"{event.name} leads nowhere"


@pytest.mark.parametrize(("name", "table", "states", "events"), TABLES, ids=IDS)
def test_every_state_can_be_entered_and_left(
    name: str, table: Mapping[IntEnum, Row], states: type[IntEnum], events: type[IntEnum]
) -> None:
    for state in states:
        assert any(cell == state for row in table.values() for cell in row if isinstance(cell, states)), state.name
        leaving = [row[state] for row in table.values() if isinstance(row[state], states) and row[state] != state]
        assert leaving, f"{state.name} is a dead end"


@pytest.mark.parametrize(("name", "table", "states", "events"), TABLES, ids=IDS)
def test_a_machine_does_what_its_table_says(
    name: str, table: Mapping[IntEnum, Row], states: type[IntEnum], events: type[IntEnum]
) -> None:
    for event, row in table.items():
        for state, cell in zip(states, row, strict=True):
            machine = States(table, state)
            assert machine.takes(event) is (cell != NO)
            assert machine.fire(event) is (cell != NO)
            assert machine.state is (cell if isinstance(cell, states) else state)


def test_every_state_of_every_machine_is_reached_by_a_device_over_the_wire() -> None:
    reached = visited()
    for name, _, states, _ in TABLES:
        missing = [state.name for state in states if state not in reached[name]]
        assert not missing, f"{name}: {missing}"


@pytest.mark.slow
def test_every_way_from_one_state_to_another_is_gone_by_a_device() -> None:
    gone = travelled()
    for name, table, states, _ in TABLES:
        ways = {
            cell_of(event, state)
            for event, row in table.items()
            for state, cell in zip(states, row, strict=True)
            if isinstance(cell, states)
        }
        untried = [f"{way.event} in {way.state}" for way in ways - gone]
        assert not untried, f"{name}: {untried}"
