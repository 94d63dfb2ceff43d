"""The journal: every operation, device event, payout and meter move, append-only, durable, chained by hashes."""

from shuffler.journal.errors import JournalBroken, JournalError, JournalUnwritable
from shuffler.journal.reading import Record, Verdict, read, rounds, verify
from shuffler.journal.sqlite import SqliteJournal

__all__ = [
    "JournalBroken",
    "JournalError",
    "JournalUnwritable",
    "Record",
    "SqliteJournal",
    "Verdict",
    "read",
    "rounds",
    "verify",
]
