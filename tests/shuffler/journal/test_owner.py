"""One process writes a journal."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shuffler.journal import SqliteJournal, read
from shuffler.journal.errors import JournalInUse

HOLD = """
import sys
from shuffler.journal import SqliteJournal
books = SqliteJournal(sys.argv[1], clock=lambda: "now")
print("open", flush=True)
sys.stdin.read()
books.close()
"""


@contextmanager
def another_process(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that has the journal open until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()


def journal(path: Path) -> SqliteJournal:
    return SqliteJournal(path, clock=lambda: "now")


def test_a_second_process_is_refused_and_told_who_has_it(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    with another_process(path) as first:
        with pytest.raises(JournalInUse, match=rf"another program is writing this journal \(process {first.pid} on"):
            journal(path)
        assert list(read(path))  # reading goes on
    journal(path).close()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["books.db"]


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    with another_process(path) as first:
        os.kill(first.pid, signal.SIGKILL)
        first.wait(60)
        journal(path).close()


def test_a_journal_that_can_not_be_opened_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    path.write_bytes(b"not a journal at all" * 100)
    for _ in range(2):
        with pytest.raises(Exception, match="not a journal"):
            journal(path)
    assert not (tmp_path / "books.db-lock").exists()


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    before = os.umask(0)
    try:
        books = journal(path)
    finally:
        os.umask(before)
    try:
        assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}
    finally:
        books.close()
