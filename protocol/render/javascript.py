"""The JavaScript module and its TypeScript types: the catalogue as data, in front of the engine that reads it."""

import json
from typing import Any

from protocol.catalogue import CATALOGUE, RECORDS, Way, fingerprint
from protocol.framing import (
    HEADER_SIZE,
    HELLO_VERSION,
    KNOWN_FLAGS,
    MAX_ENCODED,
    MUST_UNDERSTAND,
    RETRANSMITTED,
    SEALED,
    VERSION,
)
from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, layout
from protocol.limits import MAX_BODY, MIN_BODY
from protocol.render.as_json import numbers_of, schema
from protocol.render.javascript_engine import ENGINE, ENGINE_TYPES
from protocol.vocabulary import VOCABULARY, FlagWord, Word

TITLE = """\
// The shuffler bench's wire protocol, version {version}, catalogue {fingerprint}: encode, decode, framing, commitment,
// role proof. No dependencies; runs in Node and in browsers.
//
// Rendered by `shuffler protocol docs` from the message catalogue: change that, not this. docs/protocol.md explains it,
// docs/protocol/vectors.json has bytes to test against.
"""

CONSTANTS: dict[str, int] = {
    "VERSION": VERSION,
    "HELLO_VERSION": HELLO_VERSION,
    "HEADER_SIZE": HEADER_SIZE,
    "MIN_BODY": MIN_BODY,
    "MAX_BODY": MAX_BODY,
    "MAX_ENCODED": MAX_ENCODED,
    "FLAG_SEALED": SEALED,
    "FLAG_RETRANSMITTED": RETRANSMITTED,
    "FLAGS_KNOWN": KNOWN_FLAGS,
    "FLAGS_MUST_UNDERSTAND": MUST_UNDERSTAND,
}


def javascript() -> str:
    """The module."""
    parts = [
        TITLE.format(version=VERSION, fingerprint=fingerprint().hex()),
        *(f"export const {name} = {value};" for name, value in CONSTANTS.items()),
        f'export const FINGERPRINT = "{fingerprint().hex()}";',
        "",
        *(f"export const {kind.__name__} = Object.freeze({json.dumps(numbers_of(kind))});" for kind in VOCABULARY),
        "",
        "const RECORDS = {",
        *(f"  {kind.__name__}: [\n{_rows(kind)}  ]," for kind in RECORDS),
        "};",
        "",
        "const CATALOGUE = [",
        *(_entry(entry) for entry in CATALOGUE),
        "];",
        "",
        ENGINE.strip("\n").replace("@ENUMS@", ", ".join(_enums())),
    ]
    return "\n".join(parts) + "\n"


def _enums() -> list[str]:
    return [kind.__name__ for kind in VOCABULARY if not issubclass(kind, FlagWord)]


def _entry(entry: Any) -> str:
    head = f'number: 0x{entry.number:02x}, name: "{entry.name}", from: "{entry.way.name.lower()}"'
    reply = "null" if entry.reply is None else f'"{entry.reply.__name__}"'
    rows = _rows(entry.body)
    fields = f"[\n{rows}  ]" if rows else "[]"
    return f"  {{ {head}, reply: {reply}, effect: {str(entry.effect).lower()}, fields: {fields} }},"


def _rows(kind: type) -> str:
    return "".join(f"    {json.dumps(field)},\n" for field in schema(kind))


def javascript_package() -> str:
    """package.json: says that the module is one, and where its types are."""
    package = {
        "name": "shuffler-protocol",
        "version": f"{VERSION}.0.0",
        "description": f"The shuffler bench's wire protocol, catalogue {fingerprint().hex()}",
        "private": True,
        "type": "module",
        "main": "shuffler-protocol.js",
        "types": "shuffler-protocol.d.ts",
    }
    return json.dumps(package, indent=2) + "\n"


# --------------------------------------------------------------------------------------------------------------- types


def javascript_types() -> str:
    """The module's types (.d.ts)."""
    parts = [
        TITLE.format(version=VERSION, fingerprint=fingerprint().hex()),
        *(f"export const {name}: {value};" for name, value in CONSTANTS.items()),
        "export const FINGERPRINT: string;",
        "",
        *(_words(kind) for kind in VOCABULARY),
        *(_interface(kind, f"One {kind.__name__}.") for kind in RECORDS),
        *(_interface(entry.body, f"0x{entry.number:02X}, {entry.way.value}: {entry.meaning}") for entry in CATALOGUE),
        "/** Every message by its name. */",
        "export interface Messages {",
        *(f"  {entry.name}: {entry.name};" for entry in CATALOGUE),
        "}",
        "",
        "export type MessageName = keyof Messages;",
        f"export type HostMessageName = {_names(Way.HOST)};",
        f"export type DeviceMessageName = {_names(Way.DEVICE)};",
        "",
        ENGINE_TYPES.strip("\n"),
    ]
    return "\n".join(parts) + "\n"


def _names(way: Way) -> str:
    return " | ".join(f'"{entry.name}"' for entry in CATALOGUE if entry.way in (way, Way.BOTH))


def _words(kind: type[Word] | type[FlagWord]) -> str:
    lines = [f"/** {(kind.__doc__ or '').strip()} */", f"export const {kind.__name__}: {{"]
    for word in kind:
        lines += [f"  /** {word.meaning} */", f"  readonly {word.name}: {word.value};"]
    value = "number" if issubclass(kind, FlagWord) else f"(typeof {kind.__name__})[keyof typeof {kind.__name__}]"
    return "\n".join([*lines, "};", f"export type {kind.__name__} = {value};", ""])


def _interface(kind: type, meaning: str) -> str:
    lines = [f"/** {meaning} */", f"export interface {kind.__name__} {{"]
    for field in layout(kind):
        lines += [f"  /** {field.meaning} */", f"  {field.name}: {_type(field)};"]
    return "\n".join([*lines, "}", ""])


def _type(field: Field) -> str:
    match field.kind:
        case Int(_, of) if of is bool:
            return "boolean"
        case Int(_, of) if of in VOCABULARY:
            return of.__name__
        case Int(size, _):
            return "bigint" if size == 8 else "number"
        case Fixed() | Blob():
            return "Uint8Array"
        case Text():
            return "string"
        case Codes():
            return "number[]"
        case Nested(inner):
            return inner.__name__
        case Records(_, inner):
            return f"{inner.__name__}[]"
