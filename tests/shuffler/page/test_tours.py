"""Guided tours: each of the three is played by the page itself, to its last step, and nothing goes wrong on the way."""

from collections.abc import Iterator

import pytest
from page_support import Viewer, chromium, live_bench
from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]

HURRY = 0.02  # of the time that people get to read along


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory):
    with live_bench(tmp_path_factory.mktemp("live")) as running:
        yield running


@pytest.mark.parametrize("tour", ["controller", "laboratory", "casino"])
def test_a_tour_plays_itself_to_the_end(bench, browser: Browser, tour: str) -> None:
    with bench.client() as client:
        client.post("/reset").raise_for_status()
    viewer = Viewer(browser, bench)
    viewer.page.evaluate(f"() => {{ bench.reading.pace = {HURRY}; }}")
    viewer.page.click("#tour")
    viewer.page.click(f"[data-tour='{tour}']")
    viewer.until("bench.guide.last && (bench.guide.last.done || bench.guide.last.problem)", 280)
    last = viewer.page.evaluate("() => bench.guide.last")
    wrong = viewer.wrong
    viewer.close()
    assert (last["tour"], last["problem"], last["done"], last["step"]) == (tour, None, True, last["steps"] - 1)
    assert wrong == []


def test_a_tour_can_be_ended_at_any_time(bench, browser: Browser) -> None:
    viewer = Viewer(browser, bench)
    viewer.page.click("#tour")
    viewer.page.click("[data-tour='laboratory']")
    viewer.page.click("text=End the tour")
    viewer.until("!bench.guide.running && document.querySelector('#guide').hidden")
    viewer.close()
