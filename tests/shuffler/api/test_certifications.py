"""Certification runs by the API: started, followed, reported, stopped; each in a process of its own."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_support import RunningBench, running_bench

from shuffler.api import certifications
from shuffler.lab.certificate import check

SMALL = {"mechanism": "riffle:passes=2", "decks": 500, "seed": 1}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[RunningBench]:
    with running_bench(tmp_path) as running:
        yield running


@pytest.fixture
def api(bench: RunningBench) -> Iterator[httpx.Client]:
    with bench.client() as client:
        yield client


def ended(api: httpx.Client, run: str, seconds: float = 200) -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    while (view := api.get(f"/certifications/{run}").json())["state"] == "running":
        assert time.monotonic() < deadline, view
        time.sleep(0.05)
    return view


@pytest.mark.slow
def test_a_run_is_followed_to_its_report(api: httpx.Client, tmp_path: Path) -> None:
    made = api.post("/certifications", json=SMALL)
    assert (made.status_code, made.json()["id"], made.json()["state"]) == (201, "C1", "running")
    busy = api.post("/certifications", json=SMALL)
    assert (busy.status_code, "C1 is under way" in busy.json()["detail"]) == (409, True)
    assert api.get("/certifications/C1/report").status_code == 409
    view = ended(api, "C1")
    assert (view["state"], view["verdict"]["decks"]) == ("failed", 500)
    assert any("rising" in place or "position" in place for place in view["verdict"]["where_to_look"])
    stages = [
        event["data"]["stage"] for event in api.get("/events/page", params={"kinds": "certification"}).json()["events"]
    ]
    assert stages, "progress is told in the stream"
    report = tmp_path / "report.html"
    report.write_bytes(api.get("/certifications/C1/report").content)
    assert check(report).good
    assert api.get("/certifications/C1/record").json()["verdict"]["outcome"] == "failed"
    assert [one["id"] for one in api.get("/certifications").json()] == ["C1"]
    assert api.delete("/certifications/C1").status_code == 204
    assert api.get("/certifications/C1").status_code == 404


def test_a_run_is_stopped_by_removing_it(api: httpx.Client, bench: RunningBench) -> None:
    run = api.post("/certifications", json={"profile": "i-deal-style", "plan": "full"}).json()["id"]
    task = bench.bench.certifications.get(run).task
    assert api.delete(f"/certifications/{run}").status_code == 204
    assert task is not None
    assert task.done(), "its process is gone with it"
    assert api.get("/certifications").json() == []


def test_a_device_is_certified_as_it_is_worn(api: httpx.Client) -> None:
    api.post("/devices", json={"serial": "SB-1", "speed": 0})
    api.post("/devices/SB-1/actions/wear", json={"mechanism": {"sticky": 0.5}})
    made = api.post("/certifications", json={"device": "SB-1", "decks": 500}).json()
    assert (made["mechanism"].split(":")[0], made["device"]) == ("ejection", "SB-1")
    assert "sticky=0.5" in made["mechanism"]
    api.delete(f"/certifications/{made['id']}")


def test_a_run_that_dies_says_so(api: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certifications, "COMMAND", (certifications.COMMAND[0], "-c", "import sys; sys.exit(3)"))
    run = api.post("/certifications", json=SMALL).json()["id"]
    view = ended(api, run)
    assert (view["state"], view["problem"]) == ("broken", "the run ended by itself (exit code 3)")


def test_old_runs_are_forgotten_with_their_files(api: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certifications, "KEEP", 2)
    said = 'print(\'{"problem": "none"}\')'
    monkeypatch.setattr(certifications, "COMMAND", (certifications.COMMAND[0], "-c", said))
    for _ in range(4):
        ended(api, api.post("/certifications", json=SMALL).json()["id"])
    assert [one["id"] for one in api.get("/certifications").json()] == ["C3", "C4"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "one of mechanism, profile, device"),
        ({"mechanism": "ejection", "profile": "i-deal-style"}, "one of mechanism, profile, device"),
        ({"mechanism": "magic"}, "no mechanism 'magic'"),
        ({"mechanism": "riffle:passes=x"}, "passes"),
        ({"profile": "../x"}, "no profile is called"),
        ({"mechanism": "ejection", "plan": "/etc/passwd"}, "no plan is called"),
        ({"mechanism": "ejection", "decks": 0}, "decks"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(api: httpx.Client, body: object, says: str) -> None:
    answer = api.post("/certifications", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert says in answer.json()["detail"], answer.text


def test_a_device_that_is_not_there_is_no_subject(api: httpx.Client) -> None:
    assert api.post("/certifications", json={"device": "SB-404"}).status_code == 404
