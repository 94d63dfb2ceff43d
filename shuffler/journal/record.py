"""One record, typed: whichever version wrote it."""

from dataclasses import dataclass

from shuffler.journal.chain import Row
from shuffler.journal.codec import Decoder
from shuffler.journal.entries import Entry


@dataclass(frozen=True, slots=True)
class Record:
    """One commit: its entries, in order."""

    seq: int
    at: str
    entries: tuple[Entry, ...]


def decoded(decoder: Decoder, row: Row) -> list[Entry]:
    """The entries of a row; raises JournalBroken."""
    return decoder.old.entries(row.seq, row.body) if row.is_old else decoder.decode(row.seq, row.body)


def record(decoder: Decoder, row: Row) -> Record:
    """A row as a record."""
    return Record(row.seq, row.at.decode(errors="replace"), tuple(decoded(decoder, row)))
