"""The layouts of entries, derived from their types: a value is a JSON array of its fields in order, its name first.

Bytes are not JSON: a field of bytes is written as their count, and the bytes go to the record's tail, in order. The
layouts are in the file for other programs (`LAYOUTS_TEXT`). Reading is here, writing in `writing.py`. Sections keep
names apart that two rooms share:

    entries      what a record is a list of
    operations   moves at the table        marked `:operation` where a field holds one
    messages     events and commands       marked `:message`
    records      parts of the others       marked `:NAME`, or `:[NAME]` for a list of them
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from protocol import messages as m
from protocol.catalogue import BY_BODY
from round_engine.errors import RoundEngineError
from round_engine.money.ledger import EntryKind as LedgerEntry
from round_engine.money.ledger import Posting
from round_engine.round.operations import OPERATIONS, Operation
from round_engine.table.state import TableState
from shuffler.journal import entries

ENTRIES: tuple[type, ...] = get_args(entries.Entry)
MESSAGES: tuple[type, ...] = tuple(kind for kind in BY_BODY if issubclass(kind, m.Event) or BY_BODY[kind].effect)


def _records(kinds: Iterable[type]) -> tuple[type, ...]:
    """Every part that these types, or parts of theirs, are made of."""
    found: dict[type, None] = {}
    todo = [hint for kind in kinds for hint in get_type_hints(kind).values()]
    while todo:
        hint = todo.pop(0)
        todo += get_args(hint)
        is_part = is_dataclass(hint) or hasattr(hint, "_fields")
        if isinstance(hint, type) and is_part and hint not in (*ROOTS, *found):
            found[hint] = None
            todo += get_type_hints(hint).values()
    return tuple(found)


ROOTS = (Operation, m.Message, m.Event, TableState)  # marked or written otherwise
RECORDS = _records((*ENTRIES, *OPERATIONS, *MESSAGES))
SECTIONS: Mapping[str, tuple[type, ...]] = {
    "entries": ENTRIES,
    "operations": OPERATIONS,
    "messages": MESSAGES,
    "records": RECORDS,
}
BY_NAME: Mapping[str, Mapping[str, type]] = {
    section: {kind.__name__: kind for kind in kinds} for section, kinds in SECTIONS.items()
}

LEDGER_ENTRIES = {member.value: member for member in LedgerEntry}

Read = Callable[[Any, "Tail"], Any]


class Misfit(Exception):
    """A value that the layout does not allow; `codec.py` turns it into JournalBroken."""


class Tail:
    """The bytes behind a record's JSON, taken one after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: Any) -> bytes:
        """The next so many."""
        if type(count) is not int or not 0 <= count <= len(self._data) - self._at:
            raise Misfit(f"{count!r} bytes are not in the record's tail")
        self._at += count
        return self._data[self._at - count : self._at]

    @property
    def used_up(self) -> bool:
        """Whether nothing is left."""
        return self._at == len(self._data)


class FieldCodec(NamedTuple):
    """How one field is read."""

    mark: str
    read: Read
    json: type  # what JSON has in its place
    as_it_is: bool = False  # nothing but its type has to be looked at


# ------------------------------------------------------------------------------------------------------------- fields


