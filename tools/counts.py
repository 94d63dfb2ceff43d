"""Count what a change should make smaller: calls of a round, pass-through members, `Any`, lines of code."""

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from types import FrameType
from typing import NamedTuple

from firmware_sim.machine.profile import load
from firmware_sim.unit.emulator import Build
from round_engine.round.operations import DealGroup
from round_engine.table import Table
from shuffler.journal.entries import Entry, Operated
from shuffler.table.players import seated
from shuffler.table.rule_names import rules_by_name
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.table import VirtualTable, quick

ROOT = Path(__file__).resolve().parent.parent
ROOMS = (
    "protocol",
    "firmware_sim",
    "round_engine",
    "strict_toml",
    *(f"shuffler/{folder}" for folder in ("host", "table", "journal", "transports", "virtual", "meters")),
)
TABLE = str(ROOT / "shuffler/table")
WARM_UP = 30
ROUNDS = 21


class Round(NamedTuple):
    """Calls of our own functions in one virtual round: in all, and from its wagers to its first booked group."""

    all: int
    to_first_group: int


def calls(seats: int) -> Round:
    """The median over some rounds of a table with a device, a wire and a journal in memory."""
    build = quick(Build(profile=load("i-deal-style"), serial="COUNT", seed=1))
    rules = rules_by_name("light-and-wonder")
    table = VirtualTable(Table(rules), MemoryBooks(), seated("Q-6-4", seats), build, seed=1)
    table.play(WARM_UP)
    found = [_calls_of(table) for _ in range(ROUNDS)]
    return Round(int(median(one.all for one in found)), int(median(one.to_first_group for one in found)))


def _calls_of(table: VirtualTable) -> Round:
    count, opened, first = 0, 0, 0
    ours = tuple(str(ROOT / room) for room in ROOMS)

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal count, opened, first
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ours):
            count += 1
            if code.co_name == "open_round" and code.co_filename.startswith(TABLE):
                opened, first = count, 0
            elif code.co_qualname == "MemoryBooks.write" and not first and _books_a_group(frame.f_locals["entries"]):
                first = count

    sys.setprofile(watch)
    try:
        table.play(1)
    finally:
        sys.setprofile(None)
    return Round(count, first - opened)


def _books_a_group(entries: Sequence[Entry]) -> bool:
    return any(isinstance(one, Operated) and isinstance(one.operation, DealGroup) for one in entries)


# ------------------------------------------------------------------------------------------------------------- sources


def sources() -> Iterator[Path]:
    """Every Python file of the rooms."""
    for room in ROOMS:
        yield from sorted((ROOT / room).rglob("*.py"))


def pass_through(source: str) -> Iterator[str]:
    """Members whose one line forwards to an attribute of a part: `self.part.x`, or `self.part.x(its arguments)`."""
    for kind in ast.walk(ast.parse(source)):
        if isinstance(kind, ast.ClassDef):
            for member in kind.body:
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and _forwards(member):
                    yield f"{kind.name}.{member.name}"


def _forwards(member: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    body = member.body[1:] if ast.get_docstring(member) is not None else member.body
    if len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr):
        return False
    value = body[0].value
    if isinstance(value, ast.Await):
        value = value.value
    if isinstance(value, ast.Call):
        given = [*value.args, *(keyword.value for keyword in value.keywords)]
        bare = [one.value if isinstance(one, ast.Starred) else one for one in given]
        return _of_a_part(value.func) and all(isinstance(one, ast.Name) for one in bare)
    return _of_a_part(value)


def _of_a_part(value: ast.AST | None) -> bool:
    """`self.part.x`, at any depth."""
    depth = 0
    while isinstance(value, ast.Attribute):
        depth, value = depth + 1, value.value
    return depth >= 2 and isinstance(value, ast.Name) and value.id == "self"


def main() -> None:
    """Print every count, or list the pass-through members."""
    parser = argparse.ArgumentParser(prog="python -m tools.counts", description=__doc__)
    parser.add_argument("--list", action="store_true", help="list the pass-through members, file by file")
    parser.add_argument("--seats", type=int, default=1, choices=range(1, 8), help="seats of the round (default 1)")
    chosen = parser.parse_args()
    texts = {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in sources()}
    members = [(path, name) for path, text in texts.items() for name in pass_through(text)]
    if chosen.list:
        for path, name in members:
            print(f"{path}: {name}")
        return
    of_a_round = calls(chosen.seats)
    rows = (
        (f"calls of a virtual round with {chosen.seats} seat(s)", of_a_round.all),
        ("calls from open_round to the first booked group", of_a_round.to_first_group),
        ("pass-through members", len(members)),
        ("Any", sum(len(re.findall(r"\bAny\b", text)) for text in texts.values())),
        ("lines", sum(text.count("\n") for text in texts.values())),
    )
    for name, figure in rows:
        print(f"{name:<50} {figure:>7,}")


if __name__ == "__main__":
    main()
