"""How often a whole plan fails an ideal device: complete runs, from the shards to the verdict, the re-test included.

Every part that can alarm is there: three start orders, deck tests, tests on first cards, second-level tests of blocks,
SP 800-22 on the generator's bits, Holm's rule over all of them, the re-test of doubtful ones. Runs are short, with
small shards, so that every part has enough blocks; each has a seed of its own. The plan's negative controls do not
depend on the device: `python -m proofs.plan_alarms` runs them once, and a thousand ideal devices at each of three
sizes, and writes docs/evidence/plan-alarms.md. `--keep FILE` writes each finished run down and goes on from there.
"""

import argparse
import json
import math
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from proofs import evidence
from randomness.certification import KernelSubject, Run, certify, load_plan, local_engine

PLAN = "standard"
RUNS = 300
DECKS = 18_432
"""Twelve shards of 512 decks for each of the three start orders."""
DECKS_PER_SHARD = 512
BIT_SEQUENCES = 1


@dataclass(frozen=True, kw_only=True)
class PlanAlarms:
    """Failed runs of an ideal device, and how many there may be."""

    plan: str
    level: float
    runs: int
    failed: int
    retested: int
    family: int

    @property
    def most(self) -> int:
        """The number of alarms that a plan at its stated level exceeds once in a thousand proofs."""
        return most_alarms(self.runs, self.level)


def most_alarms(runs: int, level: float) -> int:
    """The least k with P(Binomial(runs, level) > k) <= 1/1000."""
    total = 0.0
    for k in range(runs + 1):
        total += math.comb(runs, k) * level**k * (1 - level) ** (runs - k)
        if 1.0 - total <= 1e-3:
            return k
    return runs


def one_run(job: tuple[str, int, int, int, str]) -> tuple[bool, bool, int]:
    """Whether a run failed, whether it was tested again, and how many tests its family had."""
    name, decks, per_shard, seed, mechanism = job
    plan = replace(
        load_plan(name), decks=decks, decks_per_shard=per_shard, bit_sequences=BIT_SEQUENCES, controls=()
    )
    record = certify(Run(plan=plan, subject=KernelSubject(mechanism=mechanism, seed=seed)), local_engine(1))
    verdict = record.verdict
    return verdict.outcome == "failed", verdict.retest is not None, verdict.family


def plan_alarms(
    *, runs: int = RUNS, decks: int = DECKS, per_shard: int = DECKS_PER_SHARD, seed: int, processes: int,
    mechanism: str = "ideal", say: Callable[[str], None] = lambda _: None,
) -> PlanAlarms:  # fmt: skip
    """So many whole runs."""
    jobs = [(PLAN, decks, per_shard, seed + number, mechanism) for number in range(runs)]
    failed = retested = family = 0
    with ProcessPoolExecutor(processes) as pool:
        for number, (bad, again, tests) in enumerate(pool.map(one_run, jobs), start=1):
            failed, retested, family = failed + bad, retested + again, max(family, tests)
            if number % 50 == 0:
                say(f"  whole plan: {number} of {runs} runs, {failed} failed")
    level = load_plan(PLAN).level
    return PlanAlarms(plan=PLAN, level=level, runs=runs, failed=failed, retested=retested, family=family)


# ----- three sizes ----------------------------------------------------------------------------------------------------

SIZES = (10_240, 30_720, 122_880)
FILES = 1_000
SEED = 20_261_118


def missed_controls(name: str = PLAN) -> list[str]:
    """Negative controls of the plan that this build misses; they are the same in every run."""
    plan = replace(load_plan(name), decks=3 * DECKS_PER_SHARD, decks_per_shard=DECKS_PER_SHARD, bit_sequences=0)
    record = certify(Run(plan=plan, subject=KernelSubject(mechanism="ideal", seed=SEED)), local_engine(1))
    return [row.mechanism for row in record.controls if not row.found]


def at_size(decks: int, runs: int, *, processes: int, keep: Path | None, say: Callable[[str], None]) -> PlanAlarms:
    """So many whole runs of one size; finished ones are in the file `keep`, a line each."""
    done: dict[str, list[int]] = {}
    if keep is not None and keep.exists():
        done = {row["key"]: row["run"] for row in map(json.loads, keep.read_text(encoding="utf-8").splitlines())}
    shard = max(256, decks // 36 // 256 * 256)
    left = [number for number in range(runs) if f"{decks} {number}" not in done]
    jobs = [(PLAN, decks, shard, SEED + 1_000_003 * decks + number, "ideal") for number in left]
    with ProcessPoolExecutor(processes) as pool:
        for number, run in zip(left, pool.map(one_run, jobs), strict=True):
            done[f"{decks} {number}"] = [int(part) for part in run]
            if keep is not None:
                with keep.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"key": f"{decks} {number}", "run": done[f"{decks} {number}"]}) + "\n")
            if number % 20 == 19:
                say(f"  {decks:,} decks: {number + 1} of {runs} runs")
    mine = [done[f"{decks} {number}"] for number in range(runs)]
    failed, retested = sum(run[0] for run in mine), sum(run[1] for run in mine)
    family = max((run[2] for run in mine), default=0)
    level = load_plan(PLAN).level
    return PlanAlarms(plan=PLAN, level=level, runs=runs, failed=failed, retested=retested, family=family)


def report(found: dict[int, PlanAlarms], missed: list[str]) -> str:
    """The body of the record."""
    lines = [
        f"Whole runs of plan `{PLAN}` on an ideal device, from the shards to the verdict, re-test included, "
        f"{BIT_SEQUENCES} sequence of bits; each with a seed of its own. Allowed: what a plan at its level exceeds "
        "once in a thousand such proofs.",
        "",
        "| decks | tests in the family | runs | failed | allowed | tested again |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for decks, one in found.items():
        row = (decks, one.family, one.runs, one.failed, one.most, one.retested)
        lines.append("| " + " | ".join(f"{part:,}" for part in row) + " |")
    said = f"missed: {', '.join(missed)}" if missed else "all found"
    return "\n".join([*lines, "", f"Negative controls of the plan, by the same build: {said}."])


def main() -> int:
    parser = argparse.ArgumentParser(description="How often a whole plan fails an ideal device.")
    parser.add_argument("--runs", type=int, default=FILES, help="runs of each size")
    parser.add_argument("--decks", type=int, nargs="+", default=list(SIZES), help="sizes")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="write finished runs here, and go on from what is there")
    asked = parser.parse_args()

    def say(line: str) -> None:
        print(line, flush=True)

    found = {
        decks: at_size(decks, asked.runs, processes=asked.processes, keep=asked.keep, say=say) for decks in asked.decks
    }
    missed = missed_controls()
    body = report(found, missed)
    print(body)
    command = "make proof-plan-alarms"
    if (asked.runs, asked.decks) != (FILES, list(SIZES)):
        command = f"python -m proofs.plan_alarms --runs {asked.runs} --decks {' '.join(map(str, asked.decks))}"
    evidence.record("plan-alarms", command=command, seed=SEED, body=body)
    return 1 if missed or any(one.failed > one.most for one in found.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
