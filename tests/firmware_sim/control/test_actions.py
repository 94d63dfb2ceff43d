"""The table of tester actions: complete, equal to the methods, and the same wherever an action can be given."""

import inspect
import re
from enum import Enum
from pathlib import Path
from typing import get_type_hints

import pytest
from device_support import loaded, powered

from firmware_sim.control import setup as setups
from firmware_sim.control.actions import ACTION_OF, ACTIONS, TRIGGERS, Actions, Remote, call_from
from firmware_sim.control.control import Control
from firmware_sim.control.injections import BY_NAME, OPTIONS, parse_condition
from firmware_sim.control.names import names_of
from firmware_sim.errors import BadCall, BadControl, BadSetup
from firmware_sim.unit.emulator import Emulator
from proofs.table import build
from protocol import messages as m
from shuffler.kit.device import KitDevice
from shuffler.kit.scenarios.reading import VERBS

ROOT = Path(__file__).parents[3]
NOT_IN_TABLES = {"trigger", "options"}  # of `inject`, for callers in Python


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
def test_a_row_is_what_its_method_takes(action) -> None:
    assert action.effect is vars(Actions)[action.name]
    taken = inspect.signature(action.effect).parameters.values()
    named = {one.name: one for one in taken if one.name not in NOT_IN_TABLES and one.name != "self"}
    options = {name for names in OPTIONS.values() for name in names} if action.name == "inject" else set()
    assert {one.name for one in action.parameters} == set(named) | options
    required = {name for name, one in named.items() if one.default is inspect.Parameter.empty}
    assert {one.name for one in action.parameters if one.required} == required
    assert action.label
    assert action.about.endswith(".")


def test_every_method_has_a_row_and_every_label_is_unique() -> None:
    methods = {name for name, one in vars(Actions).items() if inspect.isfunction(one) and not name.startswith("_")}
    assert methods - {"attach"} == set(ACTION_OF)
    assert len({action.label for action in ACTIONS}) == len(ACTIONS)
    assert set(TRIGGERS) < set(inspect.signature(Actions.inject).parameters)


def test_every_action_is_a_verb_of_the_kit_of_scenarios_and_of_set_ups() -> None:
    assert set(ACTION_OF) < set(VERBS)
    for name in ACTION_OF:
        assert vars(Remote)[name] is not vars(Actions)[name]
        assert getattr(KitDevice, name) is vars(Remote)[name]
        assert vars(Remote)[name].__doc__ == vars(Actions)[name].__doc__


def test_a_set_up_can_perform_any_action() -> None:
    setup = setups.parse("x", "[[action]]\nopen_door = {}\n[[action]]\nadvance = 5\n")
    emulator = Emulator(build("i-deal-style"))
    setup.apply(emulator.control)
    assert emulator.machine.door_open
    assert emulator.machine_us == 5_000_000
    with pytest.raises(BadSetup, match=r"x:2: write one action as NAME = value, with a name of rig_deck"):
        setups.parse("x", "[[action]]\nmend = {}\n")


@pytest.mark.parametrize(
    ("name", "body", "says"),
    [
        ("press", {}, "the file lacks 'button'"),
        ("press", {"button": "KO"}, "button must be one of OK, LOAD, STUB, SORT, VERIFY, not 'KO'"),
        ("press", {"button": "OK", "twice": True}, "unknown key 'twice'; it may have button"),
        ("lift", {"count": 0}, "count must be a whole number from 1 to 432, not 0"),
        ("advance", {"seconds": float("nan")}, "seconds must be a number"),
        ("rig_deck", {"order": 7}, 'order is cards like "Q♠ Ks 10h" or a list of faces, not 7'),
        ("rig_hands", {"hands": {"17": "As"}}, "a seat is a number from 1 to 16 or dealer, not '17'"),
        ("lay_in", {"cards": [1, "2"]}, "cards is a list of card ids from 0"),
        ("inject", {"name": "jam_exit", "when": "deal=READY"}, "deal in a condition is one of no_deck, ready,"),
        ("inject", {"name": "jam_exit", "face": "As"}, "jam_exit has no option 'face': it has none"),
        ("inject", {"name": "wrong_slot", "value": True}, "wrong_slot has no option 'value': it has size and position"),
    ],
)
def test_bad_arguments_are_refused_with_what_to_write(name: str, body: dict[str, object], says: str) -> None:
    with pytest.raises(BadCall) as refused:
        call_from(name, body)
    assert says in str(refused.value)


def test_a_call_does_what_the_method_does() -> None:
    device = loaded()
    call_from("inject", {"name": "over_temperature"}).on(device.control)
    assert device.machine.hot
    assert call_from("clear", {}).on(device.control) == 1
    assert not device.machine.hot


@pytest.mark.parametrize("field", [name for name, kind in get_type_hints(m.Status).items() if names_of(kind)])
def test_conditions_take_the_names_that_the_status_shows_and_no_other_spelling(field: str) -> None:
    kind = get_type_hints(m.Status)[field]
    assert isinstance(kind, type)
    assert issubclass(kind, Enum)
    for name in names_of(kind):
        assert parse_condition(f"{field}={name}").value == name
        with pytest.raises(BadControl, match=f"{field} in a condition is one of {', '.join(names_of(kind))}, not"):
            parse_condition(f"{field}={name.upper()}")


def test_no_file_of_the_product_spells_a_state_in_capitals() -> None:
    spelled = re.compile(r'["`](?:power|infeed|deal|round_state|fault|mode)=[A-Z]')
    files = [path for room in ("firmware_sim", "shuffler", "docs", "examples") for path in (ROOT / room).rglob("*")]
    texts = (path for path in files if path.suffix in (".py", ".toml", ".js", ".md", ".mjs", ".c"))
    assert [path.name for path in texts if spelled.search(path.read_text(encoding="utf-8"))] == []


def test_the_control_plane_of_a_device_is_the_table() -> None:
    control: Control = powered().control
    assert all(callable(getattr(control, name)) for name in ACTION_OF)
    assert set(BY_NAME) == set(ACTION_OF["clear"].parameters[0].kind.among)  # type: ignore[attr-defined]
