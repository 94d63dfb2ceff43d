"""What can go wrong between an application and a device, whose fault it is and what to do.

ShufflerError
├── CannotOpen            the port or address can't be opened: check the name, and that the device is running
├── LinkLost              the device can't be reached any more; the session goes on trying
├── Refused               the device refused a command and changed nothing: `.code` and `.text` say why
├── HandshakeRefused      the device will not open a session: version, key, or another host has it
├── EventsUnread          events pile up because nobody reads them: read `next_event` or `events`
├── BlindTable            the device does not read faces and nobody enters the hands
└── TimedOut              no answer in time; the command may still be carried out: `.request` names it
"""

from protocol.vocabulary import ErrorCode, ResetReason


class ShufflerError(Exception):
    """Root of the host's errors."""


class CannotOpen(ShufflerError):
    """The port or address can't be opened."""


class LinkLost(ShufflerError):
    """The device can't be reached any more."""


class Refused(ShufflerError):
    """The device refused a command; nothing changed."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        super().__init__(f"{code.name.lower().replace('_', ' ')}: {text}")
        self.code = code
        self.text = text


class HandshakeRefused(ShufflerError):
    """The device will not open a session."""

    def __init__(self, reason: ResetReason, text: str) -> None:
        super().__init__(f"the device refused the session ({reason.name.lower().replace('_', ' ')}): {text}")
        self.reason = reason


class EventsUnread(ShufflerError):
    """Too many events wait to be read by the application."""


class BlindTable(ShufflerError):
    """The device does not read faces, and nobody enters the hands."""


class TimedOut(ShufflerError):
    """No answer in time; the command stays pending and is settled when the device is back."""

    def __init__(self, what: str, request: int) -> None:
        super().__init__(what)
        self.request = request
