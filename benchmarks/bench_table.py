"""Journalled rounds against bare durable commits of the same bytes, how both grow, and rounds without a disk."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from benchmarks import Section
from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from proofs.compiled_build import ROOT, unpack, wheel
from proofs.kills import rules
from round_engine.strategy import parse
from round_engine.table import Table
from shuffler.journal import SqliteJournal, verify
from shuffler.journal.memory import MemoryBooks
from shuffler.journal.reconcile import reconcile
from shuffler.table.driver import Books
from shuffler.table.players import Bot, by_strategy
from shuffler.virtual.table import USB_FRAME_US, VirtualTable, quick

ROUNDS = 400
WARM_UP = 30
LONG = 5_000  # rounds already in the books
CLOCK = "2026-01-01T00:00:00.000+00:00"


def run() -> list[Section]:
    """The disk's part, how it grows, and the rest."""
    return [_journal(), _opening(), _growth(), _end_to_end()]


def _table(books: Books, seats: int) -> VirtualTable:
    decide = by_strategy(parse("Q-6-4"))
    bots = [Bot(spot=spot, decide=decide) for spot in range(1, seats + 1)]
    build = quick(Build(profile=load_profile("i-deal-style"), serial="BENCH", seed=1))
    return VirtualTable(Table(rules()), books, bots, build, seed=1, poll_us=USB_FRAME_US)


def _rate(table: VirtualTable, rounds: int) -> float:
    table.play(WARM_UP)
    start = time.perf_counter()
    table.play(rounds)
    return rounds / (time.perf_counter() - start)


def _journal() -> Section:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        books = SqliteJournal(path, clock=lambda: CLOCK)
        rate = _rate(_table(books, 7), ROUNDS)
        books.close()
        unwritten = _rate(_table(MemoryBooks(), 7), ROUNDS)
        sizes = _sizes(path)
        rounds = ROUNDS + WARM_UP
        a_round = sum(sizes) // rounds
        commits = len(sizes) / rounds
        bare = _bare_commits(Path(folder) / "bare.db", bytes(a_round))
        in_two = _bare_commits(Path(folder) / "two.db", bytes(a_round // 2)) / 2
    rows = (
        ("bare durable commits of a round's bytes", f"{bare:,.0f}", "1.00×"),
        ("the same bytes in two bare commits", f"{in_two:,.0f}", f"{in_two / bare:.2f}×"),
        ("journalled rounds, wire and engine included", f"{rate:,.0f}", f"{rate / bare:.2f}×"),
        ("the same without the journal", f"{unwritten:,.0f}", f"{unwritten / bare:.2f}×"),
        ("the journal's part alone", f"{_part(rate, unwritten):,.0f}", f"{_part(rate, unwritten) / bare:.2f}×"),
        ("the journal's part × two bare commits", "", f"{_part(rate, unwritten) / in_two:.2f}×"),
    )
    note = (
        f"SQLite, WAL, synchronous=FULL, same disk, same run. A seven-seat round writes {a_round:,} bytes in "
        f"{commits:.1f} commits: before the deal and before the dealer's cards are asked for; events are acknowledged "
        "when they have gone with one of these. A bare commit writes the same bytes at once; two of half the bytes are "
        "the most that a round with two such moments could reach. Reach: the journal's part ≥ 0.8× of these."
    )
    return Section(title="The journal", columns=("what", "a second", "ratio"), rows=rows, note=note)


def _opening() -> Section:
    """How fast a journal is verified and replayed when it is opened."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        books = SqliteJournal(path, clock=lambda: CLOCK)
        _table(books, 7).play(ROUNDS)
        books.flush()
        books.close()
        records = verify(path).records
        with closing(sqlite3.connect(path)) as database:
            rows = "SELECT seq, at, body, hash FROM records ORDER BY seq"
            bare = records / _best(lambda: [sha256(body).digest() for _, _, body, _ in database.execute(rows)])
        checked = records / _best(lambda: verify(path))
        replayed = ROUNDS / _best(lambda: reconcile(path, rules()))
    table = (
        ("rows read and hashed, nothing else", f"{bare:,.0f} records", "1.00×"),
        ("the chain verified", f"{checked:,.0f} records", f"{checked / bare:.2f}×"),
        ("everything replayed and reconciled", f"{replayed:,.0f} rounds", ""),
    )
    note = (
        "Seven seats, two records a round. An unsigned journal is verified and reconciled whole whenever a table is "
        "opened, a signed one from its newest signed checkpoint."
    )
    return Section(title="Opening a journal", columns=("what", "a second, one core", "ratio"), rows=table, note=note)


def _best(work: Callable[[], object]) -> float:
    """Processor seconds of the best of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def _sizes(path: Path) -> list[int]:
    """The bytes of every record."""
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT length(at) + length(body) + length(hash) FROM records"
        return [size for (size,) in database.execute(query)]


def _part(with_journal: float, without: float) -> float:
    """Rounds a second of the journal alone, from the time that it adds to a round."""
    return 1 / max(1 / with_journal - 1 / without, 1e-9)


def _growth() -> Section:
    rows = []
    for seats in (1, 3, 7):
        rows.append((f"{seats} seats, a new journal", *_grown(seats, 1, 0)))
    rows.append((f"7 seats, {LONG:,} rounds in the books", *_grown(7, 1, LONG)))
    for tables in (2, 4):
        rows.append((f"{tables} tables of 7 seats in turn, a journal each", *_grown(7, tables, 0)))
    note = "Rounds a second of all tables together, in one process; the ratio is to the first row."
    base = float(rows[0][1].replace(",", ""))
    shown = tuple((what, rate, f"{float(rate.replace(',', '')) / base:.2f}×", size) for what, rate, size in rows)
    return Section(title="How the table grows", columns=("what", "rounds a second", "ratio", "bytes a round"),
                   rows=shown, note=note)  # fmt: skip


def _grown(seats: int, tables: int, before: int) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"journal-{number}.db" for number in range(tables)]
        books = [SqliteJournal(path, clock=lambda: CLOCK) for path in paths]
        played = [_table(book, seats) for book in books]
        for table in played:
            table.play(WARM_UP + before)
        start = time.perf_counter()
        for _ in range(ROUNDS):
            for table in played:
                table.play(1)
        rate = ROUNDS * tables / (time.perf_counter() - start)
        for book in books:
            book.close()
        size = sum(path.stat().st_size for path in paths) // (tables * (ROUNDS + WARM_UP + before))
    return f"{rate:,.0f}", f"{size:,}"


def _bare_commits(path: Path, body: bytes) -> float:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, body BLOB)")
    start = time.perf_counter()
    for _ in range(ROUNDS):
        database.execute("INSERT INTO records (body) VALUES (?)", (body,))
    rate = ROUNDS / (time.perf_counter() - start)
    database.close()
    return rate


