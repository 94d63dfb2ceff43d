"""Bodies through construct's derived Structs: what the codec must equal, both ways and in what it refuses."""

from operator import index
from typing import Any

from construct import ConstructError

from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.errors import Malformed, Unencodable, UnknownMessage
from protocol.layout import Codes, Field, Int, Nested, Records, layout
from protocol.limits import MAX_BODY
from protocol.structs import struct_of
from protocol.vocabulary import FlagWord


def construct_encode(message: m.Message) -> bytes:
    if type(message) not in {entry.body for entry in BY_NUMBER.values()}:
        raise Unencodable(f"{type(message).__name__} is no message of the catalogue")
    try:
        body = bytes(struct_of(type(message)).build(_plain(message)))
    except (ConstructError, ValueError, TypeError, AttributeError, KeyError) as problem:
        raise Unencodable(str(problem)) from problem
    if len(body) > MAX_BODY:
        raise Unencodable(f"{len(body)} bytes are too many")
    return body


def construct_decode(number: int, body: bytes) -> m.Message:
    entry = BY_NUMBER.get(number)
    if entry is None:
        raise UnknownMessage(f"no message has the number 0x{number:02x}")
    try:
        message: m.Message = _typed(entry.body, struct_of(entry.body).parse(body))
    except (ConstructError, ValueError) as problem:
        raise Malformed(str(problem)) from problem
    if len(body) > MAX_BODY or construct_encode(message) != body:
        raise Malformed("bytes too many")
    return message


def _plain(value: Any) -> dict[str, Any]:
    return {field.name: _plain_field(getattr(value, field.name), field) for field in layout(type(value))}


def _plain_field(value: Any, field: Field) -> Any:
    match field.kind:
        case Nested():
            return _plain(value)
        case Records():
            return [_plain(item) for item in value]
        case Codes():
            return list(value)
        case Int(_, kind):
            return index(value) if issubclass(kind, FlagWord) else int(_converted(value, field.name, kind))
    return value


def _typed(value_type: type, parsed: Any) -> Any:
    return value_type(**{field.name: _typed_field(parsed[field.name], field) for field in layout(value_type)})


def _typed_field(value: Any, field: Field) -> Any:
    match field.kind:
        case Nested(inner):
            return _typed(inner, value)
        case Records(_, inner):
            return tuple(_typed(inner, item) for item in value)
        case Codes():
            return tuple(value)
        case Int(_, kind):
            return _converted(value, field.name, kind)
    return value


def _converted(value: int, name: str, kind: type) -> Any:
    if kind is bool and value not in (0, 1):
        raise ValueError(f"{name} is {value}, not 0 or 1")
    return kind(index(value))
