"""The journal: every operation, device event, payout and meter move, append-only, durable, chained by hashes.

Owns the books' entry types, their codec and file. Must not know who plays or what is on the line.
"""

from shuffler.journal.errors import JournalBroken, JournalError, JournalUnreadable, JournalUnwritable, JournalVanished
from shuffler.journal.reading import ChainCheck, read, rounds, verify
from shuffler.journal.record import Record
from shuffler.journal.sqlite import SqliteJournal

__all__ = [
    "ChainCheck",
    "JournalBroken",
    "JournalError",
    "JournalUnreadable",
    "JournalUnwritable",
    "JournalVanished",
    "Record",
    "SqliteJournal",
    "read",
    "rounds",
    "verify",
]
