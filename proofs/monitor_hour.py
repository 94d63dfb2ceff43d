"""The monitor next to a running table, in real time: three processes, a mechanism worn half-way, what is named when.

A device (`shuffler emulate`), a table on its port (`shuffler table`) and a monitor that follows the table's journal
(`shuffler monitor`). Half-way the control API wears the mechanism: neighbouring cards stick together. Before that there
must be no alarm, afterwards there must be one. `python -m proofs.monitor_hour` takes an hour at the speed of a real
machine and writes docs/evidence/monitor-hour.md; `--speed` and `--sticky` change machine and defect.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofs import evidence

SERIAL = "SB-0001"
LEVEL = 0.001
READY_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long, how fast, what defect."""

    minutes: float
    speed: float
    sticky: str
    wear_after: int | None = None
    """Wear the mechanism after so many rounds instead of half-way, and stop at the alarm."""


@dataclass(kw_only=True)
class Hour:
    """What happened."""

    plan: Plan
    rounds_before: int = 0
    peak_before: float = 1.0
    alarm_before: bool = False
    worn_at: str = ""
    alarm: dict[str, Any] | None = None
    end: dict[str, Any] = field(default_factory=dict)
    exit_code: int = -1

    @property
    def held(self) -> bool:
        """No alarm before the wear, one after it, and a defect of order named."""
        return not self.alarm_before and self.alarm is not None and self.exit_code == 1


