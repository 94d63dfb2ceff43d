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


@pytest.mark.slow
def test_a_record_numbered_from_one_fails_and_the_hint_says_what_to_do(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    decks = rng.permuted(np.tile(np.arange(1, 53), (300, 1)), axis=1)
    lines = "".join(",".join(map(str, deck)) + "\n" for deck in decks)
    data = tmp_path / "r.json"
    code, said = run("--from", "-", "--json", data, stdin=lines)
    assert code == 1
    assert "the record numbers its cards 1 … 52; here they are 0 … 51" in said
    assert "subtract 1" in json.loads(data.read_text())["verdict"]["hints"][0]
    decks[7, 0] = 0  # then it is no such file, and the rows are wrong each for itself
    lines = "".join(",".join(map(str, deck)) + "\n" for deck in decks)
    code, said = run("--from", "-", stdin=lines)
    assert (code, "subtract 1" in said) == (1, False)


@pytest.mark.slow
def test_bits_and_controls_are_in_the_record_of_a_mechanism(tmp_path: Path) -> None:
    data = tmp_path / "r.json"
    ideal = ("--mechanism", "ideal", "--seed", 7, "--decks", 600)
    code, said = run(*ideal, "--json", data, "--checkpoint", tmp_path / "c")
    assert code == 0, said
    assert "Negative controls: 10 of 10 found." in said
    assert "SP 800-22 on 2 × 1,000,000 bits" in said
    record = json.loads(data.read_text())
    assert len(record["bits"]["tests"]) == 15
    assert all(row["found"] for row in record["controls"])


WRONG = {
    "nothing to certify": ([], "say what to certify"),
    "two things": (["--mechanism", "ideal", "--from", "x"], "say what to certify"),
    "no such mechanism": (["--mechanism", "magic"], "no mechanism 'magic'"),
    "no such profile": (["--profile", "magic"], "no profile is called"),
    "no such plan": (["--mechanism", "ideal", "--plan", "hope"], "no plan 'hope'"),
    "no such file": (["--from", "none.csv"], "no file none.csv"),
    "no such bits": (["--mechanism", "ideal", "--bits", "none.bin"], "can't read the bits none.bin"),
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
