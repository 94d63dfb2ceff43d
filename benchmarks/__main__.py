"""`make bench`: run every `bench_*.py` here and write one page of ratios. `python -m benchmarks NAME…` runs a few."""

import argparse
import importlib
import platform
from pathlib import Path

from benchmarks import Section

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
SECTIONS = HERE.parent / "docs" / "benchmarks"


def render(section: Section) -> str:
    head = f"## {section.title}\n\n{section.note.strip()}\n\n" if section.note else f"## {section.title}\n\n"
    rows = ["| " + " | ".join(section.columns) + " |", "|" + "---|" * len(section.columns)]
    rows += ["| " + " | ".join(row) + " |" for row in section.rows]
    return head + "\n".join(rows) + "\n"


def main() -> None:
    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(description="Run benchmarks; each compares product and peer in one run.")
    parser.add_argument("names", nargs="*", help=f"which to run: {', '.join(names)} (all)")
    chosen = parser.parse_args().names or names
    if unknown := sorted(set(chosen) - set(names)):
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(names)}")
    SECTIONS.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        text = "\n".join(render(section) for section in importlib.import_module(f"benchmarks.bench_{name}").run())
        print(text)
        (SECTIONS / f"{name}.md").write_text(text, encoding="utf-8")
    intro = (
        "# Benchmarks\n\nProduct and peer side by side in one run, on one machine: read the ratios, not the absolute "
        f"figures. `make bench` writes this page.\n\nPython {platform.python_version()}, {platform.machine()}.\n\n"
    )
    parts = [path.read_text(encoding="utf-8") for path in sorted(SECTIONS.glob("*.md"))]
    PAGE.write_text(intro + "\n".join(parts), encoding="utf-8")
    print(f"written to {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
