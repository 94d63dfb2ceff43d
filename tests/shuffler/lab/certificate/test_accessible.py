"""The report in a browser: axe-core finds no serious fault in it, by day and by night, at a desk and on a telephone."""

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import axe_core
import msgspec
import pytest
from certificate_record import a_record

from shuffler.lab.certificate.sealing import sealed

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium", "axe-core")]
SERIOUS = ("serious", "critical")
LOOKS = {"light": 1, "dark": 0}  # Chromium's own numbers
_RUN = """
axe.run(document, {resultTypes: ["violations"]}).then(found => {
  const at = v => v.nodes.map(n => n.target.join(" ")).slice(0, 3);
  const rows = found.violations.map(v => ({id: v.id, impact: v.impact, at: at(v)}));
  const out = document.createElement("pre");
  out.id = "axe-found";
  out.textContent = JSON.stringify({dark: matchMedia("(prefers-color-scheme: dark)").matches, rows});
  document.body.append(out);
});
"""


def faults(text: str, tmp_path: Path, look: str, width: int) -> list[dict[str, Any]]:
    """What axe-core says of a page."""
    script = axe_core.script()
    assert script is not None
    path = tmp_path / "page.html"
    runner = f"<script>{script.read_text(encoding='utf-8')}</script><script>{_RUN}</script>"
    path.write_text(text.replace("</body>", runner + "</body>"), encoding="utf-8")
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
         f"--user-data-dir={tmp_path / 'profile'}", f"--blink-settings=preferredColorScheme={LOOKS[look]}",
         f"--window-size={width},1400", "--virtual-time-budget=20000", "--dump-dom", path.as_uri()],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r'<pre id="axe-found">(.*?)</pre>', done.stdout.decode(), re.S)
    assert found is not None, done.stderr.decode()[-2000:]
    said = json.loads(html.unescape(found[1]))
    assert said["dark"] == (look == "dark")
    return [row for row in said["rows"] if row["impact"] in SERIOUS]


@pytest.mark.parametrize(("outcome", "look", "width"), [("failed", "light", 1200), ("inconclusive", "dark", 400)])
def test_axe_finds_no_serious_fault(outcome: str, look: str, width: int, tmp_path: Path) -> None:
    verdict = msgspec.structs.replace(a_record().verdict, outcome=outcome)
    assert faults(sealed(a_record(verdict=verdict)).html, tmp_path, look, width) == []


def test_axe_can_find_one(tmp_path: Path) -> None:
    text = sealed(a_record()).html.replace("--dim: #4d5966", "--dim: #d0d4d8").replace('lang="en"', "")
    assert {row["id"] for row in faults(text, tmp_path, "light", 1200)} >= {"color-contrast", "html-has-lang"}
