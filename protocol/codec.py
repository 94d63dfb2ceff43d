"""Message bodies to bytes and back: one function for each message, written from its layout when first used.

`structs.py` derives construct's Structs from the same layouts; the tests hold the two equal.
"""

import struct
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum, IntFlag
from typing import Any, TypeVar

from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.errors import Malformed, Unencodable, UnknownMessage
from protocol.layout import FORMATS, Blob, Codes, Field, Fixed, Int, Nested, Records, Text, is_fixed, layout
from protocol.limits import MAX_BODY

K = TypeVar("K")
V = TypeVar("V")


def number_of(message: m.Message) -> int:
    """Return the number of a message; raises Unencodable if it is not in the catalogue."""
    try:
        return _NUMBERS[type(message)]
    except KeyError:
        raise Unencodable(f"{type(message).__name__} is no message of the catalogue") from None


def encode_body(message: m.Message) -> bytes:
    """Return the body of a message; raises Unencodable if a field does not fit."""
    try:
        body = _ENCODERS[type(message)](message)
    except _MISFITS as problem:
        raise _unencodable(message, problem) from problem
    if len(body) > MAX_BODY:
        raise _too_long(message, body)
    return body


def encoded(message: m.Message) -> tuple[int, bytes]:
    """Return number and body of a message; the link calls it for every frame."""
    kind = type(message)
    try:
        body = _ENCODERS[kind](message)
    except _MISFITS as problem:
        raise _unencodable(message, problem) from problem
    if len(body) > MAX_BODY:
        raise _too_long(message, body)
    return _NUMBERS[kind], body


_MISFITS = (struct.error, LookupError, ValueError, TypeError, AttributeError, OverflowError)


def _unencodable(message: m.Message, problem: Exception) -> Unencodable:
    name = type(message).__name__
    if type(message) not in _NUMBERS:
        return Unencodable(f"{name} is no message of the catalogue")
    return Unencodable(f"{name} does not fit the wire: {problem}")


def _too_long(message: m.Message, body: bytes) -> Unencodable:
    return Unencodable(f"{type(message).__name__} takes {len(body)} bytes, a body may have {MAX_BODY}")


def decode_body(number: int, body: bytes) -> m.Message:
    """Return the message with this number and body; raises UnknownMessage or Malformed."""
    try:
        decoder = _DECODERS[number]
    except KeyError:
        raise UnknownMessage(f"no message has the number 0x{number:02x}") from None
    if len(body) > MAX_BODY:
        raise Malformed(f"{BY_NUMBER[number].name}: body of {len(body)} bytes, the longest allowed has {MAX_BODY}")
    try:
        return decoder(body)
    except (struct.error, ValueError) as problem:
        name = BY_NUMBER[number].name
        raise Malformed(f"{name}: a body of {len(body)} bytes does not fit: {_said(problem)}") from problem


def _said(problem: ValueError | struct.error) -> str:
    """Return what is wrong with a body."""
    if isinstance(problem, struct.error):
        return "it ends before its fields do"
    if isinstance(problem, UnicodeDecodeError):
        return "a text is not UTF-8"
    return str(problem)


class _Members(dict[int, int]):
    """The allowed numbers of a field with their values; any other is an error."""

    def __init__(self, kind: type, members: dict[int, int]) -> None:
        super().__init__(members)
        self._kind = kind

    def __missing__(self, number: int) -> int:
        what = "truth value (0 or 1)" if self._kind is bool else self._kind.__name__
        raise ValueError(f"{number} is no {what}")


class _Flags(dict[int, IntFlag]):
    """Flags by number. All sets of known bits are prepared; others are made when needed and not kept."""

    def __init__(self, kind: type[IntFlag]) -> None:
        known = [0]
        for member in kind:
            known += [number | member.value for number in known]
        super().__init__({number: kind(number) for number in known})
        self._kind = kind

    def __missing__(self, number: int) -> IntFlag:
        return self._kind(number)


def _members(kind: type) -> _Members | None:
    """Return the members of a bool or an enumeration; None for a type that allows every number of its size."""
    if kind is bool:
        return _Members(kind, {0: False, 1: True})
    if issubclass(kind, IntEnum):
        return _Members(kind, {member.value: member for member in kind})
    assert kind is int or issubclass(kind, IntFlag)
    return None


class _Writer:
    """Collects the constants of one generated function, and compiles it. Generated code has no loop over fields."""

    def __init__(self) -> None:
        self.names: dict[str, object] = {}

    def const(self, value: object) -> str:
        name = f"_c{len(self.names)}"
        self.names[name] = value
        return name

    def build(self, source: str, function: str) -> Callable[..., Any]:
        exec(compile(source, f"<codec {function}>", "exec"), self.names)
        built = self.names[function]
        assert callable(built)
        return built


def _runs(fields: tuple[Field, ...]) -> Iterable[tuple[bool, list[Field]]]:
    """Group consecutive fixed fields; yield each variable field alone."""
    run: list[Field] = []
    for field in fields:
        if is_fixed(field.kind):
            run.append(field)
            continue
        if run:
            yield True, run
            run = []
        yield False, [field]
    if run:
        yield True, run


def _format(run: list[Field]) -> struct.Struct:
    return struct.Struct("<" + "".join(_format_of(field) for field in run))


def _format_of(field: Field) -> str:
    if isinstance(field.kind, Int):
        return FORMATS[field.kind.size]
    assert isinstance(field.kind, Fixed)
    return f"{field.kind.size}s"


