"""What can be wrong with a journal.

JournalError
├── JournalUnwritable     it can't be written (disk full, read-only): nothing was acknowledged that is not in it
│   └── JournalVanished   the file was deleted or replaced under a running table
├── JournalInUse          another process is writing it
├── JournalUnreadable     there is no such file, or it may not be read
└── JournalBroken         it is not a journal, its chain does not hold, or its books contradict themselves
"""

from shuffler.errors import ShufflerError


class JournalError(ShufflerError):
    """Root of the journal's errors."""


class JournalUnwritable(JournalError):
    """What was to be written is not; the table must stop until it can be."""


class JournalVanished(JournalUnwritable):
    """The file was deleted or replaced under a running table."""


class JournalInUse(JournalError):
    """Another process is writing the journal."""


class JournalUnreadable(JournalError):
    """There is no such file, or it may not be read."""


class JournalBroken(JournalError):
    """The file is not a journal, has been changed, or contradicts itself."""
