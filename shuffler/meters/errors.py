"""What can go wrong with shared meters, whose fault it is and what to do.

MeterError
├── ServerAway         the server can't be reached: contributions wait, awards are pending; it is tried again
│   ├── MeterLocked    another session held the meter for too long; it is tried again
│   └── ServerBehind   the server was restored from an older copy and waits for tables or an operator; it is tried again
├── MeterRefused       the server refused a move and changed nothing: the text says why
│   └── JournalForked  the table's journal is not the one the server knows: restored from an older copy, or another one
└── MeterMisuse        a wrong name, address or version: the text says what to give instead
"""

from shuffler.errors import ShufflerError


class MeterError(ShufflerError):
    """Root of the errors of shared meters."""


class ServerAway(MeterError):
    """The server can't be reached."""


class MeterLocked(ServerAway):
    """Another session held the meter for too long."""


class ServerBehind(ServerAway):
    """The server was restored from an older copy and is not complete yet."""


class MeterRefused(MeterError):
    """The server refused; nothing changed."""


class JournalForked(MeterRefused):
    """The table's journal and the server's memory of it disagree."""


class MeterMisuse(MeterError):
    """A wrong name, address or version."""
