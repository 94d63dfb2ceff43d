"""Writes that fail, files that vanish, events that are missing: one transaction or nothing, and a sentence."""

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.program.nvstore import VolatileMedium
from firmware_sim.unit.emulator import Build
from proofs.auditor import audit
from protocol import messages as m
from round_engine.rules.rulebook import load
from shuffler.journal import JournalBroken, JournalUnreadable, JournalUnwritable, JournalVanished, SqliteJournal, read
from shuffler.journal.entries import DeviceSaid, Entry, EventGap, Remark
from shuffler.journal.file import connect
from shuffler.journal.reconcile import reconcile
from shuffler.journal.restart import reopen
from shuffler.table.narration import Narrator
from shuffler.table.players import seated
from shuffler.table.view import view_of
from shuffler.virtual.table import VirtualTable, quick

RULES = load("south-dakota")
WRITES = 16  # statements that write, from making the file to the end of the third round


class FailingFile:
    """Opens files whose n-th write fails: before it is done, or after it was (only the answer is lost)."""

    def __init__(self, at: int, *, after: bool = False) -> None:
        self.left = at
        self.after = after

    def __call__(self, path: Path, create: bool) -> Any:
        return FailingConnection(connect(path, create), self)


class FailingConnection:
    def __init__(self, database: sqlite3.Connection, plan: FailingFile) -> None:
        self._database, self._plan = database, plan

    def execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        if statement.startswith(("SELECT", "PRAGMA")):
            return self._database.execute(statement, values)
        return self._write(lambda: self._database.execute(statement, values))

    def executemany(self, statement: str, rows: list[Any]) -> sqlite3.Cursor:
        return self._write(lambda: self._database.executemany(statement, rows))

    def _write(self, do: Any) -> sqlite3.Cursor:
        self._plan.left -= 1
        fails = self._plan.left == 0
        if fails and not self._plan.after:
            raise sqlite3.OperationalError("database or disk is full")
        done: sqlite3.Cursor = do()
        if fails:
            raise sqlite3.OperationalError("disk I/O error")
        return done

    def close(self) -> None:
        self._database.close()


def journal(path: Path, **options: Any) -> SqliteJournal:
    return SqliteJournal(path, clock=lambda: "2026-01-01", settings={"rules": "south-dakota"}, **options)


def seat(books: SqliteJournal, medium: VolatileMedium, seen: list[Entry]) -> VirtualTable:
    opened = reopen(books, RULES)
    build = quick(Build(profile=load_profile("i-deal-style"), serial="F-1", seed=2))
    table = VirtualTable(
        opened.table, books, seated("Q-6-4", 2), build, medium=medium, last_round=opened.last_round, seed=books.records
    )
    table.core.device_rounds.update(opened.device_rounds)
    table.desk.books.listeners.append(seen.extend)
    return table


@pytest.mark.parametrize("after", [False, True], ids=["not done", "done, answer lost"])
def test_a_failure_at_every_write_of_three_rounds(tmp_path: Path, after: bool) -> None:
    """Killed by it, reopened, played on: nothing doubled, nothing lost, nothing shown that is not booked."""
    failures = 0
    every = range(1, WRITES + 1, 2 if after else 1)
    for at in every:
        path, medium, seen = tmp_path / f"{at}.db", VolatileMedium(), []
        try:
            with closing(journal(path, open_file=FailingFile(at, after=after))) as books:
                seat(books, medium, seen).play(3)
        except JournalUnwritable:
            failures += 1
        again = journal(path)
        table = seat(again, medium, [])
        table.play(2)
        table.desk.leave("the end")
        again.close()
        events = table.emulator.device.events
        assert events.acknowledged <= again.newest_event("F-1", events.epoch)
        found = reconcile(path, RULES)
        assert found.problems == [], at
        assert audit(path).problems == [], at
        written = [entry for record in read(path) for entry in record.entries]
        assert all(entry in written for entry in seen if not isinstance(entry, DeviceSaid)), at
    assert failures == len(every)


