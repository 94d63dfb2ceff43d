"""Following a journal that a table is still writing: each call reads the records that were added, chain checked."""

from collections.abc import Iterator
from pathlib import Path

from shuffler.journal.chain import verified
from shuffler.journal.errors import JournalBroken
from shuffler.journal.file import COLUMNS, GENESIS, reading
from shuffler.journal.record import Record, record


class Follower:
    """Reads a journal in steps. `after` and `head` are a record and its hash as kept by an earlier follower."""

    def __init__(self, path: Path | str, *, after: int = 0, head: bytes = GENESIS) -> None:
        self.path = Path(path)
        self.after = after
        self.head = head

    def new_records(self) -> Iterator[Record]:
        """The records added since the last call; raises JournalError, and JournalBroken where the past was changed."""
        with reading(self.path) as database:
            if self.after:
                kept = database.execute("SELECT hash FROM records WHERE seq = ?", (self.after,)).fetchone()
                if kept is None or kept[0] != self.head:
                    raise JournalBroken(f"{self.path}: record {self.after} is not the one that was read before")
            rows = database.execute(f"{COLUMNS} WHERE seq > ? ORDER BY seq", (self.after,))
            for row in verified(rows, self.head, self.after):
                self.after, self.head = row.seq, row.hash
                yield record(row)
