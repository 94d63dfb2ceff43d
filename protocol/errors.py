"""Errors of the protocol, grouped by cause.

ProtocolError
├── LocalProtocolError       the caller's fault
│   ├── Unencodable          a field does not fit the wire
│   └── QueueFull            the send queue is full
└── RemoteProtocolError      the peer's fault: a valid frame with an invalid body
    ├── Malformed            the body does not match its layout
    └── UnknownMessage       the catalogue has no such number

Noise on the line is no error: `framing.Framer` counts and drops it.
"""


class ProtocolError(Exception):
    """Root of this room's errors."""


class LocalProtocolError(ProtocolError):
    """The caller's fault."""


class Unencodable(LocalProtocolError):
    """A field does not fit the wire."""


class QueueFull(LocalProtocolError):
    """The link's send queue is full: wait for acknowledgements."""


class RemoteProtocolError(ProtocolError):
    """The peer's fault."""


class Malformed(RemoteProtocolError):
    """The body does not match its message's layout."""


class UnknownMessage(RemoteProtocolError):
    """The catalogue has no message with this number."""
