"""The command line, small: `make proof-cli-fuzz` makes ten thousand calls."""

import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from proofs import cli_fuzz
from proofs.cli_fuzz import (
    Chunk,
    Tally,
    chunks_of,
    in_a_process,
    in_process,
    judge,
    keep,
    kept,
    run_all,
    targets,
    typed_for,
)
from shuffler.cli import COMMANDS


@pytest.mark.slow
def test_nothing_typed_ends_in_a_traceback(tmp_path: Path) -> None:
    tally = run_all(60, 4, seed=3, workers=1, folder=tmp_path)
    assert tally.problems == []
    assert tally.calls == 64


def test_every_command_is_a_target_and_options_of_every_kind_are_found() -> None:
    found = targets()
    assert {target.words[0] for target in found} == {row.name for row in COMMANDS}
    assert {option.kind for target in found for option in target.options} == {"number", "file", "flag", "words"}


def test_a_call_follows_from_seed_and_number() -> None:
    every, files = targets(), ["a", "b"]
    assert typed_for(7, 1, every, files) == typed_for(7, 1, every, files)
    assert len({tuple(typed_for(7, seed, every, files)) for seed in range(9)}) > 1


@pytest.mark.parametrize(
    ("code", "told", "problem"),
    [
        (1, "Traceback (most recent call last):\n  ...\nKeyError: 3", "KeyError: 3"),
        (1, "shuffler: no\nException ignored in: <x>\nValueError: 3", "ValueError: 3"),
        (1, "ValueError: invalid literal", "ValueError: invalid literal"),
        (77, "", "exit code 77"),
        (2, "", "refused without a word"),
        (2, "shuffler: <a.B object at 0x7f> is wrong", "speaks Python (object at 0x): shuffler: <a.B object"),
    ],
)
def test_a_bad_end_is_found(code: int, told: str, problem: str) -> None:
    tally = Tally()
    judge(["x"], code, told, tally)
    assert [one[: len(f"['x']: {problem}")] for one in tally.problems] == [f"['x']: {problem}"]


def test_a_good_end_is_none() -> None:
    tally = Tally()
    judge(["z"], 2, "shuffler: no such file", tally)
    judge(["z"], 2, "Usage: shuffler\n\nError: No such option", tally)
    judge(["z"], 0, "", tally)
    assert tally.problems == []


def test_a_call_without_an_end_gets_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_fuzz, "CUT_AFTER_S", 0.2)
    tally = Tally()
    in_process(["emulate", "--tcp", "0"], tally)
    assert tally.problems == []
    assert set(tally.codes) <= {0, 130}  # a server is done when it is told to stop; on its way up it is interrupted


def test_an_alarm_between_calls_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(_typed: list[str], _code: int, _told: str, _tally: Tally) -> None:
        signal.signal(signal.SIGALRM, cli_fuzz._ctrl_c)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        time.sleep(0.1)

    monkeypatch.setattr(cli_fuzz, "judge", slow)
    try:
        in_process(["--version"], Tally())
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_the_chunks_are_all_numbers_once() -> None:
    chunks = chunks_of(120, 25)
    assert [number for numbers, _ in chunks for number in numbers] == list(range(145))
    assert {programs for numbers, programs in chunks if numbers.start < 120} == {False}
    assert {programs for numbers, programs in chunks if numbers.start >= 120} == {True}


def test_a_chunk_that_is_kept_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Tally(2, Counter({0: 1, 130: 1}), ["a problem"])
    keep(tmp_path / "calls-1-000000.json", found)
    assert kept(tmp_path / "calls-1-000000.json") == found
    monkeypatch.setattr(subprocess, "run", None)
    assert in_a_process(Chunk(range(2), False), 1, tmp_path) == found


def test_a_thread_that_would_hold_the_program_up_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_fuzz, "THREADS_S", 0.01)
    gate = threading.Event()
    held = threading.Thread(target=gate.wait, name="held up")
    held.start()
    assert cli_fuzz._threads_left() == ["held up"]
    assert cli_fuzz._threads_left() == []
    gate.set()
    held.join()


def test_a_chunk_that_does_not_end_is_a_problem_told_by_its_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(command: list[str], **_more: object) -> None:
        raise subprocess.TimeoutExpired(command, 1, output=b"0 ['demo']\n1 ['live']\n")

    monkeypatch.setattr(subprocess, "run", late)
    assert in_a_process(Chunk(range(2), False), 1, tmp_path).problems == [
        """chunk ['0', '2'] does not end: ["1 ['live']"]"""
    ]
