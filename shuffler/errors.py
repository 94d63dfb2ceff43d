"""What can go wrong between an application and a device, whose fault it is and what to do.

ShufflerError
├── CannotOpen            the port or address can't be opened: check the name, and that the device is running
│   └── BadAddress        no port can have that address, or what it needs is not installed: waiting does not help
├── LinkLost              the device can't be reached any more; the session goes on trying
├── Refused               the device refused a command and changed nothing: `.code` and `.text` say why
├── FateForgotten         the device can't say any more whether it carried a command out: look at its status
├── MemorySetBack         the device's memory is older than what is stored of it here: service must erase it
├── HandshakeRefused      the device will not open a session: version, key, or another host has it
├── EventsUnread          events pile up because nobody reads them: read `next_event` or `events`
├── EventsWaiting         another host's events wait in the device, and this client would lose them
├── GaveUp                what was waited for did not come in the time that was given
├── BlindTable            the device does not read faces and nobody enters the hands
├── DeviceUnfit           the device can't be played at this table, and there is no other
├── WrongReply            the device answered a command with something that is no answer to it
├── LocalHostError        the caller asked for what is not possible now: a mistake in the program
└── TimedOut              no answer in time; the command may still be carried out: `.request` names it
"""

from protocol.vocabulary import ErrorCode, ResetReason


class ShufflerError(Exception):
    """Root of the host's errors."""


class CannotOpen(ShufflerError):
    """The port or address can't be opened."""


class BadAddress(CannotOpen):
    """No port can have that address, or what it needs is not installed here."""


class LinkLost(ShufflerError):
    """The device can't be reached any more."""


class Refused(ShufflerError):
    """The device refused a command; nothing changed."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        super().__init__(f"{code.name.lower().replace('_', ' ')}: {text}")
        self.code = code
        self.text = text


class FateForgotten(ShufflerError):
    """The device no longer knows whether it carried the command out; it will not do so from here on."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text}; ask for the status to see where the device is")


def refusal(code: ErrorCode, text: str) -> ShufflerError:
    """The error for an answer that is none."""
    return FateForgotten(text) if code is ErrorCode.FORGOTTEN else Refused(code, text)


class MemorySetBack(ShufflerError):
    """The device's memory is older than what this host has stored of it; nothing is taken from it."""


class HandshakeRefused(ShufflerError):
    """The device will not open a session."""

    def __init__(self, reason: ResetReason, text: str) -> None:
        super().__init__(f"the device refused the session ({reason.name.lower().replace('_', ' ')}): {text}")
        self.reason = reason


class EventsUnread(ShufflerError):
    """Too many events wait to be read by the application."""


class EventsWaiting(ShufflerError):
    """Another host's events wait in the device, and this client keeps none."""


class GaveUp(ShufflerError):
    """What was waited for did not come in the time that was given."""


class BlindTable(ShufflerError):
    """The device does not read faces, and nobody enters the hands."""


class TimedOut(ShufflerError):
    """No answer in time; the command stays pending and is settled when the device is back."""

    def __init__(self, what: str, request: int) -> None:
        super().__init__(what)
        self.request = request


class WrongReply(ShufflerError):
    """The device answered a command with a message that is no answer to it."""

    def __init__(self, command: object, reply: object) -> None:
        name = type(command).__name__
        super().__init__(f"{name} was answered by {type(reply).__name__}: the device does not keep to the protocol")


class LocalHostError(ShufflerError):
    """The caller asked for what is not possible now."""


class DeviceUnfit(ShufflerError):
    """The device can't be played at this table, and there is no other."""
