"""Are the p-values of the tests on drawn numbers uniform on ideal draws? `make proof-draw-calibration`.

Every test at the least number of draws that it accepts, where its law is at its weakest, on numbers below several
bounds: 2,000 runs each with the bounds of `proofs.uniformity`; and, below 52, a far tail of up to 100,000 runs. The
numbers come from the product's generator and its unbiased sampling.
"""

import argparse
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from numpy.typing import NDArray

from proofs.evidence import record
from proofs.uniformity import FAR, Spread, largest_distance, spread, tail_bounds
from randomness import Integers, seeded_source
from randomness.draws import TESTS, named

RUNS = 2_000
FAR_RUNS = 100_000
BOUNDS = (2, 6, 37, 52, 1 << 40)
FAR_BOUND = 52
SEED = 20_260_101
_BATCH = 100
_MOST_FAR_DRAWS = 2_000_000_000  # of one test; tests that need very many draws have fewer runs

Source = Callable[[int, int, int, int], NDArray[np.int64]]


def product_draws(seed: int, stream: int, bound: int, count: int) -> NDArray[np.int64]:
    """Numbers below the bound from the product's generator."""
    integers = Integers(seeded_source(seed, stream), block=4_096)
    return integers.many_below(bound, count).astype(np.int64)


def batch(source: Source, name: str, bound: int, seed: int, first: int, runs: int) -> list[float]:
    """The p-values of some runs of one test, each on draws of its own."""
    test = named(name)
    if test.accumulator(bound).not_applicable():
        return []
    need = test.least_draws(bound)
    numbers = source(seed, first, bound, need * runs).reshape(runs, need)
    found = []
    for row in numbers:
        tally = test.accumulator(bound)
        tally.feed(row)
        p = tally.evaluate().p
        if p is not None:
            found.append(p)
    return found


def p_values(
    pool: ProcessPoolExecutor, source: Source, name: str, bound: int, *, seed: int, stream: int, runs: int
) -> list[float]:
    """The p-values of many runs, in batches."""
    jobs = [
        pool.submit(batch, source, name, bound, seed, stream + start, min(_BATCH, runs - start))
        for start in range(0, runs, _BATCH)
    ]
    return [p for job in jobs for p in job.result()]


def calibrate(
    *,
    runs: int,
    bounds: tuple[int, ...] = BOUNDS,
    seed: int = SEED,
    source: Source = product_draws,
    workers: int | None = None,
    names: tuple[str, ...] = tuple(test.name for test in TESTS),
) -> tuple[Spread, ...]:
    """How each test's p-values spread for each bound; tests that say nothing about a bound are left out."""
    spreads = []
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        for place, bound in enumerate(bounds):
            for number, name in enumerate(names):
                stream = ((place << 8) + number) << 32
                found = p_values(pool, source, name, bound, seed=seed, stream=stream, runs=runs)
                if found:
                    spreads.append(spread(name, f"{bound}", found))
    return tuple(spreads)


def far_tail(
    *, runs: int, bound: int = FAR_BOUND, seed: int = SEED, source: Source = product_draws, workers: int | None = None
) -> dict[str, tuple[int, int]]:
    """For each test: how many runs it had, and how many of them at p <= 0.0001."""
    found = {}
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        for number, test in enumerate(TESTS):
            many = min(runs, max(_BATCH, _MOST_FAR_DRAWS // test.least_draws(bound)))
            stream = (1 << 48) + (number << 32)
            seen = p_values(pool, source, test.name, bound, seed=seed, stream=stream, runs=many)
            found[test.name] = len(seen), sum(p <= FAR for p in seen)
    return found


def report(spreads: tuple[Spread, ...]) -> str:
    """One row a test, the distances for each bound."""
    bounds = list(dict.fromkeys(one.variant for one in spreads))
    by = {(one.test, one.variant): one for one in spreads}
    lines = [
        "| test | " + " | ".join(f"below {int(bound):,}: distance, p ≤ 0.01" for bound in bounds) + " | outside |",
        "|---|" + "---|" * (len(bounds) + 1),
    ]
    for test in dict.fromkeys(one.test for one in spreads):
        cells = [by.get((test, bound)) for bound in bounds]
        shown = [f"{one.distance:.4f}, {one.low}" if one else "not applicable" for one in cells]
        outside = [f"below {one.variant}" for one in cells if one and not one.uniform]
        lines.append(f"| {test} | {' | '.join(shown)} | {', '.join(outside) or 'none'} |")
    return "\n".join(lines)


def far_report(found: dict[str, tuple[int, int]]) -> str:
    """One row a test."""
    lines = ["| test | runs | p ≤ 0.0001 (expected) | bounds | within |", "|---|---|---|---|---|"]
    for test, (runs, tiny) in found.items():
        least, most = tail_bounds(runs, FAR)
        inside = "yes" if least <= tiny <= most else "**no**"
        lines.append(f"| {test} | {runs:,} | {tiny} ({runs * FAR:.1f}) | {least} … {most} | {inside} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Calibration of the tests on drawn numbers.")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--far-runs", type=int, default=FAR_RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    started = time.perf_counter()
    spreads = calibrate(runs=chosen.runs, seed=chosen.seed)
    first = time.perf_counter() - started
    far = far_tail(runs=chosen.far_runs, seed=chosen.seed)
    second = time.perf_counter() - started - first
    least, most = tail_bounds(chosen.runs)
    body = (
        f"{chosen.runs:,} runs of every test at its least number of draws, in {first:.0f} s; bounds: distance ≤ "
        f"{largest_distance(chosen.runs):.3f}, {least} … {most} at p ≤ 0.01.\n\n{report(spreads)}\n\n"
        f"The far tail on numbers below {FAR_BOUND}, in {second:.0f} s.\n\n{far_report(far)}\n"
    )
    print(body)
    command = "make proof-draw-calibration"
    if (chosen.runs, chosen.far_runs) != (RUNS, FAR_RUNS):
        command = f"python -m proofs.draw_calibration --runs {chosen.runs} --far-runs {chosen.far_runs}"
    record("draw-calibration", command=command, seed=chosen.seed, body=body)


if __name__ == "__main__":
    main()
