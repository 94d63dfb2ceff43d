"""The compiled build in a scratch copy, so that nothing compiled lies among the sources: `make compiled`.

The copy gets the wheel unpacked over its sources, and then runs the quick tests of the rooms that are compiled.
"""

import argparse
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "compiled", help="where; it is emptied first")
    parser.add_argument("tests", nargs="*", default=TESTS, help="what pytest runs with the compiled build")
    given = parser.parse_args()
    folder = given.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    built = wheel(folder)
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
