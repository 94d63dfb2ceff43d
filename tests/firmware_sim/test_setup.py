"""Set-up files: read, refused with their place, and applied."""

from dataclasses import replace

import pytest

from firmware_sim import profile as profiles
from firmware_sim import setup as setups
from firmware_sim.errors import BadSetup
from firmware_sim.faults import CATALOGUE
from firmware_sim.trouble_table import BY_NAME
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
    wanted = {BY_NAME[fault.name].fault for fault in setup.faults if not fault.trigger.rate} - {None}
    rare = {"worn_reader"}
    held = {row.code for row in CATALOGUE if row.holds} - {FaultCode.POWER_CUT}
    stops = {row.code for row in CATALOGUE if not {Cleared.BY_DEALER, Cleared.BY_ITSELF} & set(row.clears)}
    must = wanted & held if not any(fault.name in rare for fault in setup.faults) else set()
    table.play(lambda: len(table.controller.closed) >= 2 or bool(raised(table) & stops), steps=6000)
    assert must <= raised(table)
    assert objections(table) == []
    assert len(table.controller.closed) >= 2 or raised(table) & stops
    assert setup.about


def test_every_fault_that_holds_the_machine_has_a_set_up_that_starts_in_it() -> None:
    by_hosts = {FaultCode.EVENTS_FULL}  # a host that does not acknowledge is no set-up of the device
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
    assert (fault.trigger.at_us, fault.trigger.clear_after_us) == (1_500_000, 2_000_000)
    assert fault.options == {"face": 51, "position": 3}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("about = [", "is not TOML"),
        ("colour = 1", "has no 'colour'; it may have about"),
        ('profile = "slot-machine"', "no profile is called 'slot-machine'"),
        ("[device]\ndecks = 9", "decks is 1 to 8, not 9"),
        ("[device]\ncolour = 1", "[device] has no 'colour'"),
        ("[deck]\norder = 'As'", "write each as [[deck]]"),
        ("[[deck]]\nseats = [1]", "give either an order or hands"),
        ("[[deck]]\norder = 'Xx'", "[[deck]] 1: 'Xx' is not a card"),
        ("[[deck]]\nhands = { x = 'As' }", "a seat is a number or dealer, not 'x'"),
        ("[[fault]]\nname = 'gremlin'", "[[fault]] 1: no trouble is called 'gremlin'"),
        ("[[fault]]\nname = 'jam_exit'\ncolour = 1", "[[fault]] 1 has no 'colour'"),
        ("[[fault]]\nname = 'jam_exit'\nat_card = 'x'", "at_card is a int, not 'x'"),
        ("[[fault]]\nname = 'jam_exit'\nat_s = 'x'", "could not convert"),
        ("[[fault]]\nname = 'jam_exit'\nwhen = 'raining'", "a condition reads NAME=VALUE"),
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
    with pytest.raises(BadSetup, match="there are brown-out-loop"):
        setups.load("no/such/file.toml")
