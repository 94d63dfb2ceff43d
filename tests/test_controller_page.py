"""docs/controller.md: its snippets run as they stand (on a free port), its options and messages exist."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build
from protocol.catalogue import CATALOGUE

PAGE = (Path(__file__).parent.parent / "docs" / "controller.md").read_text(encoding="utf-8")
HERE = "socket://127.0.0.1:7001"  # where `shuffler emulate` is, by the page


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.S | re.M)


@pytest.fixture
def url() -> Iterator[str]:
    build = Build(profile=load("i-deal-style"), serial="PAGE", speed=50.0)
    with background([Location(build=build, ports=(Tcp(),))]) as bench:
        yield bench.url


def shuffler(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shuffler", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
@pytest.mark.parametrize("snippet", blocks("python"))
def test_a_python_snippet_runs(snippet: str, url: str) -> None:
    assert HERE in snippet
    done = subprocess.run(
        [sys.executable, "-c", snippet.replace(HERE, url)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "DeckLoaded" in done.stdout


@pytest.mark.slow
def test_the_deal_of_the_first_five_minutes_runs(url: str) -> None:
    (line,) = [line.split("#")[0] for line in blocks("")[0].splitlines() if " deal " in line]
    program, *words = line.split()
    assert program == ".venv/bin/shuffler"
    assert HERE in words
    done = shuffler(*(url if word == HERE else word for word in words))
    assert done.returncode == 0, done.stderr
    assert "every hand opens the commitment" in done.stdout


@pytest.mark.slow
def test_every_option_of_the_page_is_one_of_emulate_and_its_port_is_the_default() -> None:
    known = shuffler("emulate", "--help").stdout
    for row in re.findall(r"^\| (`--.*?`) \|", PAGE, re.M):
        for option in re.findall(r"--[a-z-]+", row):
            assert option in known, option
    assert "7001" in known


def test_every_message_of_the_page_exists() -> None:
    names = {entry.name for entry in CATALOGUE}
    rows = re.findall(r"^\| `(\w+)[(`].*?\|(.*?)\|(.*?)\|$", PAGE, re.M)
    assert len(rows) >= 8
    for sent, answered, told in rows:
        assert sent in names
        for word in re.findall(r"`([A-Z]\w+)`", answered + told):
            assert word in names, word
