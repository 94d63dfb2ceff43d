"""`shuffler table` says why it can't play, before anybody has wagered."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build
from shuffler.cli import app

run = CliRunner()
NOBODY = "socket://127.0.0.1:1"


def test_a_device_that_the_rules_do_not_allow_is_refused_with_a_sentence(tmp_path: Path) -> None:
    books = tmp_path / "books.db"
    told = run.invoke(app, ["table", "--profile", "dealing-shoe", "--speed", "200", "--journal", str(books)])
    assert told.exit_code == 1
    assert "can't be played: it deals one card at a time, which light-and-wonder does not allow" in told.output
    shown = run.invoke(app, ["journal", "export", str(books)])
    assert '"DeviceRefused"' in shown.output
    assert '"R1"' not in shown.output


def test_less_than_the_commitment_asked_for_is_refused() -> None:
    told = run.invoke(app, ["table", "--profile", "ace-style", "--speed", "200", "--commitment", "order"])
    assert told.exit_code == 1
    assert "it commits to SLOTS where ORDER is wanted" in told.output


def test_an_unknown_commitment_is_misuse() -> None:
    told = run.invoke(app, ["table", "--commitment", "salt"])
    assert told.exit_code == 2
    assert "--commitment salt: expected order, slots or nothing" in told.output


@pytest.mark.slow
def test_a_device_that_is_not_there_is_waited_for_with_a_word_and_given_up() -> None:
    told = run.invoke(app, ["table", NOBODY, "--patience", "6"])
    assert told.exit_code == 1
    assert f"waiting: {NOBODY}: Connection refused" in told.stderr
    assert f"shuffler: gave up after 6 s: {NOBODY}: Connection refused" in told.stderr


def test_an_address_that_can_not_be_one_is_not_waited_for() -> None:
    told = run.invoke(app, ["table", "socket://h:x"])
    assert (told.exit_code, "shuffler: socket://h:x" in told.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("theirs", "says"), [(bytes(32), "answers with another key than this one"), (None, "no key is set in this device")],
    ids=["another key", "no key"],
)
def test_a_key_that_does_not_fit_is_said_so(theirs: bytes | None, says: str, tmp_path: Path) -> None:
    key = tmp_path / "key.hex"
    key.write_text(bytes(range(32)).hex(), encoding="ascii")
    build = Build(profile=load("i-deal-style"), serial="SB-1", speed=200.0, key=theirs)
    with background([Location(build=build, ports=(Tcp(),))]) as devices:
        told = run.invoke(app, ["table", devices.url, "--secure", str(key), "--patience", "1"])
        dealt = run.invoke(app, ["device", "info", devices.url, "--secure", str(key)])
    assert (told.exit_code, says in told.stderr) == (1, True)
    assert (dealt.exit_code, says in dealt.stderr) == (1, True)


@pytest.mark.slow
def test_the_backup_takes_the_place_of_a_device_that_does_not_answer() -> None:
    build = Build(profile=load("i-deal-style"), serial="SB-2", speed=200.0)
    with background([Location(build=build, ports=(Tcp(),))]) as devices:
        more = ["--backup", devices.url, "--rounds", "1", "--seats", "2", "--patience", "20"]
        told = run.invoke(app, ["table", NOBODY, *more])
    assert told.exit_code == 0, told.output
    assert "the backup put in its place" in told.stdout
    assert "game over" in told.stdout