class _Lines:
    """The monitor's lines of JSON, read as they come."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.last: dict[str, Any] = {}
        self.alarm: dict[str, Any] | None = None
        self.end: dict[str, Any] = {}
        self._process = process
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            match said["event"]:
                case "alarm":
                    self.alarm = said
                case "end":
                    self.end = said
                case _:
                    self.last = said


def _shuffler(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "shuffler", *arguments]


def _started(stack: ExitStack, command: list[str], **options: Any) -> "subprocess.Popen[str]":
    process = subprocess.Popen(command, text=True, **options)
    stack.callback(_stopped, process)
    return process


def _stopped(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()


def run(plan: Plan, folder: Path) -> Hour:
    """The three processes for so many minutes."""
    found = Hour(plan=plan)
    books, token = folder / "books.db", folder / "token"
    with ExitStack() as stack:
        emulate = ("emulate", "--tcp", "0", "--control", "0", "--token-file", str(token), "--speed", f"{plan.speed:g}",
                   "--serial", SERIAL, "--json")  # fmt: skip
        device = _started(stack, _shuffler(*emulate), stdout=subprocess.PIPE)
        assert device.stdout is not None
        said = json.loads(device.stdout.readline())
        url, control = said["devices"][0]["urls"][0], said["control"]
        table = _started(
            stack, _shuffler("table", url, "--journal", str(books), "--rounds", "1000000"),
            stdout=stack.enter_context((folder / "table.txt").open("w", encoding="utf-8")), stderr=subprocess.STDOUT,
        )  # fmt: skip
        started = time.monotonic()
        while not books.exists():
            if table.poll() is not None or time.monotonic() > started + READY_S:
                raise RuntimeError(f"the table did not start: {(folder / 'table.txt').read_text(encoding='utf-8')}")
            time.sleep(0.2)
        time.sleep(2)
        watching = ("monitor", "--journal", str(books), "--state", str(folder / "state.npz"), "--level", f"{LEVEL:g}",
                    "--every", "1", "--json")  # fmt: skip
        monitor = _started(stack, _shuffler(*watching), stdout=subprocess.PIPE)
        lines = _Lines(monitor)
        half = started + plan.minutes * 30
        while time.monotonic() < half and not _due(plan, lines):
            time.sleep(0.2)
        found.rounds_before, found.alarm_before = lines.last.get("rounds", 0), lines.alarm is not None
        found.peak_before = lines.last.get("peak", 1.0)
        found.worn_at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
        _wear(control, token, plan.sticky)
        print(f"worn at {found.worn_at}, after {found.rounds_before} rounds", flush=True)
        while time.monotonic() < started + plan.minutes * 60 and not (plan.wear_after and lines.alarm):
            if any(one.poll() is not None for one in (device, table, monitor)):
                raise RuntimeError("a process ended too early")
            time.sleep(0.2)
        monitor.send_signal(signal.SIGINT)
        found.exit_code = monitor.wait(60)
        lines.thread.join(30)
        found.alarm, found.end = lines.alarm, lines.end
    return found


def _due(plan: Plan, lines: _Lines) -> bool:
    return plan.wear_after is not None and lines.last.get("rounds", 0) >= plan.wear_after


def _wear(control: str, token: Path, sticky: str) -> None:
    request = urllib.request.Request(
        f"{control}/devices/{SERIAL}/actions/wear", method="POST",
        data=json.dumps({"mechanism": {"sticky": sticky}}).encode(),
        headers={"authorization": f"Bearer {token.read_text(encoding='ascii').strip()}",
                 "content-type": "application/json"},
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()


def report(found: Hour) -> str:
    """The body of the record."""
    plan, alarm = found.plan, found.alarm
    end = found.end
    lines = [
        "Three processes: `shuffler emulate`, `shuffler table` on its port, `shuffler monitor --journal` on the "
        f"table's journal. The machine ran at ×{plan.speed:g} of a real one for {plan.minutes:g} minutes of wall time. "
        f"Half-way the control API wore the mechanism (`sticky={plan.sticky}`: each card of the feed sticks to its "
        "neighbour with that chance). Two decks alternate, so a shuffle's feed was dealt two rounds before.",
        "",
        f"- level {LEVEL:g}: alarm at an evidence of {1 / LEVEL:,.0f}",
        f"- before the wear: {found.rounds_before:,} rounds, largest evidence {found.peak_before:.3g}, "
        f"{'ALARM' if found.alarm_before else 'no alarm'}",
        f"- wear: {found.worn_at}",
    ]
    if alarm is None:
        lines.append("- no alarm after it")
    else:
        top = alarm["questions"][0]
        lines += [
            f"- alarm: {alarm['at']}, in round {alarm['round']} (round {alarm['alarm_round']:,} of the monitor): "
            f"**{alarm['alarm_round'] - found.rounds_before:,} rounds after the wear**",
            f"- named: `{top['name']}` ({top['asks']}), evidence {top['evidence']:,.4g}, "
            f"{'proven at the level' if top['proven'] else 'descriptive'}, rising since round {top['since']:,}",
        ]
        if top["top"] is not None:
            cell = top["top"]
            lines.append(
                f"- cell: {cell['cell']}; {cell['seen']:,} seen, {cell['expected']:,.1f} expected of {cell['trials']:,}"
            )
    lines += [
        f"- end: {end['rounds']:,} rounds, evidence {end['evidence']:.4g}; the monitor's exit code {found.exit_code}",
        f"- marked as rigged in the journal: {end['rigged']:,}; rounds without usable cards: {end['unusable']:,}",
        "",
        f"Held: **{'yes' if found.held else 'NO'}**.",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--speed", type=float, default=1)
    parser.add_argument("--sticky", default="1/10")
    parser.add_argument("--name", default="monitor-hour", help="name of the record")
    parser.add_argument("--folder", type=Path, help="keep journal, state and output here")
    options = parser.parse_args()
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    plan = Plan(minutes=options.minutes, speed=options.speed, sticky=options.sticky)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        found = run(plan, folder)
    command = f"python -m proofs.monitor_hour --minutes {plan.minutes:g} --speed {plan.speed:g} --sticky {plan.sticky}"
    evidence.record(options.name, command=command, seed="operating system", body=report(found))
    return 0 if found.held else 1


if __name__ == "__main__":
    sys.exit(main())
