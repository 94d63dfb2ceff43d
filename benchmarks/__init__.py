"""Benchmarks: product and peer side by side in one run; `make bench` writes the ratios to docs/benchmarks.md.

Each `bench_NAME.py` has `run() -> list[Section]`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Section:
    """One table of the page: what was compared, and how."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def processor_us(process: int) -> float:
    """Processor time of another process so far, all its threads, kernel included, to the nanosecond (Linux)."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(thread.read_text(encoding="ascii").split()[0]) for thread in threads) / 1000


def best_rate(work: Callable[[], int], repeats: int = 5) -> float:
    """Units a second of the quickest of several runs; `work` returns how many units it did."""
    best = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        units = work()
        best = max(best, units / (time.perf_counter() - start))
    return best
