"""The validation file is made from the evidence, and the examples of reports are whole."""

import re
from pathlib import Path

import pytest

from proofs import example_reports
from proofs.calibration import ROWS
from proofs.pages import validation
from randomness.certification import PLANS, load_plan
from randomness.certification.model import FORMAT
from shuffler.lab.certificate import check, load_record


def test_it_names_every_record_that_there_is_and_every_plan() -> None:
    text = validation.page()
    for name, _, _ in validation.VALIDATED:
        there = validation.read(name)
        assert (f"evidence/{name}.md" in text) == (there is not None)
        if there is not None:
            assert there.command
            assert there.commit
            assert there.sha256 in text
    for plan in PLANS:
        assert load_plan(plan).digest() in text


def test_every_row_is_what_a_proof_records() -> None:
    proofs = "".join(path.read_text(encoding="utf-8") for path in Path(example_reports.__file__).parent.glob("*.py"))
    recorded = {*re.findall(r'record\("([\w-]+)"', proofs), *(f"calibration-{rows}" for rows in ROWS), "dieharder"}
    assert {name for name, _, _ in validation.VALIDATED} <= recorded


def test_a_changed_record_changes_the_page(tmp_path: Path) -> None:
    head = "# Proof: theory\n\n- command: `make x`\n- seed: 1\n- commit: abcdef0123456789\n- Python 3\n\n"
    (tmp_path / "theory.md").write_text(head + "- worst: 0.1, see [it](a.svg)\n", encoding="utf-8")
    text = validation.page(tmp_path)
    assert "- worst: 0.1, see [it](evidence/a.svg)" in text
    assert "`abcdef012345`" in text
    assert "calibration.md" not in text
    (tmp_path / "theory.md").write_text(head + "One line\nand another.\n\n| a |\n", encoding="utf-8")
    assert "- One line and another." in validation.page(tmp_path)


@pytest.mark.parametrize("name", [row[0] for row in example_reports.EXAMPLES])
def test_an_example_is_intact_and_says_what_its_name_says(name: str) -> None:
    path = example_reports.FOLDER / name
    assert check(path).good
    record = load_record(path)
    assert record.format == FORMAT
    assert record.verdict.outcome == path.stem
    assert record.cover.laboratory.startswith("Example")
