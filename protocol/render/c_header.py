"""The C header: numbers, words, sizes, packed heads, decoders of every message and encoders of a host's."""

import re

from protocol.catalogue import CATALOGUE, RECORDS, CatalogueEntry, Way, fingerprint
from protocol.crc import CHECK, SIZE
from protocol.framing import (
    HEADER_SIZE,
    HELLO_VERSION,
    KNOWN_FLAGS,
    MAX_ENCODED,
    MAX_RAW,
    MUST_UNDERSTAND,
    RETRANSMITTED,
    SEAL_OVERHEAD,
    SEALED,
    VERSION,
)
from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, is_fixed, layout
from protocol.limits import MAX_BODY, MIN_BODY
from protocol.render.template import fill
from protocol.vocabulary import VOCABULARY, FlagWord, Word

KINDS: tuple[type, ...] = (*RECORDS, *(entry.body for entry in CATALOGUE))


def c_header() -> str:
    """Return the whole header."""
    with_head = [kind for kind in KINDS if _fixed_fields(kind)]
    written = [entry for entry in CATALOGUE if entry.way is not Way.DEVICE and _has_fields(entry.body)]
    return (
        fill(
            "shuffler_protocol.h",
            version=VERSION,
            fingerprint=fingerprint().hex(),
            constants=_constants(),
            numbers=_numbers(),
            enumerations="\n\n".join(_enumeration(kind) for kind in VOCABULARY),
            heads="\n\n".join(_head(kind) for kind in with_head),
            head_checks="\n".join(_head_check(kind) for kind in with_head),
            records="\n\n".join(_record(kind) for kind in RECORDS),
            messages="\n\n".join(_message(entry) for entry in CATALOGUE),
            encoders="\n\n".join(_encoder(entry) for entry in written),
        )
        + "\n"
    )


def _has_fields(kind: type) -> bool:
    return bool(layout(kind))


