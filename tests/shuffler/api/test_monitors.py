"""The monitor over HTTP: evidence from a table's journal, caught up in bounded steps, and as metrics."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from api_support import RunningBench, running_bench
from monitoring_support import RULES, play

from round_engine.rules.rulebook import load
from shuffler.api import monitors


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBench]:
    with running_bench(tmp_path_factory.mktemp("bench")) as running:
        yield running


@pytest.fixture
def api(bench: RunningBench) -> Iterator[httpx.Client]:
    with bench.client() as client:
        client.post("/devices", json={"serial": "SB-1", "speed": 500, "tcp": False}).raise_for_status()
        client.post("/tables", json={"id": "t", "device": "SB-1"}).raise_for_status()
        yield client
        client.delete("/tables/t")
        client.delete("/devices/SB-1")


def test_a_table_without_a_round_has_no_evidence(api: httpx.Client) -> None:
    found = api.get("/tables/t/monitor").json()
    assert found == {"level": 0.001, "threshold": 1000.0, "behind": False, "devices": []}
    assert "# TYPE shuffler_monitor_evidence gauge" in api.get("/metrics").text


def test_a_table_that_is_not_there_is_not_found(api: httpx.Client) -> None:
    assert api.get("/tables/nowhere/monitor").status_code == 404


def test_a_journal_is_caught_up_in_steps(
    bench: RunningBench, api: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "ROUNDS_AT_ONCE", 2)
    path = tmp_path / "books.db"
    play(path, 5)
    api.post("/devices", json={"serial": "SB-2", "tcp": False}).raise_for_status()
    bench.on_loop(lambda: bench.bench.tables.create("u", "SB-2", RULES, load(RULES), path))
    found = [api.get("/tables/u/monitor").json() for _ in range(3)]
    assert [(one["behind"], one["devices"][0]["rounds"]) for one in found] == [(True, 2), (True, 4), (False, 5)]
    device = found[-1]["devices"][0]
    assert [rounds for rounds, _ in device["curve"]] == [0, 1, 2, 3, 4, 5]
    assert device["curve"][-1][1] == device["evidence"]
    assert 'shuffler_monitor_rounds_total{serial="C-1"} 5' in api.get("/metrics").text
    api.delete("/tables/u")
    api.delete("/devices/SB-2")
