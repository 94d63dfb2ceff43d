"""Set-up files: read, refused with their place, and applied."""

from dataclasses import replace

import pytest

from firmware_sim.control import setup as setups
from firmware_sim.control.injections import BY_NAME
from firmware_sim.errors import BadSetup
from firmware_sim.machine import profile as profiles
from firmware_sim.program.faults import CATALOGUE
from proofs.table import Table, build, objections
from protocol import messages as m
from protocol.vocabulary import Cleared, FaultCode


def raised(table: Table) -> set[FaultCode]:
    return {event.code for event in table.of(m.FaultRaised) if isinstance(event, m.FaultRaised)}


@pytest.mark.parametrize("name", setups.names())
def test_a_set_up_of_the_product_brings_about_what_it_says_and_loses_no_card(name: str) -> None:
    setup = setups.load(name)
    made = build(setup.profile or "i-deal-style")
    table = Table(replace(made, profile=setup.adapt(made.profile), setup=setup))
    wanted = {BY_NAME[fault.values["name"]].fault for fault in setup.faults if not fault.values.get("rate")} - {None}
    rare = {"worn_reader"}
    held = {row.code for row in CATALOGUE if row.holds} - {FaultCode.POWER_CUT}
    stops = {row.code for row in CATALOGUE if not {Cleared.BY_DEALER, Cleared.BY_ITSELF} & set(row.clears)}
    must = wanted & held if not any(fault.values["name"] in rare for fault in setup.faults) else set()
    table.play(lambda: len(table.controller.closed) >= 2 or bool(raised(table) & stops), steps=6000)
    assert must <= raised(table)
    assert objections(table) == []
    assert len(table.controller.closed) >= 2 or raised(table) & stops
    assert setup.about


def test_every_fault_that_holds_the_machine_has_a_set_up_that_starts_in_it() -> None:
    by_hosts = {FaultCode.EVENTS_FULL, FaultCode.MEMORY_FULL}  # hosts and disks are no set-up of the device
    lacking = {row.code for row in CATALOGUE if not setups.starting_in(row.code)}
    assert lacking == by_hosts


def test_seats_and_decks_are_rigged_in_turn() -> None:
    text = """
    [[deck]]
    seats = [1, 2, 5]
    hands = { 2 = "Q♠ Ks A♠", dealer = "2c 3d 4h" }
    [[deck]]
    order = "10h 2♣"
    """
    setup = setups.parse("test", text)
    table = Table(replace(build("i-deal-style"), setup=setup), seats=0b10011)
    table.play_rounds(2)
    named = [event for event in table.events if isinstance(event, m.GroupRemoved | m.HandDisclosed)]
    hands = {(event.round, event.seat): event.opening.cards for event in named}
    assert hands[1, 2] == (49, 50, 51)
    assert hands[1, 0] == (0, 14, 28)
    assert hands[2, 1][:2] == (34, 0)


def test_times_are_in_seconds_and_faces_by_name() -> None:
    text = '[[fault]]\nname = "swapped_card"\nat_s = 1.5\nclear_after_s = 2\nface = "A♠"\nposition = 3'
    (fault,) = setups.parse("test", text).faults
    assert fault.values == {"name": "swapped_card", "at_s": 1.5, "clear_after_s": 2, "face": 51, "position": 3}
    table = Table(replace(build("i-deal-style"), setup=setups.parse("test", text)))
    ((at_us, _),) = table.emulator.control.injector._scheduled
    assert at_us == 1_500_000


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("about = [", "test: not valid TOML"),
        ("\ncolour = 1", "test:2: the file has an unknown key 'colour'; it may have about, ends, profile"),
        ('profile = "slot-machine"', "test:1: profile must be one of ace-style, dealing-shoe"),
        ("[device]\ndecks = 9", "test:2: device.decks must be a whole number from 1 to 8, not 9"),
        ("[device]\ncolour = 1", "test:2: device has an unknown key 'colour'; it may have decks"),
        ("[deck]\norder = 'As'", "test:1: write each deck as [[deck]]"),
        ("[[deck]]\nseats = [1]", "test:1: a deck has either an order or hands"),
        ("[[deck]]\norder = 'Xx'", "test:2: 'Xx' is not a card"),
        ("[[deck]]\nhands = { x = 'As' }", "test:2: a seat is a number from 1 to 16 or dealer, not 'x'"),
        ("[[deck]]\nseats = [0]\nhands = { 1 = 'As' }", "test:2: seats is a list of seats from 1 to 16, not [0]"),
        ("[[fault]]\nname = 'gremlin'", "test:2: fault[1].name must be one of jam_feeder"),
        ("[[fault]]\nname = 'jam_exit'\ncolour = 1", "test:3: fault[1] has an unknown key 'colour'; it may have name"),
        ("[[fault]]\nname = 'jam_exit'\nat_card = 'x'", "test:3: fault[1].at_card must be a whole number from 1"),
        ("[[fault]]\nname = 'jam_exit'\nat_s = 'x'", "test:3: fault[1].at_s must be a number, not 'x'"),
        ("[[fault]]\nname = 'jam_exit'\nat_s = -5", "test:3: fault[1].at_s must be from 0 to 86400, not -5"),
        ("[[fault]]\nname = 'jam_exit'\nwhen = 'raining'", "test:3: a condition reads NAME=VALUE"),
        ("[[fault]]\nname = 'jam_exit'\nwhen = 'event=Nope'", "test:3: event in a condition is one of"),
        ("[[fault]]\nname = 'jam_exit'\nwhen = 'group=abc'", "test:3: group in a condition is a whole number"),
        ("[[fault]]\nname = 'jam_exit'\nwhen = 'deal=ASLEEP'", "test:3: deal in a condition is one of"),
        ("[[fault]]\nname = 'jam_exit'\nat_card = 1\nrate = 0.5", "test:4: give one of at_card, at_s, when, rate, not"),
        ("[[fault]]\nname = 'cable_pulled'\nclear_after_s = 5", "test:3: cable_pulled is over at once: clear_after_s"),
        ("[[fault]]\nname = 'worn_reader'\nlevel = 7", "test:3: fault[1].level must be from 0 to 1, not 7"),
    ],
)
def test_what_can_not_be_meant_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(BadSetup) as refused:
        setups.parse("test", text)
    assert says in str(refused.value)


