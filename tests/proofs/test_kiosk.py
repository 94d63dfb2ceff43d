"""The kiosk proof's judgement: flat memory passes; a leak in page or server, an error or too short a run does not."""

from typing import Any

import pytest

pytest.importorskip("playwright")

from proofs.kiosk import judged


def rows(count: int, **growing: float) -> list[dict[str, Any]]:
    flat = {"heap": 9.0, "nodes": 2500.0, "memory": 120.0, "files": 14}
    return [{name: value + growing.get(name, 0) * number for name, value in flat.items()} for number in range(count)]


def test_flat_memory_is_called_flat() -> None:
    assert judged(rows(12), [], []).startswith("Flat: 12 tours")


@pytest.mark.parametrize("leak", [{"heap": 1.0}, {"nodes": 300}, {"memory": 10}, {"files": 1}])
def test_a_leak_is_not(leak: dict[str, float]) -> None:
    assert judged(rows(12, **leak), [], []).startswith("NOT FLAT")


def test_what_went_wrong_is_said() -> None:
    said = judged(rows(12), ["casino, step 2: the tour waited too long"], ["TypeError"])
    assert said.startswith("WENT WRONG")
    assert "casino, step 2" in said
    assert "TypeError" in said


def test_a_short_run_is_not_judged() -> None:
    assert judged(rows(6), [], []).startswith("Too short")
