"""`shuffler device` against an emulated one: who it is, its log, its program, an earlier hand."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Background, Location, background
from firmware_sim.unit.emulator import Build
from protocol.roles import role_key
from protocol.vocabulary import Role
from shuffler.cli import app
from shuffler.host.client import Client
from shuffler.host.dealing import deal_round, ready_deck, wait_until_on

run = CliRunner()


@pytest.fixture(scope="module")
def served() -> Iterator[Background]:
    build = Build(
        profile=load("i-deal-style"), serial="SB-7", seed=7, speed=400.0,
        role_keys={Role.SUPERVISOR: role_key("pit boss")},
    )  # fmt: skip
    with background([Location(build=build, ports=(Tcp(),))]) as devices:
        with Client.open(devices.url) as client:
            wait_until_on(client)
            list(deal_round(client, 1, (1, 2, 5), ready_deck(client)))
        yield devices


def told(*arguments: str, **more) -> tuple[int, str]:
    result = run.invoke(app, ["device", *arguments], **more)
    return result.exit_code, result.output


def test_who_it_is(served: Background) -> None:
    code, text = told("info", served.url, "--json")
    facts = json.loads(text)
    assert code == 0
    assert (facts["serial"], facts["profile"], facts["rounds"], facts["groups"]) == ("SB-7", "i-deal-style", 1, 4)
    assert "SEEDED" in facts["flags"]
    code, text = told("info", served.url)
    assert (code, "serial       SB-7" in text) == (0, True)


def test_its_log_is_exported_and_checked_and_a_changed_line_is_found(served: Background, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    code, text = told("log", served.url, "--out", str(file))
    assert (code, "of SB-7 are sound up to the head" in text) == (0, True)
    assert told("check-log", str(file))[0] == 0
    head = json.loads(told("info", served.url, "--json")[1])["log_head"]
    assert told("check-log", str(file), "--head", head)[0] == 0
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(line.replace("round 1 closed", "round 2 closed") for line in lines), encoding="utf-8")
    code, text = told("check-log", str(file))
    assert (code, "the log of SB-7 is broken at line" in text) == (1, True)
    file.write_text("\n".join(lines[:-1]), encoding="utf-8")
    assert told("check-log", str(file))[0] == 1


def test_without_a_file_it_goes_to_the_terminal(served: Background) -> None:
    result = run.invoke(app, ["device", "log", served.url])
    assert result.exit_code == 0
    first, *lines = map(json.loads, result.stdout.splitlines())
    assert (first["device"], first["lines"]) == ("SB-7", len(lines))


def test_its_program_is_the_one_installed_here_and_not_that_of_another_profile(served: Background) -> None:
    code, text = told("verify", served.url)
    assert (code, "files are installed here, profile i-deal-style" in text) == (0, True)
    code, text = told("verify", served.url, "--profile", "ace-style")
    assert (code, "does not run the program installed here" in text) == (1, True)


def test_an_earlier_hand_is_told_to_a_supervisor_only(served: Background) -> None:
    code, text = told("recall", served.url, "1", "5", "--supervisor", "pit boss")
    assert code == 0
    assert text.startswith("round 1, seat 5: ")
    assert told("recall", served.url, "1", "0", env={"SHUFFLER_SUPERVISOR": "pit boss"})[0] == 0
    code, text = told("recall", served.url, "1", "5", "--supervisor", "guess")
    assert (code, "bad proof" in text) == (1, True)
    code, text = told("recall", served.url, "9", "5", "--supervisor", "pit boss")
    assert (code, "round 9 is not among the last 8" in text) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("info", "socket://127.0.0.1:1"), "shuffler: "),
        (("check-log", "no-such-file"), "No such file"),
        (("check-log", __file__), "is not JSON"),
    ],
)
def test_what_can_not_be_done_is_said_without_a_traceback(arguments: tuple[str, ...], says: str) -> None:
    code, text = told(*arguments)
    assert code in (1, 2)
    assert says in text
    assert "Traceback" not in text


def test_a_head_that_is_no_head_is_refused(served: Background, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    told("log", served.url, "--out", str(file))
    code, text = told("check-log", str(file), "--head", "zz")
    assert (code, "--head zz: expected hexadecimal digits" in text) == (2, True)
    assert told("check-log", str(file), "--head", "00" * 32)[0] == 1


def test_a_name_with_escape_sequences_is_shown_and_not_carried_out(tmp_path: Path) -> None:
    build = Build(profile=load("i-deal-style"), serial="Pit 3 round table\x1b[2J\x9b", seed=7, speed=400.0)
    file = tmp_path / "log.jsonl"
    with background([Location(build=build, ports=(Tcp(),))]) as devices:
        code, text = told("info", devices.url)
        assert (code, "Pit 3 round table\\x1b[2J\\x9b" in text) == (0, True)
        assert told("log", devices.url, "--out", str(file))[0] == 0
        code, text = told("check-log", str(file))
    assert (code, "\x1b" in text, "\x9b" in text) == (0, False, False)
