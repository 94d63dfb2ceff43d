"""Book entries as JSON and back: one object an entry, readable by people and by any other program."""

from typing import Any, NamedTuple

from protocol.codec import decode_body, encode_body, number_of
from protocol.messages import Event
from round_engine.operations import from_json as operation_from_json
from round_engine.operations import to_json as operation_to_json
from shuffler.bridge.entries import DeviceSaid, Entry, Note, Operated, Posted


def to_json(entry: Entry) -> dict[str, Any]:
    """The entry as plain data."""
    match entry:
        case Operated(operation, postings):
            plain = operation_to_json(operation)
            if postings:
                plain["postings"] = [list(posting) for posting in postings]
            return plain
        case DeviceSaid(serial, epoch, event):
            return {
                "event": type(event).__name__,
                "serial": serial,
                "epoch": f"{epoch:016x}",
                "number": event.number,
                "code": number_of(event),
                "body": encode_body(event).hex(),
            }
        case Note(kind, round_id, text):
            return {"note": kind, "round": round_id, "text": text}
        case Posted(postings):
            return {"opened": [list(posting) for posting in postings]}


def event_of(plain: dict[str, Any]) -> Event:
    """The device event of an entry."""
    event = decode_body(plain["code"], bytes.fromhex(plain["body"]))
    assert isinstance(event, Event)
    return event


def operation_of(plain: dict[str, Any]) -> Any:
    """The operation of an entry."""
    return operation_from_json({key: value for key, value in plain.items() if key != "postings"})


class DealtFrom(NamedTuple):
    """Which round of which device store a round of the books was dealt as."""

    store: str  # serial/epoch
    round: int


def dealt_from(text: str) -> DealtFrom:
    """The text of a "dealt from" note read back."""
    name, number = text.split(" round ")
    return DealtFrom(name.rsplit("/", 1)[0], int(number.split(" ")[0]))
