"""The stories of the page with the keyboard alone: Tab, arrows and Enter reach everything a mouse does."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_support import Keyboard, Viewer, chromium, live_bench

from shuffler.api.starting import BACKUP

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]

CABLE = ".switches .switch:nth-child(2)"
MEND = ".recovery .row button:first-child"
RIG = ".controls button:nth-child(3)"
PUT_BACK = ".opened > .quiet"


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[Viewer]:
    with live_bench(tmp_path) as bench, chromium() as browser:
        made = Viewer(browser, bench)
        yield made
        wrong = made.wrong
        made.close()
        assert wrong == []


def test_a_round_a_misdeal_a_progressive_and_a_commitment(viewer: Viewer) -> None:
    keys = Keyboard(viewer)
    viewer.ready()
    keys.press(".controls .deal")
    keys.press(".s4 button.play")
    keys.key_awards()
    viewer.until("round.phase === 'closed'")

    viewer.ready()
    keys.press(".controls .deal")
    viewer.until("round && round.phase === 'decisions'")
    keys.press(".controls .danger")
    viewer.until("round.phase === 'void' && table.void === 1")

    keys.press(RIG)
    for _ in range(4):  # decks that were shuffled before are dealt first
        viewer.ready()
        keys.press(".controls .deal")
        keys.press(".s4 button.play")
        viewer.until("['keys', 'wagers'].includes(table.wants) && round.dealer.faces.length === 3")
        awarded = keys.key_awards()
        viewer.until("round.phase === 'closed'")
        if viewer.page.evaluate("() => bench.state.tables.main.round.rigged"):
            break
    assert awarded >= 4
    viewer.until("round.postings.some((one) => one.entry === 'awarded' && one.spot === 4)")

    keys.open("commitment")
    keys.press("[data-seat='4']")
    viewer.until("document.querySelector('.commitment .verdict.good')")
    keys.press(".cardbutton")
    viewer.until("document.querySelector('.commitment .verdict.bad')")
    keys.press(PUT_BACK)
    viewer.until("document.querySelector('.commitment .verdict.good')")


def test_a_jam_is_recovered_the_cable_pulled_and_the_backup_put_in(viewer: Viewer) -> None:
    keys = Keyboard(viewer)
    viewer.ready()
    keys.open("faults")
    keys.tab_to("#when")
    keys.key("ArrowDown")
    assert viewer.page.input_value("#when") == "when:group=1"
    keys.press("[data-name='jam_exit']")
    viewer.until("bench.state.devices['SB-0001'].faults.armed.length === 1")
    keys.open("table")
    keys.press(".controls .deal")
    viewer.until("bench.state.devices['SB-0001'].faults.reported.length === 1")
    keys.open("faults")
    keys.press(MEND)
    viewer.until("!bench.state.devices['SB-0001'].faults.reported.length")

    viewer.until("round.phase === 'decisions'")
    keys.press(CABLE)
    viewer.until("!table.session && !bench.state.devices['SB-0001'].plugged")
    keys.press(CABLE)
    viewer.until("table.session && bench.state.devices['SB-0001'].plugged")
    keys.open("table")
    keys.press(".s4 button.fold")
    keys.key_awards()
    viewer.until("round.phase === 'closed'")

    keys.open("faults")
    keys.press(".backups button")
    viewer.until(f"table.device === '{BACKUP}' && table.wants === 'wagers'")
