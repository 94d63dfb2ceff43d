"""The live proof at its small size, and the two things it must notice: a table that stands still, and one that ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from proofs import live
from proofs.live import PORTS, Lane, report, run_part


@pytest.mark.slow
def test_separate_processes_on_every_port_live_through_stops_and_kills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "STOP_S", (0.5, 5.0))
    monkeypatch.setattr(live, "QUIET_S", (3.0, 8.0))
    found = run_part(tmp_path, seconds=30, seed=3, pause_s=2.0, speeds=(50.0,))
    assert [problem for one in found for problem in one.problems] == []
    assert [one.port for one in found] == list(PORTS)
    assert all(one.accidents and one.settled and one.audits for one in found)
    assert "problems 0" in report(found, 1, 0.5)


def lane(folder: Path, code: str) -> Lane:
    made = Lane(folder, "tcp", 1.0, seed=1)
    made._screen().write_bytes(b"")
    (folder / "table-0000.err").write_text("the last word\n", encoding="utf-8")
    made._table = subprocess.Popen([sys.executable, "-c", code])
    return made


def test_a_table_whose_screen_stands_still_is_a_stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "STALL_S", 0.1)
    stuck = lane(tmp_path, "import time; time.sleep(60)")
    assert not stuck.wait(30.0)
    assert "a stall: nothing new on the screen" in stuck.result.problems[0]
    assert stuck._table is not None
    stuck._kill(stuck._table)


def test_a_table_that_ends_by_itself_is_noticed_with_its_last_words(tmp_path: Path) -> None:
    ended = lane(tmp_path, "raise SystemExit(1)")
    assert not ended.wait(30.0)
    assert "ended by itself with exit code 1: the last word" in ended.result.problems[0]
