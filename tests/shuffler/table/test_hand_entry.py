"""Hands that a device does not read: seen on the table, or entered by a person until they can be."""

import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from proofs.kills import rules
from round_engine.errors import RoundEngineError
from round_engine.round.operations import DeclareMisdeal, Operation, ShowHand
from round_engine.rules.rulebook import load
from round_engine.table import Table
from shuffler.journal.entries import Entry, Operated
from shuffler.table.hand_entry import Operator, read_hand
from shuffler.table.people import Look
from shuffler.table.players import seated
from shuffler.virtual.eyes import TableEyes
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.soak.crew import SoakPlan
from shuffler.virtual.table import VirtualTable, quick

QH, TC, AS = 2 * 13 + 10, 8, 3 * 13 + 12


@pytest.mark.parametrize("text", ["QH 10C AS", "qh tc as", "Q♥, 10♣, A♠"])
def test_a_hand_is_read_however_it_is_written(text: str) -> None:
    assert read_hand(text) == (QH, TC, AS)


@pytest.mark.parametrize(
    ("text", "says"), [("", "3 cards, not 0"), ("QH TC", "not 2"), ("QH TC 1S", "1S"), ("QH TC AX", "AX")]
)
def test_what_is_no_hand_is_named(text: str, says: str) -> None:
    with pytest.raises(RoundEngineError, match=says):
        read_hand(text)


@pytest.mark.parametrize(("profile", "rule_set"), [("ace-style", "light-and-wonder"), ("dealing-shoe", "south-dakota")])
def test_every_profile_makes_a_table(profile: str, rule_set: str) -> None:
    chosen = rules() if rule_set == "light-and-wonder" else load(rule_set)
    table = SoakPlan(rules=chosen, profile=profile, seats=3, rate=0.0).table(0)
    report = table.run(4)
    assert (report.settled, report.void) == (4, 0)
    assert report.problems == []


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "rule_set"), [("ace-style", "light-and-wonder"), ("dealing-shoe", "south-dakota")])
def test_every_profile_survives_every_injection(profile: str, rule_set: str) -> None:
    chosen = rules() if rule_set == "light-and-wonder" else load(rule_set)
    report = SoakPlan(rules=chosen, profile=profile, seats=2, rate=0.5, seed=4).table(0).run(120)
    assert report.problems == []
    assert report.settled > 60
    assert report.void > 0


def table_of(look: Look) -> tuple[VirtualTable, list[Entry]]:
    """A table with a device that reads no faces, and what is written about it."""
    books, entries = MemoryBooks(), []
    books.listeners.append(entries.extend)
    build = quick(Build(profile=load_profile("ace-style"), serial="BLIND", seed=1))
    return VirtualTable(Table(rules()), books, seated("always", 2), build, look=look), entries


def operated(entries: list[Entry]) -> list[Operation]:
    return [entry.operation for entry in entries if isinstance(entry, Operated)]


def test_cards_that_can_not_be_there_are_a_misdeal() -> None:
    eyes = TableEyes(lambda: table.emulator.machine)
    table, entries = table_of(lambda spot, deck: eyes(1 if spot == 2 else spot, deck))
    table.play(1)
    assert (table.core.round.settled, table.core.round.void) == (0, 1)
    (misdeal,) = [one for one in operated(entries) if isinstance(one, DeclareMisdeal)]
    assert misdeal.reason.startswith("hand of seat 2: ")


def test_an_operator_is_asked_again_until_the_hand_can_be() -> None:
    answers = iter(["QH", "QH TC TC", "QH TC AS", "QH 2C 3C", "2C 3C 4C", "5D 6D 7D"])
    told: list[str] = []
    table, entries = table_of(
        lambda spot, deck: Operator(table.core.table, lambda _: next(answers), told.append)(spot, deck)
    )
    table.play(1)
    assert table.core.round.settled == 1
    assert len(told) == 3
    assert sum(isinstance(one, ShowHand) for one in operated(entries)) == 2
