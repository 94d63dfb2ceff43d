"""Reads the construct definitions of `wire.py` into plain layouts that codec, docs and C header are made from."""

from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, get_type_hints

from construct import Bytes, FocusedSeq, FormatField, Prefixed, Renamed, StringEncoded, Struct

from protocol import messages as m
from protocol.wire import BODIES, GAME_ENTRY, LOG_LINE, OPENING

FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}  # struct's letters by size
NUMBERS = {"<B", "<H", "<I", "<L", "<Q"}  # struct's formats of unsigned little-endian numbers

RECORDS: dict[type, Any] = {m.Opening: OPENING, m.GameEntry: GAME_ENTRY, m.LogLine: LOG_LINE}


@dataclass(frozen=True, slots=True)
class Int:
    """An unsigned little-endian integer; `type` is int, bool, an IntEnum or an IntFlag."""

    size: int
    type: type


@dataclass(frozen=True, slots=True)
class Fixed:
    """So many bytes, always."""

    size: int


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes behind their length."""

    prefix: int


@dataclass(frozen=True, slots=True)
class Text:
    """UTF-8 behind its length in bytes."""

    prefix: int


@dataclass(frozen=True, slots=True)
class Codes:
    """Single bytes behind their count: cards, or places in the feed."""

    prefix: int
    of: str = "cards"


@dataclass(frozen=True, slots=True)
class Nested:
    """Another layout in place."""

    type: type


@dataclass(frozen=True, slots=True)
class Records:
    """Layouts behind their count."""

    prefix: int
    type: type


Kind = Int | Fixed | Blob | Text | Codes | Nested | Records


@dataclass(frozen=True, slots=True)
class Field:
    """A named place in a body."""

    name: str
    kind: Kind


@cache
def layout(value_type: type) -> tuple[Field, ...]:
    """The fields of a message or record in the order of the wire."""
    definition: Any = RECORDS.get(value_type) or BODIES[value_type]
    hints = get_type_hints(value_type)
    return tuple(Field(sub.name, _kind(sub.subcon, hints[sub.name], sub.name)) for sub in definition.subcons)


def is_fixed(kind: Kind) -> bool:
    """Whether the field always takes the same room."""
    return isinstance(kind, Int | Fixed)


def field_names(value_type: type) -> tuple[str, ...]:
    """The field names of the frozen value, for the test that holds both lists equal."""
    assert is_dataclass(value_type)
    return tuple(field.name for field in fields(value_type))


def describe(value_type: type) -> str:
    """The layout in one line, stable across runs: what the fingerprint is made of."""
    return " ".join(f"{field.name}:{_describe(field.kind)}" for field in layout(value_type))


def _describe(kind: Kind) -> str:
    match kind:
        case Int(size, _):
            return f"u{8 * size}"
        case Fixed(size):
            return f"bytes[{size}]"
        case Blob(prefix):
            return f"u{8 * prefix} bytes"
        case Text(prefix):
            return f"u{8 * prefix} utf8"
        case Codes(prefix, _):
            return f"u{8 * prefix} u8[]"
        case Nested(inner):
            return f"({describe(inner)})"
        case Records(prefix, inner):
            return f"u{8 * prefix} ({describe(inner)})[]"


def _kind(definition: Any, hint: Any, name: str) -> Kind:
    """One construct as a layout kind; a construct that has none here is a mistake in `wire.py`."""
    kind = type(definition)
    if kind is FormatField:
        if definition.fmtstr not in NUMBERS:
            raise TypeError(f"{definition!r} of wire.py is no unsigned little-endian number")
        return Int(definition.length, hint)
    if kind is Bytes:
        return Fixed(definition.length)
    if kind is StringEncoded:
        return Text(definition.subcon.lengthfield.length)
    if kind is Prefixed:
        return Blob(definition.lengthfield.length)
    if kind is Struct:
        return Nested(hint)
    if kind is FocusedSeq:
        return _array(definition, name)
    raise TypeError(f"wire.py uses {definition!r}, which layout.py does not know")


def _array(definition: Any, name: str) -> Kind:
    count, items = definition.subcons
    prefix = _unwrapped(count).length
    item = _unwrapped(items)
    if isinstance(item, FormatField):
        return Codes(prefix, name)
    return Records(prefix, next(kind for kind, record in RECORDS.items() if record is item))


def _unwrapped(definition: Any) -> Any:
    while isinstance(definition, Renamed) or not isinstance(definition, FormatField | Struct):
        definition = definition.subcon
    return definition
