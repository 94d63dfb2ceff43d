"""`shuffler certify` from outside: exit codes, files, and what it says when something is wrong."""

import gzip
import hashlib
import json
import re
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from typer.testing import CliRunner

from randomness.certification.model import FileDescription, decoded
from shuffler.cli import app


def run(*arguments: object, stdin: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["certify", *map(str, arguments)], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def ideal(many: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(np.arange(52), (many, 1)), axis=1)


def rows_of(decks: np.ndarray) -> str:
    return "".join(",".join(map(str, deck)) + "\n" for deck in decks)


def bare(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """A plan without bits and controls, for the sake of time, and with changes."""
    text = resources.files("randomness.certification").joinpath(f"plans/{name}.toml").read_text(encoding="utf-8")
    before, _, _ = text.replace(f'name      = "{name}"', 'name      = "bare"').partition("[bits]")
    for old, new in changes:
        assert old in before
        before = before.replace(old, new)
    path = folder / "bare.toml"
    path.write_text(before, encoding="utf-8")
    return path


@pytest.mark.slow
def test_an_ideal_mechanism_passes_and_its_report_verifies(tmp_path: Path) -> None:
    html, data, table = tmp_path / "r.html", tmp_path / "r.json", tmp_path / "r.csv"
    code, said = run(
        "--mechanism", "ideal", "--seed", 7, "--decks", 12000, "--html", html, "--json", data, "--csv", table,
        "--checkpoint", tmp_path / "c",
    )  # fmt: skip
    assert code == 0
    assert "PASSED" in said
    assert "--seed 7 --decks 12000" in said
    record = decoded(data.read_bytes())
    assert record.sample.decks == 12000
    assert len(table.read_text().splitlines()) == len(record.results) + 1
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
    lines = rows_of(ideal(300))
    code, said = run("--from", "-", "--plan", "quick", stdin=lines)
    assert code == 3
    assert "300 decks are fewer than the plan's least sample of 10,000" in said
    code, said = run("--from", "-", "--plan", "quick", stdin=lines + "1,x\n")
    assert code == 2
    assert "standard input can't be read at line 301: a deck is 52 columns, not 2 columns\n  line 301: 1,x" in said


@pytest.mark.slow
def test_a_file_is_certified_by_the_strongest_plan_that_its_size_allows_and_passes(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", ideal(10_000))
    data = tmp_path / "r.json"
    code, said = run("--from", tmp_path / "d.npy", "--json", data, "--checkpoint", tmp_path / "c")
    assert code == 0, said
    assert "plan standard" in said
    assert "the strongest for about 10,000 decks" in decoded(data.read_bytes()).plan_chosen


@pytest.mark.slow
@pytest.mark.parametrize("plan", ["gli-style", "standard"])
def test_one_deck_never_passes(plan: str, tmp_path: Path) -> None:
    data, page = tmp_path / "r.json", tmp_path / "r.html"
    code, said = run(
        "--from", "-", "--plan", bare(tmp_path, plan), "--json", data, "--html", page, stdin=rows_of(ideal(1))
    )
    assert code == 3
    assert "INCONCLUSIVE" in said
    assert "PASSED" not in said
    assert decoded(data.read_bytes()).verdict.outcome == "inconclusive"
    assert "<b>INCONCLUSIVE</b>" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_defect_in_few_decks_fails_however_few_they_are(tmp_path: Path) -> None:
    decks = np.tile(np.arange(52), (40, 1))
    assert run("--from", "-", "--plan", bare(tmp_path, "quick"), stdin=rows_of(decks))[0] == 1


def test_a_dry_run_says_what_would_be_read_and_judges_nothing(tmp_path: Path) -> None:
    path = tmp_path / "d.csv.gz"
    header = "id;" + ";".join(f"card{n}" for n in range(1, 53)) + "\n"
    lines = "".join(f"{n};" + ";".join(map(str, deck + 1)) + "\n" for n, deck in enumerate(ideal(20)))
    path.write_bytes(gzip.compress((header + lines).encode("utf-16")))
    code, said = run("--from", path, "--dry-run", "--json", tmp_path / "r.json")
    assert code == 0, said
    told = dict(re.findall(r"^([^:\n]+): +(.*)$", said, re.M))
    assert told["form"] == "CSV, packed by gzip"
    assert told["text"] == "UTF-16"
    assert told["separated by"] == "semicolons"
    assert told["columns read"].startswith("52 of 53")
    assert told["numbering"] == "from 1"
    assert told["first deck"].startswith("line 2: ")
    assert told["decks"].startswith("about 20")
    assert told["plan"].startswith("quick, level 0.01, SHA-256 ")
    assert "can fail, but not pass" in told["verdict"]
    assert not (tmp_path / "r.json").exists()
    path.write_bytes(b"one,two\n")
    code, said = run("--from", path, "--dry-run")
    assert (code, "line 1: one,two" in said) == (2, True)


@pytest.mark.slow
def test_a_file_in_doubt_is_closed_by_one_re_test(tmp_path: Path) -> None:
    plan = bare(tmp_path, "quick", ("below = 0.05", "below = 0.999999"), ("= 10_000 ", "= 1_000 "))
    first, second, third = tmp_path / "1.npy", tmp_path / "2.npy", tmp_path / "3.npy"
    record, again = tmp_path / "first.json", tmp_path / "second.json"
    for path, seed in ((first, 18), (second, 2), (third, 3)):
        np.save(path, ideal(1_500, seed))
    kept = ("--checkpoint", tmp_path / "c")
    code, said = run("--from", first, "--plan", plan, "--json", record, *kept)
    assert code == 3, said
    assert "the plan asks for a re-test on as many fresh decks" in said
    code, said = run("--retest-of", record, "--from", first, *kept)
    assert (code, "holds the decks of the first" in said) == (2, True)
    code, said = run(
        "--retest-of", record, "--from", second, "--json", again, "--html", tmp_path / "second.html", *kept
    )
    assert code == 0, said
    done = json.loads(again.read_text())
    assert done["retest_of"]["record_sha256"] == json.loads(record.read_text())["seal"]["record_sha256"]
    assert (done["retest_of"]["file_sha256"], done["subject"]["sha256"]) == tuple(
        hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second)
    )
    assert done["reproduce"] == "shuffler certify --retest-of first.json --from 2.npy"
    assert run("--retest-of", record, "--from", second, "--json", tmp_path / "same.json", *kept)[0] == 0
    assert (tmp_path / "same.json").read_bytes() == again.read_bytes()
    copy = tmp_path / "elsewhere" / "copy.json"
    copy.parent.mkdir()
    copy.write_bytes(record.read_bytes())
    for one in (record, copy):
        code, said = run("--retest-of", one, "--from", third, *kept)
        assert (code, "a re-test is made once" in said) == (2, True)
    assert run("--retest-of", again, "--from", third, *kept)[0] == 2
    record.write_text(record.read_text().replace("bare", "bore"))
    code, said = run("--retest-of", record, "--from", second, *kept)
    assert (code, "CHANGED" in said) == (2, True)


@pytest.mark.slow
def test_a_part_of_a_file_is_refused_unless_asked_for_and_then_marked(tmp_path: Path) -> None:
    """Ten thousand of two hundred thousand rows used to pass with the words "every row is counted"."""
    path, page = tmp_path / "d.csv", tmp_path / "r.html"
    path.write_text("# a comment\n" + rows_of(ideal(400)), encoding="utf-8")
    what = ("--from", path, "--plan", bare(tmp_path, "quick", ("= 10_000 ", "= 100 ")), "--checkpoint", tmp_path / "c")
    code, said = run(*what, "--decks", 300)
    assert (code, "d.csv has 400 rows and --decks asks for 300" in said) == (2, True)
    assert run(*what, "--decks", 400)[0] != 2
    code, said = run(*what, "--decks", 300, "--partial", "a pilot", "--html", page)
    assert "Partial use of the file: 300 of 400 rows." in said
    text = page.read_text(encoding="utf-8")
    assert "Partial use: 300 of 400 rows were read. Reason given: a pilot" in text.partition("<nav")[0]
    assert "every row is counted" not in text
    code, said = run("--from", "-", *what[2:], "--decks", 300, stdin=rows_of(ideal(300)))
    assert (code, "may leave rows of a pipe unread" in said) == (2, True)


@pytest.mark.slow
def test_a_report_is_recomputed_from_its_data(tmp_path: Path) -> None:
    path, page, other = tmp_path / "d.npy", tmp_path / "r.html", tmp_path / "e.npy"
    np.save(path, ideal(300))
    np.save(other, ideal(300, 2))
    plan = bare(tmp_path, "quick", ("= 10_000 ", "= 100 "))
    run("--from", path, "--plan", plan, "--html", page, "--checkpoint", tmp_path / "c")
    code, said = run("verify", page, "--against", path)
    assert (code, "every figure is the same" in said) == (0, True), said
    code, said = run("verify", page, "--against", other)
    assert (code, "is another file" in said) == (2, True)


@pytest.mark.slow
def test_a_profiles_mechanism(tmp_path: Path) -> None:
    data = tmp_path / "r.json"
    run("--profile", "ace-style", "--decks", 150, "--seed", 1, "--json", data, "--checkpoint", tmp_path / "c")
    assert json.loads(data.read_text())["subject"]["mechanism"] == "rack:compartments=8,group=3,order=feed"


@pytest.mark.slow
def test_a_record_numbered_from_one_is_read_and_the_report_says_so(tmp_path: Path) -> None:
    data = tmp_path / "r.json"
    code, said = run("--from", "-", "--plan", bare(tmp_path, "quick"), "--json", data, stdin=rows_of(ideal(600) + 1))
    assert code == 3  # 600 decks; nothing wrong with any of them
    assert "the file numbers its cards 1 … 52; one was taken off each" in said
    record = decoded(data.read_bytes())
    assert isinstance(record.subject, FileDescription)
    assert record.subject.read_as["numbered_from"] == 1
    assert "1 … 52" in record.verdict.notes[0]
    assert record.verdict.failures == ()


@pytest.mark.slow
def test_bits_and_controls_are_in_the_record_of_a_mechanism(tmp_path: Path) -> None:
    data = tmp_path / "r.json"
    what = ("--mechanism", "ideal", "--seed", 8, "--decks", 600)
    code, said = run(*what, "--json", data, "--checkpoint", tmp_path / "c")
    assert code == 3, said
    assert "Negative controls: 10 of 10 found." in said
    assert "SP 800-22 on 2 × 1,000,000 bits" in said
    record = decoded(data.read_bytes())
    assert record.bits is not None
    assert len(record.bits.tests) == 15
    assert all(row.found for row in record.controls)


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
    "no such cover": (["--mechanism", "ideal", "--cover", "none.toml"], "can't read the cover none.toml"),
    "a cover with another field": (["--mechanism", "ideal", "--about", "colour=red"], "not 'colour=red'; a cover has"),
    "a dry run of a mechanism": (["--mechanism", "ideal", "--dry-run"], "--dry-run is for files"),
    "a re-test of a mechanism": (["--mechanism", "ideal", "--retest-of", "x.json"], "--retest-of is for files"),
    "a re-test of so many": (["--from", "x", "--retest-of", "y", "--decks", "5"], "leave --decks out"),
    "a re-test of no record": (["--from", "x", "--retest-of", "none.json"], "can't read none.json"),
    "a part of nothing": (["--mechanism", "ideal", "--partial", "why"], "--partial REASON is for the first rows"),
    "a signature under a blank cover": (["--mechanism", "ideal", "--sign", "KEY"], "a cover with blanks is not signed"),
    "no such clause": (["--mechanism", "ideal", "--also", "x"], "no clause 'x'; there are gli-29"),
    "a report that is none": (["verify", "none.html"], "can't read"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_can_not_run_is_said_in_a_sentence(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, message = WRONG[what]
    key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    Path("KEY").write_bytes(key)
    code, said = run(*arguments)
    assert code == 2
    assert message in said
