"""What the live bench costs: idle and busy pages, work within a frame at × 50, a thousand devices made and removed.

python -m proofs.bench                                       # full size
python -m proofs.bench --seconds 3 --devices 50 --no-record
"""

import argparse
import asyncio
import json
import os
import time
from typing import Any

import httpx

from proofs.evidence import record
from proofs.live_process import LiveProcess, chromium, live_process

IDLE, BUSY = 50, 10
ACTS_A_SECOND = 2.0  # of each busy page
FRAME_MS = 1000 / 60
VIEWS = ("table", "machine", "faults", "wire", "randomness", "commitment", "journal")
WATCH = """() => {
  window.seen = { long: [], frames: [] };
  new PerformanceObserver((list) => seen.long.push(...list.getEntries().map((one) => one.duration)))
    .observe({ type: "longtask" });
  let last = performance.now();
  const frame = (now) => { seen.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="for each measurement")
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--no-record", action="store_true")
    args = parser.parse_args()
    before = load()
    with live_process("--kiosk", "--speed", "50") as bench:
        parts = [pages(bench, args.seconds), frames(bench, args.seconds), devices(bench, args.devices)]
    loaded = f"Load average of the machine's {os.cpu_count()} processors: {before:.1f} before, {load():.1f} after."
    body = "\n\n".join([loaded, *parts])
    print(body)
    if not args.no_record:
        command = f"python -m proofs.bench --seconds {args.seconds:g} --devices {args.devices}"
        record("bench", command=command, seed="none", body=body)


def load() -> float:
    """Of the last minute."""
    return os.getloadavg()[0]


# ----------------------------------------------------------------------------------------------------- idle and busy


def pages(bench: LiveProcess, seconds: float) -> str:
    """The server's processor time and memory with pages open: a page is a stream, a busy one acts as well."""
    rows = []
    for name, still, idle, busy in (
        ("no page, everything stands", True, 0, 0),
        (f"{IDLE} idle pages, everything stands", True, IDLE, 0),
        ("no page, the table plays at × 50", False, 0, 0),
        (f"{IDLE} idle pages, the table plays at × 50", False, IDLE, 0),
        (f"{IDLE} idle and {BUSY} busy pages, the table plays at × 50", False, IDLE, BUSY),
    ):
        stand(bench, still)
        rows.append(asyncio.run(cost(bench, name, idle, busy, seconds)))
    head = ["## Pages", "", "| | server, % of a processor | memory MB | stream KB/s each | requests/s | slowest, ms |",
            "|---|---|---|---|---|---|"]  # fmt: skip
    return "\n".join([*head, *rows])


def stand(bench: LiveProcess, still: bool) -> None:
    """Stop every device's clock and the table, or let them run."""
    with bench.client() as client:
        for device in client.get("/devices").json():
            rate = {"rate": 0 if still else 50}
            client.post(f"/devices/{device['serial']}/actions/run_at", json=rate).raise_for_status()
        pace = {"deals": "hand" if still else "auto", "between_s": 0.5}
        client.put("/tables/main/pace", json=pace).raise_for_status()


async def cost(bench: LiveProcess, name: str, idle: int, busy: int, seconds: float) -> str:
    """One row."""
    read = [0]
    slowest: list[float] = [0.0]
    asked = [0]
    headers = {"authorization": f"Bearer {bench.token}"}
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(base_url=f"{bench.url}/api/v1", headers=headers, timeout=120, limits=limits) as client:

        async def look() -> None:
            async with client.stream("GET", "/events") as answer:
                async for piece in answer.aiter_bytes():
                    read[0] += len(piece)

        async def act() -> None:
            while True:
                began = time.monotonic()
                answer = await client.put("/tables/main/pace", json={"think_s": 0.2})
                answer.raise_for_status()
                slowest[0] = max(slowest[0], time.monotonic() - began)
                asked[0] += 1
                await asyncio.sleep(1 / ACTS_A_SECOND)

        tasks = [asyncio.create_task(look()) for _ in range(idle + busy)]
        tasks += [asyncio.create_task(act()) for _ in range(busy)]
        await asyncio.sleep(2)
        read[0] = asked[0] = 0
        before, began = bench.cpu_s, time.monotonic()
        await asyncio.sleep(seconds)
        took = time.monotonic() - began
        share = 100 * (bench.cpu_s - before) / took
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    each = read[0] / 1000 / took / (idle + busy) if idle + busy else 0.0
    late = f"{1000 * slowest[0]:.0f}" if busy else "—"
    return f"| {name} | {share:.1f} | {bench.memory_mb:.0f} | {each:.1f} | {asked[0] / took:.1f} | {late} |"


