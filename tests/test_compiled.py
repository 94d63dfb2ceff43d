"""The compiled build: what it compiles, what it says of itself, and that its wheel plays the same books elsewhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import construct
import pytest
from test_architecture import EDGES

from proofs.compiled_build import ROOT, wheel
from shuffler.cli.compiled import MODULES, build, compiled_modules

PLAY = """\
from hashlib import sha256

from firmware_sim.machine.profile import load
from firmware_sim.unit.emulator import Build
from round_engine.rulebook import load as load_rules
from round_engine.table import Table
from shuffler.journal.memory import MemoryBooks
from shuffler.table.players import seated
from shuffler.virtual.table import VirtualTable, quick

digest, books = sha256(), MemoryBooks()
books.listeners.append(lambda entries: digest.update(repr(entries).encode()))
device = quick(Build(profile=load("i-deal-style"), serial="COMPILED", seed=5))
rules = load_rules("light-and-wonder", changes={"house": {"limit_ceiling": "$300"}})
table = VirtualTable(Table(rules), books, seated("Q-6-4", 7), device, seed=5)
table.play(20)
print(books.written, digest.hexdigest())
"""


def test_every_module_of_the_table_is_there_once_and_touches_nothing() -> None:
    assert len(set(MODULES)) == len(MODULES)
    paths = [module.replace(".", "/") + ".py" for module in MODULES]
    assert all((ROOT / path).is_file() for path in paths)
    assert not set(paths) & EDGES.keys()


def test_a_build_is_pure_or_compiled_as_a_whole() -> None:
    compiled = compiled_modules()
    assert compiled in ((), MODULES)
    assert compiled or "SHUFFLER_COMPILED" not in os.environ  # which `make compiled` sets
    assert build() == (f"compiled: {len(MODULES)} of {len(MODULES)} modules" if compiled else "pure Python")


def test_the_sources_hold_nothing_compiled() -> None:
    if not compiled_modules():
        assert not [path for module in MODULES for path in (ROOT / module.replace(".", "/")).parent.glob("*.so")]


@pytest.mark.slow
@pytest.mark.needs("cc")
@pytest.mark.timeout(1800)  # a compiler, on a machine that may be busy
def test_a_compiled_wheel_in_a_clean_environment_says_so_and_writes_the_same_books(tmp_path: Path) -> None:
    python = _clean_python(tmp_path, wheel(tmp_path))
    findings = json.loads(_told([python, "-m", "shuffler", "doctor", "--json"], tmp_path))
    (said,) = (one["said"] for one in findings if one["what"] == "build")
    assert said == f"compiled: {len(MODULES)} of {len(MODULES)} modules"
    assert _told([python, "-c", PLAY], tmp_path) == _told([sys.executable, "-c", PLAY], ROOT)


def _clean_python(folder: Path, built: Path) -> str:
    """A virtual environment with that wheel, and beside it what this one has installed."""
    home = folder / "venv"
    _told([sys.executable, "-m", "venv", "--without-pip", str(home)], folder)
    inside = home / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    beside = dict.fromkeys(str(Path(module.__file__ or "").parent.parent) for module in (pytest, construct))
    (inside / "beside.pth").write_text("\n".join(beside), encoding="utf-8")
    python = str(home / "bin" / "python")
    install = ["install", "-q", "--no-deps", "--no-index", str(built)]
    _told([sys.executable, "-m", "pip", "--python", python, *install], folder)
    return python


def _told(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
