"""A kit on disk: what the laboratory gets, what stays at home, and every way in which files do not fit."""

import json
import stat
from pathlib import Path

import numpy as np
import pytest

from randomness.proficiency import LabVerdict, ProficiencyError, SetAnswer, compose, set_decks
from shuffler.lab.proficiency import make_kit, read_answers, score_kit, write_answers

KEY = compose(3, 4_000, 4, fair=0.4)


@pytest.fixture(params=["csv", "npy"])
def kit(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    make_kit(tmp_path / "kit", tmp_path / "key.json", KEY, b"\7" * 32, form=request.param, say=lambda _: None)
    return tmp_path / "kit"


def answers(said: LabVerdict = LabVerdict.FAIR) -> list[SetAnswer]:
    return [SetAnswer(name=one.name, said=said) for one in KEY.sets]


def test_the_laboratory_gets_decks_and_a_commitment_and_no_key(kit: Path) -> None:
    manifest = json.loads((kit / "manifest.json").read_text(encoding="utf-8"))
    assert len(manifest["key_commitment"]) == 64
    text = (kit / "manifest.json").read_text(encoding="utf-8")
    assert not any(one.mechanism in text or f"{one.seed:032x}" in text for one in KEY.sets)
    path = kit / manifest["sets"][0]["file"]
    decks = np.load(path) if path.suffix == ".npy" else np.loadtxt(path, np.uint8, delimiter=",")
    assert (decks == np.concatenate(list(set_decks(KEY.sets[0], 4_000)))).all()


def test_only_its_owner_reads_the_key(kit: Path) -> None:
    assert stat.S_IMODE((kit.parent / "key.json").stat().st_mode) == 0o600


def test_answers_are_scored_against_the_key(kit: Path) -> None:
    write_answers(kit.parent / "answers.csv", answers(LabVerdict.DEFECTIVE))
    result = score_kit(kit, kit.parent / "key.json", read_answers(kit.parent / "answers.csv"))
    assert result.found.hits == result.found.of
    assert result.false_alarms.hits == result.false_alarms.of
    assert result.found.of + result.false_alarms.of == 3


def test_another_key_is_refused(kit: Path) -> None:
    path = kit.parent / "key.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["key"]["sets"][0]["plant"] = "sticky" if data["key"]["sets"][0]["plant"] != "sticky" else "memory"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ProficiencyError, match="is not the key"):
        score_kit(kit, path, answers())


def test_a_changed_set_is_refused(kit: Path) -> None:
    path = next(one for one in sorted(kit.iterdir()) if one.stem.startswith("set"))
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    with pytest.raises(ProficiencyError, match="it was changed"):
        score_kit(kit, kit.parent / "key.json", answers())


def test_a_missing_set_is_refused(kit: Path) -> None:
    next(one for one in sorted(kit.iterdir()) if one.stem.startswith("set")).unlink()
    with pytest.raises(ProficiencyError, match="is missing"):
        score_kit(kit, kit.parent / "key.json", answers())


def test_a_folder_that_is_not_empty_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "mine").write_text("x", encoding="ascii")
    with pytest.raises(ProficiencyError, match="not empty"):
        make_kit(tmp_path / "kit", tmp_path / "key.json", KEY, bytes(32), form="csv", say=lambda _: None)


@pytest.mark.parametrize(
    ("text", "why"),
    [("set-1\n", "line 1"), ("set,verdict\nset-1,good\n", "line 2: expected"), ("\xff\xfe", "expected")],
)
def test_answers_that_can_not_be_read_are_refused_with_their_line(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ProficiencyError, match=why):
        read_answers(tmp_path / "a.csv")


def test_answers_may_come_without_a_header_and_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("set-1, Defective , rust\n\nset-2,FAIR\n", encoding="utf-8")
    assert [(one.name, one.said, one.because) for one in read_answers(tmp_path / "a.csv")] == [
        ("set-1", LabVerdict.DEFECTIVE, "rust"), ("set-2", LabVerdict.FAIR, ""),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "other"}'])
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="ascii")
    with pytest.raises(ProficiencyError):
        score_kit(tmp_path, tmp_path / "key.json", [])
