"""A live bench and a real Chromium to look at it: waits for what should come, and notes what must never happen."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from api_support import GENEROUS, RunningBench, running_bench
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, sync_playwright

from shuffler.api import ApiServer, Bench
from shuffler.api.starting import DeviceStart, begin, begin_again

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-domain-reliability", "--disable-sync", "--no-first-run", "--disable-default-apps",
)  # fmt: skip
DESK, PHONE, PROJECTOR = (1440, 900), (390, 844), (1920, 1080)
SPEED = 60.0
WAIT_S = 120.0  # for anything that must come: a loaded machine is slow, and a test that fails for that says nothing


@contextmanager
def live_bench(folder: Path, **start: Any) -> Iterator[RunningBench]:
    """What `shuffler live` serves."""
    first = DeviceStart(**{"speed": SPEED, **start})

    async def make() -> ApiServer:
        bench = Bench()
        await begin(bench, first)
        bench.reset = lambda: begin_again(bench, first)
        return await ApiServer.open(bench, token_file=folder / "live.token", limits=GENEROUS)

    with running_bench(folder, make=make) as running:
        yield running


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright, launched(playwright.chromium) as browser:
        yield browser


@contextmanager
def launched(kind: BrowserType, *arguments: str) -> Iterator[Browser]:
    """Another browser, with more arguments."""
    browser = kind.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *arguments])
    yield browser
    browser.close()


class Viewer:
    """A page on the bench, with everything that went wrong in it."""

    def __init__(
        self,
        browser: Browser,
        bench: RunningBench,
        size: tuple[int, int] = DESK,
        scheme: str = "dark",
        *,
        address: str | None = None,
    ) -> None:
        self.bench = bench
        self.context: BrowserContext = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,  # type: ignore[arg-type]
        )
        self.page: Page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("requestfailed", self._failed)
        self.page.on("response", lambda answer: self._answered(answer.status, answer.url))
        self.page.set_default_timeout(WAIT_S * 1000)
        self.page.goto(address or bench.address.page)
        self.until("bench.state.link === 'live' && !!bench.state.tables.main")

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(message.text)

    def _failed(self, request: Any) -> None:
        if not request.url.endswith("/events"):  # a stream ends with its page
            self.wrong.append(f"{request.url}: {request.failure}")

    def _answered(self, status: int, url: str) -> None:
        if status >= 400:
            self.wrong.append(f"{url}: {status}")

    def until(self, holds: str, seconds: float = WAIT_S) -> None:
        """Until a JavaScript expression is true; evaluated from outside, so that the page's own policy stands."""
        deadline = time.monotonic() + seconds
        while not self.page.evaluate(f"() => {{ const table = bench.state.tables.main, round = table && table.round;"
                                     f" void table; void round; return !!({holds}); }}"):  # fmt: skip
            assert time.monotonic() < deadline, f"{holds} did not come true; {self.state()}"
            self.page.wait_for_timeout(25)

    def state(self) -> Any:
        return self.page.evaluate(
            "() => ({wants: bench.state.tables.main?.wants, phase: bench.state.tables.main?.round?.phase, said:"
            " document.querySelector('#toast').textContent, panel: bench.state.devices[bench.state.device]?.panel})"
        )

    def open(self, view: str) -> None:
        self.page.click(f"#tab-{view}")

    def ready(self) -> None:
        self.until("table.wants === 'wagers'")

    def key_awards(self, press: Callable[[], object] | None = None) -> int:
        """Press what the keypad asks for, by clicking or otherwise, until nothing waits; how many keys."""
        pressed = 0
        while True:
            self.until("table.wants !== 'device' && table.wants !== 'decisions'")
            if self.page.evaluate("() => bench.state.tables.main.wants") != "keys":
                return pressed
            before = self.page.evaluate("() => JSON.stringify(bench.state.tables.main.meters.map((m) => m.keypad))")
            self.painted()
            (press or (lambda: self.page.click(".padkey.next")))()
            self.until(f"table.wants !== 'keys' || JSON.stringify(table.meters.map((m) => m.keypad)) !== {before!r}")
            pressed += 1

    def painted(self) -> None:
        """Until what the page knows is on the screen: it paints a frame after it is told."""
        self.page.evaluate("() => new Promise((then) => requestAnimationFrame(() => then(null)))")

    def play_round(self) -> None:
        self.ready()
        self.page.click(".controls .deal")
        self.page.click(".s4 button.play")
        self.key_awards()
        self.until("round.phase === 'closed'")

    def picture(self, name: str) -> None:
        """For the documentation, where SHUFFLER_PICTURES names a folder."""
        if folder := os.environ.get("SHUFFLER_PICTURES"):
            self.page.wait_for_timeout(400)
            self.page.screenshot(path=Path(folder) / f"{name}.jpg", type="jpeg", quality=84)

    def close(self) -> None:
        self.context.close()


class Keyboard:
    """Everything by Tab, arrows and Enter: what can't be reached so is not there for those who have no mouse."""

    MOST_TABS = 200

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.key = viewer.page.keyboard.press

    def tab_to(self, selector: str) -> None:
        """Press Tab until this has the focus, once it is there to have it."""
        page = self.viewer.page
        page.wait_for_selector(f"{selector} >> visible=true")
        for _ in range(self.MOST_TABS):
            if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
                return
            self.key("Tab")
        raise AssertionError(f"{selector} is not reached with the Tab key; {self.viewer.state()}")

    def press(self, selector: str) -> None:
        """Tab to it, once it can be pressed, and press Enter."""
        self.viewer.until(f"document.querySelector({selector!r} + ':enabled')")
        self.viewer.painted()
        self.tab_to(selector)
        self.key("Enter")

    def open(self, view: str) -> None:
        """Another view, by the arrows of the tabs."""
        self.tab_to("[role='tab'][aria-selected='true']")
        names = self.viewer.page.locator("[role='tab'] >> visible=true").evaluate_all("all => all.map((one) => one.id)")
        steps = names.index(f"tab-{view}") - names.index(self._focused())
        for _ in range(abs(steps)):
            self.key("ArrowRight" if steps > 0 else "ArrowLeft")
        assert self._focused() == f"tab-{view}", f"{view} is not reached with the arrow keys"

    def _focused(self) -> str:
        return str(self.viewer.page.evaluate("() => document.activeElement.id"))

    def key_awards(self) -> int:
        """What the keypad asks for; how many keys."""
        return self.viewer.key_awards(lambda: self.press(".padkey.next"))
