"""Memory of a certification run from a million shuffles on: flat, since only counts are kept."""

import json
import resource
import subprocess
import sys
import time

from benchmarks import Section

PLAN = "standard"
SIZES = (1_000_000, 10_000_000, 100_000_000)
"""At a hundred million shards have their largest size and every table is there: a billion holds what a hundred million
does. `python -c "from benchmarks.bench_memory import measure; print(measure(10**9, 2))"` shows it."""
WORKERS = 2


def measure(decks: int, workers: int) -> dict[str, float]:
    """One run in this process and its workers: seconds, and the most memory that any of them held."""
    from randomness.certification import KernelSubject, Run, RunSettings, load_plan, local_engine
    from randomness.certification.runs import count_all

    subject = KernelSubject(mechanism="ideal", seed=1)
    run = Run(plan=load_plan(PLAN), subject=subject, settings=RunSettings(decks=decks))
    start = time.perf_counter()
    totals = count_all(run, local_engine(workers))
    seconds = time.perf_counter() - start
    most = {
        "parent": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }
    return {"decks": totals.decks, "seconds": seconds, **most}


def apart(decks: int) -> dict[str, float]:
    """The same in a process of its own, whose memory nothing else has filled."""
    code = f"import json; from benchmarks.bench_memory import measure; print(json.dumps(measure({decks}, {WORKERS})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def run() -> list[Section]:
    """One row a size."""
    rows = []
    for decks in SIZES:
        found = apart(decks)
        figures = (found["seconds"], found["decks"] / found["seconds"], found["parent"], found["worker"])
        rows.append((f"{decks:,}", *(f"{figure:,.0f}" for figure in figures)))
        print(rows[-1], flush=True)
    return [
        Section(
            title="Memory of a run",
            columns=("shuffles", "seconds", "decks a second", "MiB, parent", "MiB, largest worker"),
            rows=tuple(rows),
            note=f"Plan `{PLAN}` on ideal shuffles, {WORKERS} processes, a fresh one for each row; the most memory "
            "each held at any time (ru_maxrss). What is kept: counts in tables of fixed size, a p-value for each test "
            "and block (at most 4,096 blocks), and a sample of at most 262,144 hashes of decks.",
        )
    ]
