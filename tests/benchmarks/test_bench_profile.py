"""The profile puts every frame into the room that it belongs to, and counts whole rounds."""

import asyncio
from collections import Counter

import pytest

from benchmarks import bench_profile
from benchmarks.bench_profile import LIBRARY, PACKAGES, ROOT, Place, counted, room_of


@pytest.mark.parametrize(
    ("filename", "room"),
    [
        (str(ROOT / "protocol" / "link.py"), "protocol"),
        (str(ROOT / "firmware_sim" / "program" / "deal.py"), "firmware_sim/program"),
        (str(ROOT / "shuffler" / "kit" / "fuzz" / "live.py"), "shuffler/kit"),
        (str(ROOT / ".venv" / "lib" / "site-packages" / "cobs" / "cobs.py"), PACKAGES),
        (asyncio.events.__file__, LIBRARY),
        ("<frozen importlib._bootstrap>", LIBRARY),
        ("<codec encode>", ""),
    ],
)
def test_a_file_belongs_to_a_room(filename: str, room: str) -> None:
    assert room_of(filename) == room


def test_calls_are_counted_where_they_are_made() -> None:
    calls: Counter[Place] = Counter()
    with counted(calls):
        room_of("<string>")
    assert calls.total() >= 1
    assert {place.end for place in calls} == {""}


@pytest.mark.slow
def test_both_profiles_have_their_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_profile, "COUNTED", 3)
    monkeypatch.setattr(bench_profile, "SAMPLES", 60)
    table, command = bench_profile.run()
    assert {"protocol", "firmware_sim/program", "shuffler/table"} <= {row[0] for row in table.rows}
    assert {"host: protocol", "device: protocol"} <= {row[0] for row in command.rows}
