"""The JavaScript module and its TypeScript types: the catalogue as data for the engine in the template."""

import json

from protocol.catalogue import CATALOGUE, RECORDS, CatalogueEntry, Way, fingerprint
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
from protocol.render.template import fill
from protocol.vocabulary import VOCABULARY, FlagWord, Word

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
    """Return the module."""
    return (
        fill(
            "shuffler-protocol.js",
            version=VERSION,
            fingerprint=fingerprint().hex(),
            constants="\n".join(f"export const {name} = {value};" for name, value in CONSTANTS.items()),
            words="\n".join(
                f"export const {kind.__name__} = Object.freeze({json.dumps(numbers_of(kind))});" for kind in VOCABULARY
            ),
            records="\n".join(f"  {kind.__name__}: [\n{_rows(kind)}  ]," for kind in RECORDS),
            catalogue="\n".join(_entry(entry) for entry in CATALOGUE),
            enums="  " + ", ".join(_enums()),
        )
        + "\n"
    )


def _enums() -> list[str]:
    return [kind.__name__ for kind in VOCABULARY if not issubclass(kind, FlagWord)]


def _entry(entry: CatalogueEntry) -> str:
    head = f'number: 0x{entry.number:02x}, name: "{entry.name}", from: "{entry.way.name.lower()}"'
    reply = "null" if entry.reply is None else f'"{entry.reply.__name__}"'
    rows = _rows(entry.body)
    fields = f"[\n{rows}  ]" if rows else "[]"
    return f"  {{ {head}, reply: {reply}, effect: {str(entry.effect).lower()}, fields: {fields} }},"


def _rows(kind: type) -> str:
    return "".join(f"    {json.dumps(field)},\n" for field in schema(kind))


def javascript_package() -> str:
    """Return package.json, which names the module and its types."""
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
    """Return the module's types (.d.ts)."""
    return (
        fill(
            "shuffler-protocol.d.ts",
            version=VERSION,
            fingerprint=fingerprint().hex(),
            constants="\n".join(f"export const {name}: {value};" for name, value in CONSTANTS.items()),
            words="\n\n".join(_words(kind) for kind in VOCABULARY),
            records="\n\n".join(_interface(kind, f"One {kind.__name__}.") for kind in RECORDS),
            messages="\n\n".join(
                _interface(entry.body, f"0x{entry.number:02X}, {entry.way.value}: {entry.meaning}")
                for entry in CATALOGUE
            ),
            names="\n".join(f"  {entry.name}: {entry.name};" for entry in CATALOGUE),
            host_names=_names(Way.HOST),
            device_names=_names(Way.DEVICE),
        )
        + "\n"
    )


def _names(way: Way) -> str:
    return " | ".join(f'"{entry.name}"' for entry in CATALOGUE if entry.way in (way, Way.BOTH))


def _words(kind: type[Word] | type[FlagWord]) -> str:
    lines = [line for word in kind for line in (f"  /** {word.meaning} */", f"  readonly {word.name}: {word.value};")]
    value = "number" if issubclass(kind, FlagWord) else f"(typeof {kind.__name__})[keyof typeof {kind.__name__}]"
    return fill("types/words.d.ts", name=kind.__name__, meaning=kind.__doc__, words="\n".join(lines), value=value)


def _interface(kind: type, meaning: str) -> str:
    fields = [f"  /** {field.meaning} */\n  {field.name}: {_type(field)};" for field in layout(kind)]
    return fill("types/interface.d.ts", name=kind.__name__, meaning=meaning, fields="\n".join(fields))


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
