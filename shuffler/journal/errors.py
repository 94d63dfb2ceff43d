"""What can be wrong with a journal.

JournalError
├── JournalUnwritable     it can't be written (disk full, read-only): nothing was acknowledged that is not in it
└── JournalBroken         it is not a journal, or its chain does not hold
"""

from shuffler.errors import ShufflerError


class JournalError(ShufflerError):
    """Root of the journal's errors."""


class JournalUnwritable(JournalError):
    """What was to be written is not; the table must stop until it can be."""


class JournalBroken(JournalError):
    """The file is not a journal, or has been changed."""
