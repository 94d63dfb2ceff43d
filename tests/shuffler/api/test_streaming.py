"""The stream: everything as it is, then what happens; resume from a number; honest where something was missed."""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from api_support import RunningBench, running_bench, sse

from shuffler.api.access import Limits


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBench]:
    with running_bench(tmp_path_factory.mktemp("bench")) as running:
        yield running


def test_a_stream_begins_with_everything_as_it_is_and_goes_on_with_what_happens(bench: RunningBench) -> None:
    with bench.client() as client:
        client.post("/devices", json={"serial": "SB-1", "speed": 0})
        with client.stream("GET", "/events", params={"kinds": "device"}) as answer:
            events = sse(answer.iter_lines())
            begin, device = next(events), next(events)
            assert begin["data"] == {"missed": False, "devices": ["SB-1"]}
            assert device["data"]["data"]["sensors"]["door_open"] is False
            client.post("/devices/SB-1/actions/open_door")
            changed = next(events)
            assert changed["data"]["data"]["sensors"]["door_open"] is True
            assert changed["number"] > begin["number"]
        client.delete("/devices/SB-1")


def test_a_stream_resumes_after_the_number_it_was_left_at(bench: RunningBench) -> None:
    def rounds(client, after):
        with client.stream("GET", "/events", headers={"last-event-id": str(after)}) as answer:
            events = sse(answer.iter_lines())
            return [next(events) for _ in range(2)]

    with bench.client() as client:
        left_at = client.get("/events/page").json()["last"]
        client.post("/devices/none/actions/open_door")
        client.post("/devices/nobody/actions/open_door")
        first, second = rounds(client, left_at)
    assert [first["data"]["data"]["path"], second["data"]["data"]["path"]] == [
        "/api/v1/devices/none/actions/open_door",
        "/api/v1/devices/nobody/actions/open_door",
    ]


def test_a_number_that_is_forgotten_or_foreign_starts_anew_and_says_so(bench: RunningBench) -> None:
    with bench.client() as client, client.stream("GET", "/events", params={"after": 10**9}) as answer:
        assert next(sse(answer.iter_lines()))["data"]["missed"] is True


def test_a_page_of_events_says_whether_it_is_complete(bench: RunningBench) -> None:
    with bench.client() as client:
        client.post("/devices/none/actions/open_door")
        page = client.get("/events/page", params={"after": 0, "kinds": "audit", "limit": 1}).json()
        assert (page["complete"], len(page["events"])) == (True, 1)
        assert client.get("/events/page", params={"kinds": "gossip"}).status_code == 422


@pytest.mark.parametrize("wrong", ["x", "-1", "1.5", "٣"])
def test_a_resume_number_that_is_none_is_refused(bench: RunningBench, wrong: str) -> None:
    with bench.client() as client:
        answer = client.get("/events", headers={"last-event-id": wrong.encode()})
    assert answer.status_code == 422


def test_streams_that_are_closed_cost_nothing_more(bench: RunningBench) -> None:
    with bench.client() as client:
        for _ in range(5):
            with client.stream("GET", "/events") as answer:
                next(answer.iter_lines())
        client.post("/devices/none/actions/open_door")
    with bench.client() as client:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if bench.on_loop(lambda: (bench.bench.streams, len(bench.bench.hub.wakers))) == (0, 0):
                return
            client.post("/devices/none/actions/open_door")
            time.sleep(0.02)
    pytest.fail("streams stay open")


def test_a_burst_of_streams_is_held_to_the_limit(tmp_path: Path) -> None:
    """Each counts from its request on, not from its first bytes."""

    async def burst(bench: RunningBench) -> list[int]:
        headers = {"authorization": f"Bearer {bench.address.token}"}
        limits = httpx.Limits(max_connections=None)
        client = httpx.AsyncClient(base_url=bench.address.url, headers=headers, limits=limits)
        async with client, contextlib.AsyncExitStack() as stack:
            opened = [client.stream("GET", "/api/v1/events", timeout=120) for _ in range(12)]
            answers = await asyncio.gather(*(stack.enter_async_context(one) for one in opened))
            return sorted(answer.status_code for answer in answers)

    limits = Limits(rate_a_second=1e6, burst=1e6, streams=3)
    with running_bench(tmp_path, limits=limits) as bench:
        assert asyncio.run(burst(bench)) == [200] * 3 + [429] * 9
