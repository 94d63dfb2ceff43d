"""The pages of states, faults and profiles are what the tables say, whole and fresh."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from firmware_sim.control import setup as setups
from firmware_sim.control.injections import INJECTIONS
from firmware_sim.control.names import name_of
from firmware_sim.machine import profile as profiles
from firmware_sim.program.faults import CATALOGUE
from proofs.pages.device import SHEETS, Sheet, cells, diagram, faults_page, profiles_page
from proofs.pages.registry import DOCS
from proofs.table import Table, build
from protocol import messages as m
from protocol.vocabulary import FaultCode

EMULATE = (DOCS.parent / "shuffler" / "cli" / "emulate.py").read_text(encoding="utf-8")
ARROW = re.compile(r"^    (\w+) --> (\w+) : (.*)$", re.MULTILINE)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_a_diagram_has_every_way_of_its_table_and_no_other(sheet: Sheet) -> None:
    drawn = {
        (event, before, after)
        for before, after, events in ARROW.findall(diagram(sheet))
        for event in events.split(", ")
    }
    assert drawn == {
        (event.name, name_of(state), name_of(cell))
        for event, row in sheet.table.items()
        for state, cell in zip(sheet.states, row, strict=True)
        if isinstance(cell, sheet.states)
    }


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_the_table_on_the_page_has_a_cell_for_every_event_in_every_state(sheet: Sheet) -> None:
    head, _, *rows = cells(sheet).splitlines()
    assert len(rows) == len(sheet.table)
    assert {row.count("|") for row in (head, *rows)} == {len(sheet.states) + 2}
    assert {event.name for event in sheet.table} >= set(sheet.commands)


def test_every_fault_injection_and_profile_value_is_on_its_page() -> None:
    faults, profile_text = faults_page(), profiles_page()
    assert all(f"| {int(row.code)} {row.code.name} | {row.place.name.lower()} |" in faults for row in CATALOGUE)
    assert all(f"| `{kind.name}` |" in faults for kind in INJECTIONS)
    for name in profiles.names():
        assert all(source in profile_text for source in profiles.load(name).sources.values())


PAGE = (DOCS / "device.md").read_text(encoding="utf-8")


def test_the_set_up_on_the_devices_page_can_be_used() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    setup = setups.parse("page", example)
    table = Table(replace(build("i-deal-style"), setup=setup), seats=0b10011)
    table.play_rounds(3)
    hands = {event.seat: event.opening.cards for event in table.events if isinstance(event, m.GroupRemoved)
             and event.round == 1}  # fmt: skip
    assert hands[2] == (49, 50, 51)
    raised = {event.code for event in table.events if isinstance(event, m.FaultRaised)}
    assert {FaultCode.JAM_EXIT, FaultCode.OVER_TEMPERATURE} <= raised
    assert table.sessions > 1


def test_the_python_on_the_devices_page_runs_and_says_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(example, {})
    assert capsys.readouterr().out.split("\n")[:2] == ["LOAD CARDS", "52"]


def test_the_commands_on_the_devices_page_exist() -> None:
    (example,) = re.findall(r"```\n(shuffler emulate.*?)```", PAGE, re.DOTALL)
    for line in example.splitlines():
        arguments = line.split("#")[0].split()
        for flag in [word for word in arguments if word.startswith("--")]:
            assert f'"{flag}"' in EMULATE or f"    {flag[2:].replace('-', '_')}: Annotated" in EMULATE
        named = dict(pairwise(arguments))
        assert named.get("--profile", "i-deal-style") in profiles.names()
        assert named.get("--setup", "jam-exit") in setups.names()


def test_the_profiles_on_the_devices_page_are_as_their_files_say() -> None:
    for name in profiles.names():
        (row,) = re.findall(rf"^\| `{name}` \|(.*)\|$", PAGE, re.MULTILINE)
        _, reads, backs, double, _, prestages = (cell.strip() for cell in row.split("|"))
        senses = profiles.load(name).senses
        assert (reads != "no", backs == "yes", double == "yes") == (
            senses.reads_faces, senses.sees_backs, senses.sees_double)  # fmt: skip
        assert (prestages == "yes") is profiles.load(name).build.prestages
