"""Reading a journal: records in order, rounds in order, and whether the chain holds. Opens the file read-only."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shuffler.journal.errors import JournalBroken
from shuffler.journal.sqlite import FORMAT, GENESIS, chained


@dataclass(frozen=True, slots=True)
class Record:
    """One commit: its entries, in order."""

    seq: int
    at: str
    entries: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the chain holds; `problem` says where it does not."""

    records: int
    head: str
    problem: str = ""


@dataclass(slots=True)
class RoundEntries:
    """All that belongs to one round of the books."""

    round_id: str
    operations: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)
    at: str = ""

    @property
    def outcome(self) -> str:
        """settled, void or open."""
        kinds = {plain["op"] for plain in self.operations}
        if "CloseRound" in kinds:
            return "settled"
        return "void" if "DeclareMisdeal" in kinds else "open"


def read(path: Path | str) -> Iterator[Record]:
    """Every record in order; raises JournalBroken where the file is no journal."""
    with _connect(path) as database:
        for seq, at, body in database.execute("SELECT seq, at, body FROM records ORDER BY seq"):
            yield Record(seq, at, json.loads(body))


def verify(path: Path | str, *, head: str | None = None) -> Verdict:
    """Recompute the chain; `head` is a hash noted elsewhere that must be in it, so that a cut end is found too."""
    before, expected, count, noted = GENESIS, 1, 0, head is None
    with _connect(path) as database:
        for seq, at, body, found in database.execute("SELECT seq, at, body, hash FROM records ORDER BY seq"):
            if seq != expected:
                return Verdict(count, before.hex(), f"record {expected} is missing")
            before = chained(before, seq, at, body)
            if before != found:
                return Verdict(count, before.hex(), f"record {seq} of {at} has been changed, or one before it")
            expected, count = seq + 1, count + 1
            noted = noted or before.hex() == head
    if not noted:
        return Verdict(count, before.hex(), "the record that was noted is not there: the end has been cut off")
    return Verdict(count, before.hex())


def settings(path: Path | str) -> dict[str, Any]:
    """Whose table it is."""
    with _connect(path) as database:
        row = database.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone()
    found: dict[str, Any] = json.loads(row[0])
    return found


def rounds(path: Path | str) -> Iterator[RoundEntries]:
    """The rounds in order, each with its operations, notes and the device events that came while it was open."""
    current: RoundEntries | None = None
    for record in read(path):
        for plain in record.entries:
            if plain.get("op") == "OpenRound":
                if current is not None:
                    yield current
                current = RoundEntries(plain["round_id"], at=record.at)
            if current is None:
                continue
            target = current.operations if "op" in plain else current.events if "event" in plain else current.notes
            target.append(plain)
    if current is not None:
        yield current


@contextmanager
def _connect(path: Path | str) -> Iterator[sqlite3.Connection]:
    """A read-only connection for the length of a `with` block."""
    path = Path(path)
    if not path.is_file():
        raise JournalBroken(f"{path}: there is no such journal")
    try:
        opened = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.DatabaseError as problem:
        raise JournalBroken(f"{path}: can't be read ({problem})") from problem
    with closing(opened) as database:
        try:
            row = database.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        except sqlite3.DatabaseError as problem:
            raise JournalBroken(f"{path}: not a journal ({problem})") from problem
        if row is None or row[0] != FORMAT:
            raise JournalBroken(f"{path}: not a journal of format {FORMAT}")
        yield database
