"""The journal in one SQLite file. What a step of the table wrote becomes one record, committed before anything is sent.

Records are chained: each hash covers the one before, so that an edited, removed or inserted row is found. Events have
a key of their own (device, epoch, number), so that a replay changes nothing. Request ids are reserved in blocks, so
that a host that was killed never uses one twice.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from protocol import messages as m
from protocol.codec import decode_body, encode_body, number_of
from shuffler.bridge.entries import DeviceSaid, Entry
from shuffler.journal.codec import to_json
from shuffler.journal.errors import JournalBroken, JournalUnwritable

FORMAT = "shuffler-journal/1"
GENESIS = hashlib.sha256(FORMAT.encode()).digest()
RESERVE = 1024  # request ids a block

# Commands whose reasons must be on disk before they are sent; the others change nothing that the books depend on.
MUST_LAST = frozenset({m.BeginRound, m.CloseDecisions, m.VoidRound, m.ClearFault, m.SelectGame, m.ServiceMode})

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS newest (
    serial TEXT NOT NULL, epoch TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (serial, epoch)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS commands (request INTEGER PRIMARY KEY, code INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS states (seq INTEGER PRIMARY KEY, state TEXT NOT NULL);
"""


def chained(before: bytes, seq: int, at: str, body: str) -> bytes:
    """The hash of a record."""
    return hashlib.sha256(b"%b%d\0%b\0%b" % (before, seq, at.encode(), body.encode())).digest()


