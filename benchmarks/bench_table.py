"""Journalled rounds against bare durable commits of the same bytes; rounds end to end without a disk."""

import json
import sqlite3
import tempfile
import time
from pathlib import Path

from benchmarks import Section
from firmware_sim.emulator import Build
from firmware_sim.profile import load as load_profile
from proofs.kills import rules
from round_engine.strategy import parse
from round_engine.table import Table
from shuffler.bots import Bot, by_strategy
from shuffler.desk import Books
from shuffler.journal import SqliteJournal, read
from shuffler.memory_books import MemoryBooks
from shuffler.virtual_table import VirtualTable, quick

ROUNDS = 400
WARM_UP = 30


def run() -> list[Section]:
    """Two sections: the disk's part, and the rest."""
    return [_journal(), _end_to_end()]


def _table(books: Books, seats: int) -> VirtualTable:
    decide = by_strategy(parse("Q-6-4"))
    bots = [Bot(spot=spot, decide=decide) for spot in range(1, seats + 1)]
    build = quick(Build(profile=load_profile("i-deal-style"), serial="BENCH", seed=1))
    return VirtualTable(Table(rules()), books, bots, build, seed=1)


def _rate(table: VirtualTable, rounds: int) -> float:
    table.play(WARM_UP)
    start = time.perf_counter()
    table.play(rounds)
    return rounds / (time.perf_counter() - start)


def _journal() -> Section:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        books = SqliteJournal(path, clock=lambda: "2026-01-01T00:00:00.000+00:00")
        rate = _rate(_table(books, 7), ROUNDS)
        books.close()
        records = [json.dumps(record.entries) for record in read(path)]
        rounds = ROUNDS + WARM_UP
        a_round = sum(map(len, records)) // rounds
        commits = len(records) / rounds
        bare = _bare_commits(Path(folder) / "bare.db", "x" * a_round)
    rows = (
        ("bare durable commits of a round's bytes", f"{bare:,.0f}", "1.00×"),
        ("journalled rounds, wire and engine included", f"{rate:,.0f}", f"{rate / bare:.2f}×"),
    )
    note = (
        f"SQLite, WAL, synchronous=FULL, same disk, same run. A seven-seat round writes {a_round:,} bytes in "
        f"{commits:.1f} commits: before the deal, before the dealer's cards are asked for, and whenever events are "
        "acknowledged; a bare commit writes the same bytes at once. Reach: ≥ 0.5×."
    )
    return Section(title="The journal", columns=("what", "a second", "ratio"), rows=rows, note=note)


def _bare_commits(path: Path, body: str) -> float:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, body TEXT)")
    start = time.perf_counter()
    for _ in range(ROUNDS):
        database.execute("INSERT INTO records (body) VALUES (?)", (body,))
    rate = ROUNDS / (time.perf_counter() - start)
    database.close()
    return rate


def _end_to_end() -> Section:
    rows = []
    for seats in (1, 3, 7):
        rate = _rate(_table(MemoryBooks(), seats), ROUNDS)
        rows.append((f"{seats} seats", f"{rate:,.0f}", f"{1e3 / rate:.2f} ms"))
    note = (
        "Device, wire, session, bridge, engine and players in virtual time on one core, nothing written to disk. "
        "Reach: ≥ 1,000 seven-seat rounds a second."
    )
    columns = ("table", "rounds a second", "a round")
    return Section(title="Rounds end to end", columns=columns, rows=tuple(rows), note=note)
