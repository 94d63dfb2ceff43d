"""The cover: from a file, from single fields, and what it refuses; and the claim of a re-test."""

from pathlib import Path

import pytest
from certificate_record import a_record

from randomness.certification import RetestError
from randomness.certification.errors import ReportError
from shuffler.lab.certificate import claim, load_cover
from shuffler.lab.certificate.cover import FIELDS
from shuffler.lab.certificate.page import page
from shuffler.lab.certificate.sealing import sealed


def test_a_file_and_single_fields_over_it(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('laboratory = "L"\nissued = 2026-11-20\nserial = 77\nclient = ""\n')
    assert load_cover(tmp_path / "c.toml", ["serial=78", "scope = shuffles = decks"]) == {
        "issued": "2026-11-20", "scope": "shuffles = decks", "laboratory": "L", "serial": "78",
    }  # fmt: skip
    assert load_cover(None, []) == {}


@pytest.mark.parametrize(("text", "why"), [
    ('colour = "red"', "c.toml, line 1: the file has an unknown key 'colour'"),
    ("laboratory = ['a']", "c.toml, line 1: laboratory must be a text, a number or a date"),
    ("laboratory = ", "not valid TOML"),
    (f'scope = "{"x" * 3000}"', "longer than 2,000"),
])  # fmt: skip
def test_a_cover_that_is_none(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(ReportError, match=why):
        load_cover(tmp_path / "c.toml", [])
    with pytest.raises(ReportError, match="can't read the cover"):
        load_cover(tmp_path / "none.toml", [])
    with pytest.raises(ReportError, match="takes KEY=VALUE"):
        load_cover(None, ["laboratory"])


def test_every_field_stands_on_the_first_page() -> None:
    cover = {field.key: f"value of {field.key}" for field in FIELDS}
    text = page(sealed(a_record() | {"cover": cover}, None))
    first = text[text.index('<div class="summary">') : text.index("<nav")]
    for field in FIELDS:
        assert f"value of {field.key}" in first
        assert field.label in first


@pytest.mark.parametrize(
    ("outcome", "word", "css"),
    [("passed", "PASSED", "pass"), ("failed", "FAILED", "fail"), ("inconclusive", "INCONCLUSIVE", "open")],
)
def test_each_verdict_has_its_word_and_its_colour(outcome: str, word: str, css: str) -> None:
    record = a_record()
    record["verdict"]["outcome"] = outcome
    text = page(sealed(record, None))
    assert f'<div class="verdict {css}"><b>{word}</b>' in text
    assert f": {word}</title>" in text
    assert ("9 tests need more decks" in text.partition("<nav")[0]) == (outcome == "inconclusive")


def test_level_digest_and_tests_not_made_stand_on_the_first_page() -> None:
    record = a_record()
    record["verdict"] |= {"level": 0.0001, "level_note": "laxer than the 0.01 of GLI-19 3.2.2"}
    first = page(sealed(record, None)).partition("<nav")[0]
    assert "0.0001, for all statistics together; laxer than the 0.01 of GLI-19 3.2.2" in first
    assert "SHA-256 ab, fixed before the first deck; chosen by size" in first
    assert "1 of the plan&#x27;s tests could not be made" in first
    assert "not applicable: &lt;x&gt;" in first
    assert "confidence" not in first


def test_a_re_test_is_claimed_once_and_the_same_one_may_be_repeated(tmp_path: Path) -> None:
    record = tmp_path / "first.json"
    claim(record, "aa", "bb")
    claim(record, "aa", "bb")
    with pytest.raises(RetestError, match=r"first.json has been re-tested, on a file with SHA-256 bb…"):
        claim(record, "aa", "cc")
    (tmp_path / "first.json.retest").write_text("nonsense")
    with pytest.raises(RetestError, match="can't be read"):
        claim(record, "aa", "bb")
