"""Calibration of the deck tests: on ideal shuffles every p-value is uniform, and stays so far into the tail.

Three parts. Runs: many samples of one size, every test, distance of the p-values from uniform and alarms at 1 %; the
same samples give the false-alarm rate of the whole battery under Holm's rule. Tail: very many samples of the least size
each test accepts, alarms at one in ten thousand. Plan: whole certification runs of an ideal device, and how many fail.
The decks come from the product's own ideal kernel and generator, each sample from a stream of its own, so the result
does not depend on the number of processes.

`python -m proofs.calibration` runs in full and writes docs/evidence/calibration.md; `--runs`, `--tail`, `--plan-runs`
make it smaller, `--keep FOLDER` writes finished parts down and goes on from there, `--rows` takes one file of rows of
the registry alone and records it by itself.
"""

import argparse
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proofs import evidence, plots
from proofs.plan_alarms import RUNS as PLAN_RUNS
from proofs.plan_alarms import PlanAlarms, plan_alarms
from proofs.uniformity import tail_bounds
from randomness.decks import DECK_TESTS, DeckBattery, DeckTest
from randomness.decks.rows import dealing, in_time, memory, order, places, positions, spread, weighted
from randomness.kernels import Kernel, make
from randomness.sources import make_source

RUNS, RUN_DECKS = 2_000, 10_000
TAIL = 100_000
MOST_DISTANCE = 0.050
TAIL_LEVEL = 1e-4
DEAR_FROM = 1_000
SEED = 20_260_101

ROWS = {
    "positions": positions.ROWS, "order": order.ROWS, "memory": (*memory.ROWS, *memory.NEAR_ROWS),
    "dealing": dealing.ROWS, "spread": spread.ROWS, "time": in_time.ROWS, "places": places.ROWS,
    "weighted": weighted.ROWS,
}  # fmt: skip
"""Rows that can be calibrated by themselves."""

P = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One test's calibration."""

    test: str
    distance: float
    alarms: int
    tail_decks: int
    tail_runs: int
    tail_alarms: int


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Everything measured: p-values of the runs (run × test), and a row for each test."""

    names: tuple[str, ...]
    runs: P
    rows: tuple[Row, ...]


# ----- samples of ideal shuffles --------------------------------------------------------------------------------------


def ideal_sample(
    kernel: Kernel, decks: int, seed: int, stream: int, *, inputs: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
    """Decks and, where they are asked for, the orders they were shuffled from: both uniform and independent."""
    source = make_source("ctr", seed=seed, stream=stream)
    made = kernel.permutations(52, 2 * decks if inputs else decks, source).astype(np.uint8, copy=False)
    if not inputs:
        return made, None
    orders, shuffles = made[:decks], made[decks:]
    return np.take_along_axis(orders, shuffles.astype(np.intp), axis=1), orders


def p_values(tests: Sequence[str], decks: int, samples: range, seed: int) -> P:
    """One row of p-values for each sample."""
    rows = [DECK_TESTS[name] for name in tests]
    battery, kernel = DeckBattery(tests), make("ideal")
    inputs = any(test.needs_input for test in rows)
    out = np.empty((len(samples), len(tests)))
    for line, sample in enumerate(samples):
        battery.clear()
        battery.update(*ideal_sample(kernel, decks, seed, sample, inputs=inputs))
        out[line] = [_certain(battery.p_value(test), test) for test in rows]
    return out


def _certain(p: float | None, test: DeckTest) -> float:
    if p is None:
        raise RuntimeError(f"{test.name} had too few decks to be judged")
    return p


Job = tuple[Sequence[str], int, range, int]


def _part(job: Job, kept: Path | None) -> P:
    if kept is not None and kept.exists():
        return np.asarray(np.load(kept))
    made = p_values(*job)
    if kept is not None:
        with kept.with_suffix(".new").open("wb") as out:
            np.save(out, made)
        kept.with_suffix(".new").rename(kept)
    return made


def spread_out(
    tests: Sequence[str], decks: int, samples: int, seed: int, processes: int, say: Callable[[str], None],
    keep: Path | None = None,
) -> P:  # fmt: skip
    """The same over several processes, in order; what is in the folder `keep` already is not made again."""
    size = max(1, min(samples // (4 * processes) or 1, 2_000_000 // decks + 1))
    parts = [range(start, min(start + size, samples)) for start in range(0, samples, size)]
    files = [None if keep is None else keep / f"{decks}-{len(tests)}-{seed}-{part.start}-{part.stop}" for part in parts]
    done: list[P] = []
    began = time.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        for part in pool.map(_part, [(tests, decks, part, seed) for part in parts], files):
            done.append(part)
            share = len(done) / len(parts)
            left = (time.monotonic() - began) * (1 / share - 1)
            say(f"  {decks:,} decks a sample, {len(tests)} tests: {share:4.0%}, {left:4.0f} s left")
    return np.concatenate(done)


# ----- runs and tails -------------------------------------------------------------------------------------------------


def tail_groups(tests: Iterable[str]) -> dict[int, list[str]]:
    """Tests by the least number of decks they accept: where a law holds worst."""
    groups: dict[int, list[str]] = {}
    for name in tests:
        groups.setdefault(DECK_TESTS[name].least, []).append(name)
    return dict(sorted(groups.items()))


def distance(p: P) -> float:
    """Kolmogorov–Smirnov distance from the uniform law."""
    ordered, n = np.sort(p), len(p)
    return float(max((np.arange(1, n + 1) / n - ordered).max(), (ordered - np.arange(n) / n).max()))


def calibrate(
    *,
    runs: int = RUNS,
    run_decks: int = RUN_DECKS,
    tail: int = TAIL,
    dear_tail: int = TAIL,
    seed: int = SEED,
    tests: Sequence[str] | None = None,
    processes: int | None = None,
    keep: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Calibration:
    """Measure; nothing is judged here."""
    names = tuple(tests or DECK_TESTS)
    workers = processes or os.cpu_count() or 1
    whole = spread_out(names, run_decks, runs, seed, workers, say, keep)
    alarms: dict[str, tuple[int, int, int]] = {}
    for number, (least, group) in enumerate(tail_groups(names).items(), start=1):
        # One deck more than is needed: tests that look back count one less.
        samples = min(tail, dear_tail) if least > DEAR_FROM else tail
        small = spread_out(group, least + 1, samples, seed + number, workers, say, keep)
        for column, name in enumerate(group):
            alarms[name] = (least, samples, int((small[:, column] <= TAIL_LEVEL).sum()))
    rows = tuple(
        Row(
            test=name,
            distance=distance(whole[:, column]),
            alarms=int((whole[:, column] <= 0.01).sum()),
            tail_decks=alarms[name][0],
            tail_runs=alarms[name][1],
            tail_alarms=alarms[name][2],
        )
        for column, name in enumerate(names)
    )
    return Calibration(names=names, runs=whole, rows=rows)


def holm_alarms(runs: P, level: float) -> float:
    """Share of samples in which Holm's rule rejects anything: its first step, the least p-value against level/tests."""
    return float((runs.min(axis=1) <= level / runs.shape[1]).mean())


