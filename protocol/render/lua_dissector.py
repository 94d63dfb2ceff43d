"""The Wireshark dissector: the catalogue as Lua tables for the engine in the template."""

from typing import Any

from protocol.cards import FACES, SPECIAL, card_name
from protocol.catalogue import CATALOGUE, RECORDS, CatalogueEntry, fingerprint
from protocol.framing import (
    HEADER,
    HEADER_SIZE,
    HELLO_VERSION,
    MAX_ENCODED,
    RETRANSMITTED,
    SEAL_OVERHEAD,
    SEALED,
    VERSION,
)
from protocol.layout import Field, Int, layout
from protocol.limits import MAX_BODY
from protocol.render.as_json import Json, numbers_of, schema
from protocol.render.c_header import snake
from protocol.render.template import fill
from protocol.secure import COUNTER_BYTES
from protocol.vocabulary import VOCABULARY, FlagWord, Word

HEXADECIMAL = ("flags", "message", "session")  # header fields that Wireshark shows in hex


def lua_dissector() -> str:
    """Return the whole script."""
    return (
        fill(
            "shuffler.lua",
            version=VERSION,
            fingerprint=fingerprint().hex(),
            constants=_constants(),
            words=_table("WORDS", {kind.__name__: _words(kind) for kind in VOCABULARY if issubclass(kind, Word)}),
            flags=_table("FLAGS", {kind.__name__: _bits(kind) for kind in VOCABULARY if issubclass(kind, FlagWord)}),
            cards=_table("CARDS", {code: card_name(code) for code in (*range(FACES), *SPECIAL)}),
            records=_table("RECORDS", {kind.__name__: _fields(kind) for kind in RECORDS}),
            header=_table("HEADER", [_header_field(field) for field in HEADER]),
            messages=_table("MESSAGES", {entry.number: _message(entry) for entry in CATALOGUE}),
        )
        + "\n"
    )


def _message(entry: CatalogueEntry) -> Json:
    return {
        "name": entry.name,
        "filter": snake(entry.name),
        "meaning": entry.meaning,
        "fields": _fields(entry.body),
    }


def _constants() -> str:
    numbers = {
        "VERSION": VERSION,
        "HELLO_VERSION": HELLO_VERSION,
        "HEADER_SIZE": HEADER_SIZE,
        "MAX_BODY": MAX_BODY,
        "MAX_ENCODED": MAX_ENCODED,
        "SEALED": SEALED,
        "RETRANSMITTED": RETRANSMITTED,
        "COUNTER_SIZE": COUNTER_BYTES,
        "SEAL_OVERHEAD": SEAL_OVERHEAD,
    }
    return "\n".join(f"local {name} = {number}" for name, number in numbers.items())


def _words(kind: type[Word]) -> dict[int, str]:
    return {number: word for word, number in numbers_of(kind).items()}


def _bits(kind: type[FlagWord]) -> list[Json]:
    return [{"name": word, "mask": number} for word, number in numbers_of(kind).items()]


def _fields(kind: type) -> list[Json]:
    return [{**row, "note": field.meaning} for row, field in zip(schema(kind), layout(kind), strict=True)]


def _header_field(field: Field) -> Json:
    assert isinstance(field.kind, Int)
    base = "HEX" if field.name in HEXADECIMAL else "DEC"
    return {"name": field.name, "size": field.kind.size, "base": base, "note": field.meaning}


def _table(name: str, value: Any) -> str:
    """Return a Lua table with one line for each row."""
    rows = value.items() if isinstance(value, dict) else enumerate(value, 1)
    lines = [f"local {name} = {{"]
    for key, row in rows:
        if isinstance(row, dict) and "fields" in row:
            head = ", ".join(f"{word} = {_literal(row[word])}" for word in row if word != "fields")
            lines.append(f"  [{_literal(key)}] = {{ {head}, fields = {{")
            lines += [*(f"    {_literal(one)}," for one in row["fields"]), "  } },"]
        elif isinstance(row, list):
            lines += [f"  [{_literal(key)}] = {{", *(f"    {_literal(one)}," for one in row), "  },"]
        else:
            lines.append(f"  [{_literal(key)}] = {_literal(row)},")
    return "\n".join([*lines, "}"])


def _literal(value: Any) -> str:
    """Return a value as a Lua literal."""
    if isinstance(value, dict):
        keys = [key if isinstance(key, str) else f"[{key}]" for key in value]
        rows = zip(keys, value.values(), strict=True)
        return "{ " + ", ".join(f"{key} = {_literal(one)}" for key, one in rows) + " }"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)
