"""Journalled rounds against bare durable commits of the same bytes, how both grow, and rounds without a disk."""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks import Section
from benchmarks.long_books import build
from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from proofs.compiled_build import ROOT, unpack, wheel
from proofs.kills import rules
from protocol import messages as m
from round_engine.hands.strategy import parse
from round_engine.table import Table
from shuffler.journal import SqliteJournal, verify
from shuffler.journal.reconcile import reconcile
from shuffler.journal.restart import reopen
from shuffler.journal.signing import HeadSigner
from shuffler.table.driver import Books
from shuffler.table.players import Bot, by_strategy
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.table import USB_FRAME_US, VirtualTable, quick

ROUNDS = 400
WARM_UP = 30
LONG = (5_000, 500_000)  # rounds already in the books
CLOCK = "2026-01-01T00:00:00.000+00:00"


def run() -> list[Section]:
    """The disk's part, how it grows, and the rest."""
    return [_journal(), _opening(), _growth(), _age(), _end_to_end()]


def _table(books: Books, seats: int, table: Table | None = None, last_round: int = 0) -> VirtualTable:
    decide = by_strategy(parse("Q-6-4"))
    bots = [Bot(spot=spot, decide=decide) for spot in range(1, seats + 1)]
    build = quick(Build(profile=load_profile("i-deal-style"), serial="BENCH", seed=1))
    return VirtualTable(
        table or Table(rules()), books, bots, build, seed=1, poll_us=USB_FRAME_US, last_round=last_round
    )


def _rate(table: VirtualTable, rounds: int) -> float:
    table.play(WARM_UP)
    start = time.perf_counter()
    table.play(rounds)
    return rounds / (time.perf_counter() - start)


class Taken(NamedTuple):
    """Seconds of one piece of work."""

    wall: float
    processor: float


def _in_turn(works: Sequence[Callable[[], object]], turns: int) -> list[list[Taken]]:
    """What each took in each of so many turns: one after another, so that whatever slows the machine slows them all."""
    found: list[list[Taken]] = [[] for _ in works]
    for _ in range(turns):
        for work, taken in zip(works, found, strict=True):
            wall, processor = time.perf_counter(), time.process_time()
            work()
            taken.append(Taken(time.perf_counter() - wall, time.process_time() - processor))
    return found


def _medians(taken: Sequence[Taken]) -> Taken:
    return Taken(median(one.wall for one in taken), median(one.processor for one in taken))


class BareBooks(MemoryBooks):
    """Books that are as durable as the journal and say nothing: bytes are committed whenever the journal would."""

    def __init__(self, path: Path, size: int) -> None:
        super().__init__()
        self._commit = _bare_commit(path, size)
        self._committed = 0

    def save_command(self, request: int, command: m.Message) -> bool:
        super().save_command(request, command)
        return command.entry.durable

    def flush(self) -> None:
        if self.written > self._committed:
            self._commit()
            self._committed = self.written


def _journal() -> Section:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        with closing(SqliteJournal(path, clock=lambda: CLOCK)) as books:
            journalled, unwritten = _table(books, 7), _table(MemoryBooks(), 7)
            journalled.play(WARM_UP)
            size = sum(_sizes(path)) // WARM_UP // 2
            bare = _table(BareBooks(Path(folder) / "bare.db", size), 7)
            commit = _bare_commit(Path(folder) / "alone.db", size)
            for table in (unwritten, bare):
                table.play(WARM_UP)
            works = (lambda: journalled.play(1), lambda: bare.play(1), lambda: unwritten.play(1),
                     lambda: (commit(), commit()))  # fmt: skip
            taken = _in_turn(works, ROUNDS)
        sizes = _sizes(path)
    # All tables play the same rounds from the same seed, so that each turn shows what the books added.
    part, bare_part = (
        _medians([Taken(books.wall - none.wall, books.processor - none.processor)
                  for books, none in zip(taken[which], taken[2], strict=True)])
        for which in (0, 1)
    )  # fmt: skip
    rows = (
        ("two bare durable commits of half a round's bytes each", _medians(taken[3])),
        ("a round with these two commits at the moments of the journal's", _medians(taken[1])),
        ("a journalled round", _medians(taken[0])),
        ("a round that is not written", _medians(taken[2])),
        ("what the bare commits add to a round", bare_part),
        ("what the journal adds to a round", part),
    )
    shown = tuple(
        (what, f"{it.wall * 1e6:,.0f} µs", f"{bare_part.wall / it.wall:.2f}×",
         f"{it.processor * 1e6:,.0f} µs", f"{bare_part.processor / it.processor:.2f}×")
        for what, it in rows
    )  # fmt: skip
    a_round, commits = sum(sizes) // (ROUNDS + WARM_UP), len(sizes) / (ROUNDS + WARM_UP)
    note = (
        f"SQLite, WAL, synchronous=FULL, same disk; medians of {ROUNDS} turns, in each of which every row is done "
        f"once, wire and engine included. A seven-seat round writes {a_round:,} bytes in {commits:.1f} commits: before "
        "the deal and before the dealer's cards are asked for; events are acknowledged when they have gone with one of "
        "these. Bare commits of the same bytes at the same moments are the most that such books could reach, so they "
        "are 1.00×. Reach: the journal ≥ 0.8×."
    )
    columns = ("what", "takes", "ratio", "of it processor time", "ratio")
    return Section(title="The journal", columns=columns, rows=shown, note=note)


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


