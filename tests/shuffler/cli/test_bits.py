"""`shuffler bits`: exit codes, formats, tables, JSON, refusals."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from randomness.sources import make_source, seeded_source
from shuffler.cli import app

runner = CliRunner()


@pytest.fixture
def even(tmp_path: Path) -> Path:
    path = tmp_path / "even.bin"
    path.write_bytes(seeded_source(1).generate(25_000))
    return path


def test_even_bits_pass_with_0(even: Path) -> None:
    told = runner.invoke(app, ["bits", str(even)])
    assert told.exit_code == 0, told.output
    assert "PASSED collectively at 0.01" in told.output
    assert "1 sequence(s) of all bits, read as bytes." in told.output
    assert "200,000 bits; the test needs at least 1,000,000" in told.output


def test_lopsided_bits_fail_with_1(tmp_path: Path) -> None:
    path = tmp_path / "lopsided.txt"
    path.write_text("".join(np.where(np.random.default_rng(1).random(50_000) < 0.53, "1", "0")), encoding="ascii")
    told = runner.invoke(app, ["bits", str(path)])
    assert told.exit_code == 1
    assert "FAILED collectively" in told.output
    assert "frequency, sequence 1: adjusted p" in told.output
    assert "read as text" in told.output


def test_standard_input(even: Path) -> None:
    told = runner.invoke(app, ["bits", "-", "--length", "20000"], input=even.read_bytes())
    assert told.exit_code == 0, told.output
    assert "10 sequence(s) of 20,000 bits" in told.output


@pytest.mark.parametrize(
    ("arguments", "data", "words"),
    [
        (["-"], b"", "no sequence to test"),
        (["-"], b"abc", "24 bits; the test needs at least 100"),
        (["-", "--length", "1000"], b"abc", "no sequence to test"),
        (["-", "--format", "text"], b"0123", "neither a zero nor a one"),
        (["-", "--tests", "frequency,bingo"], b"", "no such test: 'bingo'; there are frequency"),
        (["/no/such/file"], b"", "No such file"),
        (["."], b"", "Is a directory"),
        ([], b"", "a file, or - for standard input"),
        (["-", "--length", "5"], b"", "--length"),
    ],
)
def test_what_can_not_be_run_ends_with_2_and_says_why(arguments: list[str], data: bytes, words: str) -> None:
    told = runner.invoke(app, ["bits", *arguments], input=data)
    assert told.exit_code == 2
    assert words in told.stderr
    assert "Traceback" not in told.stderr


def test_json_has_everything(even: Path) -> None:
    told = runner.invoke(app, ["bits", str(even), "--length", "50000", "--json", "--corrected"])
    data = json.loads(told.stdout)
    assert (data["passed"], data["sequences"], data["bits_each"], data["bits_left_over"]) == (True, 4, 50_000, 0)
    assert (data["constants"], data["format"]) == ("corrected", "bytes")
    assert [len(results) for results in data["results"]] == [188] * 4
    assert {"test", "outcome", "p", "statistic", "unmet"} <= set(data["results"][0][0])
    assert len(data["second_level"]) == len({level["test"] for level in data["second_level"]})
    assert len(data["tests"]) == 15


def test_chosen_tests_and_all_their_p_values(even: Path) -> None:
    told = runner.invoke(app, ["bits", str(even), "--tests", "runs,cumulative-sums", "--detail"])
    assert told.exit_code == 0
    assert "cumulative-sums/forward" in told.output
    assert "spectral" not in told.output


def test_many_sequences_show_share_and_spread(even: Path) -> None:
    told = runner.invoke(app, ["bits", str(even), "--length", "2000", "--tests", "frequency"])
    assert told.exit_code == 0
    assert "lowest P_T" in told.output
    assert "as expected" in told.output


def test_the_list() -> None:
    told = runner.invoke(app, ["bits", "--list"])
    assert told.exit_code == 0
    assert "linear dependence among 32-bit pieces" in told.output
    rows = json.loads(runner.invoke(app, ["bits", "--list", "--json"]).stdout)
    assert sum(row["p_values"] for row in rows if row["section"]) == 188
    assert [row["name"] for row in rows if not row["section"]] == ["congruential", "word-complexity"]


@pytest.mark.slow
def test_a_planted_defect_of_the_generator_is_found() -> None:
    data = make_source("defect:lcg", seed=1).generate(250_000)
    told = runner.invoke(app, ["bits", "-"], input=data)
    assert told.exit_code == 1
    assert "spectral, sequence 1" in told.output


def test_beyond_the_standard_a_congruential_generator_is_named() -> None:
    """MINSTD passes all fifteen, and on far more bits than these."""
    data = make_source("defect:minstd", seed=1).generate(25_000)
    assert runner.invoke(app, ["bits", "-"], input=data).exit_code == 0
    told = runner.invoke(app, ["bits", "-", "--beyond"], input=data)
    assert told.exit_code == 1
    assert "31-bit words from bit 0 follow x -> 16807 x + 0 mod 2147483647" in told.output


@pytest.mark.slow
def test_interrupt_ends_cleanly() -> None:
    command = [sys.executable, "-m", "shuffler", "bits", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.buffer.write(bytes(400_000))  # more than a pipe holds: once written, the program is reading
        process.stdin.buffer.flush()
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        finally:
            process.kill()
        said = process.stderr.read()
    assert process.returncode == 130
    assert said == "shuffler bits: interrupted\n"
