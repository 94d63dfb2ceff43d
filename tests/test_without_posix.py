"""What Windows lacks is not needed: each command plays over TCP in a process without terminals, poll and signals."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from shuffler.host.client import Client
from shuffler.host.dealing import deal_round, ready_deck, wait_until_on

ROOT = Path(__file__).parents[1]
LAUNCH = [sys.executable, str(ROOT / "tests" / "without_posix.py")]
LIMIT_S = 240


def ran(*words: str, cwd: Path = ROOT) -> str:
    there = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*LAUNCH, *words], cwd=cwd, env=there, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([*LAUNCH, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, output


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_the_launcher_takes_away_what_it_says() -> None:
    script = "import os, select, without_posix as w; w.block(); assert not hasattr(os, 'fchmod')\n" + (
        "assert not hasattr(select, 'poll')\ntry:\n    import termios\nexcept ImportError:\n    print('gone')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT / "tests", capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "gone\n"), done.stderr


@pytest.mark.slow
def test_demo() -> None:
    said = ran("shuffler", "demo")
    assert "An emulated shuffler is on socket://127.0.0.1:" in said
    assert "sum of all accounts 0 cents" in said


@pytest.mark.slow
def test_table(tmp_path: Path) -> None:
    played = ("--rounds", "1", "--seats", "2", "--speed", "400")
    said = ran("shuffler", "table", *played, "--journal", str(tmp_path / "b.db"))
    assert "socket://127.0.0.1:" in said


@pytest.mark.slow
def test_soak() -> None:
    report = json.loads(ran("shuffler", "soak", "--rounds", "5", "--json"))
    assert report["rounds"] >= 5


@pytest.mark.slow
def test_scenario() -> None:
    assert "early-grab" in ran("shuffler", "scenario", "run", "early-grab")


@pytest.mark.slow
def test_emulate(tmp_path: Path) -> None:
    words = ("emulate", "--tcp", "0", "--json", "--speed", "400", "--memory", str(tmp_path / "memory"))
    with running("shuffler", *words) as process:
        (device,) = json.loads(line(process))
        (url,) = device["urls"]
        with Client.open(url) as client:
            wait_until_on(client)
            *_, dealt = deal_round(client, 1, (1, 2), ready_deck(client))
        assert set(dealt.hands) == {0, 1, 2}


@pytest.mark.slow
def test_a_pseudo_terminal_is_refused_in_words() -> None:
    done = subprocess.run(
        [*LAUNCH, "shuffler", "emulate", "--pty"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert "this system has no pseudo-terminals: use a TCP port" in done.stderr


@pytest.mark.slow
def test_live(tmp_path: Path) -> None:
    token = tmp_path / "token"
    words = ("live", "--port", "0", "--no-browser", "--kiosk", "--speed", "2000", "--token-file", str(token))
    with running("shuffler", *words) as process:
        said = line(process).split()
        assert said[:2] == ["control", "API"], said
        headers = {"authorization": f"Bearer {token.read_text().strip()}"}
        with httpx.Client(base_url=said[2], headers=headers, timeout=LIMIT_S) as api:
            name = api.get("/tables").json()[0]["id"]
            api.put(f"/tables/{name}/pace", json={"deals": "auto", "between_s": 0, "think_s": 0, "keys": "auto"})
            for seat in range(1, 8):
                api.put(f"/tables/{name}/seats/{seat}", json={"kind": "bot" if seat == 1 else "empty"})
            deadline = time.monotonic() + LIMIT_S
            while not (dealt := api.get(f"/tables/{name}").json()["round"]) or dealt["phase"] != "closed":
                assert time.monotonic() < deadline, dealt


@pytest.mark.slow
def test_the_pytest_plugin(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "def test_a_round(shuffler_device):\n    assert set(shuffler_device.deal([1, 2])) == {0, 1, 2}\n"
    )
    assert "1 passed" in ran("pytest", "-q", "-p", "no:cacheprovider", str(tmp_path), cwd=tmp_path)
