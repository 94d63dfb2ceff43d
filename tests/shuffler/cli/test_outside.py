"""dieharder on the generator: through a shell's pipe, and inside a certificate."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from randomness.certification.model import decoded
from shuffler.cli import app

pytestmark = [pytest.mark.slow, pytest.mark.needs("dieharder")]


def test_the_stream_through_a_pipe_finishes_and_ends_in_silence() -> None:
    stream = subprocess.Popen(
        [sys.executable, "-m", "shuffler", "rng", "stream"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert stream.stdout is not None
    said = subprocess.run(
        ["dieharder", "-g", "200", "-d", "100", "-t", "10000", "-p", "20"],
        stdin=stream.stdout, capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip
    stream.stdout.close()
    assert "sts_monobit" in said
    assert stream.communicate(timeout=30)[1] == b""
    assert stream.returncode == 0


def test_its_verdict_stands_in_the_report_and_counts(tmp_path: Path) -> None:
    data, report = tmp_path / "r.json", tmp_path / "r.html"
    where = ["--json", str(data), "--html", str(report), "--checkpoint", str(tmp_path / "c")]
    what = ["--mechanism", "ideal", "--seed", "1", "--decks", "300", "--outside", "dieharder:100"]
    done = CliRunner().invoke(app, ["certify", *what, *where])
    assert done.exit_code == 3, done.output  # 300 decks
    assert "dieharder -g 200 -d 100 -Y 1: passed (1 verdicts)." in done.output
    record = decoded(data.read_bytes())
    assert [(each.engine, each.worst) for each in record.outside] == [("dieharder", "passed")]
    row = next(row for row in record.results if row.test == "dieharder/sts_monobit/1")
    assert row.adjusted_p is not None
    text = report.read_text(encoding="utf-8")
    assert text.count("dieharder/sts_monobit/1") >= 2  # in the record and on the page
    assert '<section id="outside">' in text


def test_an_engine_that_was_stopped_in_time_is_said_to_have_been(tmp_path: Path) -> None:
    what = ["--mechanism", "ideal", "--seed", "1", "--decks", "300", "--outside", "dieharder:all"]
    done = CliRunner().invoke(app, ["certify", *what, "--outside-seconds", "1", "--checkpoint", str(tmp_path / "c")])
    assert done.exit_code == 3, done.output  # 300 decks
    assert "stopped after 1 s" in done.output
    assert "--outside dieharder:all --outside-seconds 1" in done.output
