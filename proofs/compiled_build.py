"""The compiled build in a scratch copy, so that nothing compiled lies among the sources: `make compiled`.

The wheel is installed in a clean environment, where the doctor must say that it is compiled and a table must write the
books that pure Python writes. Then a copy of the sources gets the wheel unpacked over it, and the quick tests of the
rooms that are compiled run there.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

from shuffler.cli.compiled import MODULES

ROOT = Path(__file__).parent.parent
ROOMS = ("strict_toml", "protocol", "randomness", "round_engine", "firmware_sim", "shuffler")
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "MANIFEST.in")
BESIDE = ("tests", "proofs", "benchmarks", "docs", "examples")
TESTS = (
    "tests/protocol",
    "tests/firmware_sim",
    "tests/round_engine",
    "tests/shuffler/host",
    "tests/shuffler/journal",
    "tests/shuffler/table",
    "tests/shuffler/virtual",
    "tests/shuffler/cli/test_doctor.py",
    "tests/test_compiled.py",
)
PLAY = """\
from hashlib import sha256

from firmware_sim.machine.profile import load
from firmware_sim.unit.emulator import Build
from round_engine.rules.rulebook import load as load_rules
from round_engine.table import Table
from shuffler.virtual.memory_books import MemoryBooks
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
BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"


def wheel(folder: Path) -> Path:
    """The wheel of the compiled build, made in a folder that is kept; needs mypy and a C compiler."""
    copy_sources(folder / "source", ROOMS)
    environment = {**os.environ, "SHUFFLER_COMPILED": "1"}
    told = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)],
        cwd=folder / "source", env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if told.returncode != 0:
        raise RuntimeError(told.stdout + told.stderr)
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        if not any(name.endswith(".so") for name in archive.namelist()):
            raise RuntimeError("nothing was compiled: a C compiler is needed")
    return built


def copy_sources(target: Path, folders: tuple[str, ...]) -> None:
    """What a build needs, and those folders, without what was compiled or cached before."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    for name in folders:
        shutil.copytree(ROOT / name, target / name, ignore=ignored)
    for name in FILES:
        shutil.copy(ROOT / name, target)


def unpack(built: Path, target: Path) -> None:
    """A wheel's files into a folder, over what lies there."""
    with zipfile.ZipFile(built) as archive:
        archive.extractall(target)


def tried(built: Path, folder: Path) -> None:
    """The wheel in an environment of its own: the doctor's word, and a table's books against those of pure Python."""
    python = _clean_python(folder, built)
    findings = json.loads(_told([python, "-m", "shuffler", "doctor", "--json"], folder))
    (said,) = (one["said"] for one in findings if one["what"] == "build")
    if said != f"compiled: {len(MODULES)} of {len(MODULES)} modules":
        raise RuntimeError(f"the doctor says of the compiled wheel: {said}")
    if (books := _told([python, "-c", PLAY], folder)) != (pure := _told([sys.executable, "-c", PLAY], ROOT)):
        raise RuntimeError(f"the compiled build writes other books: {books}, pure Python {pure}")
    print(f"{said}; the same books as pure Python: {books.strip()}", flush=True)


def _clean_python(folder: Path, built: Path) -> str:
    """A virtual environment with that wheel, and beside it what this one has installed."""
    home = folder / "venv"
    _told([sys.executable, "-m", "venv", "--without-pip", str(home)], folder)
    inside = home / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    beside = {str(Path(found.origin).parent.parent) for name in ("pip", "construct")
              if (found := find_spec(name)) is not None and found.origin is not None}  # fmt: skip
    (inside / "beside.pth").write_text("\n".join(beside), encoding="utf-8")
    python = str(home / "bin" / "python")
    _told([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--ignore-installed", str(built)], folder)
    return python


def _told(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "compiled", help="where; it is emptied first")
    parser.add_argument("tests", nargs="*", default=TESTS, help="what pytest runs with the compiled build")
    given = parser.parse_args()
    folder = given.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    built = wheel(folder)
    tried(built, folder)
    copy = folder / "copy"
    copy_sources(copy, (*ROOMS, *BESIDE))
    unpack(built, copy)
    print(f"{built}\ntests run in {copy}", flush=True)
    chosen = ["-m", "not slow and not needs", "-q", "-p", "no:cacheprovider", "-n", "auto"]
    environment = {**os.environ, "PYTHONPATH": str(copy), "SHUFFLER_COMPILED": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *chosen, *given.tests], cwd=copy, env=environment, check=False
    )
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
