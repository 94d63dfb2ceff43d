"""Layouts as tables and values as text, for the reference and the command line."""

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

from protocol.cards import card_name
from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, WireType, layout

SHORT_BYTES = 16


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of a layout table."""

    offset: str
    size: str
    type: str
    name: str
    meaning: str


def rows(kind: type) -> list[FieldRow]:
    """Return the fields of a body or record; offsets end at the first field of variable size."""
    found: list[FieldRow] = []
    offset: int | None = 0
    for field in layout(kind):
        size = field.kind.size if isinstance(field.kind, Int | Fixed) else None
        at = "…" if offset is None else f"{offset}"
        found.append(FieldRow(at, _size(field.kind), type_name(field.kind), field.name, field.meaning))
        offset = None if offset is None or size is None else offset + size
    return found


def type_name(kind: WireType) -> str:
    """Return the name of a field's type."""
    match kind:
        case Int(size, of):
            return f"u{8 * size}" + (f" {of.__name__}" if of not in (int, bool) else " bool" if of is bool else "")
        case Fixed(size):
            return f"bytes[{size}]"
        case Blob(prefix):
            return f"u{8 * prefix} n, bytes[n]"
        case Text(prefix):
            return f"u{8 * prefix} n, UTF-8[n]"
        case Codes(prefix, of):
            return f"u{8 * prefix} n, u8[n] {of}"
        case Nested(inner):
            return inner.__name__
        case Records(prefix, inner):
            return f"u{8 * prefix} n, {inner.__name__}[n]"


def _size(kind: WireType) -> str:
    match kind:
        case Int(size, _) | Fixed(size):
            return f"{size}"
        case Blob(prefix) | Text(prefix) | Codes(prefix, _):
            return f"{prefix} + n"
        case _:
            return "varies"


def shown(value: Any, field: Field, *, whole: bool = False) -> str:
    """Return a field's value as text; long bytes are truncated unless `whole`."""
    match field.kind:
        case Int(_, of) if issubclass(of, IntFlag):
            return f"0x{int(value):x}" + (f" ({value.name})" if value else "")
        case Int(_, of) if issubclass(of, IntEnum):
            return f"{value.name} ({int(value)})"
        case Int():
            return f"{value}".lower() if isinstance(value, bool) else f"{value}"
        case Fixed() | Blob():
            if len(value) > SHORT_BYTES and not whole:
                return f"{value[:SHORT_BYTES].hex()}… ({len(value)} bytes)"
            return value.hex() or "(empty)"
        case Text():
            return f"“{value}”"
        case Codes(_, "places"):
            return " ".join(f"place {place}" for place in value) or "(none)"
        case Codes():
            return " ".join(card_name(code) for code in value) or "(none)"
        case Nested(inner):
            return "{" + _fields(value, inner, whole) + "}"
        case Records(_, inner):
            return "[" + ", ".join("{" + _fields(item, inner, whole) + "}" for item in value) + "]"


def _fields(value: Any, kind: type, whole: bool) -> str:
    return ", ".join(
        f"{field.name} {shown(getattr(value, field.name), field, whole=whole)}" for field in layout(kind)
    )


def shown_fields(value: Any, *, whole: bool = False) -> dict[str, str]:
    """Return every field of a message by name, as text."""
    kind: type = type(value)
    return {field.name: shown(getattr(value, field.name), field, whole=whole) for field in layout(kind)}