@pytest.mark.parametrize("after", [False, True], ids=["not done", "done, answer lost"])
def test_the_same_journal_goes_on_when_there_is_room(tmp_path: Path, after: bool) -> None:
    path = tmp_path / "books.db"
    plan = FailingFile(10_000, after=after)
    books = journal(path, open_file=plan)
    told: list[Entry] = []
    books.listeners.append(told.extend)
    books.write([Remark("", "a", "one")])
    books.flush()
    plan.left = 1
    books.write([Remark("", "b", "two")])
    with pytest.raises(JournalUnwritable):
        books.flush()
    assert [one.kind for one in told if isinstance(one, Remark)] == ["a"]
    books.write([Remark("", "c", "three")])
    books.flush()
    books.close()
    written = [entry.kind for record in read(path) for entry in record.entries if isinstance(entry, Remark)]
    assert written == ["a", "b", "c"] == [one.kind for one in told if isinstance(one, Remark)]


def test_somebody_else_s_record_is_noticed(tmp_path: Path) -> None:
    first, second = journal(tmp_path / "books.db"), journal(tmp_path / "books.db")
    first.write([Remark("", "a", "one")])
    with pytest.raises(JournalBroken, match="another program"):
        first.flush()  # the second one has reserved its request ids meanwhile
    second.write([Remark("", "b", "two")])
    second.flush()
    second.close()


@pytest.mark.parametrize("how", ["deleted", "replaced", "log deleted"])
def test_a_journal_that_vanished_is_noticed_at_the_next_commit(tmp_path: Path, how: str) -> None:
    path = tmp_path / "books.db"
    books = journal(path)
    told: list[Entry] = []
    books.listeners.append(told.extend)
    books.write([Remark("", "a", "one")])
    books.flush()
    told.clear()
    if how == "replaced":
        (tmp_path / "other.db").write_bytes(path.read_bytes())
        os.replace(tmp_path / "other.db", path)
    elif how == "deleted":
        path.unlink()
    else:
        path.with_name("books.db-wal").unlink()
    books.write([Remark("", "b", "two")])
    with pytest.raises(JournalVanished, match="deleted or replaced"):
        books.flush()
    with pytest.raises(JournalVanished, match="deleted or replaced"):
        books.flush()
    assert told == []
    assert how != "deleted" or not path.exists()


def test_events_that_never_came_are_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    books = journal(path)
    books.store_event("S", 7, m.DoorMoved(number=1, time_ms=5, open=True))
    books.store_event("S", 7, m.DoorMoved(number=9, time_ms=5, open=False))
    books.flush()
    books.close()
    assert [one for record in read(path) for one in record.entries if isinstance(one, EventGap)] == [
        EventGap("S", 7, 2, 9)
    ]
    found = reconcile(path, RULES)
    assert found.problems == []
    assert "events 2 … 8" in found.warnings[0]
    assert audit(path).gaps == 1


def test_a_serial_is_data(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    books = journal(path)
    opened = reopen(books, RULES)
    build = quick(Build(profile=load_profile("i-deal-style"), serial="Pit 3 round table\x1b[2J/x round 7", seed=2))
    table = VirtualTable(opened.table, books, seated("Q-6-4", 1), build)
    lines: list[str] = []
    table.desk.books.listeners.append(Narrator(view_of(table.core), lines.append).show)
    table.play(2)
    books.flush()
    assert any("Pit 3 round table" in line for line in lines)
    assert not any("\x1b" in line for line in lines)
    books.close()
    assert reconcile(path, RULES).problems == []
    with closing(journal(path)) as again:
        assert reopen(again, RULES).last_round == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become another user")
def test_a_journal_on_a_read_only_file_system_is_still_read() -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        _read_by_another_user(Path(name))


def _read_by_another_user(folder: Path) -> None:
    path = folder / "books.db"
    books = journal(path)
    books.write([Remark("", "a", "one")])
    books.flush()  # still in the write-ahead log
    for file in folder.iterdir():
        file.chmod(0o644)
    folder.chmod(0o555)
    os.seteuid(65534)
    try:
        assert [entry for record in read(path) for entry in record.entries if isinstance(entry, Remark)]
        with pytest.raises(JournalUnwritable):
            journal(path)
    finally:
        os.seteuid(0)
        folder.chmod(0o755)
    books.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become another user")
def test_a_journal_in_a_closed_folder_is_a_sentence(tmp_path: Path) -> None:
    journal(tmp_path / "books.db").close()
    tmp_path.chmod(0o700)
    os.seteuid(65534)
    try:
        with pytest.raises(JournalUnreadable, match=r"can't be read \(Permission denied\)"):
            list(read(tmp_path / "books.db"))
        with pytest.raises(JournalUnwritable):
            journal(tmp_path / "books.db")
    finally:
        os.seteuid(0)
