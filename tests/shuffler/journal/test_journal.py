"""The journal: what is written lasts, what is changed is found, what can't be written is not acknowledged."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from round_engine.rules.rulebook import load
from round_engine.table import Table
from shuffler.journal import (
    JournalBroken,
    JournalUnreadable,
    JournalUnwritable,
    SqliteJournal,
    read,
    rounds,
    sqlite,
    verify,
)
from shuffler.journal.codec import CHECKPOINT, encode_record
from shuffler.journal.entries import DeviceSaid, Remark
from shuffler.journal.file import NEWEST_FIRST, OF_KIND
from shuffler.journal.reconcile import reconcile
from shuffler.journal.restart import reopen
from shuffler.table.players import Bot, at_random
from shuffler.virtual.table import VirtualTable, quick

RULES = load("south-dakota")


def clock() -> str:
    return "2026-01-01T00:00:00.000+00:00"


def event(number: int) -> m.Event:
    return m.DoorMoved(number=number, time_ms=5, open=True)


def journal(folder: Path) -> SqliteJournal:
    return SqliteJournal(folder / "books.db", clock=clock, settings={"rules": "south-dakota"})


def played(folder: Path, count: int = 4) -> Path:
    books = journal(folder)
    bots = [Bot(spot=spot, decide=at_random) for spot in (1, 2, 3)]
    opened = reopen(books, RULES)
    build = quick(Build(profile=load_profile("i-deal-style"), serial="J-1", seed=2 + opened.last_round))
    table = VirtualTable(opened.table, books, bots, build, last_round=opened.last_round)
    table.play(count)
    books.flush()
    books.close()
    return folder / "books.db"


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement, values)


def test_what_is_flushed_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    books = journal(tmp_path)
    books.write([Remark("R1", "a", "one")])
    books.store_event("S", 7, event(1))
    books.flush()
    books.close()
    *_, record = read(tmp_path / "books.db")
    assert record.entries == (Remark("R1", "a", "one"), DeviceSaid("S", 7, event(1)))
    again = journal(tmp_path)
    assert again.newest_event("S", 7) == 1
    assert again.instance() == books.instance()
    again.close()


def test_what_is_not_flushed_is_not(tmp_path: Path) -> None:
    books = journal(tmp_path)
    books.store_event("S", 7, event(1))
    books.close()
    again = journal(tmp_path)
    assert again.newest_event("S", 7) == 0
    again.close()


def test_a_replayed_event_changes_nothing(tmp_path: Path) -> None:
    books = journal(tmp_path)
    assert books.store_event("S", 7, event(1))
    assert not books.store_event("S", 7, event(1))
    books.flush()
    assert not books.store_event("S", 7, event(1))
    books.flush()
    said = [one for record in read(tmp_path / "books.db") for one in record.entries if isinstance(one, DeviceSaid)]
    assert len(said) == 1
    books.close()


def test_a_request_id_is_never_used_twice_though_nothing_was_flushed(tmp_path: Path) -> None:
    books = journal(tmp_path)
    used = [books.next_request()]
    for _ in range(2000):
        books.save_command(used[-1], m.Load())
        used.append(books.next_request())
    books.close()  # killed
    again = journal(tmp_path)
    assert again.next_request() > max(used)
    again.close()


def test_open_commands_survive(tmp_path: Path) -> None:
    books = journal(tmp_path)
    begin = m.BeginRound(round=1, seats=3)
    assert books.save_command(1, begin)
    books.flush()
    books.close()
    again = journal(tmp_path)
    assert again.open_commands() == {1: begin}
    again.settle_command(1, m.Done())
    again.flush()
    assert again.open_commands() == {}
    again.close()


def test_rounds_can_be_read_back_and_replayed(tmp_path: Path) -> None:
    path = played(tmp_path)
    found = list(rounds(path))
    assert [one.outcome for one in found] == ["settled"] * 4
    assert reconcile(path, RULES).problems == []


def test_a_table_goes_on_where_it_was(tmp_path: Path) -> None:
    path = played(tmp_path, 3)
    played(tmp_path, 2)
    assert [one.round_id for one in rounds(path)] == ["R1", "R2", "R3", "R4", "R5"]


def test_a_round_that_was_open_is_void_after_a_restart(tmp_path: Path) -> None:
    books = journal(tmp_path)
    opened = reopen(books, RULES)
    bots = [Bot(spot=1, decide=at_random)]
    build = quick(Build(profile=load_profile("i-deal-style"), serial="J-1", seed=2))
    table = VirtualTable(opened.table, books, bots, build)
    while not (table.core.round.is_open and table.core.round.deck.taken):
        table.step()
    books.flush()
    books.close()
    again = journal(tmp_path)
    reopened = reopen(again, RULES)
    again.close()
    assert reopened.voided == "R1"
    assert reopened.table.ledger.balance("layout") == 0
    assert [one.outcome for one in rounds(tmp_path / "books.db")] == ["void"]
    # all but the device's own continuation of events reconciles
    assert not [p for p in reconcile(tmp_path / "books.db", RULES).problems if "event" not in p]


@pytest.mark.parametrize("seq", [1, 3, 6])
def test_an_edited_row_is_found(tmp_path: Path, seq: int) -> None:
    path = played(tmp_path)
    change(path, "UPDATE records SET body = ? WHERE seq = ?", encode_record([Remark("R1", "x", "nothing to see")]), seq)
    assert f"record {seq}" in verify(path).problem


def test_a_removed_row_is_found(tmp_path: Path) -> None:
    path = played(tmp_path)
    change(path, "DELETE FROM records WHERE seq = 3")
    assert verify(path).problem == "record 3 is missing"
    with pytest.raises(JournalBroken, match="record 3 is missing"):
        journal(tmp_path)


def test_a_cut_end_is_found_by_a_noted_head(tmp_path: Path) -> None:
    path = played(tmp_path)
    head = verify(path).head
    newest = max(record.seq for record in read(path))
    change(path, "DELETE FROM records WHERE seq = ?", newest)
    assert verify(path).problem == ""
    assert "cut off" in verify(path, head=head).problem


def test_a_full_disk_stops_the_table_and_acknowledges_nothing(tmp_path: Path) -> None:
    books = journal(tmp_path)
    bots = [Bot(spot=1, decide=at_random)]
    build = quick(Build(profile=load_profile("i-deal-style"), serial="J-1", seed=2))
    table = VirtualTable(Table(RULES), books, bots, build)
    table.play(2)
    database = books._database()
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    database.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(JournalUnwritable, match="full"):
        table.play(500)
    books.close()
    acknowledged = table.emulator.device.events.acknowledged
    again = journal(tmp_path)
    stored = again.newest_event("J-1", table.emulator.device.events.epoch)
    again.close()
    assert acknowledged <= stored
    assert verify(tmp_path / "books.db").problem == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become another user")
def test_a_read_only_journal_is_a_clear_error(tmp_path: Path) -> None:
    path = played(tmp_path, 1)
    tmp_path.chmod(0o755)
    path.chmod(0o444)
    os.seteuid(65534)
    try:
        with pytest.raises((JournalUnwritable, PermissionError)):
            SqliteJournal(path, clock=clock)
    finally:
        os.seteuid(0)


def test_a_journal_that_may_not_be_read_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = played(tmp_path, 1)

    def refuse(*_: object, **__: object) -> None:  # root may read everything, so the file's mode can't
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    with pytest.raises(JournalUnreadable, match="can't be read"):
        list(read(path))


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to be looked at as one" * 20])
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    with pytest.raises(JournalBroken):
        list(read(path))
    with pytest.raises(JournalUnreadable, match="no such journal"):
        list(read(tmp_path / "missing.db"))


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("format", "shuffler-journal/7", "written in format 7; this program reads format 3: use the program that"),
        ("format", "other", "not a journal: it does not say its format"),
        ("layouts", "{}", "entries have other fields than this program's"),
    ],
)
def test_a_journal_of_another_version_is_refused(tmp_path: Path, key: str, value: str, said: str) -> None:
    path = played(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
    before = path.read_bytes()
    with pytest.raises(JournalBroken, match=said):
        list(read(path))
    with pytest.raises(JournalBroken, match=said):
        SqliteJournal(path, clock=clock)
    assert path.read_bytes() == before


def test_a_checkpoint_is_found_without_reading_what_is_between(tmp_path: Path) -> None:
    with closing(sqlite3.connect(played(tmp_path))) as database:
        ((*_, plan),) = database.execute(f"EXPLAIN QUERY PLAN {OF_KIND} {NEWEST_FIRST}", (CHECKPOINT,))
        assert "USING INDEX kinds" in plan


def test_opening_says_how_many_records_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "SAY_EVERY", 3)
    said: list[int] = []
    with closing(SqliteJournal(played(tmp_path), clock=clock, progress=said.append)) as books:
        assert said == list(range(3, said[-1] + 1, 3))
        assert books.records - said[-1] <= 3
