"""Entries by name, for people and other programs: JSON objects with field names, bytes as hexadecimal digits."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from round_engine.money.ledger import Posting
from round_engine.table.state import TableState
from shuffler.journal.entries import DeviceSaid, Entry, OpeningPosted, Operated
from shuffler.journal.layouts import layout


def named(entry: Entry) -> dict[str, Any]:
    """An entry as a JSON object: `op`, `event` or `entry` says which."""
    match entry:
        case Operated(operation, postings):
            return {"op": type(operation).__name__, **_fields(operation), "postings": _plain(postings)}
        case DeviceSaid(serial, epoch, event):
            key = {"event": type(event).__name__, "serial": serial, "epoch": f"{epoch:016x}"}
            return {**key, **_fields(event)}
    return {"entry": type(entry).__name__, **_fields(entry)}


def postings_of(entry: Entry) -> tuple[Posting, ...]:
    """The money that an entry moved."""
    return entry.postings if isinstance(entry, Operated | OpeningPosted) else ()


def _fields(value: Any) -> dict[str, Any]:
    return {
        name: f"{one:016x}" if name == "epoch" else _plain(one)
        for name, one in zip(layout(type(value)).names, layout(type(value)).values(value), strict=True)
    }


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, TableState):
        return value.to_json()
    if isinstance(value, Posting):
        return list(value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, int | str | None):
        return value
    return {"type": type(value).__name__, **_fields(value)}
