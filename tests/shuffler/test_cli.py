"""The program as a user meets it: help on everything, clear errors, clean ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from shuffler.cli import app
from shuffler.client import Client

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("numba", "scipy", "numpy", "distributed", "sqlite3")


def shuffler(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, shuffler.cli; "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["", "emulate", "deal", "demo", "table", "soak", "journal", "odds", "protocol"])
def test_every_command_explains_itself(command: str) -> None:
    done = shuffler(*([command] if command else []), "--help")
    assert done.exit_code == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("deal", "/dev/no-such-port"), "no-such-port"),
        (("deal", "socket://127.0.0.1:1"), "is the device running?"),
        (("emulate", "--profile", "no-such-machine"), "no-such-machine"),
        (("emulate", "--role", "king=words", "--tcp", "0"), "supervisor"),
        (("emulate", "--link", "/no/such/folder/name"), "--link"),
        (("table", "--rules", "no-such-rules"), "no-such-rules"),
        (("table", "--strategy", "sometimes"), "sometimes"),
        (("journal", "verify", "/no/such/journal"), "no such journal"),
        (("journal", "show", "/no/such/journal", "R1"), "no such journal"),
    ],
)
def test_a_mistake_gets_a_sentence_and_no_traceback(arguments: tuple[str, ...], says: str) -> None:
    done = shuffler(*arguments)
    assert done.exit_code in (1, 2)
    assert says in done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)


@pytest.mark.slow
def test_the_demo_ends_by_itself_without_a_terminal() -> None:
    done = shuffler("demo")
    assert done.exit_code == 0, done.stderr
    assert "every hand opens the commitment" in done.stdout
    assert "game over" in done.stdout
    assert "sum of all accounts 0 cents" in done.stdout
    assert "What to try next" in done.stdout


@pytest.mark.slow
def test_emulate_serves_until_it_is_interrupted_and_takes_its_name_away(tmp_path: Path) -> None:
    link = tmp_path / "tty-shuffler"
    command = [sys.executable, "-m", "shuffler", "emulate", "--tcp", "0", "--link", str(link), "--json"]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        (told,) = json.loads(running.stdout.readline())
        for url in (*told["urls"], str(link)):
            with Client.open(url) as client:
                assert client.welcome.serial == told["serial"]
    finally:
        running.send_signal(signal.SIGINT)
    output = running.communicate(timeout=30)
    assert running.returncode == 0, output
    assert output[1] == ""
    assert not link.is_symlink()


@pytest.mark.slow
def test_a_key_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    key = tmp_path / "key.hex"
    command = [sys.executable, "-m", "shuffler", "emulate", "--tcp", "0", "--json", "--secure", str(key)]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        (told,) = json.loads(running.stdout.readline())
        assert os.stat(key).st_mode & 0o077 == 0
        with Client.open(told["urls"][0], key=bytes.fromhex(key.read_text().strip())) as client:
            assert client.connected
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)
