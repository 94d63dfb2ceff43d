"""One record, typed."""

from dataclasses import dataclass

from shuffler.journal.chain import ChainRow
from shuffler.journal.codec import decode_record
from shuffler.journal.entries import Entry


@dataclass(frozen=True, slots=True)
class Record:
    """One commit: its entries, in order."""

    seq: int
    at: str
    entries: tuple[Entry, ...]


def record(row: ChainRow) -> Record:
    """A row as a record; raises JournalBroken."""
    return Record(row.seq, row.at.decode(errors="replace"), tuple(decode_record(row.seq, row.body)))
