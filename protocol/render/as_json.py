"""The catalogue, messages and headers as plain data for JSON: for the vectors, the command line and the API."""

from typing import Any

from protocol.catalogue import CatalogueEntry
from protocol.framing import Frame
from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, describe, layout
from protocol.vocabulary import FlagWord, Word

Json = dict[str, Any]


def numbers_of(kind: type[Word] | type[FlagWord]) -> dict[str, int]:
    """Return the words of an enumeration with their numbers."""
    return {name: int(member.value) for name, member in kind.__members__.items()}


def entry_json(entry: CatalogueEntry) -> Json:
    """Return a catalogue entry with its fields and their types."""
    kind: type = entry.body
    return {
        "number": entry.number,
        "name": entry.name,
        "chapter": entry.chapter.value,
        "from": entry.way.name.lower(),
        "reply": None if entry.reply is None else entry.reply.__name__,
        "effect": entry.effect,
        "roles": [role.name for role in entry.roles],
        "meaning": entry.meaning,
        "layout": describe(kind),
        "fields": schema(kind),
    }


def schema(kind: type) -> list[Json]:
    """Return names and types of the fields of a message or record."""
    return [{"name": field.name, **_field_type(field)} for field in layout(kind)]


def _field_type(field: Field) -> Json:
    match field.kind:
        case Int(size, of):
            if of is bool:
                return {"type": "bool", "size": size}
            if issubclass(of, Word | FlagWord):
                return {"type": "flags" if issubclass(of, FlagWord) else "enum", "size": size, "of": of.__name__}
            return {"type": "uint", "size": size}
        case Fixed(size):
            return {"type": "bytes", "size": size}
        case Blob(prefix):
            return {"type": "blob", "prefix": prefix}
        case Text(prefix):
            return {"type": "text", "prefix": prefix}
        case Codes(prefix, of):
            return {"type": of, "prefix": prefix}
        case Nested(inner):
            return {"type": "record", "of": inner.__name__}
        case Records(prefix, inner):
            return {"type": "list", "prefix": prefix, "of": inner.__name__}


def plain(value: Any) -> Json:
    """Return the fields of a message or record."""
    kind: type = type(value)
    return {field.name: _plain(getattr(value, field.name), field) for field in layout(kind)}


def _plain(value: Any, field: Field) -> Any:
    match field.kind:
        case Int(8, _):
            return str(int(value))
        case Int(_, of):
            return bool(value) if of is bool else int(value)
        case Fixed() | Blob():
            return value.hex()
        case Text():
            return value
        case Codes():
            return list(value)
        case Nested():
            return plain(value)
        case Records():
            return [plain(item) for item in value]


def header_of(frame: Frame) -> Json:
    """Return the header of a frame."""
    return {name: getattr(frame, name) for name in Frame._fields[:-1]}
