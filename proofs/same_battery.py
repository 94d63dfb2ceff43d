"""The same battery: counts, p-values and verdicts on recorded runs of every kind of deck, to compare two source trees.

`python -m proofs.same_battery record FILE` counts and judges the runs and writes what came out; `compare ONE TWO` lists
the tests whose counts, p-values or verdicts differ. The runs depend on their number alone, so a file that an earlier
tree wrote can be compared with one of this tree: run `PYTHONPATH=. python /path/to/proofs/same_battery.py record FILE`
in the earlier tree.
"""

import argparse
import gzip
import hashlib
import importlib
import inspect
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import randomness.decks as decks_package
from randomness.decks.kinds import DeckKind, deck_kind

RUNS = 200
LEVEL = 0.01
NEAR = 1e-6
"""P-values agree when their logarithms do to this part."""
KINDS: dict[str, DeckKind] = {
    "52": deck_kind(52),
    "36": deck_kind(36),
    "54": deck_kind(54),
    "54 alike": deck_kind(54, jokers_alike=True),
    "48 in fives": deck_kind(48, group=5, seats=6, dealer=False),
    "6 x 52": deck_kind(52, shoe=6),
    "2 x 52 apart": deck_kind(52, shoe=2, told_apart=True),
}
INPUTS = ("one", "reversed", "chained", "each", "none")
DEFECTS = ("none", "sticky", "kept", "favoured")

Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """One run: its kind of deck, where decks start from, what is wrong with them, and how many there are."""

    number: int
    kind: str
    inputs: str
    defect: str
    decks: int


