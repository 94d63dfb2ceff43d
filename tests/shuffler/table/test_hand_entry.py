"""Hands that a device does not read: seen on the table, or entered by a person until they can be."""

import pytest

from proofs.kills import rules
from round_engine.errors import RoundEngineError
from round_engine.rules.rulebook import load
from shuffler.journal.entries import Entry, Operated
from shuffler.table.hand_entry import Operator, read_hand
from shuffler.virtual.soak.crew import SoakPlan

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


def test_cards_that_can_not_be_there_are_a_misdeal() -> None:
    soak = SoakPlan(rules=rules(), profile="ace-style", seats=2, rate=0.0).table(0)
    seen = soak.table.desk.eyes
    soak.table.desk.eyes = lambda spot: seen(1) if spot == 2 else seen(spot)
    report = soak.run(1)
    assert (report.settled, report.void) == (0, 1)
    assert list(report.void_reasons) == ["hand of seat 2"]


def test_an_operator_is_asked_again_until_the_hand_can_be() -> None:
    soak = SoakPlan(rules=rules(), profile="ace-style", seats=2, rate=0.0).table(0)
    answers = iter(["QH", "QH TC TC", "QH TC AS", "QH 2C 3C", "2C 3C 4C", "5D 6D 7D"])
    told: list[str] = []
    operated: list[str] = []
    watch = soak.table.desk.watch

    def note(entries: list[Entry]) -> None:
        operated.extend(type(entry.operation).__name__ for entry in entries if isinstance(entry, Operated))
        watch(entries)

    soak.table.desk.watch = note  # type: ignore[assignment]
    soak.table.desk.eyes = Operator(soak.table.desk.bridge, lambda _: next(answers), told.append)
    assert soak.run(1).settled == 1
    assert len(told) == 3
    assert operated.count("ShowHand") == 2
