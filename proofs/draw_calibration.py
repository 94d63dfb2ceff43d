"""Are the p-values of the tests on drawn numbers uniform on ideal draws? `make proof-draw-calibration`.

Every test at the least number of draws that it accepts, where its law is at its weakest, on numbers below several
bounds, from coins on: 2,000 runs each with the limits of `proofs.uniformity`; and, below 52, a far tail of up to
100,000 runs. The numbers come from the product's generator and its unbiased sampling, each batch of runs from a stream
of its own, so the result does not depend on the number of processes.

`--keep FOLDER` writes finished parts down, named by the code that made them, and goes on from those of the same code.
"""

import argparse
import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import randomness
from proofs.evidence import record
from proofs.uniformity import FAR, Spread, largest_distance, spread, tail_bounds
from randomness import Integers, seeded_source
from randomness.draws import TESTS, named

RUNS = 2_000
FAR_RUNS = 100_000
BOUNDS = (2, 3, 4, 5, 6, 8, 13, 37, 52, 1 << 40)
FAR_BOUND = 52
SEED = 20_260_101
NAMES = tuple(test.name for test in TESTS)
_BATCH = 100
_MOST_FAR_DRAWS = 2_000_000_000  # of one test; tests that need very many draws have fewer runs
# What p-values depend on, under randomness/: the tests, the generator, the sampling.
_CODE = ("draws/*.py", "drbg/*.py", "*.py")

Source = Callable[[int, int, int, int], NDArray[np.int64]]
Say = Callable[[str], None]


def product_draws(seed: int, stream: int, bound: int, count: int) -> NDArray[np.int64]:
    """Numbers below the bound from the product's generator."""
    integers = Integers(seeded_source(seed, stream), block=4_096)
    return integers.many_below(bound, count).astype(np.int64)


# ----- parts ----------------------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """So many runs of one test below one bound; `stream` is the generator's for the first of them."""

    test: str
    bound: int
    runs: int
    seed: int
    stream: int

    def batches(self) -> list["Part"]:
        """The same in pieces of a process's size."""
        return [
            self._replace(runs=min(_BATCH, self.runs - start), stream=self.stream + start)
            for start in range(0, self.runs, _BATCH)
        ]


def p_values(part: Part, source: Source) -> list[float]:
    """One p-value a run, each on draws of its own."""
    test = named(part.test)
    need = test.least_draws(part.bound)
    found = []
    for row in source(part.seed, part.stream, part.bound, need * part.runs).reshape(part.runs, need):
        tally = test.accumulator(part.bound)
        tally.feed(row)
        p = tally.p()
        if p is not None:
            found.append(p)
    return found


class Measured(NamedTuple):
    """The p-values of a part, and the seconds they took."""

    p_values: NDArray[np.float64]
    seconds: float


