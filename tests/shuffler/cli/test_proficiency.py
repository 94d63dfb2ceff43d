"""`shuffler proficiency`: a kit from make to score, and one sentence for each mistake."""

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from shuffler.cli import app


def proficiency(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["proficiency", *map(str, arguments)])


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    made = proficiency("make", tmp_path / "kit", "--sets", 4, "--decks", 4000, "--seed", 3, "--format", "npy")
    assert made.exit_code == 0, made.stderr
    return tmp_path / "kit"


def answers(kit: Path, verdict: str) -> Path:
    path = kit.parent / "answers.csv"
    names = [one["name"] for one in json.loads((kit / "manifest.json").read_text(encoding="utf-8"))["sets"]]
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([name, verdict] for name in names)
    return path


def test_answers_are_scored(kit: Path) -> None:
    done = proficiency("score", kit, "--answers", answers(kit, "defective"))
    assert done.exit_code == 0
    assert "all defects" in done.stdout
    found = json.loads(proficiency("score", kit, "--answers", answers(kit, "fair"), "--json").stdout)
    assert found["found"]["hits"] == found["false_alarms"]["hits"] == 0
    assert found["found"]["of"] + found["false_alarms"]["of"] == 4


def test_the_key_is_not_written_into_the_kit(tmp_path: Path) -> None:
    done = proficiency("make", tmp_path / "kit", "--key", tmp_path / "kit" / "key.json")
    assert done.exit_code == 2
    assert "the laboratory would get it" in done.stderr


def test_nothing_is_overwritten(kit: Path) -> None:
    again = proficiency("make", kit, "--sets", 1, "--decks", 4000)
    assert again.exit_code == 2
    assert "not empty" in again.stderr
    other = proficiency("make", kit.parent / "other", "--key", kit.parent / "kit.key.json", "--decks", 4000)
    assert other.exit_code == 2
    assert "is there already" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("make", "new", "--format", "pdf"), "expected csv or npy"),
        (("make", "new", "--defect", "rust"), "no defect is called rust"),
        (("score", "nowhere", "--answers", "a.csv"), "a.csv"),
        (("answer", "nowhere", "--out", "a.csv"), "manifest.json"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = proficiency(*arguments)
    assert done.exit_code == 2
    assert says in done.stderr


@pytest.mark.slow
def test_our_battery_answers_a_kit(kit: Path) -> None:
    out = kit.parent / "ours.csv"
    done = proficiency("answer", kit, "--out", out)
    assert done.exit_code == 0, done.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 5
    assert proficiency("score", kit, "--answers", out).exit_code == 0
