"""Entries written under other layouts than this version's, brought into today's: by field names, which the file has.

A field that is new is filled with its default, or with nothing (0, "", no bytes, the first of an enumeration); a field
that is gone is dropped.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from shuffler.journal.layouts import BY_NAME, Misfit, Names, Plain, Tail, current_layouts, decode, layout

SECTION_OF_MARK = {"operation": "operations", "message": "messages"}


class Named(NamedTuple):
    """A value by its field names; `section` and `name` say of what."""

    section: str
    name: str
    values: dict[str, Any]


class Past:
    """Reads one journal's arrays under the layouts of a `SchemaInForce`."""

    def __init__(self, layouts: Names) -> None:
        self._layouts = layouts

    @property
    def is_current(self) -> bool:
        """Whether nothing has to be done."""
        return {section: dict(kinds) for section, kinds in self._layouts.items()} == current_layouts()

    def modernise(self, plains: list[Any], tail: Tail) -> tuple[list[Plain], Tail]:
        """A record's entries as this version would have written them."""
        chunks: list[bytes] = []
        modern = [_write(self._read("entries", plain, tail), chunks) for plain in plains]
        if not tail.used_up:
            raise Misfit("bytes are left over behind the last entry")
        return modern, Tail(b"".join(chunks))

    def _read(self, section: str, plain: Any, tail: Tail) -> Named:
        if type(plain) is not list or not plain or type(plain[0]) is not str:
            raise Misfit(f"{plain!r} is none of the journal's {section}")
        return self._fields(section, plain[0], plain[1:], tail)

    def _fields(self, section: str, name: str, plain: Any, tail: Tail) -> Named:
        marked = self._layouts.get(section, {}).get(name)
        if marked is None or type(plain) is not list or len(plain) != len(marked):
            raise Misfit(f"{name} is not as the journal's own schema has it")
        values = {}
        for text, value in zip(marked, plain, strict=True):
            field, _, mark = text.partition(":")
            values[field] = self._value(mark, value, tail)
        return Named(section, name, values)

    def _value(self, mark: str, value: Any, tail: Tail) -> Any:
        if not mark or value is None:
            return value
        if mark == "bytes":
            return tail.take(value)
        if mark in SECTION_OF_MARK:
            return self._read(SECTION_OF_MARK[mark], value, tail)
        if mark.startswith("["):
            if type(value) is not list:
                raise Misfit(f"{value!r} is no list")
            return [self._value(mark[1:-1], one, tail) for one in value]
        return self._fields("records", mark, value, tail)


def modern(old: Named) -> Any:
    """A value by its names as this version has it."""
    chunks: list[bytes] = []
    plain = _write(old, chunks)
    return decode(old.section, plain, Tail(b"".join(chunks)))


def _write(old: Named, chunks: list[bytes]) -> Plain:
    kind = BY_NAME[old.section].get(old.name)
    if kind is None:
        raise Misfit(f"{old.name!r} is none of this version's {old.section}")
    return [old.name, *_write_fields(kind, old.values, chunks)]


def _write_fields(kind: type, values: Mapping[str, Any], chunks: list[bytes]) -> Plain:
    found, hints, defaults = layout(kind), get_type_hints(kind), _defaults(kind)
    plain = []
    for name, marked in zip(found.names, found.marked, strict=True):
        if name in values:
            plain.append(_plain(values[name], chunks))
        elif name in defaults:
            plain.append(_plain(defaults[name], chunks))
        else:
            plain.append(_nothing(hints[name], marked, chunks))
    return plain


def _plain(value: Any, chunks: list[bytes]) -> Any:
    if isinstance(value, bytes):
        chunks.append(value)
        return len(value)
    if isinstance(value, Named):
        if value.section != "records":
            return _write(value, chunks)
        kind = BY_NAME["records"].get(value.name)
        if kind is None:
            raise Misfit(f"{value.name!r} is none of this version's records")
        return _write_fields(kind, value.values, chunks)
    if isinstance(value, list | tuple):
        return [_plain(one, chunks) for one in value]
    return value


def _defaults(kind: type) -> Mapping[str, Any]:
    if not is_dataclass(kind):
        found: Mapping[str, Any] = kind._field_defaults  # type: ignore[attr-defined]
        return found
    return {one.name: one.default for one in fields(kind) if one.default is not MISSING}


def _nothing(hint: Any, marked: str, chunks: list[bytes]) -> Any:
    origin, inside = get_origin(hint), get_args(hint)
    hint = getattr(hint, "__supertype__", hint)
    if origin in (Union, UnionType) and type(None) in inside:
        return None
    if origin is tuple:
        return []
    if hint is bytes:
        return _plain(b"", chunks)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint)).value
    if hint in (int, str, bool):
        return hint()
    raise Misfit(f"{marked} is not in this journal, and nothing can stand for it")
