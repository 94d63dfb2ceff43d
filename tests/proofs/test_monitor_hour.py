"""The monitor next to a running table, small: three processes, a worn mechanism, an alarm that names it."""

from pathlib import Path

import pytest

from proofs.monitor_hour import Plan, report, run


@pytest.mark.slow
def test_wear_is_found_and_named_beside_a_running_table(tmp_path: Path) -> None:
    found = run(Plan(minutes=8, speed=400, sticky="1/2", wear_after=6), tmp_path)
    assert found.held, found
    assert found.alarm is not None
    assert found.alarm["questions"][0]["name"] == "follower-2"
    assert "Held: **yes**" in report(found)
