"""`shuffler protocol`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from protocol.catalogue import CATALOGUE
from protocol.render import DOCUMENTS
from protocol.render.examples import all_examples
from shuffler.cli import app

runner = CliRunner()
EXAMPLE = next(it for it in all_examples() if it.entry.name == "BeginRound")
STATUS = next(it for it in all_examples() if it.entry.name == "Status")
HEX = EXAMPLE.line.hex(" ")


def said(*arguments: str, input: bytes | None = None) -> str:
    told = runner.invoke(app, ["protocol", *arguments], input=input)
    assert told.exit_code == 0, told.output
    return told.stdout


def refused(*arguments: str, input: bytes | None = None) -> tuple[int, str]:
    told = runner.invoke(app, ["protocol", *arguments], input=input)
    return told.exit_code, told.stderr


# ---------------------------------------------------------------------------------------------------------------- docs


def test_docs_writes_every_document_and_check_agrees(tmp_path: Path) -> None:
    out = tmp_path / "some" / "where"
    assert said("docs", "--out", str(out)).count(": written") == len(DOCUMENTS)
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == set(DOCUMENTS)
    assert said("docs", "--out", str(out), "--check").count(": up to date") == len(DOCUMENTS)


def test_check_names_what_is_stale_and_writes_nothing(tmp_path: Path) -> None:
    said("docs", "--out", str(tmp_path))
    stale = tmp_path / "protocol" / "shuffler_protocol.h"
    stale.write_text("old")
    (tmp_path / "protocol.md").unlink()
    told = runner.invoke(app, ["protocol", "docs", "--out", str(tmp_path), "--check"])
    assert told.exit_code == 1
    assert f"{stale}: stale" in told.stdout
    assert f"{tmp_path / 'protocol.md'}: missing" in told.stdout
    assert f"2 of {len(DOCUMENTS)} files" in told.stderr
    assert stale.read_text() == "old"
    assert said("docs", "--out", str(tmp_path)).count(": written") == 2


def test_docs_that_can_not_be_written_are_an_error_with_the_path(tmp_path: Path) -> None:
    (tmp_path / "protocol").write_text("a file where a folder belongs")
    code, text = refused("docs", "--out", str(tmp_path))
    assert code == 2
    assert "shuffler_protocol.h" in text


# ------------------------------------------------------------------------------------------------------- list and show


def test_list_has_every_message() -> None:
    listed = said("list")
    assert all(f"0x{entry.number:02X}" in listed and entry.name in listed for entry in CATALOGUE)


def test_list_of_one_group_and_as_json() -> None:
    assert "GetInfo" not in said("list", "--chapter", "deal")
    entries = json.loads(said("list", "--chapter", "deal", "--json"))
    assert [entry["name"] for entry in entries][:2] == ["BeginRound", "DealGroup"]
    assert entries[0]["fields"] == [
        {"name": "round", "type": "uint", "size": 4},
        {"name": "seats", "type": "uint", "size": 2},
    ]


def test_a_group_that_does_not_exist_is_refused_with_those_that_do() -> None:
    code, text = refused("list", "--chapter", "shoes")
    assert code == 2
    assert "maintenance" in text


@pytest.mark.parametrize("name", ["BeginRound", "beginround", "0x30", "48"])
def test_show_takes_a_name_or_a_number(name: str) -> None:
    shown = said("show", name)
    assert shown.startswith("BeginRound 0x30, host → device")
    assert HEX[:60] in shown


def test_show_of_something_else_proposes_names() -> None:
    code, text = refused("show", "Deal")
    assert code == 2
    assert "DealGroup" in text
    assert "protocol list" in refused("show", "nothing")[1]


# -------------------------------------------------------------------------------------------------------------- decode


@pytest.mark.parametrize(
    "text",
    [HEX, HEX.replace(" ", ""), HEX.replace(" ", ":"), HEX.upper(), "0x" + HEX.replace(" ", ", 0x")],
    ids=["spaced", "plain", "colons", "upper", "0x"],
)
def test_decode_takes_hex_in_any_dress(text: str) -> None:
    assert "round                3021" in said("decode", text)


def test_decode_takes_a_frame_without_its_delimiters() -> None:
    assert "BeginRound" in said("decode", EXAMPLE.line[1:-1].hex())


def test_decode_finds_several_frames_and_counts_noise() -> None:
    told = runner.invoke(app, ["protocol", "decode", (EXAMPLE.line + b"\x05\x06" + STATUS.line).hex()])
    assert told.exit_code == 0
    assert "#1 BeginRound" in told.stdout
    assert "#2 Status" in told.stdout
    assert "noise: 1 no COBS" in told.stderr


def test_decode_reads_raw_bytes_and_hex_lines_from_standard_input() -> None:
    raw = said("decode", "-", input=EXAMPLE.line + STATUS.line)
    assert raw == said("decode", "-", input=f"{HEX}\n{STATUS.line.hex()}".encode())
    assert "#2 Status" in raw


def test_decode_as_json_gives_one_object_a_line() -> None:
    lines = said("decode", "--json", (EXAMPLE.line + STATUS.line).hex()).splitlines()
    assert [json.loads(line)["message"] for line in lines] == ["BeginRound", "Status"]
    assert json.loads(lines[0])["fields"] == {"round": 3021, "seats": 127}


def test_decode_of_a_body_alone() -> None:
    assert "seats                127" in said("decode", "--body", "BeginRound", EXAMPLE.frame.body.hex())
    assert json.loads(said("decode", "--body", "0x30", "--json", EXAMPLE.frame.body.hex()))["fields"]["round"] == 3021
    code, text = refused("decode", "--body", "BeginRound", "0102")
    assert code == 1
    assert "BeginRound: a body of 2 bytes does not fit" in text


@pytest.mark.parametrize("text", ["zz", "0", "00 0", "hello"])
def test_what_is_no_hex_is_refused(text: str) -> None:
    code, told = refused("decode", text)
    assert code == 2
    assert "no hex" in told


def test_no_frame_is_exit_code_one_with_a_hint() -> None:
    code, text = refused("decode", "01 02 03")
    assert code == 1
    assert "no frame found" in text
    assert refused("decode", "-", input=b"")[0] == 1


@pytest.mark.slow
def test_frames_are_printed_while_the_port_stays_open() -> None:
    command = [sys.executable, "-u", "-m", "shuffler", "protocol", "decode", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(EXAMPLE.line)
        process.stdin.flush()
        assert b"BeginRound" in process.stdout.readline()
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.parametrize("command", [[], ["docs"], ["list"], ["show"], ["decode"]])
def test_every_command_explains_itself(command: list[str]) -> None:
    assert "Usage" in said(*command, "--help")
