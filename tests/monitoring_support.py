"""A journal with rounds in it, for tests of what follows journals."""

from contextlib import closing
from pathlib import Path

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from round_engine.rules.rulebook import load
from shuffler.journal import SqliteJournal
from shuffler.journal.restart import reopen
from shuffler.table.players import seated
from shuffler.virtual.table import VirtualTable, quick

RULES = "south-dakota"


def play(path: Path, rounds: int, *, seats: int = 2, seed: int = 4, serial: str = "C-1") -> None:
    """Play rounds in virtual time into this journal; an existing one is continued on another device."""
    with closing(SqliteJournal(path, clock=lambda: "2026-01-01", settings={"rules": RULES})) as books:
        opened = reopen(books, load(RULES), rules_name=RULES)
        build = quick(Build(profile=load_profile("i-deal-style"), serial=serial, seed=seed))
        table = VirtualTable(opened.table, books, seated("Q-6-4", seats), build, last_round=opened.last_round)
        table.play(rounds)
        table.desk.leave("the end")