def _end_to_end() -> Section:
    with tempfile.TemporaryDirectory() as folder:
        compiled, built = _compiled(Path(folder))
        rows = []
        for seats in (1, 3, 7):
            pure = _processor_rate(seats, ROOT)
            fast = _processor_rate(seats, built) if built is not None else None
            told = ("", "") if fast is None else (f"{fast:,.0f}", f"{fast / pure:.2f}×")
            rows.append((f"{seats} seats", f"{pure:,.0f}", f"{1e3 / pure:.2f} ms", *told))
    note = (
        "Device, wire, session, bridge, engine and players in virtual time on one core, nothing written to disk, in "
        f"processor time. {compiled} Reach: ≥ 1,000 seven-seat rounds a second."
    )
    columns = ("table", "rounds a second", "a round", "compiled build", "ratio")
    return Section(title="Rounds end to end", columns=columns, rows=tuple(rows), note=note)


def _compiled(folder: Path) -> tuple[str, Path | None]:
    """Whether the compiled build can be built here, in words, and where it was unpacked."""
    try:
        unpack(wheel(folder), folder / "unpacked")
    except RuntimeError as problem:
        return f"The compiled build can't be built here: {str(problem).splitlines()[-1]}.", None
    return "The compiled build is made in a scratch folder (docs/architecture.md).", folder / "unpacked"


def _processor_rate(seats: int, sources: Path) -> float:
    """Rounds a second of processor time in a process of its own that imports the product from there."""
    play = f"from benchmarks.bench_table import print_rate; print_rate({seats})"
    paths = {"PYTHONPATH": os.pathsep.join((str(sources), str(ROOT)))}
    done = subprocess.run(
        [sys.executable, "-c", play], cwd=sources, env={**os.environ, **paths}, stdout=subprocess.PIPE, check=True
    )
    return float(done.stdout)


def print_rate(seats: int) -> None:
    """Rounds a second of processor time of the build that is imported here."""
    table = _table(MemoryBooks(), seats)
    table.play(WARM_UP)
    print(ROUNDS / _best(lambda: table.play(ROUNDS)))
