"""axe-core finds no serious fault on any view, in light and dark, on a phone and on a projector."""

from collections.abc import Iterator

import axe_core
import pytest
from page_support import PHONE, PROJECTOR, Viewer, chromium, live_bench

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium", "axe-core")]

VIEWS = ("table", "machine", "faults", "wire", "randomness", "commitment", "journal", "monitor")
AXE = "() => axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})"
GRAVE = ("serious", "critical")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[object, object]]:
    with live_bench(tmp_path_factory.mktemp("live")) as bench, chromium() as browser:
        yield browser, bench


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (PHONE, "dark"), (PROJECTOR, "light"), (PROJECTOR, "dark")]
)
def test_no_view_has_a_serious_fault(stage, size: tuple[int, int], scheme: str) -> None:
    script = axe_core.script()
    assert script is not None
    viewer = Viewer(*stage, size, scheme)
    viewer.page.evaluate("() => { document.querySelector('#motion').click(); }")
    if viewer.page.evaluate("() => !bench.state.tables.main.round"):
        viewer.play_round()
    viewer.page.evaluate(script.read_text(encoding="utf-8"))
    found = []
    for view in VIEWS:
        if not viewer.page.is_visible(f"#tab-{view}"):
            continue
        viewer.open(view)
        viewer.page.wait_for_timeout(150)
        faults = viewer.page.evaluate(AXE)["violations"]
        found += [
            f"{view}: {fault['id']} {fault['nodes'][0]['target']} {fault['nodes'][0].get('failureSummary', '')[:200]}"
            for fault in faults
            if fault["impact"] in GRAVE
        ]
    wide = viewer.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    name = "phone" if size == PHONE else "projector"
    viewer.open("table")
    viewer.picture(f"{name}-{scheme}")
    viewer.close()
    assert found == []
    assert wide <= 0, "the page scrolls sideways"
