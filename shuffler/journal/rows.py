"""Rows: entries, operations and messages as MessagePack, derived from their types.

msgspec reads and writes every value but one kind: a field that holds one of several types (an operation, an event, a
command). Those are rows, arrays with the type's name first. For reading, each type gets a tagged array type of the same
fields, so that msgspec checks a whole record at once; the values then become the frozen types. Sections keep names
apart that two rooms share:

    entries      what a record is a list of
    operations   moves at the table
    messages     events of the device and commands to it
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from protocol import messages as m
from protocol.catalogue import CATALOGUE
from round_engine.round.operations import OPERATIONS, Operation
from round_engine.table.used_names import UsedNames
from shuffler.journal.entries import CommandKept, Entry

ENTRIES: tuple[type, ...] = get_args(Entry)
EVENTS: tuple[type, ...] = tuple(entry.body for entry in CATALOGUE if issubclass(entry.body, m.Event))
COMMANDS: tuple[type, ...] = tuple(entry.body for entry in CATALOGUE if entry.effect)
SECTIONS: Mapping[str, tuple[type, ...]] = {
    "entries": ENTRIES,
    "operations": OPERATIONS,
    "messages": EVENTS + COMMANDS,
}

# Fields of these types hold a row; what may stand there, and its section.
VARIANTS: Mapping[type, tuple[str, tuple[type, ...]]] = {
    Operation: ("operations", OPERATIONS),
    m.Event: ("messages", EVENTS),
    m.Message: ("messages", COMMANDS),
    CommandKept: ("entries", (CommandKept,)),
}

Write = Callable[[Any], Sequence[object]]
Read = Callable[[Any], Any]


class RowField(NamedTuple):
    """One field of a row."""

    name: str
    hint: Any  # as msgspec reads it
    section: str  # of the row, or rows, that it holds; empty for none
    is_list: bool


def encode_rows(entries: Iterable[Entry]) -> bytes:
    """Return entries as MessagePack."""
    return _encoder.encode([_WRITE[type(entry)](entry) for entry in entries])


def decode_rows(data: bytes) -> list[Entry]:
    """Return entries from MessagePack; raises msgspec.MsgspecError or RoundEngineError."""
    return [_READ[type(one)](one) for one in _decoder().decode(data)]


# ------------------------------------------------------------------------------------------------------------- derived


def row_fields(kind: type) -> tuple[RowField, ...]:
    """Return the fields of a type in order."""
    hints = get_type_hints(kind)
    return tuple(_row_field(one.name, hints[one.name]) for one in fields(kind))


def _row_field(name: str, hint: Any) -> RowField:
    is_list = get_origin(hint) is tuple and get_args(hint)[0] in VARIANTS
    held = get_args(hint)[0] if is_list else hint
    if held not in VARIANTS:
        return RowField(name, hint, "", is_list=False)
    section, kinds = VARIANTS[held]
    union = _union(section, kinds)
    return RowField(name, tuple[union, ...] if is_list else union, section, is_list)  # type: ignore[valid-type]


def _union(section: str, kinds: tuple[type, ...]) -> Any:
    return Union[tuple(_row_type(section, kind) for kind in kinds)]  # noqa: UP007


_ROW_TYPES: dict[tuple[str, type], Any] = {}
_READ: dict[type, Read] = {}  # by row type


def _row_type(section: str, kind: type) -> Any:
    """Return the tagged array type with the fields of `kind`."""
    found = _ROW_TYPES.get((section, kind))
    if found is None:
        shape = row_fields(kind)
        found = msgspec.defstruct(
            kind.__name__, [(one.name, one.hint) for one in shape], tag=kind.__name__, array_like=True,
            forbid_unknown_fields=True,
        )  # fmt: skip
        _ROW_TYPES[section, kind] = found
        _READ[found] = _reader(kind, shape)
    return found


def _reader(kind: type, shape: Sequence[RowField]) -> Read:
    names = [one.name for one in shape]
    nested = [one for one in shape if one.section]

    def read(row: Any) -> Any:
        values = {name: getattr(row, name) for name in names}
        for one in nested:
            held = values[one.name]
            values[one.name] = tuple(map(_read_one, held)) if one.is_list else _read_one(held)
        return kind(**values)

    return read


def _read_one(row: Any) -> Any:
    return _READ[type(row)](row)


class _Writers(dict[type, Write]):
    """The writers of one section, each made when it is first used."""

    def __init__(self, section: str) -> None:
        super().__init__()
        self._section = section

    def __missing__(self, kind: type) -> Write:
        if kind not in SECTIONS[self._section]:
            raise TypeError(f"{kind.__name__} is not one of the journal's {self._section}")
        self[kind] = made = _writer(kind)
        return made


_WRITERS = {section: _Writers(section) for section in SECTIONS}
_WRITE = _WRITERS["entries"]


def _writer(kind: type) -> Write:
    name, shape = kind.__name__, row_fields(kind)
    names = [one.name for one in shape]
    if not names:
        return lambda _: (name,)
    take: Callable[[Any], Any] = attrgetter(*names)
    if len(names) == 1:
        (only,) = names
        take = lambda value: (getattr(value, only),)  # noqa: E731
    nested = [(at, _WRITERS[one.section], one.is_list) for at, one in enumerate(shape, 1) if one.section]
    if not nested:
        return lambda value: (name, *take(value))

    def write(value: Any) -> Sequence[object]:
        row = [name, *take(value)]
        for at, writers, is_list in nested:
            held = row[at]
            row[at] = [writers[type(one)](one) for one in held] if is_list else writers[type(held)](held)
        return row

    return write


def _to_plain(value: object) -> object:
    if isinstance(value, UsedNames):
        return value.plain()
    raise TypeError(f"the journal keeps no {type(value).__name__}")


def _from_plain(kind: type, plain: Any) -> object:
    if kind is UsedNames:
        return UsedNames(plain)
    raise TypeError(f"the journal keeps no {kind.__name__}")


_encoder = msgspec.msgpack.Encoder(enc_hook=_to_plain)
_decoders: list[msgspec.msgpack.Decoder[list[Any]]] = []


def _decoder() -> msgspec.msgpack.Decoder[list[Any]]:
    """Made when a record is first read: a table that is new writes for a while before."""
    if not _decoders:
        rows: Any = list[_union("entries", ENTRIES)]  # type: ignore[misc]
        _decoders.append(msgspec.msgpack.Decoder(rows, dec_hook=_from_plain))
    return _decoders[0]


# ------------------------------------------------------------------------------------------------------- in the file


def current_layouts() -> dict[str, dict[str, list[str]]]:
    """Return the field names of every row, by section; `:SECTION` marks a row, `:[SECTION]` a list of them."""
    return {
        section: {kind.__name__: [_marked(one) for one in row_fields(kind)] for kind in kinds}
        for section, kinds in SECTIONS.items()
    }


def _marked(one: RowField) -> str:
    if not one.section:
        return one.name
    return f"{one.name}:[{one.section}]" if one.is_list else f"{one.name}:{one.section}"


LAYOUTS_TEXT = json.dumps(current_layouts(), separators=(",", ":"))
