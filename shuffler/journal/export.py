"""Entries by name, for people and other programs: JSON objects with field names, bytes as hexadecimal digits."""

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import TYPE_CHECKING

from round_engine.money.ledger import Posting
from round_engine.table.used_names import UsedNames
from shuffler.journal.entries import DeviceSaid, Entry, OpeningPosted, Operated

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Plain = None | bool | int | str | list["Plain"] | dict[str, "Plain"]


def named(entry: Entry) -> dict[str, Plain]:
    """An entry as a JSON object: `op`, `event` or `entry` says which."""
    match entry:
        case Operated(operation, postings):
            return {"op": type(operation).__name__, **_fields(operation), "postings": _plain(postings)}
        case DeviceSaid(serial, epoch, event):
            return {"event": type(event).__name__, "serial": serial, "epoch": f"{epoch:016x}", **_fields(event)}
    return {"entry": type(entry).__name__, **_fields(entry)}


def postings_of(entry: Entry) -> tuple[Posting, ...]:
    """The money that an entry moved."""
    return entry.postings if isinstance(entry, Operated | OpeningPosted) else ()


def _fields(value: "DataclassInstance") -> dict[str, Plain]:
    return {one.name: _plain(getattr(value, one.name), is_epoch=one.name == "epoch") for one in fields(value)}


def _plain(value: object, *, is_epoch: bool = False) -> Plain:
    match value:
        case bytes():
            return value.hex()
        case int() if is_epoch:
            return f"{value:016x}"
        case Enum():
            return _plain(value.value)
        case None | bool() | int() | str():
            return value
        case tuple() | list():
            return [_plain(one) for one in value]
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case UsedNames():
            return _plain(value.plain())
    return {"type": type(value).__name__, **_fields(value)}  # type: ignore[arg-type]
