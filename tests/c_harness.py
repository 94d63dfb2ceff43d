"""A C program that reads frames and bodies with the committed header, written from the vectors' own catalogue.

It uses nothing of the Python product: a second opinion on the schema in the vectors as well as on the header.

    F hex          a byte stream          -> one line for each frame or refused piece
    B number hex   a body                 -> its fields, or the refusal
    E 7 numbers hex  header and body      -> the frame for the line
    K hex          anything               -> its check and its COBS encoding
"""

import re
import subprocess
from pathlib import Path
from typing import Any

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wshadow"]
SANITIZED = ["-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

FRONT = r"""
#include "shuffler_protocol.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void put_hex(const uint8_t *data, size_t length)
{
    size_t i;
    putchar('"');
    for (i = 0; i < length; i++)
        printf("%02x", data[i]);
    putchar('"');
}

static void put_cards(const uint8_t *data, size_t length)
{
    size_t i;
    putchar('[');
    for (i = 0; i < length; i++)
        printf("%s%u", i ? "," : "", (unsigned)data[i]);
    putchar(']');
}
"""

BACK = r"""
/* An exact copy on the heap, so that a read past the end is seen. */
static uint8_t *read_hex(const char *text, size_t *length)
{
    uint8_t *data;
    size_t i;
    *length = strspn(text, "0123456789abcdef") / 2;
    data = malloc(*length ? *length : 1);
    for (i = 0; i < *length; i++) {
        unsigned byte = 0;
        sscanf(text + 2 * i, "%2x", &byte);
        data[i] = (uint8_t)byte;
    }
    return data;
}

static void put_header(const shuf_header *h)
{
    printf("\"header\":{\"version\":%u,\"flags\":%u,\"message\":%u,\"session\":%" PRIu32 ",\"sequence\":%" PRIu32
           ",\"acknowledge\":%" PRIu32 ",\"request\":%" PRIu32 "}",
           (unsigned)h->version, (unsigned)h->flags, (unsigned)h->message, h->session, h->sequence, h->acknowledge,
           h->request);
}

static void stream(const uint8_t *data, size_t length)
{
    static shuf_receiver receiver;
    static uint8_t raw[SHUF_MAX_RAW];
    size_t i;
    memset(&receiver, 0, sizeof receiver);
    for (i = 0; i < length; i++) {
        shuf_header header;
        shuf_bytes body;
        shuf_result result;
        if (!shuf_receiver_push(&receiver, data[i]))
            continue;
        result = shuf_frame_decode(receiver.piece, receiver.length, raw, sizeof raw, &header, &body);
        if (result != SHUF_OK) {
            printf("{\"noise\":%d}\n", (int)result);
            continue;
        }
        putchar('{');
        put_header(&header);
        printf(",\"body\":");
        put_hex(body.data, body.length);
        if (header.flags & SHUF_FLAG_SEALED) {
            printf("}\n");
            continue;
        }
        putchar(',');
        put_body(header.message, body.data, body.length);
        printf("}\n");
    }
    printf("end\n");
}

static void frame(const shuf_header *header, const uint8_t *body, size_t length)
{
    static uint8_t raw[SHUF_MAX_RAW], line[SHUF_MAX_ENCODED + 2];
    size_t line_length = 0;
    shuf_result result = shuf_frame_encode(header, body, length, raw, sizeof raw, line, sizeof line, &line_length);
    if (result != SHUF_OK)
        printf("%d", (int)result);
    else
        put_hex(line, line_length);
    printf("\n");
}

static void check(const uint8_t *data, size_t length)
{
    size_t room = length + length / 254 + 1, encoded_length = 0, raw_length = 0;
    uint8_t *encoded = malloc(room), *raw = malloc(length ? length : 1);
    shuf_result there = shuf_cobs_encode(data, length, encoded, room, &encoded_length);
    shuf_result back = shuf_cobs_decode(encoded, encoded_length, raw, length, &raw_length);
    int same = there == SHUF_OK && back == SHUF_OK && raw_length == length && memcmp(raw, data, length) == 0;
    printf("{\"crc\":%" PRIu32 ",\"same\":%d,\"encoded\":", shuf_crc32c(0, data, length), same);
    put_hex(encoded, encoded_length);
    printf("}\n");
    free(encoded);
    free(raw);
}

int main(void)
{
    static char line[65536];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *at = line + 1;
        unsigned long number[7];
        size_t length, i, numbers = line[0] == 'B' ? 1 : line[0] == 'E' ? 7 : 0;
        uint8_t *data;
        for (i = 0; i < numbers; i++)
            number[i] = strtoul(at, &at, 10);
        while (*at == ' ')
            at++;
        data = read_hex(at, &length);
        if (line[0] == 'F') {
            stream(data, length);
        } else if (line[0] == 'B') {
            putchar('{');
            put_body((unsigned)number[0], data, length);
            printf("}\n");
        } else if (line[0] == 'E') {
            shuf_header header;
            header.version = (uint8_t)number[0];
            header.flags = (uint8_t)number[1];
            header.message = (uint8_t)number[2];
            header.session = (uint32_t)number[3];
            header.sequence = (uint32_t)number[4];
            header.acknowledge = (uint32_t)number[5];
            header.request = (uint32_t)number[6];
            frame(&header, data, length);
        } else {
            check(data, length);
        }
        free(data);
    }
    return 0;
}
"""


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def program(schema: dict[str, Any]) -> str:
    """The source of the program for a catalogue as the vectors have it."""
    printers = [_printer(name, fields) for name, fields in schema["records"].items()]
    printers += [_printer(entry["name"], entry["fields"]) for entry in schema["catalogue"] if entry["fields"]]
    cases = "\n".join(_case(entry) for entry in schema["catalogue"])
    dispatch = (
        "static void put_body(unsigned message, const uint8_t *body, size_t length)\n{\n"
        "    shuf_result result = SHUF_UNKNOWN;\n    switch (message) {\n"
        f"{cases}\n    default:\n        break;\n    }}\n"
        '    printf("\\"refused\\":%d", (int)result);\n}\n'
    )
    return "\n".join([FRONT, *printers, dispatch, BACK])


def _printer(name: str, fields: list[dict[str, Any]]) -> str:
    lines = [f"static void put_{snake(name)}(const shuf_{snake(name)} *v)", "{", "    putchar('{');"]
    for number, field in enumerate(fields):
        lines.append(f'    printf("{"," if number else ""}\\"{field["name"]}\\":");')
        lines.append(_print_field(field))
    return "\n".join([*lines, "    putchar('}');", "}", ""])


def _print_field(field: dict[str, Any]) -> str:
    value = f"v->{field['name']}"
    match field["type"]:
        case "bool":
            return f'    printf("%s", {value} ? "true" : "false");'
        case "uint" | "enum" | "flags" if field["size"] == 8:
            return f'    printf("\\"%" PRIu64 "\\"", {value});'
        case "uint" | "enum" | "flags":
            return f'    printf("%" PRIu32, (uint32_t){value});'
        case "bytes":
            return f"    put_hex({value}, {field['size']});"
        case "blob" | "text":
            return f"    put_hex({value}.data, {value}.length);"
        case "cards" | "places":
            return f"    put_cards({value}.data, {value}.length);"
        case "record":
            return f"    put_{snake(field['of'])}(&{value});"
        case "list":
            record = snake(field["of"])
            return (
                "    {\n"
                f"        shuf_cursor cursor = shuf_list_cursor(&{value});\n"
                f"        shuf_{record} item;\n"
                "        size_t i;\n"
                "        putchar('[');\n"
                f"        for (i = 0; i < {value}.count; i++) {{\n"
                f"            shuf_{record}_take(&cursor, &item);\n"
                '            printf("%s", i ? "," : "");\n'
                f"            put_{record}(&item);\n"
                "        }\n"
                f'        printf("%s", cursor.bad || cursor.left ? "]]" : "]");\n'
                "    }"
            )
    raise AssertionError(field)


def _case(entry: dict[str, Any]) -> str:
    name = snake(entry["name"])
    if entry["fields"]:
        lines = [f"shuf_{name} value;", f"result = shuf_{name}_decode(&value, body, length);"]
        shown = ['printf("\\"fields\\":");', f"put_{name}(&value);"]
    else:
        lines = [f"result = shuf_{name}_decode(body, length);"]
        shown = ['printf("\\"fields\\":{}");']
    lines += ["if (result == SHUF_OK) {", *(f"    {line}" for line in shown), "    return;", "}", "break;"]
    body = "\n".join(f"        {line}" for line in lines)
    return f"    case SHUF_MSG_{name.upper()}: {{\n{body}\n    }}"


def compiled(schema: dict[str, Any], header: Path, folder: Path, flags: list[str]) -> Path:
    """The program, compiled; warnings are errors."""
    source, binary = folder / "harness.c", folder / "harness"
    source.write_text(program(schema), encoding="utf-8")
    done = subprocess.run(
        ["gcc", *STRICT, *flags, "-I", str(header.parent), "-o", str(binary), str(source)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[:4000]
    return binary


def asked(binary: Path, lines: list[str]) -> list[str]:
    """The program's answers."""
    done = subprocess.run([str(binary)], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[:4000]
    return done.stdout.splitlines()
