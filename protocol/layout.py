"""The layout of a body: the wire type of each field, read from the declaration of its message or record."""

from dataclasses import dataclass, fields
from functools import cache
from typing import Any, get_args

FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}  # struct's letters by size


@dataclass(frozen=True, slots=True)
class Int:
    """An unsigned little-endian integer; `type` is int, bool, an IntEnum or an IntFlag."""

    size: int
    type: type = int


@dataclass(frozen=True, slots=True)
class Fixed:
    """A fixed number of bytes."""

    size: int


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes after their length."""

    prefix: int


@dataclass(frozen=True, slots=True)
class Text:
    """UTF-8 after its length in bytes."""

    prefix: int


@dataclass(frozen=True, slots=True)
class Codes:
    """Single bytes after their count: cards, or places in the feed."""

    prefix: int
    of: str = "cards"


@dataclass(frozen=True, slots=True)
class Nested:
    """A record in place."""

    type: type = object


@dataclass(frozen=True, slots=True)
class Records:
    """Records after their count."""

    prefix: int
    type: type = object


WireType = Int | Fixed | Blob | Text | Codes | Nested | Records


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a body. `example` is a value, or a function that makes one."""

    name: str
    kind: WireType
    meaning: str = ""
    example: object = None


@cache
def layout(value_type: type) -> tuple[Field, ...]:
    """Return the fields of a message or record in the order of the wire."""
    return tuple(
        Field(each.name, _typed(each.metadata["wire"], each.type), each.metadata["meaning"], each.metadata["example"])
        for each in fields(value_type)
    )


def is_fixed(kind: WireType) -> bool:
    """Whether the field always has the same size."""
    return isinstance(kind, Int | Fixed)


def describe(value_type: type) -> str:
    """Return the layout in one line, stable across runs: the input of the fingerprint."""
    return " ".join(f"{field.name}:{_describe(field.kind)}" for field in layout(value_type))


def _describe(kind: WireType) -> str:
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


def _typed(wire: WireType, annotation: Any) -> WireType:
    """Add the Python type that the field is annotated with."""
    match wire:
        case Int(size, _):
            return Int(size, annotation)
        case Nested():
            return Nested(annotation)
        case Records(prefix, _):
            return Records(prefix, get_args(annotation)[0])
    return wire
