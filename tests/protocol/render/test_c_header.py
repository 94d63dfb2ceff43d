"""The C header: a program compiled from it alone reads every vector, and refuses what the product refuses."""

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from proofs.fuzz import reshaped
from protocol.codec import decode_body
from protocol.errors import Malformed, RemoteProtocolError, UnknownMessage
from protocol.render.as_json import plain
from protocol.render.c_header import c_header, snake
from protocol.render.examples import all_examples
from tests.c_harness import SANITIZED, STRICT, asked, compiled

DOCS = Path(__file__).parents[3] / "docs" / "protocol"
HEADER = DOCS / "shuffler_protocol.h"
NOISE = {"too_long": 1, "not_cobs": 2, "too_short": 3, "bad_crc": 4}
MALFORMED, UNKNOWN = 5, 6

C_WORDS = {
    *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern"),
    *("float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed"),
    *("sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"),
    *("bool", "catch", "class", "delete", "explicit", "export", "friend", "mutable", "namespace", "new", "operator"),
    *("private", "protected", "public", "template", "this", "throw", "try", "typename", "using", "virtual"),
}


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    return json.loads((DOCS / "vectors.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def binary(vectors: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(vectors, HEADER, tmp_path_factory.mktemp("harness"), SANITIZED)


def with_text_in_hex(fields: list[dict[str, Any]], values: dict[str, Any], records: dict[str, Any]) -> dict[str, Any]:
    """Fields as the C program prints them: text as the hex of its bytes."""
    out = dict(values)
    for field in fields:
        name = field["name"]
        if field["type"] == "text":
            out[name] = values[name].encode().hex()
        elif field["type"] == "record":
            out[name] = with_text_in_hex(records[field["of"]], values[name], records)
        elif field["type"] == "list":
            out[name] = [with_text_in_hex(records[field["of"]], each, records) for each in values[name]]
    return out


def expected_fields(vectors: dict[str, Any], name: str, values: dict[str, Any]) -> dict[str, Any]:
    fields = next(entry["fields"] for entry in vectors["catalogue"] if entry["name"] == name)
    return with_text_in_hex(fields, values, vectors["records"])


def verdict(vectors: dict[str, Any], number: int, body: bytes) -> dict[str, Any]:
    """What the product makes of a body, in the words of the C program."""
    try:
        message = decode_body(number, body)
    except RemoteProtocolError as error:
        return {"refused": {Malformed: MALFORMED, UnknownMessage: UNKNOWN}[type(error)]}
    return {"fields": expected_fields(vectors, type(message).__name__, plain(message))}


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_c_reads_every_message_of_the_vectors(vectors: dict[str, Any], binary: Path) -> None:
    cases = vectors["messages"]
    answers = asked(binary, [f"F {case['frame']}" for case in cases])
    assert answers[1::2] == ["end"] * len(cases)
    for case, answer in zip(cases, answers[::2], strict=True):
        assert json.loads(answer) == {
            "header": case["header"],
            "body": case["body"],
            "fields": expected_fields(vectors, case["message"], case["fields"]),
        }


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_c_writes_every_frame_of_the_vectors(vectors: dict[str, Any], binary: Path) -> None:
    cases = vectors["messages"] + vectors["secure"]["frames"]
    lines = [
        f"E {' '.join(str(number) for number in case['header'].values())} {case.get('sealed_body', case.get('body'))}"
        for case in cases
    ]
    assert [json.loads(answer) for answer in asked(binary, lines)] == [case["frame"] for case in cases]


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_c_finds_the_same_frames_in_every_stream(vectors: dict[str, Any], binary: Path) -> None:
    for case in vectors["streams"]:
        *answers, end = asked(binary, [f"F {case['stream']}"])
        assert end == "end"
        found = [json.loads(answer) for answer in answers]
        frames = [{"header": each["header"], "body": each["body"]} for each in found if "header" in each]
        assert frames == case["frames"], case["name"]
        # The C receiver skips what is too long without a word.
        noise = sorted(each["noise"] for each in found if "noise" in each)
        counted = [NOISE[kind] for kind, count in case["noise"].items() for _ in range(count) if kind != "too_long"]
        assert noise == sorted(counted), case["name"]


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_c_refuses_the_bodies_that_must_be_refused(vectors: dict[str, Any], binary: Path) -> None:
    cases = vectors["refused_bodies"]
    answers = asked(binary, [f"B {case['number']} {case['body']}" for case in cases])
    known = {entry["number"] for entry in vectors["catalogue"]}
    for case, answer in zip(cases, answers, strict=True):
        assert json.loads(answer) == {"refused": MALFORMED if case["number"] in known else UNKNOWN}, case["why"]


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_c_makes_the_same_checks_and_cobs(vectors: dict[str, Any], binary: Path) -> None:
    for case, answer in zip(
        vectors["crc"], asked(binary, [f"K {case['data']}" for case in vectors["crc"]]), strict=True
    ):
        assert f"{json.loads(answer)['crc']:08x}" == case["crc"]
    for case, answer in zip(
        vectors["cobs"], asked(binary, [f"K {case['raw']}" for case in vectors["cobs"]]), strict=True
    ):
        assert json.loads(answer)["encoded"] == case["encoded"]
        assert json.loads(answer)["same"] == 1


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_c_and_the_product_agree_on_damaged_bodies(vectors: dict[str, Any], binary: Path) -> None:
    """Under the sanitizers: a read past the end would stop the program."""
    chance = Random(11)
    cases: list[tuple[int, bytes]] = []
    for example in all_examples():
        body = example.frame.body
        for at in range(0, len(body), max(1, len(body) // 12)):
            cases.append((example.entry.number, body[:at]))
            cases.append((example.entry.number, body[:at] + bytes((chance.randrange(256),)) + body[at + 1 :]))
        cases += [(example.entry.number, reshaped(body, chance)) for _ in range(6)]
        cases += [(example.entry.number, chance.randbytes(length)) for length in (1, 3, 20, 90)]
    answers = [json.loads(line) for line in asked(binary, [f"B {number} {body.hex()}" for number, body in cases])]
    for (number, body), answer in zip(cases, answers, strict=True):
        assert answer == verdict(vectors, number, body), f"{number:02x} {body.hex(' ')}"
    taken = sum("fields" in answer for answer in answers)
    assert len(cases) > 4000
    assert 0.1 < taken / len(cases) < 0.9


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_the_header_compiles_alone_and_twice_in_a_program(tmp_path: Path) -> None:
    """Two files that include it link, whatever they use of it; with nothing of it used there is no warning either."""
    include = f'#include "{HEADER}"\n'
    check = 'shuf_crc32c(0, (const uint8_t *)"123456789", 9) != SHUF_CRC_CHECK'
    (tmp_path / "one.c").write_text(include + include + "int other(void);\nint other(void) { return 0; }\n")
    (tmp_path / "two.c").write_text(include + f"int main(void) {{ return {check}; }}\n")
    for optimised in ("-O0", "-O2"):
        command = ["gcc", *STRICT, optimised, "-o", str(tmp_path / "program"), "one.c", "two.c"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr[:2000]
        assert subprocess.run([str(tmp_path / "program")], timeout=60).returncode == 0


@pytest.mark.slow
@pytest.mark.needs("g++")
def test_the_header_compiles_as_cpp(tmp_path: Path) -> None:
    (tmp_path / "one.cpp").write_text(f'#include "{HEADER}"\nint main() {{ return 0; }}\n')
    command = ["g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "one.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[:2000]


def test_no_field_is_a_word_of_c_or_cpp(vectors: dict[str, Any]) -> None:
    names = {field["name"] for fields in vectors["records"].values() for field in fields}
    names |= {field["name"] for entry in vectors["catalogue"] for field in entry["fields"]}
    assert not names & C_WORDS


def test_every_message_has_a_number_and_a_decoder(vectors: dict[str, Any]) -> None:
    header = c_header()
    for entry in vectors["catalogue"]:
        assert f"SHUF_MSG_{snake(entry['name']).upper()} = 0x{entry['number']:02X}" in header
        assert f" shuf_{snake(entry['name'])}_decode(" in header


@pytest.mark.parametrize(
    ("name", "expected"), [("GetInfo", "get_info"), ("Ack", "ack"), ("SelfTestResult", "self_test_result")]
)
def test_snake_case(name: str, expected: str) -> None:
    assert snake(name) == expected
