"""Proof: every byte of a small memory flipped, zeroed and cut in turn is said to be damaged, or changes nothing.

A damage is harmless only where every value is read as it was written. Else it is MEMORY_CORRUPT, or, at the end, an
unsound tail: then what is left is a state that the device had committed before, a new epoch begins and the device deals
on. Every 64th of these is switched on and deals a round. Anything but an answer in the device's own words fails the
proof; so does a value that was never there.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterable

from firmware_sim.errors import DeviceError, MemoryCorrupt
from firmware_sim.program.memory_format import Changes
from firmware_sim.program.nvstore import NvStore, VolatileMedium
from firmware_sim.unit.seal import SealingKey
from proofs import evidence
from proofs.journal_flips import KINDS, damaged
from proofs.table import Table, build, objections
from randomness import seeded_source

PROFILE = "i-deal-style"
KEY = bytes(range(32))
DEAL_EVERY = 64


class Remembering(VolatileMedium):
    """Keeps every state of the bytes that was ever committed."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[bytes] = []

    def append(self, data: bytes) -> None:
        super().append(data)
        self.states.append(self.read())

    def replace(self, data: bytes) -> None:
        super().replace(data)
        self.states.append(self.read())


def values(data: bytes, key: bytes | None) -> Changes:
    """What a device would read; raises MemoryCorrupt where it is damaged."""
    sealing = None if key is None else SealingKey(key, seeded_source(1).generate)
    store = NvStore(VolatileMedium(data), sealing)
    return {name: store.get(name) for name in store.keys("")}


def small_memory(key: bytes | None) -> Remembering:
    """One round of two seats, and the next deck ready."""
    medium = Remembering()
    table = Table(build(PROFILE, memory_key=key), medium=medium, seats=0b11)
    table.play_rounds(1)
    return medium


def run(key: bytes | None, places: Iterable[int] | None = None) -> tuple[Counter[str], list[str], int]:
    """Try every place, or those given; what came of it, what is wrong, and the memory's size."""
    medium = small_memory(key)
    data = medium.read()
    whole = values(data, key)
    earlier = [values(state, key) for state in medium.states]
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    for at in range(len(data)) if places is None else places:
        for kind in KINDS:
            if at >= len(data) or (kind == "zeroed" and not data[at]):
                continue
            try:
                outcome = _tried(damaged(data, kind, at), key, whole, earlier, deals=not at % DEAL_EVERY)
            except DeviceError as problem:
                outcome = "said to be " + ("corrupt" if isinstance(problem, MemoryCorrupt) else "another device's")
            except Exception as problem:
                outcome = "traceback"
                wrong.append(f"byte {at} {kind}: {problem!r}")
            if outcome.startswith("silently"):
                wrong.append(f"byte {at} {kind}: {outcome}")
            outcomes[f"{kind}: {outcome}"] += 1
    return outcomes, wrong, len(data)


def _tried(data: bytes, key: bytes | None, whole: Changes, earlier: list[Changes], *, deals: bool) -> str:
    found = values(data, key)
    if found == whole:
        return "harmless"
    unsound = found.pop("unsound", None)
    if found and found not in earlier:
        return "silently other"
    if unsound is None and data:
        return "a whole earlier state, for the host to find" if found in earlier else "silently other"
    if not deals:
        return "an unsound end, dropped"
    made = build(PROFILE, memory_key=key, session_seed=None)  # an epoch that is new in truth
    table = Table(made, medium=VolatileMedium(data), seats=0b11)
    table.play_rounds(1)
    if table.emulator.device.events.epoch == whole["epoch"] or _wrong(table):
        return "silently other when it is switched on"
    return "an unsound end, dropped; a new epoch, and a round dealt"


def _wrong(table: Table) -> list[str]:
    """What is wrong with the story; a host that is new here lacks what waited in the former epoch."""
    first = next((at for at, event in enumerate(table.events) if event.number == 1), 0)
    table.events = table.events[first:]
    return objections(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="try every n-th byte")
    options = parser.parse_args()
    started = time.perf_counter()
    lines, problems = [], []
    for name, key in (("open", None), ("sealed", KEY)):
        size = len(small_memory(key).read())
        outcomes, wrong, size = run(key, range(0, size + 4096, options.every))
        problems += wrong
        lines += [f"Every {options.every}. byte of a memory of {size:,} bytes, {name}:", ""]
        lines += [f"- {what}: {count:,}" for what, count in sorted(outcomes.items())]
        lines.append(f"- read as something else, or a traceback: {len(wrong)}\n")
    lines.append(f"{time.perf_counter() - started:.0f} s")
    print("\n".join(lines), *problems[:20], sep="\n")
    evidence.record("memory-flips", command="make proof-memory-flips", seed=1, body="\n".join(lines))
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()
