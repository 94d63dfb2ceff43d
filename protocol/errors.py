"""Whose fault it is, in the type.

ProtocolError
├── LocalProtocolError       the caller asked for something the protocol does not allow
│   ├── Unencodable          a field does not fit its place on the wire
│   └── QueueFull            more is waiting to be sent than the link keeps
└── RemoteProtocolError      the peer sent a sound frame that makes no sense
    ├── Malformed            a body that its message's layout does not fit
    └── UnknownMessage       a message number that is not in the catalogue

Noise on the line is nobody's fault: it is counted and dropped (`framing.Framer`), never raised.
"""


class ProtocolError(Exception):
    """Root of this room's errors."""


class LocalProtocolError(ProtocolError):
    """The caller's fault."""


class Unencodable(LocalProtocolError):
    """A field does not fit its place on the wire."""


class QueueFull(LocalProtocolError):
    """The link's send queue is full: wait until the peer has acknowledged some of it."""


class RemoteProtocolError(ProtocolError):
    """The peer's fault."""


class Malformed(RemoteProtocolError):
    """A body that does not fit its message's layout."""


class UnknownMessage(RemoteProtocolError):
    """A message number that is not in the catalogue."""
