"""A meter that other tables feed, too: the page names it, and shows what its server says."""

from contextlib import closing
from pathlib import Path

import pytest
from page_support import Viewer, chromium, live_bench

from shuffler.cli.linked import MeterOptions, joined
from shuffler.meters.linked import rules_of
from shuffler.meters.server import MeterServer
from shuffler.table.rule_names import rules_by_name

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium"), pytest.mark.needs("postgresql")]

RULES = "south-dakota+bad-beat"


def test_the_page_names_the_shared_meter_and_its_server_s_amount(tmp_path: Path, meters_url: str) -> None:
    with closing(MeterServer(meters_url)) as server:
        server.create_meter(rules_of(rules_by_name(RULES), "bad_beat", "floor-1"))
        server.enrol("T1", "floor-1", "owner")
    options = MeterOptions(url=meters_url, table="T1")
    with (
        live_bench(
            tmp_path, rules=RULES, journal=tmp_path / "T1.db",
            join=lambda books, table, say: joined(books, table, options, say),
        ) as bench,
        chromium() as browser,
    ):  # fmt: skip
        viewer = Viewer(browser, bench)
        viewer.until("table.meters.some((one) => one.shared && one.shared.connected && one.shared.amount !== null)")
        viewer.page.wait_for_selector(".meter .shared:has-text('shared · floor-1')")
        viewer.play_round()
        viewer.picture("shared-meter")
        wrong = viewer.wrong
        viewer.close()
        assert wrong == []
