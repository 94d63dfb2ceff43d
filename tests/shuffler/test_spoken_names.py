"""No rule identifier (`six_card_bonus`, `mini_royal`) reaches a screen: people read "6 Card Bonus" everywhere."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from round_engine.rules.ruleset import Hand, Showdown
from round_engine.wagers import WAGERS, wager_label
from round_engine.wagers.spoken import HANDS, hand_name, row_name
from shuffler.cli import app
from shuffler.journal import SqliteJournal, rounds
from shuffler.journal.restart import reopen
from shuffler.table.narration import Narrator
from shuffler.table.players import Bot, at_random
from shuffler.table.rule_names import rules_by_name
from shuffler.table.view import posting_view, view_of
from shuffler.virtual.table import VirtualTable, quick

IDENTIFIER = re.compile(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b")
EVERY_WAGER = "south-dakota+bad-beat+prime"
ROUNDS = 12


def identifiers(text: str) -> set[str]:
    return set(IDENTIFIER.findall(text))


@pytest.fixture(scope="module")
def narrated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A journal of rounds with every wager at seven seats, and what the terminal showed meanwhile."""
    path = tmp_path_factory.mktemp("spoken") / "books.db"
    lines: list[str] = []
    with closing(SqliteJournal(path, clock=lambda: "2026-01-01", settings={"rules": EVERY_WAGER})) as books:
        opened = reopen(books, rules_by_name(EVERY_WAGER), rules_name=EVERY_WAGER)
        build = quick(Build(profile=load_profile("i-deal-style"), serial="C-1", seed=4))
        bots = [Bot(spot=spot, decide=at_random) for spot in range(1, 8)]
        table = VirtualTable(opened.table, books, bots, build, seed=1)
        table.desk.books.listeners.append(Narrator(view_of(table.core), lines.append).show)
        table.play(ROUNDS)
        table.desk.leave("the end")
    return path, "\n".join(lines)


def test_the_test_itself_finds_identifiers() -> None:
    assert identifiers("six_card_bonus loses $5, mini_royal 100 to 1") == {"six_card_bonus", "mini_royal"}
    assert not identifiers("6 Card Bonus loses $5 (mini royal, 100 to 1)")


def test_a_narrated_round_says_every_wager_by_its_name(narrated: tuple[Path, str]) -> None:
    _, text = narrated
    assert not identifiers(text)
    said = {wager.label for wager in WAGERS.values() if wager.posted_as == wager.name}
    assert {name for name in said if name not in text} == set()


def test_a_shown_round_has_no_identifier(narrated: tuple[Path, str]) -> None:
    path, _ = narrated
    for number in range(1, ROUNDS + 1):
        shown = CliRunner().invoke(app, ["journal", "show", str(path), f"R{number}"])
        assert shown.exit_code == 0, shown.output
        assert "Dealt from: " in shown.stdout
        assert not identifiers(shown.stdout)


@pytest.mark.parametrize("verb", ["list", "verify", "reconcile", "replay"])
def test_no_other_verb_of_the_journal_has_one(narrated: tuple[Path, str], verb: str) -> None:
    shown = CliRunner().invoke(app, ["journal", verb, str(narrated[0])])
    assert shown.exit_code == 0, shown.output
    assert not identifiers(shown.output)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rules", "south-dakota", "--side", "bad-beat", "--detail"),
        ("--rules", "ten-dollar-house"),
        ("--rules", "ten-dollar-house", "--markdown"),
        ("--printed",),
    ],
)
def test_tables_of_odds_have_none(arguments: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(app, ["odds", *arguments])
    assert shown.exit_code == 0, shown.output
    assert len(shown.stdout) > 500
    assert not identifiers(shown.stdout)


def test_every_wager_hand_and_pay_row_can_be_said() -> None:
    hands = [*Hand, *Showdown]
    assert not identifiers(" ".join([*map(wager_label, WAGERS), *map(hand_name, hands), *HANDS.values()]))
    assert not identifiers(" ".join(row_name(f"{hand} 3 to 1") for hand in hands))


def test_the_api_labels_every_posting_in_words(narrated: tuple[Path, str]) -> None:
    path, _ = narrated
    postings = [posting for one in rounds(path) for operated in one.operations for posting in operated.postings]
    labels = {posting_view(posting).what for posting in postings if posting.wager}
    assert labels >= {"Ante", "Pair Plus", "6 Card Bonus"}
    assert not identifiers(" ".join(labels))
