"""A table's story: the lines that are shown add up to the tray, and names are those that people say."""

import re

import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from round_engine.rules.rulebook import load
from round_engine.table import Table
from shuffler.table.narration import Narrator
from shuffler.table.players import Bot, at_random
from shuffler.table.view import view_of
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.table import VirtualTable, quick

AMOUNT = re.compile(r"\$([\d,]+)(?:\.(\d\d))?")


def cents(text: str) -> int:
    return sum(100 * int(whole.replace(",", "")) + int(rest or 0) for whole, rest in AMOUNT.findall(text))


def told(rules: str, rounds: int, **more: object) -> tuple[VirtualTable, list[str]]:
    bots = [Bot(spot=spot, decide=at_random) for spot in (1, 2, 3)]
    build = quick(Build(profile=load_profile("i-deal-style"), serial="SB\x1b[2J", seed=5))
    table = VirtualTable(Table(load(rules, **more)), MemoryBooks(), bots, build, seed=1)
    lines: list[str] = []
    table.desk.books.listeners.append(Narrator(view_of(table.core), lines.append).show)
    table.play(rounds)
    table.desk.books.flush()
    return table, lines


@pytest.mark.parametrize(
    ("rules", "more"),
    [
        ("south-dakota", {"sides": ("bad-beat",)}),
        ("light-and-wonder", {"changes": {"house": {"limit_ceiling": "$300"}}}),
    ],
)
def test_the_lines_that_are_shown_add_up_to_the_tray(rules: str, more: dict[str, object]) -> None:
    table, lines = told(rules, 40, **more)
    tray = 0
    taken = paid = 0
    for line in lines:
        match = re.match(r" spot \d (bets|loses|forfeits|wins)", line)
        if match is not None and match[1] in ("loses", "forfeits"):
            taken += cents(line)
        elif match is not None and match[1] == "bets":  # progressive wagers are taken at once
            taken += sum(cents(part) for part in line.split(", ") if "Progressive" in part or "Bad Beat" in part)
        elif match is not None and "from the meter" not in line:
            paid += cents(line.split("(")[0])
        elif line.startswith(" tray:"):
            said = re.fullmatch(r" tray: (.*) taken, (.*) paid(?:, (.*) to the meters)?: ([+−])(.*)", line)
            assert said is not None, line
            assert (cents(said[1]), cents(said[2])) == (taken, paid)
            change = taken - paid - cents(said[3] or "")
            assert cents(said[5]) * (1 if said[4] == "+" else -1) == change
            tray += change
            taken = paid = 0
    assert tray == table.core.table.ledger.balance("tray") - Table(load(rules, **more)).ledger.balance("tray")


def test_names_are_those_that_people_say_and_lines_fit_a_narrow_terminal() -> None:
    _, lines = told("south-dakota", 30)
    text = "\n".join(lines)
    assert not re.search(r"[a-z]_[a-z]", text)
    assert "6 Card Bonus $5" in text
    assert re.search(r"wins Ante \$10 \(1 to 1; ", text)
    assert "\x1b" not in text
    words = [word for line in lines for word in line.split()]
    assert max(map(len, words)) < 60
