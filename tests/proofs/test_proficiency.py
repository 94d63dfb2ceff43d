"""The proficiency kit, small: two laboratories answer it through its files and are scored. This is our score in CI."""

from pathlib import Path

import pytest

from proofs.proficiency import measure, report


@pytest.mark.slow
def test_both_laboratories_are_scored_and_ours_finds_as_predicted(tmp_path: Path) -> None:
    scores = measure(tmp_path, sets=40, decks=4_000, fair=0.3, form="csv", say=lambda _: None)
    assert scores.held, scores.battery
    assert scores.script.found.hits < scores.battery.found.hits
    assert "Held: **yes**" in report(scores, sets=40, decks=4_000)
