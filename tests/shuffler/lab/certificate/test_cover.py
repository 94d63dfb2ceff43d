"""The cover: from a file, from single fields, and what it refuses."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from certificate_record import COVER, a_record

from randomness.certification import Cover
from randomness.certification.errors import ReportError
from shuffler.lab.certificate import load_cover, sealed
from shuffler.lab.certificate.cover import FIELDS, missing_fields


def first_page(**changes: Any) -> str:
    return sealed(a_record(**changes)).html.partition("<nav")[0]


def test_the_fields_are_those_of_the_record() -> None:
    assert tuple(field.key for field in FIELDS) == Cover.__struct_fields__


def test_a_signature_needs_who_where_what_and_when() -> None:
    assert missing_fields(COVER) == ()
    assert missing_fields(Cover(laboratory="L", serial="7")) == (
        "report", "issued", "place", "operator", "author", "client", "model", "sampling", "tested",
    )  # fmt: skip


def test_a_file_and_single_fields_over_it(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('laboratory = "L"\nissued = 2026-11-20\nserial = 77\nclient = ""\n')
    assert load_cover(tmp_path / "c.toml", ["serial=78", "scope = shuffles = decks"]) == Cover(
        issued="2026-11-20", scope="shuffles = decks", laboratory="L", serial="78"
    )
    assert load_cover(None, []) == Cover()


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


def test_every_field_is_on_the_first_page() -> None:
    cover = Cover(**{field.key: f"value of {field.key}" for field in FIELDS})
    first = first_page(cover=cover)
    for field in FIELDS:
        assert f"value of {field.key}" in first
        assert field.label in first


@pytest.mark.parametrize(
    ("outcome", "word", "css"),
    [("passed", "PASSED", "pass"), ("failed", "FAILED", "fail"), ("inconclusive", "INCONCLUSIVE", "open")],
)
def test_each_verdict_has_its_word_and_its_colour(outcome: str, word: str, css: str) -> None:
    verdict = msgspec.structs.replace(a_record().verdict, outcome=outcome, doubtful=("recorded: suit-runs",))
    text = sealed(a_record(verdict=verdict)).html
    first = text.partition("<nav")[0]
    assert f'<div class="verdict {css}"><b>{word}</b>' in text
    assert f": {word}</title>" in text
    assert ("9 tests need more decks" in first) == (outcome == "inconclusive")
    assert ("In doubt: recorded: suit-runs." in first) == (outcome == "inconclusive")


def test_level_digest_and_tests_not_performed_are_on_the_first_page() -> None:
    verdict = msgspec.structs.replace(a_record().verdict, level=0.0001, level_note="laxer than 0.01")
    first = first_page(verdict=verdict)
    assert "quick, level 0.0001 (laxer than 0.01)" in first
    assert f"SHA-256 {a_record().plan_sha256}, fixed before the first deck; chosen by size" in first
    assert "1 of the plan&#x27;s tests; they count as neither passed nor failed" in first
    assert "not applicable: &lt;x&gt;" in first
