"""The claim: a faster program writes the same books. Events, moves and settlements, played from the same seeds.

Tables of every profile and every rule set, without faults and with every kind of fault, are played in virtual time,
and everything that goes into their books is hashed. `--write FILE` keeps the hashes of one version; `--against FILE`
compares another version with them. What the entries say is hashed, not how their types are built. Left out are the
device's clock (`time_ms`) and the host's numbering of its own commands: they follow the number of frames, which may
change.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from proofs import evidence
from round_engine.rules.rulebook import RULE_SETS
from round_engine.rules.rulebook import load as load_rules
from shuffler.journal.entries import CommandKept, CommandSettled, DeviceSaid, Entry, RequestsReserved
from shuffler.table.players import seated
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.soak.table import Soak

TABLES = (  # a dealing shoe deals one card at a time, which not every rule set allows
    ("i-deal-style", RULE_SETS),
    ("i-deal-plus-style", RULE_SETS),
    ("ace-style", RULE_SETS),
    ("dealing-shoe", ("south-dakota", "south-dakota-2015")),
)
RATES = (0.0, 0.05)
SEATS = 7
ROUNDS = 2_000
KNOWN = Path(__file__).parent.parent / "tests" / "data" / "same_books.json"  # `--rounds 40` at version 0.2.0
FREE = (CommandKept, CommandSettled, RequestsReserved)
SEED = 41


@dataclass(frozen=True, slots=True)
class Case:
    """One table."""

    profile: str
    rules: str
    rate: float

    @property
    def name(self) -> str:
        return f"{self.profile}, {self.rules}, {'faults' if self.rate else 'no faults'}"


@dataclass(frozen=True, slots=True)
class Written:
    """What went into a table's books."""

    rounds: int
    entries: int
    digest: str


def cases() -> Iterator[Case]:
    """Every profile under every rule set that it can deal, with faults and without."""
    for profile, rule_sets in TABLES:
        for rules in rule_sets:
            for rate in RATES:
                yield Case(profile, rules, rate)


def plain(value: Any) -> Any:
    """What a value says, however its type is built: names and numbers; what is absent, empty or zero is left out."""
    if isinstance(value, Enum):
        return str(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        said: dict[str, Any] = {}
        for field in fields(value):
            part = getattr(value, field.name)
            if field.name == "stakes":
                said |= {str(name): plain(cents) for name, cents in part.items() if cents}
            elif part is not None and part not in (0, "", (), False):
                said[field.name] = plain(part)
        return [type(value).__name__, sorted(said.items())]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [type(value).__name__, [plain(part) for part in value]]
    if isinstance(value, Mapping):
        return sorted((str(plain(name)), plain(part)) for name, part in value.items())
    if isinstance(value, tuple | list | set | frozenset):
        return [plain(part) for part in value]
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, bool) or value is None else str(value)


def play(case: Case, rounds: int) -> Written:
    """Play one table and hash its books."""
    digest, entries = sha256(), 0

    def read_along(written: Sequence[Entry]) -> None:
        nonlocal entries
        for entry in written:
            if isinstance(entry, FREE):
                continue
            if isinstance(entry, DeviceSaid):
                entry = replace(entry, event=replace(entry.event, time_ms=0))
            digest.update(json.dumps(plain(entry)).encode() + b"\n")
            entries += 1

    books = MemoryBooks()
    books.listeners.append(read_along)
    build = Build(profile=load_profile(case.profile), serial="SB-SAME", seed=SEED)
    bots = seated("Q-6-4", SEATS)
    rules = load_rules(case.rules, changes={"house": {"limit_ceiling": "$300"}})
    soak = Soak(rules, books, bots, build, seed=SEED, rate=case.rate)
    soak.run(rounds)
    return Written(rounds, entries, digest.hexdigest())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of each table")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", type=Path, help="keep the hashes here")
    parser.add_argument("--against", type=Path, help="compare with the hashes that are here")
    options = parser.parse_args()
    start, chosen = time.monotonic(), list(cases())
    with ProcessPoolExecutor(options.processes) as pool:
        played = list(pool.map(play, chosen, [options.rounds] * len(chosen)))
    found = {case.name: [one.rounds, one.entries, one.digest] for case, one in zip(chosen, played, strict=True)}
    print(f"{len(found)} tables in {time.monotonic() - start:.0f} s")
    if options.write:
        kept = {"commit": evidence.commit(), "tables": found}
        options.write.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if options.against:
        kept = json.loads(options.against.read_text(encoding="utf-8"))
        differing = [name for name, row in kept["tables"].items() if found.get(name) != row]
        entries = sum(one.entries for one in played)
        lines = [
            f"Books of this version against those of commit {kept['commit']}: {len(found)} tables of "
            f"{options.rounds:,} rounds, {entries:,} entries, {len(differing)} tables differ.",
            "",
            "| table | entries | SHA-256 of the books | |",
            "|---|---:|---|---|",
            *(f"| {name} | {row[1]:,} | {row[2][:16]}… | {'differs' if name in differing else 'the same'} |"
              for name, row in found.items()),
        ]  # fmt: skip
        print(*lines, sep="\n")
        command = f"python -m proofs.same_books --rounds {options.rounds} --against FILE"
        evidence.record("same-books", command=command, seed=SEED, body="\n".join(lines))
        raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
