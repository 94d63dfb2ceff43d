"""How often a whole plan fails an ideal device: complete runs, from the shards to the verdict, the re-test included.

Every part that can alarm is there: three start orders, deck tests, tests on first cards, second-level tests of blocks,
SP 800-22 on the generator's bits, Holm's rule over all of them, the re-test of doubtful ones. Runs are short, with
small shards, so that every part has enough blocks, and without the plan's negative controls, which can't fail an ideal
device; each has a seed of its own.
"""

import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

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
    verdict = record["verdict"]
    return not verdict["passed"], verdict["retest"] is not None, int(verdict["family"])


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