def _growth() -> Section:
    rows = []
    for seats in (1, 3, 7):
        rows.append((f"{seats} seats, a new journal", *_grown(seats, 1)))
    for tables in (2, 4):
        rows.append((f"{tables} tables of 7 seats in turn, a journal each", *_grown(7, tables)))
    note = "Rounds a second of all tables together, in one process; the ratio is to the first row."
    base = float(rows[0][1].replace(",", ""))
    shown = tuple((what, rate, f"{float(rate.replace(',', '')) / base:.2f}×", size) for what, rate, size in rows)
    return Section(title="How the table grows", columns=("what", "rounds a second", "ratio", "bytes a round"),
                   rows=shown, note=note)  # fmt: skip


def _grown(seats: int, tables: int) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"journal-{number}.db" for number in range(tables)]
        books = [SqliteJournal(path, clock=lambda: CLOCK) for path in paths]
        played = [_table(book, seats) for book in books]
        for table in played:
            table.play(WARM_UP)
        start = time.perf_counter()
        for _ in range(ROUNDS):
            for table in played:
                table.play(1)
        rate = ROUNDS * tables / (time.perf_counter() - start)
        for book in books:
            book.close()
        size = sum(path.stat().st_size for path in paths) // (tables * (ROUNDS + WARM_UP))
    return f"{rate:,.0f}", f"{size:,}"


def _age() -> Section:
    """Whether a table gets slower as its books get longer."""
    signer = HeadSigner.of(Ed25519PrivateKey.generate())
    rows = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        tables, opened = [], []
        for before in (0, *LONG):
            path = Path(folder) / f"{before}.db"
            if before:
                build(path, before, rules(), signer)
            start = Taken(time.perf_counter(), time.process_time())
            books = stack.enter_context(closing(SqliteJournal(path, clock=lambda: CLOCK, signer=signer)))
            found = reopen(books, rules())
            opened.append(Taken(time.perf_counter() - start.wall, time.process_time() - start.processor))
            tables.append(_table(books, 7, found.table, found.last_round))
            tables[-1].play(WARM_UP)
        taken = [_medians(one) for one in _in_turn([partial(table.play, 1) for table in tables], ROUNDS)]
    for before, it, opening in zip((0, *LONG), taken, opened, strict=True):
        rows.append((
            f"{before:,} rounds in the books" if before else "a new journal",
            f"{it.wall * 1e3:.2f} ms", f"{taken[0].wall / it.wall:.2f}×",
            f"{it.processor * 1e3:.2f} ms", f"{taken[0].processor / it.processor:.2f}×",
            f"{opening.wall * 1e3:,.0f} ms",
        ))  # fmt: skip
    note = (
        f"A round of seven seats on journals of different length, in turn, {ROUNDS} times; medians. The journals are "
        "signed, so that they are opened from their newest checkpoint. Reach: ≥ 0.97×."
    )
    columns = ("what", "a round takes", "ratio", "of it processor time", "ratio", "opened in")
    return Section(title="How long books slow a table", columns=columns, rows=tuple(rows), note=note)


def _bare_commit(path: Path, size: int) -> Callable[[], object]:
    """What commits so many bytes, which no program compresses, each time it is called."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, body BLOB)")
    body = random.Random(1).randbytes(size)
    return lambda: database.execute("INSERT INTO records (body) VALUES (?)", (body,))


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
        f"processor time. {compiled} Reach: ≥ 800 seven-seat rounds a second."
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
