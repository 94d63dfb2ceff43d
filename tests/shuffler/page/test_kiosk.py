"""Kiosk mode: loops unattended, keeps its memory, and survives a sleeping page, a stepped clock, a dead line."""

import gc
import time
from collections.abc import Iterator
from typing import Any

import pytest
from page_support import Viewer, chromium, launched, live_bench
from playwright.sync_api import Browser
from stalling_proxy import StallingProxy

from firmware_sim.unit.emulator import Emulator
from shuffler.api.loop_table import LoopTable

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]

HURRY = 0.02  # of the time that people get to read along
DAY_S = 86_400
VIEWS = ("machine", "faults", "wire", "randomness", "commitment", "journal", "table")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def bench(tmp_path):
    with live_bench(tmp_path, kiosk=True) as running:
        yield running


class Kiosk:
    """A page in kiosk mode, and what it and the server hold."""

    def __init__(self, browser: Browser, bench: Any) -> None:
        self.viewer = Viewer(browser, bench, address=bench.address.page + "&kiosk")
        self.page, self.bench = self.viewer.page, bench
        self.page.evaluate(
            f"() => {{ bench.reading.pace = {HURRY}; for (const view of {list(VIEWS)}) bench.open(view); }}"
        )
        self.devtools = self.viewer.context.new_cdp_session(self.page)
        self.devtools.send("Performance.enable")

    def played(self, loops: int) -> list[dict[str, Any]]:
        """Every tour so far, once so many have been played."""
        self.viewer.until(f"bench.guide.loops >= {loops}", 280)
        found: list[dict[str, Any]] = self.page.evaluate("() => bench.guide.played")
        return found

    def in_the_browser(self) -> tuple[float, float]:
        """Nodes and megabytes of heap that are in use."""
        self.devtools.send("HeapProfiler.collectGarbage")
        found = {one["name"]: one["value"] for one in self.devtools.send("Performance.getMetrics")["metrics"]}
        return found["Nodes"], found["JSHeapUsedSize"] / 1e6

    def on_the_server(self) -> dict[str, int]:
        """Devices, tables and journal files that are there."""

        def count() -> dict[str, int]:
            gc.collect()
            kinds = [type(one) for one in gc.get_objects()]
            folder = next(iter(self.bench.bench.tables)).books.path.parent
            return {"devices": kinds.count(Emulator), "tables": kinds.count(LoopTable),
                    "journals": len(list(folder.glob("*.db")))}  # fmt: skip

        found: dict[str, int] = self.bench.on_loop(count)
        return found


def test_it_loops_and_its_memory_stays_flat(browser: Browser, bench) -> None:
    kiosk = Kiosk(browser, bench)
    kiosk.played(1)
    nodes, heap = kiosk.in_the_browser()
    played = kiosk.played(3)
    later_nodes, later_heap = kiosk.in_the_browser()
    assert [(one["tour"], one["problem"]) for one in played] == [
        ("controller", None), ("laboratory", None), ("casino", None)
    ]  # fmt: skip
    assert kiosk.on_the_server() == {"devices": 2, "tables": 1, "journals": 1}
    assert later_nodes < nodes + 1500, (nodes, later_nodes)
    assert later_heap < heap + 4, (heap, later_heap)
    assert kiosk.viewer.wrong == []
    kiosk.viewer.close()


def test_it_goes_on_after_a_sleep_and_after_the_clock_was_set(
    browser: Browser, bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    kiosk = Kiosk(browser, bench)
    kiosk.viewer.until("bench.guide.running && bench.guide.running.step >= 1")
    kiosk.devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    with bench.client() as client:
        before = client.get("/events/page", params={"limit": 1}).json()["last"]
        deadline = time.monotonic() + 120
        while client.get("/events/page", params={"limit": 1}).json()["last"] < before + 20:  # the table plays on
            assert time.monotonic() < deadline
            time.sleep(0.05)
    wall = time.time, time.time_ns
    monkeypatch.setattr(time, "time", lambda: wall[0]() - DAY_S)
    monkeypatch.setattr(time, "time_ns", lambda: wall[1]() - DAY_S * 10**9)
    kiosk.devtools.send("Page.setWebLifecycleState", {"state": "active"})
    kiosk.page.evaluate(f"() => {{ const now = Date.now; Date.now = () => now() - {DAY_S * 1000}; }}")
    (played,) = kiosk.played(1)
    kiosk.viewer.until("bench.guide.running.tour === 'laboratory' && bench.guide.running.step >= 1")
    monkeypatch.undo()
    assert (played["tour"], played["done"]) == ("controller", True)
    assert kiosk.page.evaluate("() => [bench.state.link, bench.guide.running.problem]") == ["live", None]
    assert [one for one in kiosk.viewer.wrong if "ERR_NETWORK_IO_SUSPENDED" not in one] == []
    kiosk.viewer.close()


def test_a_line_that_went_dead_without_a_word_is_opened_anew(browser: Browser, bench) -> None:
    name = f"localhost:{bench.address.port}"
    with (
        StallingProxy(bench.address.port) as proxy,
        launched(browser.browser_type, f"--host-resolver-rules=MAP {name} 127.0.0.1:{proxy.port}") as through,
    ):
        viewer = Viewer(through, bench, address=bench.address.page.replace("127.0.0.1", "localhost"))
        viewer.page.evaluate("() => { bench.line.patience = 1500; }")
        proxy.stall()
        viewer.until("bench.state.link !== 'live'")
        proxy.flow()
        viewer.until("bench.state.link === 'live'")
        with bench.client() as client:
            client.post("/devices/SB-0002/actions/open_door").raise_for_status()
        viewer.until("bench.state.devices['SB-0002'].sensors.door_open")
        viewer.close()
