"""A table of the bench whose meter is shared: what the server shows is shown, and an award waits for its server."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_support import GENEROUS, RunningBench, running_bench

from shuffler.api import ApiServer, Bench
from shuffler.api.starting import DeviceStart, begin, begin_again
from shuffler.cli.linked import MeterOptions, joined
from shuffler.meters.linked import rules_of
from shuffler.meters.server import MeterServer
from shuffler.table.rule_names import rules_by_name

pytestmark = [pytest.mark.slow, pytest.mark.needs("postgresql")]

RULES = "south-dakota+bad-beat"
TABLE = "/tables/main"


@pytest.fixture
def api(tmp_path: Path, meters_url: str) -> Iterator[httpx.Client]:
    with closing(MeterServer(meters_url)) as server:
        server.create_meter(rules_of(rules_by_name(RULES), "bad_beat", "floor-1"))
        server.enrol("T1", "floor-1", "owner")
    options = MeterOptions(url=meters_url, table="T1")
    start = DeviceStart(
        rules=RULES, speed=500, journal=tmp_path / "T1.db",
        join=lambda books, table, say: joined(books, table, options, say),
    )  # fmt: skip

    async def make() -> ApiServer:
        bench = Bench()
        await begin(bench, start)
        bench.reset = lambda: begin_again(bench, start)
        return await ApiServer.open(bench, token_file=tmp_path / "token", limits=GENEROUS)

    running: RunningBench
    with running_bench(tmp_path, make=make) as running, running.client() as client:
        yield client


def until(api: httpx.Client, holds: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    deadline = time.monotonic() + 120
    while not holds(view := api.get(TABLE).json()):
        assert time.monotonic() < deadline, view
        assert not view["stopped"], view["stopped"]
        time.sleep(0.02)
    return view


def meter(view: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in view["meters"] if one["wager"] == "bad_beat")
    return found


def test_the_table_shows_the_shared_meter_and_sends_its_contributions(api: httpx.Client, meters_url: str) -> None:
    view = until(api, lambda view: meter(view)["shared"]["connected"] and meter(view)["shared"]["amount"] is not None)
    first = meter(view)
    assert (first["shared"]["meter"], first["amount"]) == ("floor-1", first["shared"]["amount"])
    api.post(f"{TABLE}/deal").raise_for_status()
    until(api, lambda view: view["wants"] == "decisions" and 4 in view["round"]["to_decide"])
    api.post(f"{TABLE}/decisions", json={"spot": 4, "play": False}).raise_for_status()
    until(api, lambda view: view["settled"] == 1 or view["wants"] == "keys")
    view = until(api, lambda view: meter(view)["shared"]["unsent"] == 0 and meter(view)["shared"]["connected"])
    if view["settled"]:
        assert meter(view)["amount"] > first["amount"], "what was wagered is on the server"
        with closing(MeterServer(meters_url)) as server:
            assert server.meters()[0].amount == meter(view)["shared"]["amount"]


def test_a_reset_goes_on_with_the_same_journal_and_meter(api: httpx.Client) -> None:
    until(api, lambda view: meter(view)["shared"]["connected"])
    assert api.post("/reset").status_code == 204
    until(api, lambda view: meter(view)["shared"]["connected"] and not meter(view)["shared"]["trouble"])
