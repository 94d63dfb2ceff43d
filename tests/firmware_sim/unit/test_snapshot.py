"""A device in a file: read as it was written, and refused where anything is wrong."""

import json
from typing import Any

import pytest

from firmware_sim.errors import BadControl
from firmware_sim.machine.profile import load
from firmware_sim.program.nvstore import VolatileMedium
from firmware_sim.unit.emulator import Build, Emulator
from firmware_sim.unit.snapshot import FORMAT, Snapshot


@pytest.fixture(scope="module")
def taken() -> Snapshot:
    return Emulator(Build(profile=load("i-deal-style"), serial="S", seed=1), VolatileMedium()).snapshot()


def test_it_is_read_as_it_was_written(taken: Snapshot) -> None:
    assert Snapshot.from_json(json.loads(taken.text())) == taken
    assert Snapshot.from_json(taken.to_json()) == taken


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "shuffler-bench/snapshot/9"}, f"snapshot/9' can't be read here, only {FORMAT}"),
        ({"faces": []}, "not a snapshot of a device"),
        ({"faces": [256] * 52}, "not a snapshot of a device: .*faces"),
        ({"faces": [0]}, "every card must lie in exactly one place"),
        ({"places": {}}, "every card must lie in exactly one place"),
        ({"memory": 5}, "not a snapshot of a device: .*memory"),
        ({"memory": "not base64!"}, "not a snapshot of a device: .*memory"),
        ({"door_open": 1}, "not a snapshot of a device: .*door_open"),
        ({"defects": {"x": {}}}, "not a snapshot of a device"),
    ],
)
def test_a_wrong_one_is_refused(taken: Snapshot, change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadControl, match=said):
        Snapshot.from_json(taken.to_json() | change)


@pytest.mark.parametrize("data", [None, [], "text", {}])
def test_other_data_is_refused(data: Any) -> None:
    with pytest.raises(BadControl, match="a snapshot of the format None"):
        Snapshot.from_json(data)
