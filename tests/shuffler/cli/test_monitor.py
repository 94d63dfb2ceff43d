"""`shuffler monitor`: journal, file, JSON, state, metrics, exit codes, and one sentence for each mistake."""

import json
from pathlib import Path

import numpy as np
import pytest
from monitoring_support import play
from typer.testing import CliRunner, Result

from randomness.monitoring import monitor as core
from shuffler.cli import app


@pytest.fixture(autouse=True)
def _plain_bets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "numba_installed", lambda: False)


def monitor(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["monitor", *map(str, arguments)])


def decks(path: Path, rows: int, *, repeat: bool = False) -> Path:
    rng = np.random.default_rng(2)
    made = np.stack([rng.permutation(52) for _ in range(rows)]).astype(np.uint8)
    if repeat:
        made[-1] = made[0]
    np.save(path, made)
    return path


def test_a_journal_is_read_to_its_end_and_continued_from_its_state(tmp_path: Path) -> None:
    books, state = tmp_path / "books.db", tmp_path / "state"
    play(books, 2)
    done = monitor("--journal", books, "--once", "--state", state, "--every", 1)
    assert done.exit_code == 0
    assert "C-1 R2: 2 rounds, evidence" in done.stdout
    play(books, 1, serial="C-2")
    lines = [json.loads(line) for line in monitor(
        "--journal", books, "--once", "--state", state, "--json", "--every", 1
    ).stdout.splitlines()]  # fmt: skip
    assert [(one["event"], one["device"], one["rounds"]) for one in lines] == [
        ("evidence", "C-2", 1), ("end", "C-1", 2), ("end", "C-2", 1),
    ]  # fmt: skip


def test_a_repeated_deck_in_a_file_is_an_alarm_and_exit_code_1(tmp_path: Path) -> None:
    path = decks(tmp_path / "decks.npy", 12, repeat=True)
    done = monitor("--from", path)
    assert done.exit_code == 1
    assert "ALARM decks.npy 12" in done.stdout
    assert "deal-again" in done.stdout
    alarm = json.loads(monitor("--from", path, "--json").stdout.splitlines()[0])
    assert (alarm["event"], alarm["alarm_round"], alarm["threshold"]) == ("alarm", 12, 1000)


def test_it_can_stop_after_some_rounds(tmp_path: Path) -> None:
    path = decks(tmp_path / "decks.npy", 9)
    assert "decks.npy: 4 rounds" in monitor("--from", path, "--rounds", 4).stdout


def test_metrics_go_to_a_file(tmp_path: Path) -> None:
    path = decks(tmp_path / "decks.npy", 3)
    out = tmp_path / "monitor.prom"
    assert monitor("--from", path, "--metrics-file", out).exit_code == 0
    assert 'shuffler_monitor_rounds_total{serial="decks.npy"} 3' in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "name one source"),
        (("--journal", "a.db", "--from", "b.csv"), "name one source"),
        (("--from", "b.csv", "--once"), "--once is for --journal"),
        (("--journal", "none.db", "--once"), "no such journal"),
        (("--from", "none.csv"), "none.csv"),
        (("socket://127.0.0.1:1",), "127.0.0.1:1"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    tmp_path: Path, arguments: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = monitor(*arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
