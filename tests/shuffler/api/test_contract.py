"""The API against its own description: generated requests never break it, and every error is a problem document."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import schemathesis
from api_support import RunningBench, running_bench
from hypothesis import HealthCheck, Phase, given, settings

from firmware_sim.unit.emulator import Emulator

EXAMPLES = int(os.environ.get("SHUFFLER_API_EXAMPLES", "3"))  # a request each; a long run raises it
DEVICES = int(os.environ.get("SHUFFLER_API_DEVICES", "150"))
SKIPPED = {"/api/v1/events"}  # it does not end


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBench]:
    with running_bench(tmp_path_factory.mktemp("bench")) as running:
        yield running


def described(bench: RunningBench):
    with bench.client() as client:
        document = client.get("/openapi.json").json()
    # Serial numbers and names that are there, so that requests get past the first check.
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                known = {"serial": ["SB-1", "SB-9"], "table": ["t", "u"], "round_id": ["R1"]}.get(parameter["name"])
                if known:
                    parameter["schema"] = {"type": "string", "enum": known}
    return document


@pytest.mark.slow
def test_no_generated_request_breaks_it(bench: RunningBench) -> None:
    document = described(bench)
    schema = schemathesis.openapi.from_dict(document)
    schema.config.base_url = bench.address.url
    headers = {"authorization": f"Bearer {bench.address.token}"}
    seen: dict[int, int] = {}
    with httpx.Client(base_url=bench.address.url, headers=headers, timeout=120) as client:

        def prepared() -> None:
            if client.get("/api/v1/devices/SB-1").status_code == 404:
                client.post("/api/v1/devices", json={"serial": "SB-1", "speed": 50, "tcp": False})
            if client.get("/api/v1/tables/t").status_code == 404:
                client.post("/api/v1/tables", json={"id": "t", "device": "SB-1"})

        def checking(operation):
            @settings(
                max_examples=EXAMPLES, deadline=None, phases=[Phase.generate], derandomize=True, database=None,
                suppress_health_check=list(HealthCheck),
            )  # fmt: skip
            def check(case) -> None:
                prepared()
                sent = case.as_transport_kwargs(base_url=bench.address.url)
                kept = {name: value for name, value in (sent.get("headers") or {}).items()
                        if name.lower() not in ("authorization", "user-agent") and value.isascii()}  # fmt: skip
                answer = client.request(
                    sent["method"], sent["url"], params=sent.get("params"), json=sent.get("json"), headers=kept
                )
                seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
                assert answer.status_code < 500, answer.text
                if answer.status_code >= 400:
                    assert answer.headers["content-type"] == "application/problem+json"
                    assert answer.json()["detail"]
                    assert str(answer.status_code) in operation.definition.raw["responses"], answer.text
                elif answer.headers.get("content-type") == "application/json":
                    assert answer.text, f"{operation.method} {operation.path} {answer.status_code} has no body"
                    answer.json()

            return check

        for wrapped in schema.get_all_operations():
            operation = wrapped.ok()
            if operation.path not in SKIPPED:
                given(case=operation.as_strategy())(checking(operation))()
        prepared()
        assert client.get("/api/v1/devices/SB-1").status_code == 200, "nothing was lost"
    assert seen.get(200, 0) > 10
    assert seen.get(422, 0) + seen.get(409, 0) + seen.get(404, 0) > 10


@pytest.mark.slow
def test_devices_created_and_removed_leak_nothing(bench: RunningBench) -> None:
    folder = Path("/proc/self/fd")

    def counted() -> tuple[int, int]:
        gc.collect()
        return len(list(folder.iterdir())), sum(type(one) is Emulator for one in gc.get_objects())

    with bench.client() as client:
        for serial in [one["serial"] for one in client.get("/devices").json()]:
            for table in client.get("/tables").json():
                client.delete(f"/tables/{table['id']}")
            client.delete(f"/devices/{serial}")
        client.get("/devices")
        before = counted()
        for number in range(DEVICES):
            made = client.post("/devices", json={"serial": f"L-{number}", "speed": 0, "tcp": number % 10 == 0})
            assert made.status_code == 201
            assert client.delete(f"/devices/L-{number}").status_code == 204
        client.get("/devices")
        after = counted()
        assert client.get("/devices").json() == []
    assert after[0] <= before[0] + 2, "file descriptors stay open"
    assert after[1] <= before[1], "devices stay in memory"
