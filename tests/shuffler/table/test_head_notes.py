"""The journal's head in the device's log: durable ones, the newest, one at a time, and not while the device is away."""

from contextlib import closing
from pathlib import Path

import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.log_chain import read_head_line
from protocol.render.examples import typical
from protocol.vocabulary import ErrorCode
from round_engine.rules.rulebook import load
from shuffler.host.session import Answered, Connected
from shuffler.journal import JournalError, SqliteJournal, read
from shuffler.journal.anchors import Head
from shuffler.journal.entries import HeadAnchored
from shuffler.journal.restart import reopen
from shuffler.table.head_notes import HeadNotes
from shuffler.table.players import seated
from shuffler.virtual.table import VirtualTable, quick

RULES = load("south-dakota")
WELCOME = typical(m.Welcome)


def head(seq: int) -> Head:
    return Head(b"j" * 16, seq, bytes([seq]) * 32)


def connected(serial: str) -> Connected:
    assert isinstance(WELCOME, m.Welcome)
    fields = {name: getattr(WELCOME, name) for name in WELCOME.__slots__}
    return Connected(m.Welcome(**{**fields, "serial": serial}), True)


def test_a_head_is_told_once() -> None:
    notes = HeadNotes()
    assert notes.due(None) is None
    assert notes.due(head(7)) == m.NoteHead(journal=b"j" * 16, record=7, hash=b"\7" * 32)
    assert notes.due(head(7)) is None


def test_while_one_is_unanswered_newer_ones_wait_and_only_the_newest_follows() -> None:
    notes = HeadNotes()
    first = notes.due(head(7))
    assert first is not None
    assert notes.due(head(8)) is None
    assert notes.take(Answered(1, first, m.Done())) == HeadAnchored(seq=7, head=b"\7" * 32, place="log of device ")
    second = notes.due(head(9))
    assert second is not None
    assert second.record == 9


def test_a_refused_head_is_no_entry_and_is_not_asked_for_again() -> None:
    notes = HeadNotes()
    note = notes.due(head(7))
    assert note is not None
    assert notes.take(Answered(1, note, m.Error(code=ErrorCode.UNSUPPORTED, text="no"))) is None
    assert notes.due(head(7)) is None
    assert notes.due(head(8)) is not None


def test_another_device_gets_the_newest_head_too() -> None:
    notes = HeadNotes()
    notes.take(connected("A"))
    note = notes.due(head(7))
    assert note is not None
    assert notes.take(Answered(1, note, m.Done())) == HeadAnchored(seq=7, head=b"\7" * 32, place="log of device A")
    notes.take(connected("A"))
    assert notes.due(head(7)) is None
    notes.take(connected("B"))
    assert notes.due(head(7)) is not None


# --------------------------------------------------------------------------------------------------------- at a table


class Sitting:
    """A table in virtual time with its journal."""

    def __init__(self, path: Path, serial: str = "N-1") -> None:
        self.books = SqliteJournal(path, clock=lambda: "2026-01-01", settings={"rules": "south-dakota"})
        opened = reopen(self.books, RULES)
        build = quick(Build(profile=load_profile("i-deal-style"), serial=serial, seed=2))
        self.table = VirtualTable(opened.table, self.books, seated("Q-6-4", 2), build, last_round=opened.last_round)

    def close(self) -> None:
        self.books.close()

    def checkpoint(self) -> Head:
        self.books.checkpoint(self.table.core.table.state())
        assert self.books.checkpoint_head is not None
        return self.books.checkpoint_head

    def noted(self) -> list[tuple[int, bytes]]:
        """The heads in the device's log."""
        lines = self.table.emulator.firmware.board.log.page(0, 255).lines
        return [(note.record, note.hash) for line in lines if (note := read_head_line(line.text)) is not None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "books.db"


def test_a_checkpoint_is_noted_in_the_devices_log_and_the_journal_says_so(path: Path) -> None:
    with closing(Sitting(path)) as sitting:
        assert sitting.noted() == []  # nothing lasts yet
        sitting.table.play(1)
        first = sitting.checkpoint()
        sitting.table.play(1)
        assert sitting.noted() == [(first.seq, first.hash)]
        sitting.table.desk.leave("the end")
        last = sitting.books.checkpoint_head
        assert last is not None
        assert sitting.noted() == [(first.seq, first.hash), (last.seq, last.hash)]
    records = {record.seq: record for record in read(path)}
    said = [entry for record in records.values() for entry in record.entries if isinstance(entry, HeadAnchored)]
    assert said == [HeadAnchored(seq=first.seq, head=first.hash, place="log of device N-1")]
    assert last.seq == max(records)  # the end stays the signed one: nothing is written about the last note


def test_while_the_device_is_away_nothing_is_queued_and_the_newest_head_is_sent_when_it_is_back(path: Path) -> None:
    with closing(Sitting(path)) as sitting:
        sitting.table.play(1)
        sitting.table.bench.pull()
        for _ in range(3):
            newest = sitting.checkpoint()
            sitting.table.desk.take([], sitting.table.bench.now)
        assert sitting.table.bench.host.open_commands == 0
        assert sitting.noted() == []
        sitting.table.desk.take(sitting.table.bench.plug(), sitting.table.bench.now)
        sitting.table.play(1)
        assert sitting.noted() == [(newest.seq, newest.hash)]


def test_a_reopened_journal_has_its_newest_checkpoint_noted(path: Path) -> None:
    with closing(Sitting(path)) as sitting:
        sitting.table.play(1)
        newest = sitting.checkpoint()
    with closing(Sitting(path, "N-2")) as again:
        assert again.books.checkpoint_head == newest
        again.table.play(1)
        assert again.noted() == [(newest.seq, newest.hash)]


def test_a_head_that_does_not_last_is_never_told(path: Path) -> None:
    with closing(Sitting(path)) as sitting:
        sitting.table.play(1)
        before = sitting.books.checkpoint_head
        path.unlink()
        with pytest.raises(JournalError):
            sitting.checkpoint()
        assert sitting.books.checkpoint_head == before
