"""construct's Structs of every message and record, derived from the declarations.

For programs that build or parse bodies with construct, and for the tests, which hold the codec to them. They know sizes
and lengths; a word that its enumeration lacks, a bool above 1 and trailing bytes are refused by the codec only.
"""

from functools import cache
from typing import Any

from construct import (
    Bytes,
    Construct,
    GreedyBytes,
    Int8ul,
    Int16ul,
    Int32ul,
    Int64ul,
    PascalString,
    Prefixed,
    PrefixedArray,
    Struct,
)

from protocol.framing import HEADER as HEADER_FIELDS
from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, WireType, layout

NUMBERS = {1: Int8ul, 2: Int16ul, 4: Int32ul, 8: Int64ul}


@cache
def struct_of(kind: type) -> "Construct[Any, Any]":
    """Return the Struct of a message's body or of a record."""
    return _struct(layout(kind))


def _struct(fields: tuple[Field, ...]) -> "Construct[Any, Any]":
    return Struct(*(field.name / _construct(field.kind) for field in fields))


def _construct(kind: WireType) -> "Construct[Any, Any]":
    match kind:
        case Int(size, _):
            return NUMBERS[size]
        case Fixed(size):
            return Bytes(size)
        case Blob(prefix):
            return Prefixed(NUMBERS[prefix], GreedyBytes)
        case Text(prefix):
            return PascalString(NUMBERS[prefix], "utf8")
        case Codes(prefix, _):
            return PrefixedArray(NUMBERS[prefix], Int8ul)
        case Nested(inner):
            return struct_of(inner)
        case Records(prefix, inner):
            return PrefixedArray(NUMBERS[prefix], struct_of(inner))


HEADER = _struct(HEADER_FIELDS)
