"""The page in real Chromium: everything a visitor does by clicking, and nothing goes wrong in the browser."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_support import DESK, PHONE, Viewer, chromium, live_bench
from playwright.sync_api import Browser

from randomness.proficiency import commitment, compose, key_to_json
from shuffler.api.starting import BACKUP

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory):
    with live_bench(tmp_path_factory.mktemp("live")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def viewer(browser: Browser, bench) -> Iterator[Viewer]:
    with bench.client() as client:
        client.post("/reset").raise_for_status()
    made = Viewer(browser, bench)
    yield made
    wrong = made.wrong
    made.close()
    assert wrong == []


def test_a_round_is_played_by_clicking_to_the_last_posting_and_its_hand_is_opened(viewer: Viewer) -> None:
    viewer.play_round()
    page = viewer.page
    viewer.until("document.querySelectorAll('.postings .clause').length >= 5")
    assert page.inner_text(".dealer .call").startswith("Dealer")
    viewer.until("document.querySelector('.s4 .net.on')")
    viewer.picture("table")

    viewer.open("commitment")
    page.click("[data-seat='4']")
    viewer.until("document.querySelector('.commitment .verdict.good')")
    assert page.inner_text(".level.published code") == page.inner_text(".level.top code")
    viewer.picture("commitment")
    page.click(".cardbutton >> nth=0")
    viewer.until("document.querySelector('.commitment .verdict.bad')")
    assert page.inner_text(".level.published code") != page.inner_text(".level.top code")
    page.click("text=Put the dealt cards back")
    viewer.until("document.querySelector('.commitment .verdict.good')")

    viewer.open("journal")
    page.click(".roundline >> nth=0")
    viewer.until("document.querySelectorAll('.replay > li').length > 5")
    page.click("text=Check the chain")
    viewer.until("document.querySelector('.view-journal .verdict.good')")
    viewer.picture("journal")

    viewer.open("wire")
    page.fill("#filter", "ShuffleCompleted")
    page.click(".frame >> nth=0")
    assert page.inner_text(".detail h3") == "ShuffleCompleted"
    assert page.inner_text(".hex").startswith("0000  00 ")
    viewer.picture("wire")


def test_a_jam_stops_the_deal_and_is_recovered_step_by_step(viewer: Viewer) -> None:
    page = viewer.page
    viewer.ready()
    viewer.open("faults")
    page.select_option("#when", "when:group=1")
    page.click("[data-name='jam_exit']")
    viewer.until("bench.state.devices['SB-0001'].faults.armed.length === 1")
    viewer.open("table")
    page.click(".controls .deal")
    viewer.until("bench.state.devices['SB-0001'].faults.reported.length === 1")
    viewer.open("faults")
    assert page.inner_text(".recovery h2") == "Jam exit"
    assert page.inner_text(".lcd").startswith("JAM AT EXIT")
    assert page.locator(".story li").count() == 4
    viewer.picture("faults")
    page.click("text=Clear faults")
    viewer.until("!bench.state.devices['SB-0001'].faults.reported.length")
    viewer.open("table")
    page.click(".s4 button.fold")
    viewer.key_awards()
    viewer.until("round.phase === 'closed'")


def test_a_misdeal_is_forced_and_everything_is_given_back(viewer: Viewer) -> None:
    viewer.ready()
    viewer.page.click(".controls .deal")
    viewer.until("round && round.phase === 'decisions'")
    viewer.page.click("text=Call a misdeal")
    viewer.until("round.phase === 'void' && table.void === 1")
    viewer.until("document.querySelectorAll('.postings li').length > 3")
    assert viewer.page.inner_text(".s4 .money") == "$0"


def test_a_progressive_is_hit_by_a_rigged_deck_and_keyed_by_clicking(viewer: Viewer) -> None:
    page = viewer.page
    page.click("text=Rig a mini-royal")
    for _ in range(3):  # decks that were shuffled before are dealt first
        viewer.ready()
        page.click(".controls .deal")
        page.click(".s4 button.play")
        viewer.until("['keys', 'wagers'].includes(table.wants) && round.dealer.faces.length === 3")
        if page.evaluate("() => bench.state.tables.main.round.rigged"):
            break
        viewer.key_awards()
    assert page.evaluate("() => bench.state.tables.main.wants") == "keys"
    page.locator(".keypad .people").scroll_into_view_if_needed()
    viewer.picture("keypad")
    assert viewer.key_awards() >= 4
    viewer.until("round.phase === 'closed'")
    viewer.until("round.postings.some((one) => one.entry === 'awarded' && one.spot === 4)")


def test_the_cable_is_pulled_and_put_back_in_the_middle_of_a_round(viewer: Viewer) -> None:
    viewer.ready()
    viewer.page.click(".controls .deal")
    viewer.until("round && round.phase === 'decisions'")
    viewer.page.click(".switch:has-text('Cable')")
    viewer.until("!table.session && !bench.state.devices['SB-0001'].plugged")
    viewer.painted()
    viewer.page.wait_for_selector(".felt .sub:has-text('is the cable in')")
    viewer.page.click(".switch:has-text('Cable')")
    viewer.until("table.session && bench.state.devices['SB-0001'].plugged")
    viewer.page.click(".s4 button.play")
    viewer.key_awards()
    viewer.until("round.phase === 'closed'")


def test_the_backup_takes_the_place_of_the_shuffler(viewer: Viewer) -> None:
    viewer.ready()
    viewer.open("faults")
    viewer.page.click(f"text=Put {BACKUP} in its place")
    viewer.until(f"table.device === '{BACKUP}' && table.wants === 'wagers'")
    viewer.until(f"document.querySelector('.serial').textContent.includes('{BACKUP}')")
    viewer.open("table")
    viewer.play_round()


def test_randomness_is_watched_and_what_is_rigged_is_caught(viewer: Viewer) -> None:
    viewer.open("randomness")
    viewer.page.click("[data-name='riffle']")
    viewer.until("bench.state.lab.verdict === 'defect'")
    viewer.until("document.querySelector('.lab-verdict').textContent.startsWith('Caught: input-rising-sequences')")
    viewer.picture("randomness")
    viewer.page.click(".view-randomness .deal")
    viewer.until("!bench.state.lab.running")


def test_the_monitor_shows_its_evidence_with_the_alarm_level(viewer: Viewer) -> None:
    viewer.ready()
    viewer.play_round()
    viewer.open("monitor")
    viewer.until("document.querySelector('.view-monitor .verdict').textContent.startsWith('No alarm.')")
    viewer.until("document.querySelectorAll('.view-monitor .questions li').length === 6")
    viewer.until("document.querySelector('.view-monitor .chart .alarm') !== null")
    points = "document.querySelector('.view-monitor .chart polyline').getAttribute('points').split(' ').length"
    viewer.until(f"{points} >= 2")
    viewer.picture("monitor")


def test_a_laboratorys_answers_to_a_kit_are_scored_on_the_page(viewer: Viewer, tmp_path: Path) -> None:
    key = compose(12, 10_000, 7)
    manifest = {"key_commitment": commitment(key, b"salt of the key!")}
    sealed = {"salt": b"salt of the key!".hex(), "key": key_to_json(key)}
    answers = ["set,verdict,because", *(f"{one.name},{'defective' if one.plant else 'fair'}," for one in key.sets)]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "key.json").write_text(json.dumps(sealed))
    (tmp_path / "answers.csv").write_text("\n".join(answers))
    viewer.open("monitor")
    viewer.page.click(".proficiency .score")
    viewer.until("document.querySelector('#toast').textContent.includes('Choose a file for “Manifest” first.')")
    for name in ("manifest.json", "key.json", "answers.csv"):
        viewer.page.set_input_files(f"#kit-{name.split('.')[0]}", tmp_path / name)
    viewer.page.click(".proficiency .score")
    planted = sum(bool(one.plant) for one in key.sets)
    fair = len(key.sets) - planted
    said = f"Found {planted} of {planted} defects"
    viewer.until(f"document.querySelector('.proficiency .verdict').textContent.startsWith('{said}')")
    viewer.until(f"document.querySelector('.proficiency .verdict').textContent.includes('False alarms: 0 of {fair}.')")
    plants = len({one.plant for one in key.sets if one.plant})
    viewer.until(f"document.querySelectorAll('.plants li').length === {plants}")
    viewer.picture("proficiency")


def test_a_certification_is_started_from_the_page_followed_and_stopped(viewer: Viewer) -> None:
    viewer.open("randomness")
    viewer.page.click(".certify")
    viewer.until("Object.values(bench.state.certifications).some((one) => one.state === 'running' && one.done > 0)")
    viewer.page.wait_for_selector(".certification progress[value]")
    viewer.picture("certification")
    viewer.page.click(".certification >> text=Stop")
    viewer.until("!Object.keys(bench.state.certifications).length")
    viewer.page.wait_for_selector(".certify:enabled")


def test_two_browsers_agree_and_one_that_comes_back_in_mid_round_catches_up(viewer: Viewer, browser: Browser) -> None:
    other = Viewer(browser, viewer.bench, PHONE, "light")
    viewer.ready()
    other.page.click(".controls .deal")
    viewer.page.wait_for_selector(".s4 button.play:visible")
    other.page.wait_for_selector(".s4 button.play:visible")
    cards = [one.page.locator(".seat .card.open").evaluate_all("all => all.map((c) => c.getAttribute('aria-label'))")
             for one in (viewer, other)]  # fmt: skip
    assert sorted(cards[0]) == sorted(cards[1])
    wrong = other.wrong
    other.close()
    again = Viewer(browser, viewer.bench, DESK, "light")
    again.page.wait_for_selector(".s4 button.play:visible")
    viewer.page.click(".s4 button.play")
    again.until("round.spots['4'].decision === 'play'")
    assert wrong + again.wrong == []
    again.close()


def test_motion_can_be_switched_off_and_the_clock_stopped_and_stepped(viewer: Viewer) -> None:
    page = viewer.page
    page.click("#motion")
    assert page.evaluate("() => document.documentElement.dataset.motion") == "off"
    viewer.ready()
    page.click("#pause")
    viewer.until("bench.state.devices['SB-0001'].clock.rate === 0")
    page.click(".controls .deal")
    viewer.until("round && round.phase === 'locked'")
    machine_us = "() => bench.state.devices['SB-0001'].clock.machine_us"
    before = page.evaluate(machine_us)
    while page.evaluate(machine_us) <= before:  # a step that shows nothing is not told
        page.click("#step")
        viewer.painted()
    page.click("#motion")
    page.click("[data-rate='50']")
    page.click(".s4 button.fold")