# ------------------------------------------------------------------------------------------------------------ frames


def frames(bench: LiveProcess, seconds: float) -> str:
    """Long tasks (over 50 ms, as browsers count them), tasks by processor time, and frames, view by view, at × 50."""
    stand(bench, still=False)
    rows = ["## Work within a frame, at × 50", "",
            "Browsers count a long task by the clock on the wall, and so also the time in which other processes had the"
            " processor. The page's own work is in the columns of processor time, from Chromium's trace.", "",
            "| view | tasks over a frame, by processor time | longest, ms of processor | processor, % of one"
            " | long tasks by the wall | longest, ms | frames | median frame, ms | 99th percentile, ms |",
            "|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    with chromium() as browser:
        for view in VIEWS:
            page = browser.new_page(viewport={"width": 1440 if view != "machine" else 900, "height": 900})
            page.goto(bench.page())
            _until_live(page)
            page.evaluate(f"() => bench.open('{view}')")
            if view == "randomness":
                with bench.client() as client:
                    client.put("/laboratory", json={"subject": "device", "running": True}).raise_for_status()
            page.wait_for_timeout(1000)
            page.evaluate(WATCH)
            browser.start_tracing(page=page, categories=["devtools.timeline", "disabled-by-default-devtools.timeline"])
            page.wait_for_timeout(1000 * seconds)
            trace = json.loads(browser.stop_tracing())["traceEvents"]
            seen = page.evaluate("() => seen")
            rows.append(f"| {view} | {_processor_cells(trace, seconds)} | {_frame_cells(seen)} |")
            page.close()
    with bench.client() as client:
        client.put("/laboratory", json={"running": False}).raise_for_status()
    return "\n".join(rows)


def _until_live(page: Any) -> None:
    while not page.evaluate("() => !!window.bench && bench.state.link === 'live' && !!bench.state.tables.main"):
        page.wait_for_timeout(50)


def _processor_cells(trace: list[dict[str, Any]], seconds: float) -> str:
    """What the page's own thread did with the processor, task by task."""
    named = (one for one in trace if one.get("name") == "thread_name")
    main = {(one["pid"], one["tid"]) for one in named if one["args"]["name"] == "CrRendererMain"}
    tasks = [
        one.get("tdur", 0) / 1000 for one in trace if one["name"] == "RunTask" and (one["pid"], one["tid"]) in main
    ]
    over = sum(task > FRAME_MS for task in tasks)
    return f"{over} of {len(tasks):,} | {max(tasks):.1f} | {sum(tasks) / 10 / seconds:.0f}"


def _frame_cells(seen: dict[str, list[float]]) -> str:
    frames, long = sorted(seen["frames"]), seen["long"]
    middle, late = frames[len(frames) // 2], frames[int(0.99 * (len(frames) - 1))]
    longest = f"{max(long):.0f}" if long else "—"
    return f"{len(long)} | {longest} | {len(frames)} | {middle:.1f} | {late:.1f}"


# ----------------------------------------------------------------------------------------------------------- devices


def devices(bench: LiveProcess, many: int) -> str:
    """So many devices created and removed, one after another, and what stays."""
    with bench.client() as client:
        for number in range(20):  # whatever is made once is made now
            _one(client, number)
        files, memory, began = bench.open_files, bench.memory_mb, time.monotonic()
        for number in range(many):
            _one(client, number)
        took = time.monotonic() - began
        left = len(client.get("/devices").json())
    return (
        f"## Devices\n\n{many:,} devices with a TCP port created and removed in {took:.1f} s: open files"
        f" {bench.open_files - files:+d}, memory {bench.memory_mb - memory:+.1f} MB, devices left on the bench {left}"
        " (the table's and its backup)."
    )


def _one(client: httpx.Client, number: int) -> None:
    client.post("/devices", json={"serial": f"L-{number}", "speed": 0}).raise_for_status()
    client.delete(f"/devices/L-{number}").raise_for_status()
    time.sleep(0.01)  # below the API's limit on requests a second


if __name__ == "__main__":
    main()
