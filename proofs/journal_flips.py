"""Proof: every byte of a small journal flipped, zeroed and cut in turn is said to be corrupt, or changes nothing.

A damage is harmless only where every entry is read as it was written and the chain holds; every eighth of these is also
opened for writing and continued. Anything but an answer in the journal's own words fails the proof.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from proofs import evidence
from round_engine.rules.rulebook import load
from shuffler.journal import JournalError, SqliteJournal, read, verify
from shuffler.journal.entries import Remark
from shuffler.journal.restart import reopen
from shuffler.table.players import seated
from shuffler.virtual.table import VirtualTable, quick

RULES = load("south-dakota")
KINDS = ("flipped", "zeroed", "cut")
CONTINUE_EVERY = 8


def small_journal(path: Path) -> None:
    """One round of one seat, closed in good order."""
    with closing(SqliteJournal(path, clock=lambda: "2026-01-01", settings={"rules": "south-dakota"})) as books:
        opened = reopen(books, RULES)
        build = quick(Build(profile=load_profile("i-deal-style"), serial="F", seed=2))
        table = VirtualTable(opened.table, books, seated("Q-6-4", 1), build)
        table.play(1)
        table.desk.leave("the end")


def damaged(data: bytes, kind: str, at: int) -> bytes:
    """The file after one accident."""
    if kind == "cut":
        return data[:at]
    return data[:at] + (b"\0" if kind == "zeroed" else bytes([data[at] ^ 0xFF])) + data[at + 1 :]


def run(folder: Path, places: Iterable[int] | None = None) -> tuple[Counter[str], list[str], int]:
    """Try every place, or those given; what came of it, what is wrong, and the file's size."""
    good, path = folder / "good.db", folder / "damaged.db"
    small_journal(good)
    data = good.read_bytes()
    written = [record.entries for record in read(good)]
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    for at in range(len(data)) if places is None else places:
        for kind in KINDS:
            if at >= len(data) or (kind == "zeroed" and not data[at]):
                continue
            path.write_bytes(damaged(data, kind, at))
            try:
                outcome = _tried(path, written, go_on=not at % CONTINUE_EVERY)
            except Exception as problem:
                outcome = "traceback"
                wrong.append(f"byte {at} {kind}: {problem!r}")
            if outcome == "silently other":
                wrong.append(f"byte {at} {kind}: read as something else")
            outcomes[f"{kind}: {outcome}"] += 1
            for left in folder.glob("damaged.db*"):
                left.unlink()
    return outcomes, wrong, len(data)


def _tried(path: Path, written: list[object], *, go_on: bool) -> str:
    try:
        found = [record.entries for record in read(path)]
        if verify(path).problem:
            return "said to be corrupt"
    except JournalError:
        return "said to be corrupt"
    if found != written:
        return "silently other"
    if not go_on:
        return "harmless"
    try:
        with closing(SqliteJournal(path, clock=lambda: "2026-01-02")) as books:
            reopen(books, RULES)
            books.write([Remark("", "a", "going on")])
            books.flush()
        if verify(path).problem:
            return "silently other"
    except JournalError:
        return "said to be corrupt when it is written to"
    return "harmless, and continued"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="try every n-th byte")
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        small_journal(Path(folder) / "size.db")
        size = (Path(folder) / "size.db").stat().st_size
        outcomes, wrong, size = run(Path(folder), range(0, size + 4096, options.every))
    lines = [
        f"Every {options.every}. byte of a journal of {size:,} bytes:" if options.every > 1 else
        f"Every byte of a journal of {size:,} bytes:",
        "",
        *(f"- {name}: {count:,}" for name, count in sorted(outcomes.items())),
        f"- read as something else, or a traceback: {len(wrong)}",
        f"- {time.perf_counter() - started:.0f} s",
    ]  # fmt: skip
    print("\n".join(lines), *wrong[:20], sep="\n")
    evidence.record("journal-flips", command="make proof-journal-flips", seed="none", body="\n".join(lines))
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
