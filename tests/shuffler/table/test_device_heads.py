"""A journal held against a device's log: each finds that the other was rewritten, cut or set back."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from protocol.log_chain import GENESIS, chain
from protocol.messages import LogLine
from round_engine.rules.rulebook import load
from shuffler.cli import app
from shuffler.host.device_log import DeviceLog, to_text
from shuffler.journal import SqliteJournal, read, verify
from shuffler.journal.anchors import Head
from shuffler.journal.chain import chained
from shuffler.journal.file import GENESIS as FIRST
from shuffler.journal.restart import reopen
from shuffler.table.device_heads import compare
from shuffler.table.players import seated
from shuffler.virtual.table import VirtualTable, quick

RULES = load("south-dakota")


class Evening:
    """A journal, a copy of it from half time, and the log of the device that dealt."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "books.db"
        with closing(SqliteJournal(self.path, clock=lambda: "2026-01-01", settings={"rules": "south-dakota"})) as books:
            build = quick(Build(profile=load_profile("i-deal-style"), serial="D-1", seed=3))
            table = VirtualTable(reopen(books, RULES).table, books, seated("Q-6-4", 2), build)
            table.play(2)
            table.desk.leave("half time")
            self.half = self.copy()
            table.play(1)
            table.desk.leave("the end")
            log = table.emulator.firmware.board.log
            self.log = DeviceLog(serial="D-1", profile="i-deal-style", head=log.head, lines=log.page(0, 255).lines)

    def copy(self) -> bytes:
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self.path.read_bytes()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes, DeviceLog]:
    evening = Evening(tmp_path_factory.mktemp("evening"))
    return evening.copy(), evening.half, evening.log


@pytest.fixture
def book(played: tuple[bytes, bytes, DeviceLog], tmp_path: Path) -> Path:
    path = tmp_path / "books.db"
    path.write_bytes(played[0])
    return path


@pytest.fixture
def log(played: tuple[bytes, bytes, DeviceLog]) -> DeviceLog:
    return played[2]


def asked(book: Path, log: DeviceLog) -> Result:
    file = book.with_name("log.jsonl")
    file.write_text("".join(f"{line}\n" for line in to_text(log)), encoding="utf-8")
    return CliRunner().invoke(app, ["journal", "verify", str(book), "--device-log", str(file)])


def rewritten(book: Path) -> None:
    """Another time in an early record, and every later hash recomputed."""
    with closing(sqlite3.connect(book, isolation_level=None)) as database:
        before = FIRST
        for seq, at, body in database.execute("SELECT seq, at, body FROM records ORDER BY seq").fetchall():
            at = "2026-01-02" if seq == 3 else at
            before = chained(before, seq, at.encode(), body)
            database.execute("UPDATE records SET at = ?, hash = ? WHERE seq = ?", (at, before, seq))


def test_an_honest_journal_has_every_head_of_the_log_and_the_log_every_head_of_the_journal(
    book: Path, log: DeviceLog
) -> None:
    found = compare(read(book), log)
    assert (len(found.noted), found.held, found.newer, found.problem) == (2, 3, 0, "")
    result = asked(book, log)
    assert result.exit_code == 0, result.output
    assert "the log of D-1 holds 2 heads of this journal" in result.output
    assert "the journal holds 3 heads of the log" in result.output


def test_a_rewritten_journal_is_named(book: Path, log: DeviceLog) -> None:
    rewritten(book)
    assert verify(book).problem == ""  # the chain holds
    result = asked(book, log)
    assert result.exit_code == 1
    assert "it was rewritten" in result.output


def test_an_older_copy_is_named(played: tuple[bytes, bytes, DeviceLog], book: Path, log: DeviceLog) -> None:
    book.write_bytes(played[1])
    assert verify(book).problem == ""
    result = asked(book, log)
    assert result.exit_code == 1
    assert "the end has been cut off" in result.output


def test_a_rewritten_head_that_was_noted_again_does_not_hide_the_first(book: Path) -> None:
    head = verify(book)
    true, false = Head(b"", head.records, bytes.fromhex(head.head)), Head(b"", head.records, bytes(32))
    assert verify(book, anchors=[true, true]).problem == ""
    assert "rewritten" in verify(book, anchors=[false, true]).problem


def test_a_rewritten_log_is_found_by_the_journal(book: Path, log: DeviceLog) -> None:
    before, lines = GENESIS, []
    for line in log.lines:
        text = "nothing happened" if line.number == 2 else line.text
        before = chain(before, line.number, line.time_ms, text)
        lines.append(LogLine(number=line.number, time_ms=line.time_ms, text=text, hash=before))
    false = replace(log, lines=tuple(lines), head=before)
    assert false.broken() is None
    result = asked(book, false)
    assert result.exit_code == 1
    assert "has another hash for line" in result.output


def test_a_log_that_is_broken_itself_proves_nothing(book: Path, log: DeviceLog) -> None:
    result = asked(book, replace(log, lines=log.lines[:-1]))
    assert result.exit_code == 1
    assert "broken at line" in result.output


def test_a_log_that_is_older_than_the_journal_says_how_much_it_does_not_reach(book: Path, log: DeviceLog) -> None:
    first = next(line for line in log.lines if line.text.startswith("journal "))
    older = replace(log, lines=log.lines[: first.number], head=first.hash)
    result = asked(book, older)
    assert result.exit_code == 0, result.output
    assert "1 more are newer than this copy of the log" in result.output


def test_a_log_without_a_head_of_this_journal_is_no_proof(book: Path, log: DeviceLog) -> None:
    before = next(line for line in log.lines if line.text.startswith("journal ")).number - 1
    none = replace(log, lines=log.lines[:before], head=log.lines[before - 1].hash)
    result = asked(book, none)
    assert result.exit_code == 1
    assert "has no head of this journal" in result.output


def test_a_file_that_is_no_log_is_a_sentence(book: Path) -> None:
    result = CliRunner().invoke(app, ["journal", "verify", str(book), "--device-log", str(book)])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
