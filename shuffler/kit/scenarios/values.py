"""Values of a scenario file as fields of messages, by the catalogue: enums by name, cards by name, bytes as hex."""

from enum import IntEnum, IntFlag
from typing import Any

from firmware_sim.control.cards import card_codes
from firmware_sim.control.names import member, name_of, names_of
from firmware_sim.errors import DeviceError
from protocol import messages as m
from protocol.catalogue import CATALOGUE
from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, layout
from protocol.render.tables import shown
from shuffler.host.commands import seats_mask
from strict_toml import Section

COMMANDS: dict[str, type[m.Message]] = {
    entry.name: entry.body for entry in CATALOGUE if entry.reply is not None and entry.body is not m.Hello
}
EVENTS: dict[str, type[m.Event]] = {entry.name: entry.body for entry in CATALOGUE if issubclass(entry.body, m.Event)}
MESSAGES: dict[str, type[m.Message]] = {entry.name: entry.body for entry in CATALOGUE}


def fields_of(kind: type) -> dict[str, Field]:
    """A message's fields by name."""
    return {field.name: field for field in layout(kind)}


def read_fields(section: Section, kind: type[m.Message]) -> dict[str, Any]:
    """The fields of a message that a table names; an unknown one is refused with those there are."""
    known = fields_of(kind)
    values: dict[str, Any] = {}
    for key in list(section.left):
        if key not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            section.refuse(f"{kind.__name__} has no field {key!r}; {has}", key)
        values[key] = _value(section, key, known[key])
    return values


def _value(section: Section, key: str, field: Field) -> Any:
    if isinstance(field.kind, Nested | Records):
        section.refuse(f"{section.name(key)} can't be given in a scenario: it is made of several fields", key)
    match field.kind:
        case Int(_, of) if issubclass(of, IntEnum):
            return member(of, section.choice(key, names_of(of)))
        case Int(_, of) if of is bool:
            return section.flag(key)
        case Int(size, of):
            if key == "seats" and isinstance(section.left[key], list):
                return _seats(section, key)
            number = section.whole(key, 0, (1 << (8 * size)) - 1)
            return of(number) if issubclass(of, IntFlag) else number
        case Fixed() | Blob():
            return read_hex(section, key)
        case Text():
            return section.text(key)
        case Codes():
            return tuple(read_cards(section, key))


def read_hex(section: Section, key: str) -> bytes:
    """Bytes, written as "00 ff 1a"."""
    text = section.text(key)
    try:
        return bytes.fromhex(text)
    except ValueError:
        section.refuse(f'{section.name(key)} must be bytes in hex ("00 ff 1a"), not {text!r}', key)


def read_cards(section: Section, key: str) -> list[int]:
    """Cards, written as "Q♠ Ks Ah"."""
    text = section.text(key)
    try:
        return card_codes(text)
    except DeviceError as problem:
        section.refuse(str(problem), key)


def read_seats(section: Section, key: str) -> tuple[int, ...]:
    """A list of seats, each from 1."""
    given = section.take(key)
    if not isinstance(given, list) or not given or not all(type(seat) is int and 1 <= seat <= 16 for seat in given):
        section.refuse(f"{section.name(key)} must be a list of seats from 1 to 16, not {given!r}", key)
    return tuple(given)


def _seats(section: Section, key: str) -> int:
    return seats_mask(read_seats(section, key))


def matches(message: m.Message, kind: type[m.Message], values: dict[str, Any]) -> bool:
    """Whether a message is of this kind and has these fields."""
    return isinstance(message, kind) and all(getattr(message, name) == value for name, value in values.items())


def told(kind: type[m.Message], values: dict[str, Any]) -> str:
    """A kind of message and some of its fields, for people."""
    fields = fields_of(kind)
    named = ", ".join(f"{name} {_shown(value, fields[name])}" for name, value in values.items())
    return f"{kind.__name__} with {named}" if named else kind.__name__


def _shown(value: Any, field: Field) -> str:
    return name_of(value) if isinstance(value, IntEnum) else shown(value, field)


def in_words(message: m.Message, names: set[str]) -> str:
    """A message that came, with the fields that were asked for."""
    return told(type(message), {name: getattr(message, name) for name in sorted(names) if hasattr(message, name)})
