"""Example values of every message: the typical one that it declares; least, filled and largest made from its layout.

In a filled example the bytes count up through the body, so that a field with a wrong size or offset is noticed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from functools import cache
from itertools import count
from typing import Any, TypeVar

from protocol import messages as m
from protocol.catalogue import CATALOGUE, CatalogueEntry, Chapter, Way
from protocol.codec import encode_body
from protocol.framing import HELLO_VERSION, VERSION, Frame, pack_header, wrap
from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, layout
from protocol.story import SESSION

M = TypeVar("M", bound=m.Message)

LONG_BLOB = 300  # beyond COBS's longest block of 254 bytes
CARDS = (10, 36, 51)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A message in a frame."""

    name: str  # least, typical, filled or largest
    entry: CatalogueEntry
    message: m.Message
    frame: Frame
    line: bytes  # the frame with its delimiters


def examples(entry: CatalogueEntry) -> tuple[Example, ...]:
    """Return the examples of one message without duplicate bodies."""
    kind = entry.body
    named = {
        "typical": typical(kind),
        "least": least(kind),
        "filled": filled(kind),
        "largest": largest(kind),
    }
    kept: dict[bytes, tuple[str, m.Message]] = {}
    for name, message in named.items():
        kept.setdefault(encode_body(message), (name, message))
    return tuple(example(entry, name, message) for name, message in kept.values())


@cache
def all_examples() -> tuple[Example, ...]:
    """Return the examples of every message in the order of the catalogue."""
    return tuple(each for entry in CATALOGUE for each in examples(entry))


def example(entry: CatalogueEntry, name: str, message: m.Message) -> Example:
    """Return a message in a frame of a plain session."""
    body = encode_body(message)
    version = HELLO_VERSION if entry.body in (m.Hello, m.Welcome, m.Reset) else VERSION
    frame = Frame(version, 0, entry.number, *_numbers(entry), body)
    line = wrap(pack_header(0, *frame[2:7], version=version), body)
    return Example(name=name, entry=entry, message=message, frame=frame, line=line)


def _numbers(entry: CatalogueEntry) -> tuple[int, int, int, int]:
    """Return session, sequence, acknowledgement and request of the header."""
    if entry.body in (m.Hello, m.Reset):
        return 0, 0, 0, 0
    if entry.body is m.Welcome:
        return SESSION, 0, 0, 0
    if entry.chapter is Chapter.LINK:
        return SESSION, 0, 9, 0
    if entry.chapter is Chapter.EVENT:
        return SESSION, 12, 9, 0
    if entry.way is Way.HOST:
        return SESSION, 10, 11, 0 if entry.reply is None else 17
    return SESSION, 11, 10, 17


# ------------------------------------------------------------------------------------------------- values from layouts


def typical(kind: type[M]) -> M:
    """Return the example that the fields of a message declare."""
    value_type: type = kind
    fields = {field.name: field.example for field in layout(value_type)}
    return kind(**{name: example() if callable(example) else example for name, example in fields.items()})


def least(kind: type) -> Any:
    """Return a value with every number 0 (or the lowest allowed) and every variable field empty."""
    return kind(**{field.name: _least(field) for field in layout(kind)})


def filled(kind: type, numbers: Iterator[int] | None = None) -> Any:
    """Return a value whose bytes count up through the body."""
    numbers = numbers or count(1)
    return kind(**{field.name: _filled(field, numbers) for field in layout(kind)})


def largest(kind: type) -> Any:
    """Return a value with every number at its maximum and long texts and blobs."""
    return kind(**{field.name: _largest(field) for field in layout(kind)})


def _least(field: Field) -> object:
    match field.kind:
        case Int(_, kind):
            return min(kind) if issubclass(kind, IntEnum) else _as(kind, 0)
        case Fixed(size):
            return bytes(size)
        case Blob():
            return b""
        case Text():
            return ""
        case Codes() | Records():
            return ()
        case Nested(inner):
            return least(inner)


def _filled(field: Field, numbers: Iterator[int]) -> object:
    match field.kind:
        case Int(size, kind):
            number = int.from_bytes(_ramp(numbers, size), "little")
            return _fitting(kind, number)
        case Fixed(size):
            return _ramp(numbers, size)
        case Blob(prefix):
            next(numbers)
            return _ramp(numbers, 32 * prefix)
        case Text():
            return f"{field.name} 3♣ {next(numbers)}"
        case Codes():
            return CARDS
        case Nested(inner):
            return filled(inner, numbers)
        case Records(_, inner):
            return (filled(inner, numbers), filled(inner, numbers))


def _largest(field: Field) -> object:
    match field.kind:
        case Int(size, kind):
            if issubclass(kind, IntEnum):
                return max(kind)
            return True if kind is bool else _as(kind, (1 << 8 * size) - 1)
        case Fixed(size):
            return b"\xff" * size
        case Blob(prefix):
            return b"\xff" * (255 if prefix == 1 else LONG_BLOB)
        case Text():
            return "♠" * 85  # 255 bytes, the most that a length of one byte can say
        case Codes():
            return (255,) * LONG_BLOB
        case Nested(inner):
            return largest(inner)
        case Records(_, inner):
            return (largest(inner),) * 3


def _ramp(numbers: Iterator[int], size: int) -> bytes:
    return bytes(next(numbers) & 0xFF for _ in range(size))


def _fitting(kind: type, number: int) -> object:
    """Return a number as a value of its type: flags keep their known bits, enumerations wrap around."""
    if kind is bool:
        return bool(number & 1)
    if issubclass(kind, IntFlag):
        return kind(number) & ~kind(0)
    if issubclass(kind, IntEnum):
        members = sorted(kind)
        return members[number % len(members)]
    return number


def _as(kind: Any, number: int) -> Any:
    return kind(number)
