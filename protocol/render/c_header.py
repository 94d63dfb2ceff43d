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
from protocol.render.c_crypto import COMMITMENT, CRYPTO
from protocol.render.c_helpers import EPILOGUE, HELPERS, PROLOGUE
from protocol.vocabulary import VOCABULARY, FlagWord, Word

TITLE = """/*
 * The shuffler bench's wire protocol, version {version}, catalogue {fingerprint}.
 *
 * Rendered by `shuffler protocol docs` from the message catalogue: change that, not this. docs/protocol.md explains it,
 * docs/protocol/vectors.json has frames to test against.
 *
 * C99, header only, no allocation. Everything that reads a body or a frame checks its bounds. The packed `_head`
 * structs mirror the bytes of a body's fixed part: on a little-endian machine they can be copied in and out with
 * memcpy, elsewhere use the decoders. Decoded bytes and text point into the buffer that was decoded.
 */"""

KINDS: tuple[type, ...] = (*RECORDS, *(entry.body for entry in CATALOGUE))


def c_header() -> str:
    """The whole header."""
    parts = [
        TITLE.format(version=VERSION, fingerprint=fingerprint().hex()),
        PROLOGUE.strip("\n"),
        _constants(),
        _numbers(),
        *(_enumeration(kind) for kind in VOCABULARY),
        HELPERS.strip("\n"),
        CRYPTO.strip("\n"),
        _banner("packed heads"),
        "#pragma pack(push, 1)",
        *(_head(kind) for kind in KINDS if _fixed_fields(kind)),
        "#pragma pack(pop)",
        "\n".join(_head_check(kind) for kind in KINDS if _fixed_fields(kind)),
        _banner("records"),
        *(_struct(kind, f"One {kind.__name__}.") + "\n\n" + _taker(kind) for kind in RECORDS),
        _banner("messages"),
        *(_message(entry) for entry in CATALOGUE),
        _banner("bodies that a host writes"),
        *(_encoder(entry) for entry in CATALOGUE if entry.way is not Way.DEVICE and _has_fields(entry.body)),
        COMMITMENT.strip("\n"),
        EPILOGUE.strip("\n"),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _has_fields(kind: type) -> bool:
    return bool(layout(kind))


def snake(name: str) -> str:
    """`GetInfo` as get_info."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _banner(title: str) -> str:
    return "/* " + f" {title} */".rjust(114, "-")


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
    name = snake(kind.__name__)
    flags = issubclass(kind, FlagWord)
    lines = [f"/* {(kind.__doc__ or '').strip()} */", f"enum shuf_{name} {{"]
    words: list[Word | FlagWord] = list(kind)
    for word in words:
        comma = "," if word is not words[-1] else ""
        written = f"0x{word.value:04X}" if flags else f"{word.value}"
        lines += [f"    /* {word.meaning} */", f"    SHUF_{name.upper()}_{word.name} = {written}{comma}"]
    lines.append("};")
    if not flags:
        low, high = words[0].value, words[-1].value
        assert [word.value for word in words] == list(range(low, high + 1)), f"{kind.__name__} has gaps"
        test = f"value <= {high}" if low == 0 else f"value >= {low} && value <= {high}"
        lines += ["", f"static inline int shuf_{name}_known(unsigned value)", "{", f"    return {test};", "}"]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------------------- structs


def _fixed_fields(kind: type) -> list[Field]:
    return [field for field in layout(kind) if is_fixed(field.kind)]


def _size(kind: type) -> int:
    return sum(field.kind.size for field in _fixed_fields(kind) if isinstance(field.kind, Int | Fixed))


def _head(kind: type) -> str:
    name = snake(kind.__name__)
    lines = [f"#define SHUF_{name.upper()}_HEAD_SIZE {_size(kind)}", "typedef struct {"]
    lines += [f"    {_declared(field)};" for field in _fixed_fields(kind)]
    return "\n".join([*lines, f"}} shuf_{name}_head;"])


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


def _struct(kind: type, meaning: str) -> str:
    lines = [f"/* {meaning} */", "typedef struct {"]
    lines += [f"    {_declared(field)}; /* {_comment(field)} */" for field in layout(kind)]
    return "\n".join([*lines, f"}} shuf_{snake(kind.__name__)};"])


# ------------------------------------------------------------------------------------------------------------ decoders


def _taker(kind: type) -> str:
    """Reads one record at a cursor."""
    name = snake(kind.__name__)
    lines = [f"static inline void shuf_{name}_take(shuf_cursor *cursor, shuf_{name} *out)", "{"]
    lines += [line for field in layout(kind) for line in _take(field, "cursor")]
    return "\n".join([*lines, "}"])


def _message(entry: CatalogueEntry) -> str:
    kind: type = entry.body
    name = snake(entry.name)
    meaning = f"0x{entry.number:02X} {entry.name}, {entry.way.value.replace('→', '->')}: {entry.meaning}"
    if not layout(kind):
        return "\n".join(
            (
                f"/* {meaning} No fields. */",
                f"static inline shuf_result shuf_{name}_decode(const uint8_t *body, size_t length)",
                "{",
                "    (void)body;",
                "    return length == 0 ? SHUF_OK : SHUF_MALFORMED;",
                "}",
            )
        )
    lines = [
        _struct(kind, meaning),
        "",
        f"static inline shuf_result shuf_{name}_decode(shuf_{name} *out,",
        "    const uint8_t *body, size_t length)",
        "{",
        "    shuf_cursor cursor = shuf_cursor_over(body, length);",
    ]
    lines += [line for field in layout(kind) for line in _take(field, "&cursor")]
    return "\n".join([*lines, "    return shuf_cursor_end(&cursor);", "}"])


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
    """Writes the body of a message that a host sends."""
    kind: type = entry.body
    name = snake(entry.name)
    lines = [
        f"static inline shuf_result shuf_{name}_encode(const shuf_{name} *in,",
        "    uint8_t *body, size_t room, size_t *length)",
        "{",
        "    shuf_writer writer = shuf_writer_into(body, room);",
    ]
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
    return "\n".join([*lines, "    return shuf_writer_end(&writer, length);", "}"])


def _take_list(target: str, cursor: str, prefix: int, inner: str) -> list[str]:
    assert cursor == "&cursor", "a record with a list of records has no decoder yet"
    return [
        "    {",
        f"        shuf_{inner} item;",
        "        size_t i;",
        f"        {target}.count = shuf_take_u{8 * prefix}({cursor});",
        f"        {target}.data = cursor.at;",
        f"        for (i = 0; i < {target}.count && !cursor.bad; i++)",
        f"            shuf_{inner}_take({cursor}, &item);",
        f"        {target}.length = cursor.bad ? 0 : (size_t)(cursor.at - {target}.data);",
        "    }",
    ]
