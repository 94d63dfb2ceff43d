"""Kiosk mode for long: tours over and over in real Chromium; the memory of page and server after each loop.

    python -m proofs.kiosk --minutes 600        # at the pace that people see
    python -m proofs.kiosk --loops 9 --pace 0.05 --no-record
"""

import argparse
import time
from typing import Any

from proofs.evidence import record
from proofs.live_process import chromium, live_process, metrics

POLL_MS = 500
LIMITS = {"heap": 5.0, "nodes": 1500, "memory": 50.0, "files": 2}  # growth that is no leak


def main() -> None:
    """Loop, look, judge, record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--loops", type=int, default=10**6, help="end after so many tours")
    parser.add_argument("--pace", type=float, default=1.0, help="share of the time that people get to read along")
    parser.add_argument("--speed", type=float, default=20.0)
    parser.add_argument("--no-record", action="store_true")
    args = parser.parse_args()
    rows, problems, wrong = watched(args.minutes, args.loops, args.pace, args.speed)
    lines = ["| tour | loop | page: heap MB | nodes | server: memory MB | open files |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row['tour']} | {row['loop']} | {row['heap']:.1f} | {row['nodes']:.0f} | {row['memory']:.0f} |"
        f" {row['files']} |"
        for row in _thinned(rows)
    ]
    verdict = judged(rows, problems, wrong)
    body = "\n".join([verdict, "", *lines])
    print(body)
    if not args.no_record:
        command = f"python -m proofs.kiosk --minutes {args.minutes:g} --pace {args.pace:g} --speed {args.speed:g}"
        record("kiosk", command=command, seed="none", body=body)
    if not verdict.startswith("Flat"):
        raise SystemExit(1)


def watched(
    minutes: float, loops: int, pace: float, speed: float
) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    """A row after each tour, what tours said went wrong, and what the browser did."""
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    wrong: list[str] = []
    with live_process("--kiosk", "--speed", f"{speed:g}") as bench, chromium() as browser:
        page = browser.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(bench.page(kiosk=True))
        page.evaluate(f"() => {{ bench.reading.pace = {pace}; }}")
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end and len(rows) < loops:
            page.wait_for_timeout(POLL_MS)
            if page.evaluate("() => bench.guide.loops") == len(rows):
                continue
            last = page.evaluate("() => bench.guide.played.at(-1)")
            if last["problem"]:
                problems.append(f"{last['tour']}, step {last['step'] + 1}: {last['problem']}")
            found = metrics(devtools)
            rows.append(
                {"tour": last["tour"], "loop": len(rows) + 1, "heap": found["JSHeapUsedSize"] / 1e6,
                 "nodes": found["Nodes"], "memory": bench.memory_mb, "files": bench.open_files}
            )  # fmt: skip
    return rows, problems, wrong


def judged(rows: list[dict[str, Any]], problems: list[str], wrong: list[str]) -> str:
    """Whether memory is flat: the last three tours against the second round of three, when every view has been open."""
    if len(rows) < 7:
        return f"Too short to judge: {len(rows)} tours; 7 are needed."
    early, late = rows[3:6], rows[-3:]
    growth = {name: max(row[name] for row in late) - max(row[name] for row in early) for name in LIMITS}
    flat = all(growth[name] <= most for name, most in LIMITS.items())
    said = (
        f"{len(rows)} tours. From the second loop to the last: heap {growth['heap']:+.1f} MB, nodes"
        f" {growth['nodes']:+.0f}, server {growth['memory']:+.0f} MB, open files {growth['files']:+d}."
    )
    trouble = "; ".join([*problems, *wrong])
    if trouble:
        return f"WENT WRONG: {said} {trouble}"
    return f"Flat: {said}" if flat else f"NOT FLAT: {said}"


def _thinned(rows: list[dict[str, Any]], most: int = 30) -> list[dict[str, Any]]:
    step = max(1, len(rows) // most)
    return rows[::step]


if __name__ == "__main__":
    main()
