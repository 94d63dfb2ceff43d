"""The outbox as its sender reads it: committed records of a journal's file, by a connection of its own, at any time."""

import sqlite3
from contextlib import ExitStack
from pathlib import Path

from shuffler.journal.codec import decode_record, unpacked
from shuffler.journal.entries import MeterMoved
from shuffler.journal.file import COLUMNS, SQL_ERRORS, meaning, reading
from shuffler.meters.server import Batch

_MARK = MeterMoved.__name__.encode()


class OutboxReader:
    """Reads moves after a record; the journal may be written meanwhile. Belongs to one thread."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._stack = ExitStack()
        self._db: sqlite3.Connection = self._stack.enter_context(reading(path))

    def close(self) -> None:
        """Let the file go."""
        self._stack.close()

    def hash_of(self, seq: int) -> bytes | None:
        """The hash of a record; None where there is none."""
        row = self._row("SELECT hash FROM records WHERE seq = ?", (seq,))
        return None if row is None else bytes(row[0])

    def records(self) -> int:
        """How many there are."""
        row = self._row("SELECT max(seq) FROM records")
        return 0 if row is None or row[0] is None else int(row[0])

    def after(self, seq: int, before: bytes, most: int) -> Batch:
        """The next moves after a record, at most so many (a record is never split); none where nothing is new."""
        end, end_hash = seq, before
        moves: list[MeterMoved] = []
        try:
            for number, _, body, hash_ in self._db.execute(f"{COLUMNS} WHERE seq > ? ORDER BY seq", (seq,)):
                if _MARK in unpacked(body):
                    moves += [one for one in decode_record(number, body) if isinstance(one, MeterMoved)]
                end, end_hash = number, hash_
                if len(moves) >= most:
                    break
        except SQL_ERRORS as problem:
            raise meaning(problem, self.path, writing=False) from problem
        return Batch(seq, before, end, end_hash, tuple(moves))

    def newest_move(self) -> int:
        """The number of the newest move; 0 where there is none. Looks from the end, so a long journal costs nothing."""
        try:
            for number, _, body, _ in self._db.execute(f"{COLUMNS} ORDER BY seq DESC"):
                if _MARK in unpacked(body):
                    entries = decode_record(number, body)
                    if numbers := [one.number for one in entries if isinstance(one, MeterMoved)]:
                        return max(numbers)
        except SQL_ERRORS as problem:
            raise meaning(problem, self.path, writing=False) from problem
        return 0

    def _row(self, query: str, values: tuple[object, ...] = ()) -> tuple[int, bytes, bytes, bytes] | None:
        try:
            found: tuple[int, bytes, bytes, bytes] | None = self._db.execute(query, values).fetchone()
        except SQL_ERRORS as problem:
            raise meaning(problem, self.path, writing=False) from problem
        return found
