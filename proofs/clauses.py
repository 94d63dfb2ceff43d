"""Which test shows which clause of the rule documents; the table of docs/rules.md is made from it."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests" / "round_engine"
CLAUSES = TESTS / "clauses" / "clauses.toml"


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One clause of the documents."""

    id: str
    about: str
    engine: bool
    why: str


def clauses() -> dict[str, list[Clause]]:
    """The clauses of each document, by its title."""
    data = tomllib.loads(CLAUSES.read_text(encoding="utf-8"))
    titles, shared = data["documents"], data["south-dakota"]
    by_number = {"000": shared, "001": {**shared, **data["only-001"]}}
    by_number |= {number: data[number] for number in ("002", "003", "004")}
    return {
        f"{number}: {titles[number]}": [
            Clause(
                id=f"{number} {name}",
                about=entry["about"],
                engine=entry.get("engine", True),
                why=entry.get("why", ""),
            )
            for name, entry in entries.items()
        ]
        for number, entries in by_number.items()
    }


class _Collector:
    """A pytest plugin that only looks."""

    def __init__(self) -> None:
        self.tests: dict[str, set[str]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            name = f"{item.path.stem}::{item.name.split('[')[0]}"
            for mark in item.iter_markers("clause"):
                for clause in mark.args:
                    self.tests.setdefault(clause, set()).add(name)


def collected() -> dict[str, set[str]]:
    """The tests of each clause that any test names."""
    collector = _Collector()
    quiet = ["-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    code = pytest.main(["--collect-only", *quiet, str(TESTS)], plugins=[collector])
    if code != 0:
        raise SystemExit(f"the tests cannot be collected (pytest says {code})")
    return collector.tests


def render(documents: dict[str, list[Clause]], tests: dict[str, set[str]]) -> str:
    """The tables, one a document."""
    lines: list[str] = []
    for title, entries in documents.items():
        shown = sum(one.engine for one in entries)
        lines += [f"### {title}", "", f"{len(entries)} clauses, {shown} of them an engine's.", ""]
        lines += ["| clause | about | tests |", "|---|---|---|"]
        for one in entries:
            names = "<br>".join(f"`{name}`" for name in sorted(tests.get(one.id, ()))) or f"not the engine's: {one.why}"
            lines.append(f"| {one.id} | {one.about} | {names} |")
        lines.append("")
    return "\n".join(lines).rstrip()


def problems(documents: dict[str, list[Clause]], tests: dict[str, set[str]]) -> list[str]:
    """What is wrong with the clauses and the tests themselves."""
    known = {one.id: one for entries in documents.values() for one in entries}
    found = [f"no test shows {one.id}" for one in known.values() if one.engine and one.id not in tests]
    not_ours = [one for one in known.values() if not one.engine]
    found += [f"{one.id} has tests, but is said to be no engine's" for one in not_ours if one.id in tests]
    found += [f"{one.id} gives no reason" for one in not_ours if not one.why]
    found += [f"a test names {name}, which is no clause" for name in tests if name not in known]
    return found
