"""Any deck: the tests for other decks and shoes are calibrated, each catches a defect, whole runs keep their level.

Three parts, for several kinds of decks. Calibration: many samples of ideal decks, every test, distance of its p-values
from uniform and alarms at 1 %. Plants: every planted defect is found, and every test finds at least one of them. Runs:
whole certifications of files of ideal decks, and how many fail.

`python -m proofs.any_deck` runs in full and writes docs/evidence/any-deck.md; `--share 0.1` makes a tenth of the
samples and of the runs, and the record says so. `--keep FOLDER` writes finished parts down and goes on from there.
"""

import argparse
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proofs import evidence
from proofs.deck_plants import PLANTS, ideal
from proofs.plan_alarms import most_alarms
from proofs.uniformity import Spread, largest_distance, spread, tail_bounds
from randomness.certification import Recorded, RecordedSubject, Run, certify, load_plan, local_engine
from randomness.decks import DeckBattery, DeckTest, battery_tests
from randomness.decks.kinds import DeckKind, deck_kind
from randomness.kernels import make
from randomness.sources import make_source

SEED = 20_261_101
CAUGHT = 1e-4
"""A test catches a plant at this p-value."""
PLAN = "standard"
DECKS_PER_SHARD = 250
_WORD = re.compile(r"\w+")

P = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A kind of deck, how many samples of how many decks calibrate it, and how many whole runs are made on it."""

    name: str
    kind: DeckKind
    samples: int
    decks: int
    runs: int = 0
    run_decks: int = 3_000
    planted: bool = False


CASES = (
    Case(name="36 cards", kind=deck_kind(36), samples=400, decks=1_300, runs=100, planted=True),
    Case(name="54 cards", kind=deck_kind(54), samples=300, decks=1_300, runs=100, planted=True),
    Case(name="54 cards, jokers alike", kind=deck_kind(54, jokers_alike=True), samples=300, decks=1_500),
    Case(name="40 cards, 5 to 6 players, no dealer", kind=deck_kind(40, group=5, seats=6, dealer=False), samples=150,
         decks=2_100),
    Case(name="3 × 36 cards", kind=deck_kind(36, shoe=3), samples=200, decks=1_300),
    Case(name="6 × 52 cards", kind=deck_kind(52, shoe=6), samples=120, decks=1_300, runs=40, planted=True),
    Case(name="2 × 52 cards, told apart", kind=deck_kind(52, shoe=2, told_apart=True), samples=80, decks=1_300),
)  # fmt: skip
PLANTED_DECKS = 3_000


@dataclass(frozen=True, kw_only=True)
class Calibrated:
    """One kind: a spread for each test that was made, and the tests that were not."""

    case: Case
    spreads: tuple[Spread, ...]
    not_made: int


@dataclass(frozen=True, kw_only=True)
class Caught:
    """One kind: for each plant the tests that caught it, and the tests that caught nothing."""

    case: Case
    by_plant: dict[str, list[str]]
    idle: list[str]


@dataclass(frozen=True, kw_only=True)
class Alarms:
    """One kind: whole runs on ideal files, and how many failed."""

    case: Case
    runs: int
    failed: int
    level: float

    @property
    def most(self) -> int:
        return most_alarms(self.runs, self.level)


# ----- calibration ----------------------------------------------------------------------------------------------------


def ideal_decks(kind: DeckKind, decks: int, stream: int, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """From the product's own kernel and generator: codes of decks and of input orders, independent."""
    moves = make("ideal").permutations(kind.cards, 2 * decks, make_source("ctr", seed=seed, stream=stream))
    rows = kind.factory[moves]
    return rows[:decks], rows[decks:]


def p_values(job: tuple[DeckKind, int, range, int]) -> P:
    """A row for each sample, a column for each test; not a number where a test had too few decks."""
    kind, decks, samples, seed = job
    battery = DeckBattery(kind=kind)
    out = np.full((len(samples), len(battery.tests)), np.nan)
    for line, sample in enumerate(samples):
        battery.clear()
        battery.update(*ideal_decks(kind, decks, sample, seed))
        out[line] = [np.nan if (p := battery.p_value(test)) is None else p for test in battery.tests]
    return out


def _part(job: tuple[DeckKind, int, range, int], kept: Path | None) -> P:
    if kept is not None and kept.exists():
        return np.asarray(np.load(kept))
    made = p_values(job)
    if kept is not None:
        with kept.with_suffix(".new").open("wb") as out:
            np.save(out, made)
        kept.with_suffix(".new").rename(kept)
    return made