def failures(result: Calibration) -> list[str]:
    """Rows outside the limits of the full proof."""
    wrong = []
    for row in result.rows:
        if row.distance > MOST_DISTANCE:
            wrong.append(f"{row.test}: distance {row.distance:.4f} > {MOST_DISTANCE}")
        least, most = tail_bounds(len(result.runs))
        if not least <= row.alarms <= most:
            wrong.append(f"{row.test}: {row.alarms} alarms at 1 %, allowed {least} to {most}")
        least, most = tail_bounds(row.tail_runs, TAIL_LEVEL)
        if not least <= row.tail_alarms <= most:
            wrong.append(f"{row.test}: {row.tail_alarms} alarms at {TAIL_LEVEL}, allowed {least} to {most}")
    return wrong


# ----- the record -----------------------------------------------------------------------------------------------------


def tail_lines(rows: Sequence[Row]) -> list[str]:
    """A line for each number of samples."""
    lines = []
    for samples in sorted({row.tail_runs for row in rows}, reverse=True):
        found = [row.tail_alarms for row in rows if row.tail_runs == samples]
        least, most = tail_bounds(samples, TAIL_LEVEL)
        lines.append(
            f"- alarms at p ≤ {TAIL_LEVEL} of {samples:,} ({len(found)} tests): {min(found)} to {max(found)}; limits "
            f"{least} to {most}"
        )
    return lines


def plan_line(plan: PlanAlarms) -> str:
    """What the whole runs say."""
    return (
        f"- whole runs of plan `{plan.plan}` on an ideal device ({plan.family} tests in the family, level "
        f"{plan.level:.0%}, re-test included): {plan.failed} of {plan.runs} failed, {plan.retested} were tested again; "
        f"at its level the plan fails more than {plan.most} once in a thousand such proofs"
    )


