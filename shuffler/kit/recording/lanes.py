"""Which messages are compared with which: each end's words in lanes whose order does not depend on timing. Pure.

Replies and events of a device share one stream, but which comes first may be chance; so each lane is compared in its
own order. Acknowledgements of events are cumulative and passing events come as often as somebody looks: their number
says nothing. A question for the status is how a host waits, so only what it brought in the end counts.
"""

from enum import Enum

from protocol import messages as m
from protocol.catalogue import Way


class MessageLane(Enum):
    """Messages that are compared in order."""

    COMMANDS = "commands"
    REPLIES = "replies"
    EVENTS = "events"
    POLLS = "questions for the status"
    LOOSE = "not compared"


def lane(way: Way, message: m.Message) -> MessageLane:
    """Where a message belongs."""
    if isinstance(message, m.GetStatus | m.Status):
        return MessageLane.POLLS
    if isinstance(message, m.AckEvents):
        return MessageLane.LOOSE
    if way is Way.HOST:
        return MessageLane.COMMANDS
    if isinstance(message, m.Event):
        return MessageLane.EVENTS if message.number else MessageLane.LOOSE
    return MessageLane.REPLIES
