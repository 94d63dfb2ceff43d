"""Recorded runs are the same from run to run, cover every kind, and a difference between two trees is named."""

import gzip
import json
from pathlib import Path

import pytest

from proofs import same_battery


def test_every_kind_input_and_defect_is_among_the_runs() -> None:
    runs = list(same_battery.recorded(same_battery.RUNS))
    assert len(runs) == 200
    assert {run.kind for run in runs} == same_battery.KINDS.keys()
    assert {run.inputs for run in runs} == set(same_battery.INPUTS)
    assert {run.defect for run in runs} == set(same_battery.DEFECTS)


@pytest.mark.slow
def test_a_changed_p_value_and_a_changed_count_are_named(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    run = same_battery.Recorded(number=3, kind="36", inputs="chained", defect="none", decks=400)
    made = same_battery.judged(run)
    assert made == same_battery.judged(run)
    text = json.dumps(made)
    for path, said in ((one, text), (two, text)):
        path.write_bytes(gzip.compress(said.encode() + b"\n"))
    assert same_battery.compare(one, two)[-1].endswith("the verdicts of 1 of 1 runs are the same")
    assert len(same_battery.compare(one, two)) == 1
    made["results"]["suit-runs"]["p"] /= 2
    made["counts"]["suit_runs"][1] = "0"
    two.write_bytes(gzip.compress(json.dumps(made).encode() + b"\n"))
    assert same_battery.compare(one, two)[:-1] == ["counts of suit_runs differ: 36 1×", "p of suit-runs differs: 36 1×"]