def _make_encoder(value_type: type) -> Callable[[m.Message], bytes]:
    writer = _Writer()
    lines = ["def encode(v):"]
    parts: list[str] = []
    for fixed, run in _runs(layout(value_type)):
        if fixed:
            for field in run:
                if isinstance(field.kind, Fixed):
                    message = f"{field.name} must have {field.kind.size} bytes"
                    lines.append(f"    if len(v.{field.name}) != {field.kind.size}: raise ValueError({message!r})")
            values = ", ".join(_checked(writer, field) for field in run)
            parts.append(f"{writer.const(_format(run).pack)}({values})")
        else:
            parts.append(_encode_variable(writer, lines, run[0]))
    lines.append("    return " + (" + ".join(parts) or "b''"))
    return writer.build("\n".join(lines), "encode")


def _checked(writer: _Writer, field: Field) -> str:
    """Return the expression of a fixed field's value; it refuses a word that its enumeration lacks."""
    members = _members(field.kind.type) if isinstance(field.kind, Int) else None
    return f"v.{field.name}" if members is None else f"{writer.const(members)}[v.{field.name}]"


def _encode_variable(writer: _Writer, lines: list[str], field: Field) -> str:
    name, kind = field.name, field.kind
    match kind:
        case Blob(prefix):
            return f"len(v.{name}).to_bytes({prefix}, 'little') + v.{name}"
        case Text(prefix):
            lines.append(f"    t_{name} = v.{name}.encode()")
            return f"len(t_{name}).to_bytes({prefix}, 'little') + t_{name}"
        case Codes(prefix, _):
            return f"len(v.{name}).to_bytes({prefix}, 'little') + bytes(v.{name})"
        case Nested(inner):
            return f"{writer.const(_make_encoder(inner))}(v.{name})"
        case Records(prefix, inner):
            one = writer.const(_make_encoder(inner))
            return f"len(v.{name}).to_bytes({prefix}, 'little') + b''.join(map({one}, v.{name}))"
    raise TypeError(kind)


def _make_decoder(value_type: type) -> Callable[[bytes], m.Message]:
    """Return a decoder of a whole body that refuses trailing bytes."""
    writer = _Writer()
    lines = ["def decode(b):", "    p = 0", *_decoding(writer, value_type)]
    lines += ["    if p != len(b): raise ValueError(f'{len(b) - p} bytes too many')", "    return v"]
    return writer.build("\n".join(lines), "decode")


def _make_decoder_at(value_type: type) -> Callable[[bytes, int], tuple[object, int]]:
    """Return a decoder of one value at an offset; it returns the value and the offset after it."""
    writer = _Writer()
    lines = ["def decode_at(b, p):", *_decoding(writer, value_type), "    return v, p"]
    return writer.build("\n".join(lines), "decode_at")


def _decoding(writer: _Writer, value_type: type) -> list[str]:
    """Return the lines that decode a value `v` from the bytes `b` at `p` and advance `p`."""
    lines: list[str] = []
    for fixed, run in _runs(layout(value_type)):
        if fixed:
            form = _format(run)
            targets = ", ".join(f"f_{field.name}" for field in run)
            lines.append(f"    {targets}, = {writer.const(form.unpack_from)}(b, p)")
            lines.append(f"    p += {form.size}")
            lines += [line for field in run if (line := _convert(writer, field))]
        else:
            lines += _decode_variable(writer, run[0])
    lines.append(f"    v = {writer.const(value_type.__new__)}({writer.const(value_type)})")
    for field in layout(value_type):
        setter = writer.const(getattr(value_type, field.name).__set__)
        lines.append(f"    {setter}(v, f_{field.name})")
    return lines


def _convert(writer: _Writer, field: Field) -> str:
    if not isinstance(field.kind, Int) or field.kind.type is int:
        return ""
    kind, name = field.kind.type, f"f_{field.name}"
    values = _Flags(kind) if issubclass(kind, IntFlag) else _members(kind)
    return f"    {name} = {writer.const(values)}[{name}]"


def _decode_variable(writer: _Writer, field: Field) -> list[str]:
    target, kind = f"f_{field.name}", field.kind
    if isinstance(kind, Nested):
        return [f"    {target}, p = {writer.const(_make_decoder_at(kind.type))}(b, p)"]
    assert isinstance(kind, Blob | Text | Codes | Records)
    prefix = kind.prefix
    lines = [f"    n = {writer.const(struct.Struct('<' + FORMATS[prefix]).unpack_from)}(b, p)[0]; p += {prefix}"]
    if isinstance(kind, Records):
        one = writer.const(_make_decoder_at(kind.type))
        return [*lines, "    items = []", "    for _ in range(n):", f"        item, p = {one}(b, p)",
                "        items.append(item)", f"    {target} = tuple(items)"]  # fmt: skip
    lines.append("    if p + n > len(b): raise ValueError(f'{n} bytes promised, {len(b) - p} there')")
    taken = {Blob: "b[p:p + n]", Text: "b[p:p + n].decode()", Codes: "tuple(b[p:p + n])"}[type(kind)]
    return [*lines, f"    {target} = {taken}; p += n"]


class _OnFirstUse(dict[K, V]):
    """Functions made on first use: a program that sends ten kinds of message does not pay for all."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        made = self[key] = self._make(key)
        return made


_NUMBERS = {entry.body: entry.number for entry in BY_NUMBER.values()}
_ENCODERS: Mapping[type[m.Message], Callable[[m.Message], bytes]] = _OnFirstUse(
    lambda kind: _make_encoder(BY_NUMBER[_NUMBERS[kind]].body)
)
_DECODERS: Mapping[int, Callable[[bytes], m.Message]] = _OnFirstUse(
    lambda number: _make_decoder(BY_NUMBER[number].body)
)
