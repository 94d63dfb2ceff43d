"""Following a journal: only what is new, the chain checked across calls, a past that was changed refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from monitoring_support import play

from shuffler.journal import JournalBroken, JournalUnreadable, read
from shuffler.journal.following import Follower


def test_each_call_gives_what_was_added(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 1)
    follower = Follower(path)
    first = list(follower.new_records())
    assert list(follower.new_records()) == []
    play(path, 1, serial="C-2")
    second = list(follower.new_records())
    assert [one.seq for one in (*first, *second)] == [one.seq for one in read(path)]
    assert second


def test_a_follower_continues_where_another_one_was(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 1)
    first = Follower(path)
    seen = [next(records := first.new_records()), next(records)]
    records.close()
    second = Follower(path, after=first.after, head=first.head)
    assert [one.seq for one in (*seen, *second.new_records())] == [one.seq for one in read(path)]


def test_a_changed_past_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 1)
    follower = Follower(path)
    list(follower.new_records())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE records SET hash = x'00' WHERE seq = ?", (follower.after,))
    with pytest.raises(JournalBroken, match=f"record {follower.after} is not the one that was read before"):
        list(follower.new_records())


def test_a_cut_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 1)
    follower = Follower(path)
    list(follower.new_records())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM records WHERE seq = ?", (follower.after,))
    with pytest.raises(JournalBroken, match="not the one that was read before"):
        list(follower.new_records())


def test_no_journal_is_said(tmp_path: Path) -> None:
    with pytest.raises(JournalUnreadable, match="no such journal"):
        list(Follower(tmp_path / "none.db").new_records())
