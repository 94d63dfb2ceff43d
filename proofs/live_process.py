"""`shuffler live` as a process of its own, for proofs that look at what it costs: its API, its page, its memory."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--no-first-run")  # fmt: skip
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class LiveProcess:
    """A running bench: where it is, and what the operating system says of it."""

    pid: int
    url: str
    token: str

    def page(self, *, kiosk: bool = False) -> str:
        """For a browser."""
        return f"{self.url}/#token={self.token}" + ("&kiosk" if kiosk else "")

    def client(self) -> httpx.Client:
        """For its API."""
        headers = {"authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=120)

    @property
    def cpu_s(self) -> float:
        """Processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def memory_mb(self) -> float:
        """Resident memory."""
        return int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]) * 4096 / 1e6

    @property
    def open_files(self) -> int:
        """File descriptors."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))


@contextmanager
def live_process(*options: str) -> Iterator[LiveProcess]:
    """`shuffler live` with these options, on any free port, with no browser."""
    with tempfile.TemporaryDirectory() as folder:
        token = Path(folder) / "token"
        command = [sys.executable, "-m", "shuffler", "live", "--port", "0", "--no-browser", "--token-file", str(token)]
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                said = process.stdout.readline().split()
                if said[:2] != ["control", "API"]:
                    raise RuntimeError(f"shuffler live said {said}")
                secret = token.read_text(encoding="ascii").strip()
                yield LiveProcess(process.pid, said[2].removesuffix("/api/v1"), secret)
            finally:
                process.terminate()
                process.wait(60)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


def metrics(devtools: Any) -> dict[str, float]:
    """What Chromium counts of a page, after its garbage is collected; `devtools` has Performance enabled."""
    devtools.send("HeapProfiler.collectGarbage")
    return {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
