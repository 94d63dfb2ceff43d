"""`shuffler certify` from outside: exit codes, files, and what it says when something is wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from shuffler.cli import app


def run(*arguments: object, stdin: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["certify", *map(str, arguments)], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.slow
def test_an_ideal_mechanism_passes_and_its_report_verifies(tmp_path: Path) -> None:
    html, data, table = tmp_path / "r.html", tmp_path / "r.json", tmp_path / "r.csv"
    code, said = run(
        "--mechanism", "ideal", "--seed", 7, "--decks", 1500, "--html", html, "--json", data, "--csv", table,
        "--checkpoint", tmp_path / "c",
    )  # fmt: skip
    assert code == 0
    assert "PASSED" in said
    assert "--seed 7 --decks 1500" in said
    record = json.loads(data.read_text())
    assert record["sample"]["decks"] == 1500
    assert len(table.read_text().splitlines()) == len(record["results"]) + 1
    for path in (html, data):
        assert run("verify", path)[0] == 0
    html.write_text(html.read_text(encoding="utf-8").replace("PASSED", "passed", 1), encoding="utf-8")
    assert run("verify", html)[0] == 1


@pytest.mark.slow
def test_riffles_fail_and_the_place_is_said(tmp_path: Path) -> None:
    code, said = run("--mechanism", "riffle:passes=5", "--decks", 300, "--seed", 1, "--checkpoint", tmp_path / "c")
    assert code == 1
    assert "FAILED" in said
    assert "rising sequences" in said


@pytest.mark.slow
def test_decks_from_a_pipe(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    lines = "".join(",".join(map(str, rng.permutation(52))) + "\n" for _ in range(300))
    assert run("--from", "-", stdin=lines)[0] == 0
    code, said = run("--from", "-", stdin=lines + "1,2\n")
    assert code == 1
    assert "row 301: a deck is 52 columns, not 2 columns" in said


@pytest.mark.slow
def test_a_profiles_mechanism(tmp_path: Path) -> None:
    data = tmp_path / "r.json"
    run("--profile", "ace-style", "--decks", 150, "--seed", 1, "--json", data, "--checkpoint", tmp_path / "c")
    assert json.loads(data.read_text())["subject"]["mechanism"] == "rack:order=feed"


WRONG = {
    "nothing to certify": ([], "say what to certify"),
    "two things": (["--mechanism", "ideal", "--from", "x"], "say what to certify"),
    "no such mechanism": (["--mechanism", "magic"], "no mechanism 'magic'"),
    "no such profile": (["--profile", "magic"], "no profile is called"),
    "no such plan": (["--mechanism", "ideal", "--plan", "hope"], "no plan 'hope'"),
    "no such file": (["--from", "none.csv"], "no file none.csv"),
    "no such key": (["--mechanism", "ideal", "--sign", "none.pem"], "can't read the key"),
    "a test that must be made": (["--mechanism", "ideal", "--not-applicable", "each-cell"], "can't be declared"),
    "nothing to resume": (["--mechanism", "ideal", "--seed", "1", "--resume", "--checkpoint", "none"], "no checkpoint"),
    "a report that is none": (["verify", "none.html"], "can't read"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_can_not_run_is_said_in_a_sentence(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, message = WRONG[what]
    code, said = run(*arguments)
    assert code == 2
    assert message in said
