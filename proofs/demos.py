"""Proof: the demonstration ends, every time: many runs of `shuffler demo`, several side by side, in real time."""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from proofs import evidence

ROOT = Path(__file__).parent.parent
LIMIT_S = 600.0  # it takes some twenty seconds
END = "What to try next"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """How one run ended."""

    code: int | None  # None: it did not end
    seconds: float
    complete: bool
    said: str


def run_one(limit_s: float = LIMIT_S, command: tuple[str, ...] = ("demo",)) -> Demo:
    """One demonstration in a process of its own."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "shuffler", *command],
            cwd=ROOT, capture_output=True, text=True, timeout=limit_s, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as problem:
        tail = (problem.stdout or b"")[-300:]
        said = tail.decode(errors="replace") if isinstance(tail, bytes) else tail
        return Demo(code=None, seconds=time.monotonic() - started, complete=False, said=said)
    return Demo(
        code=done.returncode,
        seconds=time.monotonic() - started,
        complete=END in done.stdout and "game over" in done.stdout,
        said=done.stderr[-300:],
    )


def run(count: int, side_by_side: int) -> list[Demo]:
    """So many demonstrations, so many at a time."""
    with ThreadPoolExecutor(side_by_side) as pool:
        return list(pool.map(lambda _: run_one(), range(count)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--side-by-side", type=int, default=3)
    options = parser.parse_args()
    started = time.monotonic()
    done = run(options.count, options.side_by_side)
    bad = [one for one in done if one.code != 0 or not one.complete]
    times = sorted(one.seconds for one in done)
    lines = [
        f"- runs: {len(done)}, {options.side_by_side} side by side",
        f"- ended in good order: {len(done) - len(bad)}; otherwise: {len(bad)}",
        f"- seconds a run: from {times[0]:.0f} to {times[-1]:.0f}, half of them at most {times[len(times) // 2]:.0f}",
        f"- {time.monotonic() - started:.0f} s",
        *(f"- exit code {one.code} after {one.seconds:.0f} s: {one.said.strip()}" for one in bad[:10]),
    ]
    print("\n".join(lines))
    evidence.record("demos", command="make proof-demos", seed="the system's", body="\n".join(lines))
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
