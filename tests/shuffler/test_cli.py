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

from shuffler.cli import COMMANDS, app
from shuffler.host.client import Client

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("numba", "scipy", "numpy", "distributed", "sqlite3", "asyncio", "construct", "cryptography", "protocol")


def shuffler(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, shuffler.cli; "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["", *(row.name for row in COMMANDS)])
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
        (("emulate", "--tcp", "99999"), "--tcp"),
        (("emulate", "--tcp", "-5"), "--tcp"),
        (("emulate", "--tcp", "65535", "--devices", "2"), "needs ports up to 65536"),
        (("emulate", "--usbip", "--usbip-port", "99999"), "--usbip-port"),
        (("emulate", "--speed", "inf"), "--speed"),
        (("emulate", "--speed", "nan"), "--speed"),
        (("emulate", "--hands", "three"), "--hands"),
        (("emulate", "--serial", "x" * 300), "1 to 255 bytes"),
        (("emulate", "--serial", "x" * 254 + "9", "--devices", "2"), "1 to 255 bytes"),
        (("emulate", "--serial", ""), "1 to 255 bytes"),
        (("deal", "socket://[::1"), "Invalid IPv6 URL"),
        (("deal", "hwgrep://("), "hwgrep://("),
        (("emulate", "--setup", "jam-exit", "--setup", "no-feed", "--devices", "3"), "once for each device"),
        (("table", "--rules", "no-such-rules"), "no-such-rules"),
        (("table", "--strategy", "sometimes"), "sometimes"),
        (("table", "--anchor-command", "'; DROP"), "with every quote closed"),
        (("table", "--anchor-command", ""), "expected a program"),
        (("journal", "verify", "/no/such/journal"), "no such journal"),
        (("emulat",), "Did you mean 'emulate'?"),
        (("journal", "show", "/no/such/journal", "R1"), "no such journal"),
    ],
)
def test_a_mistake_gets_a_sentence_and_no_traceback(arguments: tuple[str, ...], says: str) -> None:
    done = shuffler(*arguments)
    assert done.exit_code in (1, 2)
    assert says in done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)


@pytest.mark.parametrize("file", ["noise", "/dev/zero", "folder"])
@pytest.mark.parametrize(
    ("words", "reads"),
    [
        (("device", "check-log", "FILE"), "an exported log"),
        (("journal", "verify", "missing.db", "--key", "FILE"), "a public key"),
        (("journal", "verify", "missing.db", "--anchors", "FILE"), "a file of heads"),
        (("emulate", "--setup", "FILE"), "can't be read"),
        (("table", "--rules", "FILE"), "can't be read"),
        (("certify", "--mechanism", "ideal", "--plan", "FILE"), "plan"),
        (("certify", "verify", "FILE"), "is no report"),
        (("control", "7080", "GET", "/devices", "--token-file", "FILE"), "not a token"),
    ],
)
def test_a_file_of_another_kind_is_refused_without_speaking_python(
    words: tuple[str, ...], reads: str, file: str, tmp_path: Path
) -> None:
    (tmp_path / "noise").write_bytes(b"\x9f\xff" * 500)
    (tmp_path / "folder").mkdir()
    done = shuffler(*(str(tmp_path / file) if word == "FILE" else word for word in words))
    assert done.exit_code in (1, 2)
    assert reads in done.stderr
    assert "codec" not in done.stderr
    assert "Errno" not in done.stderr
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


def test_output_that_can_not_be_written_is_said_in_a_sentence() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "shuffler", "odds", "--rules", "south-dakota"],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "shuffler: can't write the output: No space left on device\n"


def test_a_soak_is_json_at_its_default_rate() -> None:
    done = shuffler("soak", "--rounds", "40", "--rate", "1", "--seats", "1", "--json")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert report["settled"] + report["void"] == 40
    assert sum(row["injected"] for row in report["injections"].values()) == 40
    assert all(isinstance(count, int) for row in report["injections"].values() for count in row["signs"].values())


def test_the_version_is_the_packages() -> None:
    assert shuffler("--version").stdout.startswith("shuffler 0.")


def test_a_file_that_hides_a_package_of_the_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "protocol.py").write_text("hidden = True\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-m", "shuffler", "protocol", "list"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "protocol.py hides this program's own package 'protocol': rename it" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_emulate_says_what_its_devices_show_and_report() -> None:
    command = [sys.executable, "-m", "shuffler", "emulate", "--tcp", "0", "--json", "-v", "--speed", "1000"]
    command += ["--setup", "jam-exit"]
    running = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="strict"
    )
    try:
        assert running.stdout is not None
        (told,) = json.loads(running.stdout.readline())
        done = subprocess.run(
            [sys.executable, "-m", "shuffler", "deal", told["urls"][0], "--seats", "2"], cwd=ROOT, capture_output=True,
        )  # fmt: skip
    finally:
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=30)
    assert done.returncode in (0, 1)
    assert "event   1 PoweredUp" in said
    assert "panel   LOAD CARDS" in said
    assert "ShuffleCompleted shuffle 1" in said
    assert "FAULT   " in said
    assert "JAM_EXIT" in said