def report(result: Calibration, run_decks: int, plan: PlanAlarms | None = None) -> str:
    runs, rows = len(result.runs), result.rows
    worst = max(rows, key=lambda row: row.distance)
    alarms = [row.alarms for row in rows]
    wrong = failures(result)
    least, most = tail_bounds(runs)
    lines = [
        f"{runs:,} samples of {run_decks:,} ideal shuffles; then samples of the least size that each test accepts.",
        "",
        f"- largest Kolmogorov–Smirnov distance: {worst.distance:.4f} ({worst.test}); limit {MOST_DISTANCE}",
        f"- alarms at p ≤ 0.01 of {runs:,}: {min(alarms)} to {max(alarms)}; limits {least} to {most}",
        *tail_lines(rows),
        f"- false alarms of all {len(rows)} tests together under Holm's rule: "
        f"{holm_alarms(result.runs, 0.05):.2%} at level 5 %, {holm_alarms(result.runs, 0.01):.2%} at level 1 % "
        f"(standard errors {math.sqrt(0.05 * 0.95 / runs):.2%} and {math.sqrt(0.01 * 0.99 / runs):.2%})",
        *([] if plan is None else [plan_line(plan)]),
        "",
        "![p-values of every test against the uniform law](calibration.svg)",
        "",
        "| test | distance | alarms at 1 % | least decks | samples of so many | alarms at 0.0001 |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row.test} | {row.distance:.4f} | {row.alarms} | {row.tail_decks:,} | {row.tail_runs:,} "
            f"| {row.tail_alarms} |"
            for row in rows
        ),
        "",
        *(["Outside the limits:", "", *(f"- {line}" for line in wrong)] if wrong else ["Every test is inside them."]),
    ]
    return "\n".join(lines)


def _plan(runs: int, seed: int, processes: int, keep: Path | None) -> PlanAlarms:
    """Whole runs, or what is kept of them."""
    kept = None if keep is None else keep / f"plan-{runs}-{seed}.json"
    if kept is not None and kept.exists():
        return PlanAlarms(**json.loads(kept.read_text(encoding="utf-8")))
    found = plan_alarms(runs=runs, seed=seed, processes=processes, say=_say)
    if kept is not None:
        kept.write_text(json.dumps(asdict(found)), encoding="utf-8")
    return found


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Calibrate the deck tests on ideal shuffles.")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--decks", type=int, default=RUN_DECKS, help="decks in each of the runs")
    parser.add_argument("--tail", type=int, default=TAIL)
    parser.add_argument("--dear-tail", type=int, default=TAIL, help=f"where a sample is over {DEAR_FROM:,} decks")
    parser.add_argument("--plan-runs", type=int, default=PLAN_RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="a folder for finished parts, to go on from")
    parser.add_argument("--test", action="append", help="only these tests; nothing is recorded")
    parser.add_argument("--rows", choices=ROWS, help="only these rows of the registry, recorded by themselves")
    asked = parser.parse_args()
    if asked.keep is not None:
        asked.keep.mkdir(parents=True, exist_ok=True)
    tests = asked.test if asked.rows is None else [test.name for test in ROWS[asked.rows]]
    result = calibrate(
        runs=asked.runs, run_decks=asked.decks, tail=asked.tail, dear_tail=asked.dear_tail, seed=asked.seed,
        tests=tests, processes=asked.processes, keep=asked.keep, say=_say,
    )  # fmt: skip
    if asked.rows is not None:
        command = (
            f"python -m proofs.calibration --rows {asked.rows} --runs {asked.runs} --tail {asked.tail} "
            f"--dear-tail {asked.dear_tail}"
        )
        body = report(result, asked.decks).replace("calibration.svg", f"calibration-{asked.rows}.svg")
        print(body)
        path = evidence.record(f"calibration-{asked.rows}", command=command, seed=asked.seed, body=body)
        path.with_suffix(".svg").write_text(plots.quantiles(result.names, result.runs), encoding="utf-8")
        return 1 if failures(result) else 0
    plan = _plan(asked.plan_runs, asked.seed, asked.processes, asked.keep)
    body = report(result, asked.decks, plan)
    print(body)
    if not asked.test:
        command = "make proof-calibration"
        if (asked.runs, asked.tail, asked.dear_tail, asked.plan_runs) != (RUNS, TAIL, TAIL, PLAN_RUNS):
            command = (
                f"python -m proofs.calibration --runs {asked.runs} --tail {asked.tail} "
                f"--dear-tail {asked.dear_tail} --plan-runs {asked.plan_runs}"
            )
        path = evidence.record("calibration", command=command, seed=asked.seed, body=body)
        Path(path).with_suffix(".svg").write_text(plots.quantiles(result.names, result.runs), encoding="utf-8")
    return 1 if failures(result) or plan.failed > plan.most else 0


if __name__ == "__main__":
    raise SystemExit(main())