class SqliteJournal:
    """A host store and the books of one table."""

    def __init__(self, path: Path | str, *, clock: Callable[[], str], settings: dict[str, Any] | None = None) -> None:
        """Open or make a journal; `settings` say whose table it is and are kept from the first time on."""
        self.path = Path(path)
        self._clock = clock
        self._pending: list[dict[str, Any]] = []
        self._dirty = False
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None)
        except sqlite3.DatabaseError as problem:
            raise _error(problem, self.path) from problem
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(SCHEMA)
            self._open(settings or {})
        except BaseException as problem:
            self._db.close()
            if isinstance(problem, sqlite3.DatabaseError):
                raise _error(problem, self.path) from problem
            raise

    def _open(self, settings: dict[str, Any]) -> None:
        found = self._meta("format")
        if found is None:
            self._db.execute("BEGIN IMMEDIATE")
            self._put_meta("format", FORMAT)
            self._put_meta("instance", os.urandom(16).hex())
            self._put_meta("settings", json.dumps(settings, sort_keys=True))
            self._db.execute("COMMIT")
        elif found != FORMAT:
            raise JournalBroken(f"{self.path}: written as {found}, this version reads {FORMAT}")
        self.settings: dict[str, Any] = json.loads(self._meta("settings") or "{}")
        self._instance = bytes.fromhex(self._meta("instance") or "")
        self._next = self._reserved = int(self._meta("reserved") or 1)
        row = self._db.execute("SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1").fetchone()
        self._seq: int = 0 if row is None else row[0]
        self._head: bytes = GENESIS if row is None else row[1]
        self._newest: dict[tuple[str, int], int] = {
            (serial, int(epoch, 16)): number
            for serial, epoch, number in self._db.execute("SELECT serial, epoch, number FROM newest")
        }
        self._stored: dict[tuple[str, int], int] = {}
        self._kept = set(self.open_commands())
        self._reserve()

    # ------------------------------------------------------------------------------------------------------ the books

    @property
    def head(self) -> bytes:
        """The newest hash of the chain."""
        return self._head

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries; they last after the next `flush`."""
        self._pending += map(to_json, entries)

    def save_state(self, state: dict[str, Any]) -> None:
        """A table's state between two rounds, from which a restart goes on; committed with what is pending."""
        self.flush()
        self._run("INSERT OR REPLACE INTO states VALUES (?, ?)", (self._seq, json.dumps(state)))
        self._run("DELETE FROM states WHERE seq < ?", (self._seq,))
        self.flush()

    def last_state(self) -> tuple[int, dict[str, Any] | None]:
        """The newest state and the record after which it holds."""
        row = self._db.execute("SELECT seq, state FROM states ORDER BY seq DESC LIMIT 1").fetchone()
        return (0, None) if row is None else (row[0], json.loads(row[1]))

    def bodies_after(self, seq: int) -> list[list[dict[str, Any]]]:
        """The entries of each later record."""
        rows = self._db.execute("SELECT body FROM records WHERE seq > ? ORDER BY seq", (seq,))
        return [json.loads(body) for (body,) in rows]

    def flush(self) -> None:
        """Commit what is pending as one record; raises JournalUnwritable, after which nothing of it has happened."""
        if not self._pending and not self._dirty:
            return
        try:
            if self._pending:
                seq, at = self._seq + 1, self._clock()
                body = json.dumps(self._pending, separators=(",", ":"))
                head = chained(self._head, seq, at, body)
                self._begin()
                self._db.execute("INSERT INTO records VALUES (?, ?, ?, ?)", (seq, at, body, head))
                for (serial, epoch), number in self._stored.items():
                    self._db.execute(
                        "INSERT INTO newest VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET number = excluded.number",
                        (serial, f"{epoch:016x}", number),
                    )
                self._db.execute("COMMIT")
                self._seq, self._head = seq, head
            else:
                self._db.execute("COMMIT")
        except sqlite3.DatabaseError as problem:
            raise _error(problem, self.path) from problem
        self._pending = []
        self._stored.clear()
        self._dirty = False

    def close(self) -> None:
        """Let the file go; what is pending is not written."""
        self._db.close()

    # -------------------------------------------------------------------------------------------------- the host store

    def instance(self) -> bytes:
        return self._instance

    def next_request(self) -> int:
        return self._next

    def open_commands(self) -> dict[int, m.Message]:
        rows = self._db.execute("SELECT request, code, body FROM commands ORDER BY request")
        return {request: decode_body(code, body) for request, code, body in rows}

    def save_command(self, request: int, command: m.Message) -> bool:
        """Keep a command whose sending the books depend on; whether it must last before it is sent."""
        self._next = request + 1
        if self._next >= self._reserved:
            self._reserve()
        if type(command) not in MUST_LAST:
            return False
        self._run("INSERT INTO commands VALUES (?, ?, ?)", (request, number_of(command), encode_body(command)))
        self._kept.add(request)
        return True

    def settle_command(self, request: int, reply: m.Message) -> None:  # noqa: ARG002
        if request in self._kept:
            self._run("DELETE FROM commands WHERE request = ?", (request,))
            self._kept.discard(request)

    def newest_event(self, serial: str, epoch: int) -> int:
        return self._newest.get((serial, epoch), 0)

    def store_event(self, serial: str, epoch: int, event: m.Event) -> bool:
        if event.number <= self._newest.get((serial, epoch), 0):
            return False
        self._pending.append(to_json(DeviceSaid(serial, epoch, event)))
        self._newest[serial, epoch] = self._stored[serial, epoch] = event.number
        return True

    # --------------------------------------------------------------------------------------------------------- inside

    def _begin(self) -> None:
        if not self._dirty:
            self._db.execute("BEGIN IMMEDIATE")
            self._dirty = True

    def _run(self, statement: str, values: tuple[Any, ...]) -> None:
        try:
            self._begin()
            self._db.execute(statement, values)
        except sqlite3.DatabaseError as problem:
            raise _error(problem, self.path) from problem

    def _reserve(self) -> None:
        self._reserved = self._next + RESERVE
        self._run("INSERT OR REPLACE INTO meta VALUES ('reserved', ?)", (str(self._reserved),))
        self.flush()

    def _meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def _put_meta(self, key: str, value: str) -> None:
        self._db.execute("INSERT INTO meta VALUES (?, ?)", (key, value))


def _error(problem: sqlite3.DatabaseError, path: Path) -> Exception:
    text = str(problem)
    if "not a database" in text or "malformed" in text:
        return JournalBroken(f"{path}: {text}")
    return JournalUnwritable(f"{path}: {text}; nothing more is dealt until the journal can be written")
