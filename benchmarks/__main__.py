"""`make bench`: run every `bench_*.py` here and write one page of ratios. `python -m benchmarks NAME…` runs a few.

With `--compiled` they run on the compiled build, made in a scratch folder, and stand beside those of pure Python.
"""

import argparse
import importlib
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import Section
from proofs.compiled_build import unpack, wheel
from shuffler.cli.compiled import build, compiled_modules

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
SECTIONS = HERE.parent / "docs" / "benchmarks"


def render(section: Section) -> str:
    head = f"## {section.title}\n\n{section.note.strip()}\n\n" if section.note else f"## {section.title}\n\n"
    rows = ["| " + " | ".join(section.columns) + " |", "|" + "---|" * len(section.columns)]
    rows += ["| " + " | ".join(row) + " |" for row in section.rows]
    return head + "\n".join(rows) + "\n"


def as_compiled(section: Section) -> Section:
    """What is compared stands in the section of pure Python."""
    note = f"Measured as above, {build()}; everything else is pure Python here, too."
    return replace(section, title=f"{section.title}, compiled build", note=note)


def run_compiled(names: Sequence[str]) -> int:
    """The same with the compiled build before the sources; returns its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "unpacked"
        try:
            unpack(wheel(Path(folder)), unpacked)
        except RuntimeError as problem:
            sys.exit(f"the compiled build can't be built here: {str(problem).splitlines()[-1]}")
        paths = {"PYTHONPATH": os.pathsep.join((str(unpacked), str(HERE.parent)))}
        command = [sys.executable, "-m", "benchmarks", "--compiled", *names]
        return subprocess.run(command, cwd=unpacked, env={**os.environ, **paths}, check=False).returncode


def main() -> None:
    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(description="Run benchmarks; each compares product and peer in one run.")
    parser.add_argument("names", nargs="*", help=f"which to run: {', '.join(names)} (all)")
    parser.add_argument("--compiled", action="store_true", help="on the compiled build; needs a C compiler")
    given = parser.parse_args()
    chosen = given.names or names
    if unknown := sorted(set(chosen) - set(names)):
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(names)}")
    if given.compiled and not compiled_modules():
        sys.exit(run_compiled(chosen))
    SECTIONS.mkdir(parents=True, exist_ok=True)
    page = "-compiled" if compiled_modules() else ""
    for name in chosen:
        sections: list[Section] = importlib.import_module(f"benchmarks.bench_{name}").run()
        text = "\n".join(render(as_compiled(section) if page else section) for section in sections)
        print(text)
        (SECTIONS / f"{name}{page}.md").write_text(text, encoding="utf-8")
    intro = (
        "# Benchmarks\n\nProduct and peer side by side in one run, on one machine: read the ratios, not the absolute "
        f"figures. `make bench` writes this page.\n\nPython {platform.python_version()}, {platform.machine()}.\n\n"
    )
    parts = [path.read_text(encoding="utf-8") for path in sorted(SECTIONS.glob("*.md"), key=lambda path: path.stem)]
    PAGE.write_text(intro + "\n".join(parts), encoding="utf-8")
    print(f"written to {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