def code_digest() -> str:
    """SHA-256 over what the p-values depend on."""
    room = Path(randomness.__file__).parent
    files = {path for pattern in _CODE for path in room.glob(pattern)}
    whole = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(files):
        whole.update(path.relative_to(room).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Where parts are measured: how many processes, from which source, and where finished ones are kept."""

    source: Source = product_draws
    workers: int | None = None
    keep: Path | None = None
    say: Say = lambda _: None

    def measure(self, parts: list[Part]) -> list[Measured]:
        """Every part, in order, with a line as each is done."""
        done: list[Measured] = []
        with ProcessPoolExecutor(self.workers or os.cpu_count()) as pool:
            for part in parts:
                kept = self._file(part)
                old = kept is not None and kept.exists()
                done.append(_read(kept) if kept is not None and old else self._made(pool, part, kept))
                what = f"{part.test} below {part.bound:,}: {len(done[-1].p_values):,} runs"
                self.say(f"  {len(done)} of {len(parts)}, {what}, {'kept' if old else f'{done[-1].seconds:.1f} s'}")
        return done

    def _made(self, pool: ProcessPoolExecutor, part: Part, kept: Path | None) -> Measured:
        began = time.monotonic()
        jobs = [pool.submit(p_values, batch, self.source) for batch in part.batches()]
        made = Measured(np.array([p for job in jobs for p in job.result()]), time.monotonic() - began)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            with kept.with_suffix(".new").open("wb") as out:
                np.savez(out, p_values=made.p_values, seconds=made.seconds)
            kept.with_suffix(".new").rename(kept)
        return made

    def _file(self, part: Part) -> Path | None:
        if self.keep is None:
            return None
        name = "-".join([part.test, *(str(number) for number in part[1:]), self.source.__name__])
        return self.keep / code_digest()[:16] / f"{name}.npz"


def _read(path: Path) -> Measured:
    with np.load(path) as kept:
        return Measured(kept["p_values"], float(kept["seconds"]))


# ----- what is measured -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How the p-values of each test spread below each bound, and the seconds of all of them."""

    spreads: tuple[Spread, ...]
    seconds: float


def calibrate(
    *,
    runs: int,
    bounds: tuple[int, ...] = BOUNDS,
    seed: int = SEED,
    names: tuple[str, ...] = NAMES,
    bench: Bench,
) -> Calibration:
    """Each test below each bound; tests that say nothing about a bound are left out."""
    parts = [
        Part(test=name, bound=bound, runs=runs, seed=seed, stream=((place << 8) + number) << 32)
        for place, bound in enumerate(bounds)
        for number, name in enumerate(names)
        if bound >= named(name).least_bound
    ]
    done = bench.measure(parts)
    return Calibration(
        spreads=tuple(
            spread(part.test, f"{part.bound}", one.p_values.tolist()) for part, one in zip(parts, done, strict=True)
        ),
        seconds=sum(one.seconds for one in done),
    )


@dataclass(frozen=True, kw_only=True)
class FarTail:
    """How many runs one test had, and how many of them at p <= 0.0001."""

    test: str
    runs: int
    tiny: int
    seconds: float

    @property
    def limits(self) -> tuple[int, int]:
        """What chance keeps within."""
        return tail_bounds(self.runs, FAR)

    @property
    def within(self) -> bool:
        """Whether it did."""
        least, most = self.limits
        return least <= self.tiny <= most


def far_tail(
    *,
    runs: int,
    bound: int = FAR_BOUND,
    seed: int = SEED,
    names: tuple[str, ...] = NAMES,
    bench: Bench,
) -> tuple[FarTail, ...]:
    """The far tail of each test."""
    parts = [
        Part(
            test=name,
            bound=bound,
            runs=min(runs, max(_BATCH, _MOST_FAR_DRAWS // named(name).least_draws(bound))),
            seed=seed,
            stream=(1 << 48) + (number << 32),
        )
        for number, name in enumerate(names)
    ]
    return tuple(
        FarTail(
            test=part.test, runs=one.p_values.size, tiny=int((one.p_values <= FAR).sum()), seconds=one.seconds
        )
        for part, one in zip(parts, bench.measure(parts), strict=True)
    )  # fmt: skip


# ----- the record -----------------------------------------------------------------------------------------------------


def report(spreads: tuple[Spread, ...]) -> str:
    """One row a test: distance and number at p <= 0.01 below each bound."""
    bounds = list(dict.fromkeys(one.variant for one in spreads))
    by = {(one.test, one.variant): one for one in spreads}
    lines = [
        "| test | " + " | ".join(f"below {int(bound):,}" for bound in bounds) + " | outside |",
        "|---|" + "---|" * (len(bounds) + 1),
    ]
    tested = {one.test for one in spreads}
    for test in (name for name in NAMES if name in tested):
        cells = [by.get((test, bound)) for bound in bounds]
        shown = [f"{one.distance:.4f}, {one.low}" if one else "not applicable" for one in cells]
        outside = [f"below {one.variant}" for one in cells if one and not one.uniform]
        lines.append(f"| {test} | {' | '.join(shown)} | {', '.join(outside) or 'none'} |")
    return "\n".join(lines)


def far_report(found: tuple[FarTail, ...]) -> str:
    """One row a test."""
    lines = ["| test | runs | p ≤ 0.0001 (expected) | limits | within |", "|---|---|---|---|---|"]
    for one in found:
        least, most = one.limits
        inside = "yes" if one.within else "**no**"
        lines.append(f"| {one.test} | {one.runs:,} | {one.tiny} ({one.runs * FAR:.1f}) | {least} … {most} | {inside} |")
    return "\n".join(lines)


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    """Everything at full size, unless asked otherwise; 1 where a test is outside its limits."""
    parser = argparse.ArgumentParser(description="Calibration of the tests on drawn numbers.")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each test below each bound ({RUNS:,})")
    parser.add_argument("--far-runs", type=int, default=FAR_RUNS, help=f"of each test below {FAR_BOUND} ({FAR_RUNS:,})")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, help="processes; they change nothing but the time (one for each core)")
    parser.add_argument("--keep", type=Path, help="a folder for finished parts, to go on from those of the same code")
    chosen = parser.parse_args()
    bench = Bench(workers=chosen.workers, keep=chosen.keep, say=_say)
    found = calibrate(runs=chosen.runs, seed=chosen.seed, bench=bench)
    far = far_tail(runs=chosen.far_runs, seed=chosen.seed, bench=bench)
    least, most = tail_bounds(chosen.runs)
    body = (
        f"{chosen.runs:,} runs of every test at its least number of draws, in {found.seconds:.0f} s: "
        "Kolmogorov–Smirnov distance, and how many at p ≤ 0.01. Limits: distance ≤ "
        f"{largest_distance(chosen.runs):.3f}, {least} … {most} at p ≤ 0.01.\n\n{report(found.spreads)}\n\n"
        f"The far tail on numbers below {FAR_BOUND}, in {sum(one.seconds for one in far):.0f} s.\n\n{far_report(far)}\n"
    )
    print(body)
    command = "make proof-draw-calibration"
    if (chosen.runs, chosen.far_runs) != (RUNS, FAR_RUNS):
        command = f"python -m proofs.draw_calibration --runs {chosen.runs} --far-runs {chosen.far_runs}"
    record("draw-calibration", command=command, seed=chosen.seed, body=body)
    return 0 if all(one.uniform for one in found.spreads) and all(one.within for one in far) else 1


if __name__ == "__main__":
    raise SystemExit(main())