@cache
def field_codec(hint: Any) -> FieldCodec:
    """The codec of a field's type."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        (some,) = (arm for arm in inside if arm is not type(None))
        inner = field_codec(some)
        assert not inner.mark, f"{hint}: only plain values may be left out"
        read = inner.read
        return inner._replace(read=lambda value, tail: None if value is None else read(value, tail))
    if origin is tuple:
        codec = _tuple(field_codec(inside[0]))
        return codec._replace(read=_postings) if inside[0] is Posting else codec
    if origin is Literal:
        return FieldCodec("", _one_of(frozenset(inside)), str)
    if hint is bytes:
        return FieldCodec("bytes", lambda count, tail: tail.take(count), int)
    if hint is TableState:
        return FieldCodec("", _state, dict)
    if hint in (Operation, m.Message, m.Event):
        section = "operations" if hint is Operation else "messages"
        return FieldCodec(section[:-1], _variant(section, hint), list)
    if hint in RECORDS:
        return FieldCodec(hint.__name__, lambda plain, tail: decode_fields(hint, plain, tail), list)
    if origin is not None and issubclass(origin, Mapping):
        return FieldCodec("", _mapping(inside[1]), dict)
    kind = getattr(hint, "__supertype__", hint)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return FieldCodec("", _enum(kind), str if issubclass(kind, str) else int)
    assert kind in (int, str, bool), f"no codec for {hint}"
    return FieldCodec("", _exactly(kind), kind, as_it_is=True)


def _tuple(inner: FieldCodec) -> FieldCodec:
    read_one = inner.read

    def read(values: Any, tail: Tail) -> Any:
        if type(values) is not list:
            raise Misfit(f"{values!r} is no list")
        if inner.as_it_is and set(map(type, values)) <= {inner.json}:
            return tuple(values)
        return tuple([read_one(value, tail) for value in values])

    return FieldCodec(f"[{inner.mark}]" if inner.mark else "", read, list)


def _postings(rows: Any, tail: Tail) -> tuple[Posting, ...]:
    """A round has dozens: what `decode_fields` does, without asking anew for each."""
    if type(rows) is not list:
        raise Misfit(f"{rows!r} is no list")
    shape, make, found = layout(Posting).json, Posting._make, []
    for row in rows:
        if type(row) is list and tuple(map(type, row)) == shape and row[0] in LEDGER_ENTRIES:
            row[0] = LEDGER_ENTRIES[row[0]]
            found.append(make(row))
        else:
            found.append(decode_fields(Posting, row, tail))
    return tuple(found)


def _exactly(kind: type) -> Read:
    def read(value: Any, _: Tail) -> Any:
        if type(value) is not kind:
            raise Misfit(f"{value!r} is no {kind.__name__}")
        return value

    return read


def _one_of(allowed: frozenset[Any]) -> Read:
    def read(value: Any, _: Tail) -> Any:
        if type(value) is not str or value not in allowed:
            raise Misfit(f"{value!r} is none of {', '.join(sorted(allowed))}")
        return value

    return read


def _enum(kind: type[Enum]) -> Read:
    known = {member.value: member for member in kind}

    def read(value: Any, _: Tail) -> Any:
        try:
            return known[value] if value in known else kind(value)
        except (ValueError, TypeError):
            raise Misfit(f"{value!r} is no {kind.__name__}") from None

    return read


def _mapping(value_hint: Any) -> Read:
    inner = field_codec(value_hint).read

    def read(value: Any, tail: Tail) -> Any:
        if type(value) is not dict:
            raise Misfit(f"{value!r} is no mapping")
        return {key: inner(one, tail) for key, one in value.items()}

    return read


def _variant(section: str, root: type) -> Read:
    def read(plain: Any, tail: Tail) -> Any:
        found = decode(section, plain, tail)
        if not isinstance(found, root):
            raise Misfit(f"{type(found).__name__} is no {root.__name__}")
        return found

    return read


def _state(plain: Any, _: Tail) -> TableState:
    try:
        return TableState.from_json(plain)
    except RoundEngineError as problem:
        raise Misfit(str(problem)) from None


# -------------------------------------------------------------------------------------------------------------- values


class EntryLayout(NamedTuple):
    """One type: its fields in order, and how each is read."""

    kind: type
    names: tuple[str, ...]
    marked: tuple[str, ...]  # as the schema has them
    values: Callable[[Any], tuple[Any, ...]]
    make: Callable[[list[Any]], Any]
    reads: tuple[Read, ...]
    json: tuple[type, ...]
    converts: tuple[tuple[int, Read], ...]  # those fields of which JSON's value is not yet the value


def layout(kind: type) -> EntryLayout:
    """The layout of a type, from its hints."""
    found = _LAYOUTS.get(kind)
    if found is None:
        found = _LAYOUTS[kind] = _make_layout(kind)
    return found


_LAYOUTS: dict[type, EntryLayout] = {}


def _make_layout(kind: type) -> EntryLayout:
    hints = get_type_hints(kind)
    names = tuple(one.name for one in fields(kind)) if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    codecs = [field_codec(hints[name]) for name in names]
    return EntryLayout(
        kind=kind,
        names=names,
        marked=tuple(f"{name}:{one.mark}" if one.mark else name for name, one in zip(names, codecs, strict=True)),
        values=_getter(names),
        make=_maker(kind, names),
        reads=tuple(one.read for one in codecs),
        json=tuple(one.json for one in codecs),
        converts=tuple((at, one.read) for at, one in enumerate(codecs) if not one.as_it_is),
    )


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if not names:
        return lambda _: ()
    if len(names) == 1:
        (name,) = names
        return lambda value: (getattr(value, name),)
    return attrgetter(*names)


def _maker(kind: type, names: tuple[str, ...]) -> Callable[[list[Any]], Any]:
    """Positions where the type takes them, names where it does not."""
    if not is_dataclass(kind) or not any(one.kw_only for one in fields(kind)):
        return lambda values: kind(*values)
    return lambda values: kind(**dict(zip(names, values, strict=True)))


def decode(section: str, plain: Any, tail: Tail) -> Any:
    """A value from plain data with its name in front; raises Misfit."""
    if type(plain) is not list or not plain or type(plain[0]) is not str:
        raise Misfit(f"{plain!r} is none of the journal's {section}")
    kind = BY_NAME[section].get(plain[0])
    if kind is None:
        raise Misfit(f"{plain[0]!r} is none of the journal's {section}: written by a newer version?")
    return decode_fields(kind, plain[1:], tail)


def decode_fields(kind: type, plain: Any, tail: Tail) -> Any:
    """The same from its fields alone."""
    found = layout(kind)
    if type(plain) is not list or len(plain) != len(found.reads):
        raise Misfit(f"{kind.__name__} has {len(found.reads)} fields")
    if tuple(map(type, plain)) == found.json:
        values = plain
        for at, read in found.converts:
            values[at] = read(values[at], tail)
    else:  # a value that was left out, or one that does not belong there
        values = [read(value, tail) for read, value in zip(found.reads, plain, strict=True)]
    try:
        return found.make(values)
    except RoundEngineError as problem:
        raise Misfit(str(problem)) from None


def current_layouts() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the field names of every type, by section."""
    return {
        section: {kind.__name__: layout(kind).marked for kind in kinds} for section, kinds in SECTIONS.items()
    }


LAYOUTS_TEXT = json.dumps(current_layouts(), separators=(",", ":"))