def test_a_set_up_for_another_profile_and_decks_for_a_shuffler_are_refused() -> None:
    shoe = setups.parse("test", 'profile = "dealing-shoe"\n[device]\ndecks = 6')
    with pytest.raises(BadSetup, match="for the profile dealing-shoe, not for ace-style"):
        shoe.adapt(profiles.load("ace-style"))
    with pytest.raises(BadSetup, match="holds one deck"):
        setups.parse("test", "[device]\ndecks = 6").adapt(profiles.load("ace-style"))
    assert shoe.adapt(profiles.load("dealing-shoe")).build.decks == 6


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[deck]]\nhands = { 2 = "Qs Ks" }', "seat 2 gets 3 cards in this round, not 2"),
        ('[[deck]]\norder = "As As"', "asked for more often"),
        ("[mechanism]\nrust = 1", "rust"),
        ("[mechanism]\nsticky = 7", "sticky"),
    ],
)
def test_what_does_not_fit_the_device_is_refused_when_applied(text: str, says: str) -> None:
    setup = setups.parse("test", text)
    with pytest.raises(BadSetup, match=says):
        Table(replace(build("i-deal-style"), setup=setup))


def test_a_missing_file_names_the_set_ups_there_are() -> None:
    with pytest.raises(BadSetup, match=r"there are .*brown-out-loop, "):
        setups.load("no/such/file.toml")


@pytest.mark.parametrize(
    ("fault", "line", "reason"),
    [
        ('when = "event=Nope"', 3, "event in a condition is one of"),
        ('when = "group=abc"', 3, "group in a condition is a whole number"),
        ("at_s = -5", 3, "at_s"),
        ("at_card = 3\nrate = 0.5", 4, "not both at_card and rate"),
        ("level = 0.5", 3, "jam_exit has no option 'level': it has none"),
        ("position = 3", 3, "jam_exit has no option 'position'"),
        ("lvel = 0.5", 3, "lvel"),
    ],
)
def test_nothing_mistyped_passes(fault: str, line: int, reason: str) -> None:
    with pytest.raises(BadSetup) as caught:
        setups.parse("x.toml", f'[[fault]]\nname = "jam_exit"\n{fault}\n')
    assert reason in str(caught.value)
    assert f"x.toml:{line}" in str(caught.value)


def test_a_pulled_cable_can_not_be_cleared_after_a_while() -> None:
    with pytest.raises(BadSetup, match=r"x\.toml:3: cable_pulled is over at once"):
        setups.parse("x.toml", '[[fault]]\nname = "cable_pulled"\nclear_after_s = 5.0\n')


def test_a_set_up_says_how_two_rounds_end() -> None:
    assert {setups.load(name).ends for name in setups.names()} == {"dealt", "void", "stops"}
    with pytest.raises(BadSetup, match="ends"):
        setups.parse("x.toml", 'ends = "well"\n')


def test_a_fault_that_can_come_at_any_time_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(setups._PLAIN, "new-fault", 'about = "x"\n[[fault]]\nname = "motor_stall"\n')
    assert "new-fault" in setups.names()
    (fault,) = setups.load("new-fault").faults
    assert fault.values == {"name": "motor_stall"}