def recorded(runs: int) -> Iterator[Recorded]:
    """Half of them standard decks; a quarter of each kind without a defect."""
    others = [name for name in KINDS if name != "52"]
    for number in range(runs):
        standard = number % 2 == 0
        half = number // 2
        kind = "52" if standard else others[half % len(others)]
        decks = (9_000, 6_000, 14_000)[half % 3] if standard else (2_100 if KINDS[kind].cards > 60 else 3_000)
        yield Recorded(
            number=number, kind=kind, inputs=INPUTS[half % len(INPUTS)], defect=DEFECTS[half // 5 % len(DEFECTS)],
            decks=decks,
        )  # fmt: skip


def rows_of(run: Recorded) -> tuple[Rows, Rows | None]:
    """Codes of decks and of the orders they came from."""
    kind, chance = KINDS[run.kind], np.random.default_rng([20_261_118, run.number])
    n = kind.cards
    moves = np.argsort(chance.random((run.decks, n)), axis=1)
    if run.defect == "sticky":
        for row in np.flatnonzero(chance.random(run.decks) < 0.3):
            at = int(np.flatnonzero(moves[row] == 5)[0])
            rest = np.delete(moves[row], at)
            moves[row] = np.insert(rest, int(np.flatnonzero(rest == 4)[0]) + 1, 5)
    if run.defect == "favoured":
        for row in np.flatnonzero(chance.random(run.decks) < 0.05):
            at = int(np.flatnonzero(moves[row] == 7)[0])
            moves[row, [3, at]] = moves[row, [at, 3]]
    if run.defect == "kept":
        for row in np.flatnonzero(chance.random(run.decks) < 0.2):
            at = int(np.flatnonzero(moves[row] == 9)[0])
            moves[row, [9, at]] = moves[row, [at, 9]]
    codes = np.asarray(kind.factory, np.int64)
    if run.inputs == "one":
        return codes[moves], codes
    if run.inputs == "reversed":
        return codes[::-1][moves], codes[::-1].copy()
    if run.inputs == "chained":
        order, out = codes.copy(), np.empty((run.decks + 1, n), np.int64)
        out[0] = order
        for row, move in enumerate(moves):
            out[row + 1] = out[row][move]
        return out[1:], out[:-1]
    if run.inputs == "each":
        orders = codes[np.argsort(chance.random((run.decks, n)), axis=1)]
        return np.take_along_axis(orders, moves, axis=1), orders
    return codes[moves], None


def battery_of(kind: DeckKind) -> Any:
    """Of this tree, or of an earlier one that had a second battery for other decks."""
    if "kind" in inspect.signature(decks_package.DeckBattery).parameters:
        return decks_package.DeckBattery(kind=kind, first_row=1)
    earlier = importlib.import_module("randomness.decks.general").battery_of
    return earlier(kind, decks_package.DECK_TESTS, planned=None, first_row=1, first_segment=0)


def judged(run: Recorded) -> dict[str, Any]:
    """Counts as digests by tally, then of each test outcome, p-value and what it counted; and the verdict."""
    kind = KINDS[run.kind]
    rows, orders = rows_of(run)
    dtype = np.uint8 if kind.cards == 52 else np.int64
    battery = battery_of(kind)
    third = run.decks // 3
    for start in range(0, run.decks, third):
        part = None if orders is None else (orders if orders.ndim == 1 else orders[start : start + third])
        battery.update(rows[start : start + third].astype(dtype), None if part is None else part.astype(dtype))
    tallies = battery.tallies
    counts = {
        name: [int(tallies.decks[name]), hashlib.sha256(np.asarray(cells, np.int64).tobytes()).hexdigest()[:16]]
        for name, cells in tallies.cells.items()
    }
    results = {
        one.test: {"outcome": one.outcome.value, "p": one.p, "statistic": one.statistic, "samples": one.samples,
                   "unmet": list(one.unmet), "places": [finding.place for finding in one.findings]}
        for one in battery.evaluate()
    }  # fmt: skip
    made = sorted((one["p"], name) for name, one in results.items() if one["p"] is not None)
    rejected = []
    for place, (p, name) in enumerate(made):
        if p * (len(made) - place) > LEVEL:
            break
        rejected.append(name)
    return {"run": vars(run), "counts": counts, "results": results, "rejected": sorted(rejected)}


def record(path: Path, runs: int) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for run in recorded(runs):
            out.write(json.dumps(judged(run)) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _close(one: float, two: float) -> bool:
    first, second = (float(np.log(max(p, 1e-300))) for p in (one, two))
    return abs(first - second) <= NEAR * max(1.0, -first)


def compare(one: Path, two: Path) -> list[str]:
    """Every kind of difference, with the runs that show it and their kinds of deck."""
    found: dict[str, Counter[str]] = {}
    same = agree = verdicts = runs = 0
    for before, after in zip(read(one), read(two), strict=True):
        if before["run"] != after["run"]:
            raise ValueError(f"run {before['run']['number']} is not the same in both files")
        runs += 1
        kind = before["run"]["kind"]
        for name in sorted(before["counts"].keys() | after["counts"].keys()):
            left, right = before["counts"].get(name), after["counts"].get(name)
            if left == right or (left and right and left[0] == right[0] == 0):
                same += 1
            else:
                how = "only after" if left is None else "only before" if right is None else "differ"
                found.setdefault(f"counts of {name} {how}", Counter())[kind] += 1
        for name in sorted(before["results"].keys() | after["results"].keys()):
            first, second = before["results"].get(name), after["results"].get(name)
            if first is None or second is None:
                found.setdefault(f"{name} only {'after' if first is None else 'before'}", Counter())[kind] += 1
            elif first["outcome"] != second["outcome"]:
                how = f"{name}: {first['outcome']} before, {second['outcome']} after"
                found.setdefault(how, Counter())[kind] += 1
            elif first["p"] is not None and not _close(first["p"], second["p"]):
                found.setdefault(f"p of {name} differs", Counter())[kind] += 1
            else:
                agree += 1
        verdicts += bool(before["rejected"]) == bool(after["rejected"])
    lines = [
        f"{what}: {', '.join(f'{kind} {many}×' for kind, many in sorted(kinds.items()))}"
        for what, kinds in sorted(found.items())
    ]
    return [*lines, f"{same} counts, {agree} results and the verdicts of {verdicts} of {runs} runs are the same"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args()
    if given.what == "record":
        record(given.files[0], given.runs)
    else:
        print("\n".join(compare(*given.files)))


if __name__ == "__main__":
    main()
