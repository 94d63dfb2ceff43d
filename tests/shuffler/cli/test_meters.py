"""`shuffler meters` and `shuffler table --meters`: operators' work on a real server, sentences for everything wrong."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from shuffler.cli import app
from shuffler.cli.linked import VARIABLE
from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.meters.server import Batch, MeterServer

RULES = "south-dakota+bad-beat"
CONTRIBUTION = MeterMoved(
    number=1, meter="floor-1", round_id="R1", spot=0, kind=MoveKind.CONTRIBUTION, nth=1, change=26, reserve_change=0
)


def run(*arguments: object, url: str | None = None) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={VARIABLE: url or ""})


def meters(url: str, *arguments: object) -> Result:
    return run("meters", *arguments, url=url)


# --- without a server ---


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("meters", "list"), "say where the meters are"),
        (("meters", "list", "--meters", "mysql://host/floor"), "postgresql://HOST/DATABASE"),
        (("meters", "list", "--meters", "postgresql://ann:pa55@host/floor"), "seen by every user"),
        (("meters", "adjust", "m", "--change", "1", "--reason", "r"), "Missing option '--by'"),
        (("meters", "adjust", "m", "--by", "Ann", "--reason", "r"), "Missing option '--change'"),
        (("meters", "enrol", "T1", "m"), "Missing option '--login'"),
        (("meters", "adjust", "m", "--by", "Ann", "--change", "0.001", "--reason", "r"), "dollars and cents"),
        (("meters", "create", "m", "--rules", "ten-dollar-house"), "has no progressive wager"),
        (("meters", "create", "m", "--rules", RULES, "--wager", "ante"), "progressive or bad-beat"),
        (("table", "--meters", "postgresql://host/floor"), "--table-name and a --journal"),
    ],
)
def test_what_cannot_be_is_a_sentence(arguments: tuple[str, ...], why: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert why in result.output
    assert "pa55" not in result.output


def test_a_server_that_is_away_is_a_sentence_without_its_password() -> None:
    result = meters("postgresql://ann:pa55@127.0.0.1:1/floor", "list")
    assert result.exit_code == 1
    assert "127.0.0.1:1" in result.output
    assert "pa55" not in result.output


# --- with one ---


@pytest.fixture
def url(meters_url: str) -> str:
    made = meters(meters_url, "create", "floor-1", "--rules", RULES, "--wager", "bad-beat")
    assert made.exit_code == 0, made.output
    assert meters(meters_url, "enrol", "T1", "floor-1", "--login", "owner").exit_code == 0
    return meters_url


@pytest.mark.needs("postgresql")
def test_a_database_is_brought_up_to_date_once(meters_url: str) -> None:
    assert "up to date" in meters(meters_url, "init").output


@pytest.mark.needs("postgresql")
def test_meters_are_listed_checked_and_exported(url: str) -> None:
    assert "$10,000" in meters(url, "list").output
    (line,) = meters(url, "list", "--json").output.splitlines()
    assert json.loads(line)["amount"] == 1_000_000
    assert "1 rows" in meters(url, "check").output
    (row,) = meters(url, "export").output.splitlines()
    assert json.loads(row)["kind"] == "seed"
    assert meters(url, "export", "--format", "csv").output.startswith("meter,number,kind")
    assert meters(url, "export", "--format", "xml").exit_code == 2


@pytest.mark.needs("postgresql")
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("create", "floor-1", "--rules", RULES, "--wager", "bad-beat"), "a meter of that name already"),
        (("create", "Floor 1", "--rules", RULES, "--wager", "bad-beat"), "lower-case letters"),
        (("create", "m2", "--rules", RULES, "--wager", "bad-beat", "--cap", "1"), "a cap is not below the seed"),
        (("enrol", "T1", "floor-9", "--login", "owner"), "there is no meter floor-9"),
        (("enrol", "T 1", "floor-1", "--login", "owner"), "a table's name is"),
        (("enrol", "T2", "floor-1", "--login", "nobody9"), "there is no login nobody9"),
        (("release", "floor-1", "7", "--reason", "jam", "--by", "Ann"), "has no open ticket 7"),
        (("retire", "T9", "--reason", "jam", "--by", "Ann"), "no table of that name is enrolled"),
        (("adjust", "floor-9", "--change", "1", "--reason", "jam", "--by", "Ann"), "there is no meter of that name"),
        (("approve", "9", "--by", "Ann"), "there is no proposal 9"),
        (("reconcile", "/nonexistent.db"), "there is no such journal"),
    ],
)
def test_what_the_server_refuses_is_a_sentence(url: str, arguments: tuple[str, ...], why: str) -> None:
    result = meters(url, *arguments)
    assert result.exit_code == 1
    assert why in result.output
    assert "constraint" not in result.output


@pytest.mark.needs("postgresql")
@pytest.mark.slow
def test_watch_shows_moves_as_they_come_and_outlives_a_cut_connection(url: str) -> None:
    command = [sys.executable, "-m", "shuffler", "meters", "watch", "--rows", "--every", "0.1"]
    environment = {**os.environ, VARIABLE: url, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as one:
        try:
            assert one.stdout is not None
            assert "$10,000 " in one.stdout.readline()
            with closing(MeterServer(url)) as server:
                server.connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'shuffler'"
                    " AND datname = current_database() AND pid <> pg_backend_pid()"
                )
                server.push("T1", bytes(16), Batch(0, b"", 1, b"1", (CONTRIBUTION,)))
            told = [one.stdout.readline()]
            while "$10,000.26" not in told[-1] and told[-1]:
                told.append(one.stdout.readline())
            assert any("contribution  T1       R1" in line for line in told)
        finally:
            one.send_signal(signal.SIGINT)
        assert one.wait(30) == 0


@pytest.mark.needs("postgresql")
def test_an_adjustment_takes_a_second_person_with_another_login(url: str, postgresql) -> None:
    proposed = meters(url, "adjust", "floor-1", "--change", "+2.50", "--reason", "a jammed sensor", "--by", "Ann")
    assert "proposal 1" in proposed.output
    alone = meters(url, "approve", 1, "--by", "Bob")
    assert alone.exit_code == 1
    assert "another person" in alone.output
    postgresql.run("psql", "-h", "127.0.0.1", "-p", str(postgresql.port), "-U", "owner", "-d", "postgres", "-c",
                   "DO $$ BEGIN CREATE ROLE bob LOGIN IN ROLE meters_operator; EXCEPTION WHEN duplicate_object THEN"
                   " NULL; END $$")  # fmt: skip
    done = meters(url.replace("owner@", "bob@"), "approve", 1, "--by", "Bob")
    assert "$10,002.50" in done.output
    assert "Ann" in meters(url, "export").output


@pytest.mark.needs("postgresql")
@pytest.mark.slow
def test_a_table_on_an_emulated_shuffler_shares_its_meter(url: str, tmp_path: Path) -> None:
    journal = tmp_path / "T1.db"
    play = ("table", "--rules", "south-dakota", "--side", "bad-beat", "--rounds", 2, "--seats", 2, "--speed", 1000)
    linked = ("--journal", journal, "--table-name", "T1")
    first = run(*play, *linked, url=url)
    assert first.exit_code == 0, first.output
    shown = json.loads(meters(url, "list", "--json").output)
    assert shown["amount"] == 1_000_000 + 2 * 2 * 26
    green = meters(url, "reconcile", tmp_path)
    assert green.exit_code == 0, green.output
    assert "exactly once" in green.output
    unlinked = run(*play, "--journal", journal)
    assert unlinked.exit_code == 2
    assert "its meters are shared (floor-1)" in unlinked.output
    stranger = run(*play, "--journal", tmp_path / "T9.db", "--table-name", "T9", url=url)
    assert stranger.exit_code == 1
    assert "shuffler meters enrol T9" in stranger.output


@pytest.mark.needs("postgresql")
@pytest.mark.slow
def test_a_table_whose_server_is_away_plays_on_and_says_so(url: str, tmp_path: Path) -> None:
    journal = tmp_path / "T1.db"
    play = ("table", "--rules", "south-dakota", "--side", "bad-beat", "--rounds", 1, "--seats", 1, "--speed", 1000)
    linked = ("--journal", journal, "--table-name", "T1")
    assert run(*play, *linked, url=url).exit_code == 0
    away = url.replace(url.split(":")[2].split("/")[0], "1")
    result = run(*play, *linked, url=away)
    assert result.exit_code == 0, result.output
    assert "contributions wait, awards are pending" in result.output
    assert "not all of the outbox is on the meter server" in result.output
    unsent = meters(url, "reconcile", journal)
    assert "not sent yet" in unsent.output
    assert run(*play, *linked, url=url).exit_code == 0
    assert "not sent yet" not in meters(url, "reconcile", journal).output


@pytest.mark.needs("postgresql")
@pytest.mark.slow
def test_an_older_copy_of_a_journal_is_named_by_the_table_and_by_reconcile(url: str, tmp_path: Path) -> None:
    journal = tmp_path / "T1.db"
    play = ("table", "--rules", "south-dakota", "--side", "bad-beat", "--rounds", 1, "--seats", 1, "--speed", 1000)
    linked = ("--journal", journal, "--table-name", "T1")
    assert run(*play, *linked, url=url).exit_code == 0
    older = tmp_path / "older"
    shutil.copy(journal, older)
    assert run(*play, *linked, url=url).exit_code == 0
    shutil.move(older, journal)
    for left_over in ("-wal", "-shm"):
        Path(f"{journal}{left_over}").unlink(missing_ok=True)
    found = meters(url, "reconcile", journal)
    assert found.exit_code == 1
    assert "table T1: its journal has" in found.output
    assert "restored from an older copy" in found.output
    played = run(*play, *linked, url=url)
    assert "no wagers on bad_beat are taken" in played.output
    assert "not merged: put the newest copy back): somebody must look" in played.output
    assert json.loads(meters(url, "list", "--json").output)["amount"] == 1_000_000 + 2 * 26