def snake(name: str) -> str:
    """Return `GetInfo` as get_info."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _define(name: str, value: str, comment: str = "") -> str:
    return f"#define {name} {value}" + (f" /* {comment} */" if comment else "")


def _constants() -> str:
    return "\n".join(
        (
            _define("SHUF_VERSION", f"{VERSION}"),
            _define("SHUF_FINGERPRINT", f'"{fingerprint().hex()}"', "8 bytes in hex"),
            _define("SHUF_FINGERPRINT_BYTES", _initialiser(fingerprint()), "the same for an array"),
            _define("SHUF_HELLO_VERSION", f"{HELLO_VERSION}", "of hello, welcome and a reset that refuses"),
            _define("SHUF_MIN_BODY", f"{MIN_BODY}", "least max_body that a host may ask for"),
            _define("SHUF_CRC_CHECK", f"0x{CHECK:08X}u", 'CRC-32C over "123456789"'),
            _define("SHUF_CRC_SIZE", f"{SIZE}"),
            _define("SHUF_HEADER_SIZE", f"{HEADER_SIZE}"),
            _define("SHUF_MAX_BODY", f"{MAX_BODY}", "longest body in clear"),
            _define("SHUF_SEAL_OVERHEAD", f"{SEAL_OVERHEAD}", "packet counter and tag of a sealed body"),
            _define("SHUF_MAX_RAW", f"{MAX_RAW}", "header, longest sealed body, check"),
            _define("SHUF_MAX_ENCODED", f"{MAX_ENCODED}", "the same in COBS, without delimiters"),
            _define("SHUF_FLAG_SEALED", f"0x{SEALED:02X}", "the body is a packet counter and an AEAD ciphertext"),
            _define("SHUF_FLAG_RETRANSMITTED", f"0x{RETRANSMITTED:02X}", "sent before under the same sequence number"),
            _define("SHUF_FLAGS_KNOWN", f"0x{KNOWN_FLAGS:02X}"),
            _define("SHUF_FLAGS_MUST", f"0x{MUST_UNDERSTAND:02X}", "a frame with an unknown one of these is dropped"),
        )
    )


def _initialiser(data: bytes) -> str:
    return "{ " + ", ".join(f"0x{byte:02X}" for byte in data) + " }"


def _numbers() -> str:
    lines = [f"    SHUF_MSG_{snake(entry.name).upper()} = 0x{entry.number:02X}" for entry in CATALOGUE]
    return "/* Message numbers. */\nenum {\n" + ",\n".join(lines) + "\n};"


def _enumeration(kind: type[Word] | type[FlagWord]) -> str:
    name, flags = snake(kind.__name__), issubclass(kind, FlagWord)
    words: list[Word | FlagWord] = list(kind)
    lines: list[str] = []
    for word in words:
        comma = "," if word is not words[-1] else ""
        written = f"0x{word.value:04X}" if flags else f"{word.value}"
        lines += [f"    /* {word.meaning} */", f"    SHUF_{name.upper()}_{word.name} = {written}{comma}"]
    text = fill("c/enumeration.h", name=name, meaning=kind.__doc__, words="\n".join(lines))
    if flags:
        return text
    low, high = words[0].value, words[-1].value
    assert [word.value for word in words] == list(range(low, high + 1)), f"{kind.__name__} has gaps"
    test = f"value <= {high}" if low == 0 else f"value >= {low} && value <= {high}"
    return text + "\n\n" + fill("c/known.h", name=name, test=test)


# ------------------------------------------------------------------------------------------------------------- structs


def _fixed_fields(kind: type) -> list[Field]:
    return [field for field in layout(kind) if is_fixed(field.kind)]


def _size(kind: type) -> int:
    return sum(field.kind.size for field in _fixed_fields(kind) if isinstance(field.kind, Int | Fixed))


def _head(kind: type) -> str:
    name = snake(kind.__name__)
    fields = "\n".join(f"    {_declared(field)};" for field in _fixed_fields(kind))
    return fill("c/head.h", name=name, upper=name.upper(), size=_size(kind), fields=fields)


def _head_check(kind: type) -> str:
    name = snake(kind.__name__)
    return f"typedef char shuf_check_{name}_head[sizeof(shuf_{name}_head) == {_size(kind)} ? 1 : -1];"


def _declared(field: Field) -> str:
    match field.kind:
        case Int(size, _):
            return f"uint{8 * size}_t {field.name}"
        case Fixed(size):
            return f"uint8_t {field.name}[{size}]"
        case Blob() | Text() | Codes():
            return f"shuf_bytes {field.name}"
        case Nested(inner):
            return f"shuf_{snake(inner.__name__)} {field.name}"
        case Records():
            return f"shuf_list {field.name}"


def _comment(field: Field) -> str:
    match field.kind:
        case Int(_, of) if of in VOCABULARY:
            return f"{field.meaning}: enum shuf_{snake(of.__name__)}"
        case Int(_, of) if of is bool:
            return f"{field.meaning}: 0 or 1"
        case Text():
            return f"{field.meaning}; UTF-8"
        case Records(_, inner):
            return f"{field.meaning}: shuf_{snake(inner.__name__)} each"
        case _:
            return field.meaning


def _fields(kind: type) -> str:
    return "\n".join(f"    {_declared(field)}; /* {_comment(field)} */" for field in layout(kind))


# ------------------------------------------------------------------------------------------------------------ decoders


def _record(kind: type) -> str:
    takes = "\n".join(line for field in layout(kind) for line in _take(field, "cursor"))
    return fill("c/record.h", kind=kind.__name__, name=snake(kind.__name__), fields=_fields(kind), takes=takes)


def _message(entry: CatalogueEntry) -> str:
    kind: type = entry.body
    name = snake(entry.name)
    meaning = f"0x{entry.number:02X} {entry.name}, {entry.way.value.replace('→', '->')}: {entry.meaning}"
    if not layout(kind):
        return fill("c/empty_message.h", name=name, meaning=meaning)
    takes = "\n".join(line for field in layout(kind) for line in _take(field, "&cursor"))
    return fill("c/message.h", name=name, meaning=meaning, fields=_fields(kind), takes=takes)


def _take(field: Field, cursor: str) -> list[str]:
    target = f"out->{field.name}"
    bad = "cursor->bad" if cursor == "cursor" else "cursor.bad"
    match field.kind:
        case Int(size, of):
            lines = [f"    {target} = shuf_take_u{8 * size}({cursor});"]
            if of is bool:
                lines.append(f"    {bad} |= {target} > 1;")
            elif issubclass(of, Word):
                lines.append(f"    {bad} |= !shuf_{snake(of.__name__)}_known({target});")
            return lines
        case Fixed(size):
            return [f"    shuf_take_fixed({cursor}, {target}, {size});"]
        case Blob(prefix) | Codes(prefix, _):
            return [f"    {target} = shuf_take_bytes({cursor}, shuf_take_u{8 * prefix}({cursor}));"]
        case Text(prefix):
            return [f"    {target} = shuf_take_text({cursor}, shuf_take_u{8 * prefix}({cursor}));"]
        case Nested(inner):
            return [f"    shuf_{snake(inner.__name__)}_take({cursor}, &{target});"]
        case Records(prefix, inner):
            return _take_list(target, cursor, prefix, snake(inner.__name__))


def _encoder(entry: CatalogueEntry) -> str:
    """Return the encoder of a message that a host sends."""
    kind: type = entry.body
    name = snake(entry.name)
    lines: list[str] = []
    for field in layout(kind):
        match field.kind:
            case Int(size, _):
                lines.append(f"    shuf_write_number(&writer, in->{field.name}, {size});")
            case Fixed(size):
                lines.append(f"    shuf_write(&writer, in->{field.name}, {size});")
            case Blob(prefix) | Text(prefix):
                lines.append(f"    shuf_write_bytes(&writer, in->{field.name}, {prefix});")
            case _:
                raise TypeError(f"{entry.name}.{field.name}: no host sends such a field")
    return fill("c/encoder.h", name=name, writes="\n".join(lines))


def _take_list(target: str, cursor: str, prefix: int, inner: str) -> list[str]:
    assert cursor == "&cursor", "a record with a list of records has no decoder yet"
    return [fill("c/list.h", target=target, bits=8 * prefix, inner=inner)]
