"""The journal in one SQLite file. What a step of the table wrote becomes one record, committed before anything is sent.

Nothing in the file is ever changed: records are added, each chained to the one before. All else (event numbers, open
commands, reserved request ids) follows from the records, and a checkpoint among them saves reading all of them.
Request ids are reserved in blocks, so that a host that was killed never uses one twice.

After a failed write the connection is discarded; a new one looks at what is really there before it writes again.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from protocol import messages as m
from round_engine.table.state import TableState
from shuffler.journal.anchors import Anchor, Head
from shuffler.journal.chain import ChainRow, chained, verified
from shuffler.journal.codec import CHECKPOINT, SEAL, compressor, decode_record, encode_record
from shuffler.journal.entries import (
    Checkpoint,
    CommandKept,
    CommandSettled,
    DeviceSaid,
    Entry,
    EventGap,
    HeadAnchored,
    HeadSigned,
    JournalBegun,
    KeyChanged,
    RequestsReserved,
)
from shuffler.journal.errors import JournalBroken, JournalUnwritable
from shuffler.journal.file import (
    COLUMNS,
    GENESIS,
    META,
    NEWEST_FIRST,
    OF_KIND,
    SCHEMA,
    SQL_ERRORS,
    Connect,
    FileIdentity,
    check_format,
    connect,
    gone,
    meaning,
)
from shuffler.journal.owner import JournalOwner
from shuffler.journal.position import Position
from shuffler.journal.record import Record, record
from shuffler.journal.signing import HeadSigner, Trust

RESERVE = 1024  # request ids a block
SAY_EVERY = 10_000  # records verified
CHECKPOINT_EVERY = 50  # records between two checkpoints; a seven-seat round takes two

INSERT = "INSERT INTO records VALUES (?, ?, ?, ?)"

Listener = Callable[[Sequence[Entry]], None]


class SqliteJournal:
    """A host store and the books of one table."""

    def __init__(
        self,
        path: Path | str,
        *,
        clock: Callable[[], str],
        settings: Mapping[str, str] | None = None,
        signer: HeadSigner | None = None,
        trust: Sequence[bytes] = (),
        adopt: bool = False,
        anchors: Sequence[Anchor] = (),
        open_file: Connect = connect,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Open or make a journal; `settings` say whose table it is and are kept from the first time on.

        An existing journal is verified whole, or, where `trust` or `signer` name a key, from the newest checkpoint
        that this key has signed. `signer` signs every checkpoint, also in a journal that nobody signed before where
        `adopt` says so; `anchors` take the head of each. `progress` is told now and then how many records are verified.
        """
        self.path = Path(path)
        self._file, self._log = str(self.path), f"{self.path}-wal"
        self.listeners: list[Listener] = []  # told of entries once they last, never before
        self.position = Position()
        self._clock = clock
        self._signer = signer
        self._keys = tuple(trust) if trust or signer is None else (signer.public,)
        self._anchors = tuple(anchors)
        self._open_file = open_file
        self._packer = compressor()
        self._pending: list[Entry] = []
        self._closed = self._gone = False
        self._tried: tuple[ChainRow, int] | None = None  # the last row of a failed commit, and its count of entries
        self._since_checkpoint = 0
        self._seq, self._head = 0, GENESIS
        self.checkpoint_head: Head | None = None  # as of the newest checkpoint, once it lasts
        self.base = 0  # verified and reconciled from here on; 0: from the start
        self.is_signed = False
        self._owner = JournalOwner(self.path)
        self._db: sqlite3.Connection | None = None
        try:
            self._db = self._connect(create=True)
            self._open(settings or {}, progress, adopt=adopt)
        except SQL_ERRORS as problem:
            self.close()
            raise meaning(problem, self.path, writing=True) from problem
        except BaseException:
            self.close()
            raise
        self._next = self.position.reserved
        self._reserve()

    # ------------------------------------------------------------------------------------------------------- opening

    def _open(self, settings: Mapping[str, str], progress: Callable[[int], None] | None, *, adopt: bool) -> None:
        database = self._database()
        if database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            self._make(settings)
        self._place: tuple[FileIdentity | None, FileIdentity | None] = FileIdentity.of(self._file), None
        check_format(database, self.path)
        self.base, before = self._trusted_base()
        newest = self._newest_checkpoint()
        trust = Trust(self._keys)
        self._seq, self._head = self.base, before
        reads_from = max(newest, self.base)
        for row in verified(database.execute(f"{COLUMNS} WHERE seq > ? ORDER BY seq", (self.base,)), before, self.base):
            if row.seq >= reads_from or row.body[:1] == SEAL:
                for entry in decode_record(row.seq, row.body):
                    if isinstance(entry, HeadSigned | KeyChanged):
                        trust.take(row.seq, self._head, entry)
                    if row.seq >= reads_from:
                        self.position.take(entry)
                        self._since_checkpoint = 0 if isinstance(entry, Checkpoint) else self._since_checkpoint
            self._since_checkpoint += 1
            self._seq, self._head = row.seq, row.hash
            if row.seq == newest:
                self.checkpoint_head = Head(self.position.instance, row.seq, row.hash)
            if progress is not None and not row.seq % SAY_EVERY:
                progress(row.seq)
        self.is_signed = bool(self.base or trust.signed_upto)
        self._check_trust(adopt=adopt)

    def _make(self, settings: Mapping[str, str]) -> None:
        """A new file: tables and the first entry, all or nothing."""
        database = self._database()
        database.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA.split(";"):
            database.execute(statement)
        database.executemany("INSERT INTO meta VALUES (?, ?)", META)
        first: list[list[Entry]] = [[JournalBegun(os.urandom(16), dict(settings))]]
        database.executemany(INSERT, map(_columns, self._rows(first)))
        database.execute("COMMIT")
        self._seq, self._head = 0, GENESIS  # read back like any other

    def _trusted_base(self) -> tuple[int, bytes]:
        """The record before the newest checkpoint that an accepted key has signed, with its hash; 0 for none."""
        if not self._keys:
            return 0, GENESIS
        database = self._database()
        row = database.execute(f"{OF_KIND} {NEWEST_FIRST}", (SEAL,)).fetchone()
        if row is None:
            return 0, GENESIS
        seals = [entry for entry in decode_record(row[0], row[2]) if isinstance(entry, HeadSigned)]
        if not seals or seals[0].key not in self._keys:
            return 0, GENESIS  # a rotated key is accepted through all the seals before it
        seal = seals[0]
        Trust(self._keys).take(row[0], seal.head, seal)
        signed = database.execute("SELECT hash, substr(body, 1, 1) FROM records WHERE seq = ?", (seal.seq,)).fetchone()
        if signed != (seal.head, CHECKPOINT):
            return 0, GENESIS
        (before,) = database.execute("SELECT hash FROM records WHERE seq = ?", (seal.seq - 1,)).fetchone()
        return seal.seq - 1, before

    def _newest_checkpoint(self) -> int:
        row = self._database().execute(f"{OF_KIND} {NEWEST_FIRST}", (CHECKPOINT,)).fetchone()
        return 0 if row is None else int(row[0])

    def _check_trust(self, *, adopt: bool) -> None:
        """Whether it is signed where it should be, and has every head that was noted elsewhere."""
        if self._keys and not self.is_signed and self.position.rounds and not adopt:
            raise JournalBroken(
                f"{self.path}: not signed by the key that is asked for; if it is to be signed from here on, say so with"
                " `shuffler journal sign`"
            )
        for anchor in self._anchors:
            for head in anchor.noted():
                if head.journal != self.position.instance:
                    raise JournalBroken(f"{self.path}: {anchor.name} has the heads of another journal than this one")
                row = self._database().execute("SELECT hash FROM records WHERE seq = ?", (head.seq,)).fetchone()
                if row is None or row[0] != head.hash:
                    raise JournalBroken(
                        f"{self.path}: record {head.seq} is not the one whose hash was noted in {anchor.name}: the"
                        " journal was rewritten or set back to an older copy"
                    )

    # ------------------------------------------------------------------------------------------------------ the books

    @property
    def head(self) -> bytes:
        """The newest hash of the chain."""
        return self._head

    @property
    def records(self) -> int:
        """The number of the newest record."""
        return self._seq

    @property
    def settings(self) -> Mapping[str, str]:
        """Whose table it is."""
        return self.position.settings

    @property
    def wants_checkpoint(self) -> bool:
        """Whether it is time for `checkpoint`, between two rounds."""
        return self._since_checkpoint >= CHECKPOINT_EVERY

    def read(self) -> Iterator[Record]:
        """The records after `base`, oldest first."""
        rows = self._database().execute(f"{COLUMNS} WHERE seq > ? ORDER BY seq", (self.base,))
        for row in map(ChainRow._make, rows):
            yield record(row)

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries; they last after the next `flush`."""
        for entry in entries:
            self._add(entry)

    def checkpoint(self, table: TableState) -> None:
        """Everything to go on from, between two rounds, with what is pending; signed and anchored where asked."""
        self.write([self.position.checkpoint(table)])
        self.flush()
        self.checkpoint_head = Head(self.position.instance, self._seq, self._head)
        self._anchor()

    def change_key(self, entry: KeyChanged, signer: HeadSigner) -> None:
        """From here on another key signs."""
        self.flush()
        self._insert(self._rows([[entry]]))
        self._signer = signer

    def flush(self) -> None:
        """Commit what is pending as one record; raises JournalUnwritable, after which nothing of it has happened."""
        if self._db is None and not self._closed:
            self._reconnect()
        if not self._pending:
            return
        rows = self._rows([self._pending])
        if self._signer is not None and isinstance(self._pending[-1], Checkpoint):
            sealed = rows[0]
            rows = self._rows([self._pending, [self._signer.sign(sealed.seq, sealed.hash)]], at=sealed.at)
        self._insert(rows)
        self._committed(len(self._pending))

    def close(self) -> None:
        """Let the file go; what is pending is not written."""
        self._closed = True
        self._discard()
        self._owner.release()

    # -------------------------------------------------------------------------------------------------- the host store

    def instance(self) -> bytes:
        return self.position.instance

    def next_request(self) -> int:
        return self._next

    def open_commands(self) -> dict[int, m.Message]:
        return dict(sorted(self.position.commands.items()))

    def save_command(self, request: int, command: m.Message) -> bool:
        """Keep a command whose sending the books depend on; whether it must last before it is sent."""
        self._next = request + 1
        if self._next >= self.position.reserved:
            self._reserve()
        if not command.entry.durable:
            return False
        self._add(CommandKept(request, command))
        return True

    def settle_command(self, request: int, reply: m.Message) -> None:  # noqa: ARG002
        if request in self.position.commands:
            self._add(CommandSettled(request))

    def newest_event(self, serial: str, epoch: int) -> int:
        return self.position.newest.get((serial, epoch), 0)

    def store_event(self, serial: str, epoch: int, event: m.Event) -> bool:
        newest = self.position.newest.get((serial, epoch), 0)
        if event.number <= newest:
            return False
        if event.number != newest + 1:
            self._add(EventGap(serial, epoch, newest + 1, event.number))
        self._add(DeviceSaid(serial, epoch, event))
        return True

    # --------------------------------------------------------------------------------------------------------- inside

    def _add(self, entry: Entry) -> None:
        """One more that is pending, and what it owes to shared meters."""
        self.position.take(entry)
        self._pending.append(entry)
        if self.position.meters.links:
            for move in self.position.meters.owed(entry):
                self.position.take(move)
                self._pending.append(move)

    def _rows(self, records: Sequence[Sequence[Entry]], at: bytes | None = None) -> list[ChainRow]:
        """The next rows of the chain, not written yet."""
        rows: list[ChainRow] = []
        seq, head = self._seq, self._head
        at = self._clock().encode() if at is None else at
        for entries in records:
            seq, body = seq + 1, encode_record(entries, self._packer)
            head = chained(head, seq, at, body)
            rows.append(ChainRow(seq, at, body, head))
        return rows

    def _insert(self, rows: list[ChainRow]) -> None:
        """One transaction or nothing; a failed one leaves no connection behind."""
        database = self._database()
        try:
            if len(rows) == 1:  # a transaction of its own
                database.execute(INSERT, _columns(rows[0]))
            else:
                database.execute("BEGIN IMMEDIATE")
                database.executemany(INSERT, map(_columns, rows))
                database.execute("COMMIT")
        except sqlite3.IntegrityError:
            self._gone = True
            self._discard()
            raise JournalBroken(f"{self.path}: another program has written to it; nothing more is dealt") from None
        except SQL_ERRORS as problem:
            self._tried = rows[-1], len(self._pending)
            self._discard()
            raise meaning(problem, self.path, writing=True) from problem
        self._seq, self._head = rows[-1].seq, rows[-1].hash
        self._since_checkpoint += 1
        self._check_place()

    def _check_place(self) -> None:
        """Whether what was just committed is where the path leads."""
        file, log = FileIdentity.of(self._file), FileIdentity.of(self._log)
        known_file, known_log = self._place
        if file is None or file != known_file or (known_log is not None and log != known_log):
            self._gone = True
            self._discard()
            raise gone(self.path)
        self._place = file, log

    def _reconnect(self) -> None:
        """After a failed write: look at what is there. All of it, or nothing; anything else is somebody else's."""
        if self._gone or (found := FileIdentity.of(self._file)) is None or found != self._place[0]:
            raise gone(self.path)
        self._db = self._connect(create=False)
        self._place = found, None
        try:
            row = self._db.execute("SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1").fetchone()
        except SQL_ERRORS as problem:
            self._discard()
            raise meaning(problem, self.path, writing=True) from problem
        there = (0, GENESIS) if row is None else (row[0], row[1])
        if there == (self._seq, self._head):
            return
        if self._tried is not None and there == (self._tried[0].seq, self._tried[0].hash):
            self._seq, self._head = there
            self._committed(self._tried[1])
            return
        self._discard()
        raise JournalBroken(f"{self.path}: another program has written to it; nothing more is dealt")

    def _committed(self, count: int) -> None:
        """The first so many of what was pending last: tell who waits for it."""
        self._tried = None
        done, self._pending = self._pending[:count], self._pending[count:]
        if Checkpoint in map(type, done):
            self._since_checkpoint = 0
        for listener in self.listeners:
            listener(done)

    def _anchor(self) -> None:
        for anchor in self._anchors:
            head = Head(self.position.instance, self._seq, self._head)
            anchor.note(head)
            self.write([HeadAnchored(seq=head.seq, head=head.hash, place=anchor.name)])

    def _reserve(self) -> None:
        self.write([RequestsReserved(self._next + RESERVE)])
        self.flush()

    def _connect(self, *, create: bool) -> sqlite3.Connection:
        try:
            return self._open_file(self.path, create)
        except SQL_ERRORS as problem:
            raise meaning(problem, self.path, writing=True) from problem

    def _database(self) -> sqlite3.Connection:
        if self._db is None:
            raise JournalUnwritable(f"{self.path}: the journal is closed")
        return self._db

    def _discard(self) -> None:
        if self._db is not None:
            with suppress(*SQL_ERRORS):
                self._db.close()
            self._db = None


def _columns(row: ChainRow) -> tuple[int, str, bytes, bytes]:
    """A row as `INSERT` takes it."""
    return row.seq, row.at.decode(), row.body, row.hash