def calibrate(
    case: Case, samples: int, seed: int, processes: int, say: Callable[[str], None], keep: Path | None = None
) -> Calibrated:
    """Spread out over processes; every sample has a stream of its own."""
    size = max(1, min(10, samples // processes))
    parts = [range(start, min(start + size, samples)) for start in range(0, samples, size)]
    name = "-".join(_WORD.findall(case.name))
    files = [None if keep is None else keep / f"{name}-{case.decks}-{seed}-{part.start}-{part.stop}" for part in parts]
    began, done = time.monotonic(), []
    with ProcessPoolExecutor(processes) as pool:
        for part in pool.map(_part, [(case.kind, case.decks, part, seed) for part in parts], files):
            done.append(part)
            share = len(done) / len(parts)
            left = (time.monotonic() - began) * (1 / share - 1)
            say(f"  {case.name}: {share:4.0%} of {samples} samples, {left:4.0f} s left")
    table = np.concatenate(done)
    tests = [test.name for test in DeckBattery(kind=case.kind).tests]
    made = [column for column in range(len(tests)) if not np.isnan(table[:, column]).any()]
    spreads = tuple(spread(tests[column], case.name, table[:, column].tolist()) for column in made)
    return Calibrated(case=case, spreads=spreads, not_made=len(battery_tests(case.kind)) - len(made))


# ----- plants ---------------------------------------------------------------------------------------------------------


def catch(case: Case, decks: int, seed: int) -> Caught:
    """Every plant through every test."""
    kind = case.kind
    by_plant: dict[str, list[str]] = {}
    codes = np.array(kind.face_of) if kind.lookup[256:].min() >= kind.distinct else np.arange(kind.distinct)
    for number, (name, plant) in enumerate(PLANTS.items()):
        chance = np.random.default_rng([seed, number])
        rows, orders = plant(kind, *ideal(kind, decks, chance), chance)
        battery = DeckBattery(kind=kind)
        battery.update(codes[rows], codes[orders])
        results = battery.evaluate()
        by_plant[name] = [one.test for one in results if one.p is not None and one.p <= CAUGHT]
    made = [name for name, test in battery_tests(kind).items() if isinstance(test, DeckTest)]
    caught = {test for tests in by_plant.values() for test in tests}
    return Caught(case=case, by_plant=by_plant, idle=[test for test in made if test not in caught])


# ----- whole runs -----------------------------------------------------------------------------------------------------


def one_run(job: tuple[DeckKind, int, int, int]) -> bool:
    """Whether a file of ideal decks fails."""
    kind, decks, stream, seed = job
    rows, _ = ideal_decks(kind, decks, (1 << 40) + stream, seed)
    plan = replace(load_plan(PLAN), decks_per_shard=DECKS_PER_SHARD, controls=())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decks.npy"
        np.save(path, rows)
        run = Run(plan=plan, subject=RecordedSubject(recorded=Recorded(str(path))))
        if run.subject.kind != kind:
            raise RuntimeError(f"read as {run.subject.kind.words()}")
        record = certify(run, local_engine(1))
    return bool(record.verdict.outcome == "failed")


def alarms(
    case: Case, runs: int, seed: int, processes: int, say: Callable[[str], None], keep: Path | None = None
) -> Alarms:
    """So many files."""
    kept = None if keep is None else keep / f"runs-{'-'.join(_WORD.findall(case.name))}-{runs}-{seed}.json"
    if kept is not None and kept.exists():
        return Alarms(case=case, runs=runs, failed=int(json.loads(kept.read_text())), level=load_plan(PLAN).level)
    failed = 0
    with ProcessPoolExecutor(processes) as pool:
        jobs = [(case.kind, case.run_decks, number, seed) for number in range(runs)]
        for number, bad in enumerate(pool.map(one_run, jobs), start=1):
            failed += bad
            if number % 10 == 0:
                say(f"  {case.name}: {number} of {runs} whole runs, {failed} failed")
    if kept is not None:
        kept.write_text(json.dumps(failed), encoding="utf-8")
    return Alarms(case=case, runs=runs, failed=failed, level=load_plan(PLAN).level)


# ----- the record -----------------------------------------------------------------------------------------------------


def failures(calibrated: Sequence[Calibrated], caught: Sequence[Caught], ran: Sequence[Alarms]) -> list[str]:
    """What is outside the limits."""
    wrong = []
    for one in calibrated:
        for row in one.spreads:
            if not row.uniform:
                wrong.append(
                    f"{one.case.name}, {row.test}: distance {row.distance:.4f}, {row.low} at 1 % "
                    f"(limits {largest_distance(row.runs):.3f}, {row.least_low} to {row.most_low})"
                )
    for found in caught:
        # Even permutations are a defect of told-apart cards alone.
        missed = [
            name
            for name, tests in found.by_plant.items()
            if not tests and (found.case.kind.simple or name not in ONLY_TOLD_APART)
        ]
        wrong += [f"{found.case.name}: {name} was not found" for name in missed]
        wrong += [f"{found.case.name}: {test} found none of the plants" for test in found.idle]
    wrong += [f"{run.case.name}: {run.failed} of {run.runs} ideal files failed" for run in ran if run.failed > run.most]
    return wrong


ONLY_TOLD_APART = ("even permutations only",)


def report(calibrated: Sequence[Calibrated], caught: Sequence[Caught], ran: Sequence[Alarms]) -> str:
    wrong = failures(calibrated, caught, ran)
    lines = [
        "## Calibration",
        "",
        "Ideal decks of each kind, input orders known; every test that has a law for the kind.",
        "",
        "| deck | samples × decks | tests made | not applicable | largest distance | limit | alarms at 1 % | limits |",
        "|---|---|---:|---:|---|---:|---|---|",
    ]
    for each in calibrated:
        worst = max(each.spreads, key=lambda row: row.distance)
        low = [row.low for row in each.spreads]
        runs = worst.runs
        least, most = tail_bounds(runs)
        lines.append(
            f"| {each.case.name} | {runs:,} × {each.case.decks:,} | {len(each.spreads)} | {each.not_made} | "
            f"{worst.distance:.4f} ({worst.test}) | {largest_distance(runs):.4f} | {min(low)} to {max(low)} | "
            f"{least} to {most} |"
        )
    lines += ["", f"## Plants: {PLANTED_DECKS:,} decks each, caught at p ≤ {CAUGHT:g}", ""]
    lines += ["| plant | " + " | ".join(one.case.name for one in caught) + " |", "|---|" + "---|" * len(caught)]
    for name in PLANTS:
        cells = []
        for one in caught:
            tests = one.by_plant[name]
            more = f" and {len(tests) - 3} more" if len(tests) > 3 else ""
            cells.append(", ".join(tests[:3]) + more if tests else "no test (faces are not told apart)")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", *(f"- {one.case.name}: " + (f"{', '.join(one.idle)} caught none of these" if one.idle else
              "every test that was made caught at least one of these") for one in caught)]  # fmt: skip
    lines += ["", f"## Whole runs of plan `{PLAN}` on files of ideal decks", ""]
    lines += [
        f"- {run.case.name}, {run.case.run_decks:,} decks a file: {run.failed} of {run.runs} failed at level "
        f"{run.level:.0%}; more than {run.most} happens once in a thousand such proofs"
        for run in ran
    ]
    lines += ["", *(["Outside the limits:", "", *(f"- {line}" for line in wrong)] if wrong else ["All is inside."])]
    return "\n".join(lines)


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Calibrate and try the tests for other decks than 52 cards.")
    parser.add_argument("--share", type=float, default=1.0, help="of the samples and the runs")
    parser.add_argument("--keep", type=Path, help="a folder for finished parts, to go on from")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()

    def part(many: int) -> int:
        return max(1, round(many * float(asked.share)))

    caught = [catch(case, PLANTED_DECKS, asked.seed) for case in CASES if case.planted]
    _say(f"  plants: {sum(len(one.idle) for one in caught)} tests caught nothing")
    if asked.keep is not None:
        asked.keep.mkdir(parents=True, exist_ok=True)
    calibrated = [calibrate(case, part(case.samples), asked.seed, asked.processes, _say, asked.keep) for case in CASES]
    ran = [alarms(case, part(case.runs), asked.seed, asked.processes, _say, asked.keep) for case in CASES if case.runs]
    body = report(calibrated, caught, ran)
    print(body)
    command = "make proof-any-deck" if asked.share == 1.0 else f"python -m proofs.any_deck --share {asked.share}"
    evidence.record("any-deck", command=command, seed=asked.seed, body=body)
    return 1 if failures(calibrated, caught, ran) else 0


if __name__ == "__main__":
    raise SystemExit(main())
