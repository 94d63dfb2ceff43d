"""Proof: emulator and table as two processes on real ports in real time never stand still, and the books hold.

A black box: programs are started by their command line, signalled, killed and started again; what is looked at is their
exit code, their screen and the journal, by an auditor that imports nothing of the product. One lane is one table with
one device on one kind of port. Accidents: either end is stopped (SIGSTOP) for 1 to 30 s, or killed (SIGKILL) and
started again. Meanwhile players pause, and part of the time the machine is loaded.

A lane stalls when its table shows nothing new for longer than the longest time-out it states, or ends by itself. After
every accident the journal is audited together with all that the screen has shown.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from proofs import evidence
from proofs.auditor import Audited, audit
from proofs.auditor.shown import ShownRound, shown_rounds

ROOT = Path(__file__).parent.parent
PATIENCE_S = 300.0  # the table's own: the longest time-out that it states
STALL_S = PATIENCE_S + 30.0
QUIET_S = (4.0, 18.0)  # between two accidents
STOP_S = (1.0, 30.0)
DOWN_S = (0.0, 4.0)  # between a kill and the next start
PAUSE_S = 60.0
LAST_ROUNDS = 2
LAST_SPEED = 50.0
END_S = 600.0  # for the last rounds of a lane
SEATS = 5
OPEN_ROUND = "was never ended"  # of a journal whose table is still playing
LOADED_PART = 2  # every second part runs on a loaded machine

PORTS = ("pty", "tcp", "tcp-9600", "usbip", "secure")
SPEEDS = (10.0, 50.0, 4.0, 20.0, 1.0)
ACCIDENTS = ("device stopped", "table stopped", "device killed", "table killed")


@dataclass
class LaneResult:
    """What came of one lane."""

    port: str
    speed: float
    accidents: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    longest_quiet_s: float = 0.0
    audits: int = 0
    rounds: int = 0
    settled: int = 0
    void: int = 0
    groups: int = 0
    gaps: int = 0
    problems: list[str] = field(default_factory=list)


class Lane:
    """One device and one table, each a process of its own."""

    def __init__(self, folder: Path, port: str, speed: float, seed: int, *, pause_s: float = PAUSE_S) -> None:
        self.folder = folder
        self.result = LaneResult(port, speed)
        self._chance = Random(seed)
        self._port = _free_port()
        self._pause_s = pause_s
        self._serial = f"LIVE-{seed}"
        self._lives = 0
        self._journal = folder / "books.db"
        self._device: subprocess.Popen[bytes] | None = None
        self._table: subprocess.Popen[bytes] | None = None
        self._moved = time.monotonic()
        self._size = -1
        if port == "secure":  # made before either starts: which of them comes first is not this proof's question
            (folder / "key.hex").write_text(self._chance.randbytes(32).hex(), encoding="ascii")

    @property
    def url(self) -> str:
        """Where the table finds the device, however often it was started again."""
        if self.result.port == "pty":
            return str(self.folder / "tty")
        if self.result.port == "usbip":
            return f"usbip://127.0.0.1:{self._port}/1-1"
        return f"socket://127.0.0.1:{self._port}"

    # ------------------------------------------------------------------------------------------------------ processes

    def start_device(self, speed: float | None = None) -> None:
        where = {
            "pty": ["--link", str(self.folder / "tty")],
            "usbip": ["--usbip", "--usbip-port", str(self._port)],
            "tcp-9600": ["--tcp", str(self._port), "--baud", "9600"],
        }.get(self.result.port, ["--tcp", str(self._port)])
        more = ["--memory", str(self.folder / "memory"), "--speed", str(speed or self.result.speed)]
        self._device = self._start(["emulate", *where, *more, *self._key(), "--serial", self._serial], "device")

    def start_table(self, rounds: int = 1_000_000, *, pause_s: float | None = None) -> None:
        self._lives += 1
        pause_s = self._pause_s if pause_s is None else pause_s
        more = ["--journal", str(self._journal), "--rounds", str(rounds), "--seats", str(SEATS), *self._key()]
        more += ["--patience", str(PATIENCE_S), "--strategy", "random", "--pauses", str(pause_s)]
        self._table = self._start(["table", self.url, *more], f"table-{self._lives:04d}")
        self._moved, self._size = time.monotonic(), -1

    def _key(self) -> list[str]:
        return ["--secure", str(self.folder / "key.hex")] if self.result.port == "secure" else []

    def _start(self, arguments: list[str], name: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.out").open("ab") as out, (self.folder / f"{name}.err").open("ab") as err:
            return subprocess.Popen([sys.executable, "-m", "shuffler", *arguments], cwd=ROOT, stdout=out, stderr=err)

    # ---------------------------------------------------------------------------------------------------- watching it

    def _screen(self) -> Path:
        return self.folder / f"table-{self._lives:04d}.out"

    def shown(self) -> dict[str, ShownRound]:
        """What all screens together said."""
        found: dict[str, ShownRound] = {}
        for path in sorted(self.folder.glob("table-*.out")):
            with path.open(encoding="utf-8", errors="replace") as screen:
                for name, one in shown_rounds(screen).items():
                    if one.outcome or name not in found:
                        found[name] = one
        return found

    def look(self) -> bool:
        """Whether the lane still moves; a stall and a table that has ended by itself are noted."""
        assert self._table is not None
        code = self._table.poll()
        if code is not None:
            self._problem(f"the table ended by itself with exit code {code}: {self._last_words()}")
            return False
        size = self._screen().stat().st_size
        now = time.monotonic()
        if size != self._size:
            self._size, self._moved = size, now
        self.result.longest_quiet_s = max(self.result.longest_quiet_s, now - self._moved)
        if now - self._moved > STALL_S:
            self._problem(f"a stall: nothing new on the screen for {now - self._moved:.0f} s: {self._last_words()}")
            return False
        return True

    def wait(self, seconds: float) -> bool:
        """Let time pass; False where the lane has stalled or ended meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.look():
                return False
            time.sleep(min(0.5, max(0.0, end - time.monotonic())))
        return True

    def check(self, *, device_groups: int | None = None, ended: bool = False) -> Audited:
        """Audit the journal against what was shown until now; where nothing was, there may be none yet."""
        shown = self.shown()  # before the journal: what is shown must be in it
        if not shown:
            return Audited()
        found = audit(self._journal, shown=shown, device_groups=device_groups)
        self.result.audits += 1
        self.result.problems += [p for p in found.problems if ended or OPEN_ROUND not in p]
        return found

    def _last_words(self) -> str:
        err = self.folder / f"table-{self._lives:04d}.err"
        return " / ".join(err.read_text(encoding="utf-8", errors="replace").splitlines()[-3:])

    def _problem(self, text: str) -> None:
        self.result.problems.append(f"{self.result.port} at speed {self.result.speed:g}: {text}")

    # ------------------------------------------------------------------------------------------------------ accidents

    def accident(self) -> bool:
        """One accident; False where the lane did not live through it."""
        what = self._chance.choice(ACCIDENTS)
        lowest, highest = STOP_S
        stop_s = lowest * (highest / lowest) ** self._chance.random()  # short ones are more frequent
        down_s = self._chance.uniform(*DOWN_S)
        assert self._device is not None
        assert self._table is not None
        if what == "device stopped":
            self._stop(self._device, stop_s)
        elif what == "table stopped":
            self._stop(self._table, stop_s)
            self._moved += stop_s
        elif what == "device killed":
            self._kill_device()
            time.sleep(down_s)
            self.start_device()
        else:
            self._kill(self._table)
            time.sleep(down_s)
            self.start_table()
        self.result.accidents[what] += 1
        return self.wait(1.0)

    def _stop(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        process.send_signal(signal.SIGCONT)

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()

    def _kill_device(self) -> None:
        """Its name goes first, as a real port's does: the system may give the terminal's number to another program."""
        (self.folder / "tty").unlink(missing_ok=True)
        assert self._device is not None
        self._kill(self._device)

    # -------------------------------------------------------------------------------------------------------- a run

    def run(self, until: Callable[[], bool], end_s: float = END_S) -> None:
        """Accidents until it is time; then a last table that ends in good order, and the last audit."""
        started = time.monotonic()
        try:
            self.start_device()
            self.start_table()
            while not until():
                if not self.wait(self._chance.uniform(*QUIET_S)) or not self.accident():
                    self._kill_table()
                    self.start_table()
                self.check()
            self._kill_table()
            self._close(end_s)
        except Exception as problem:  # the other lanes go on, and this one's end is on record
            self._problem(f"the proof itself failed: {problem!r}")
        finally:
            for process in (self._table, self._device):
                if process is not None and process.poll() is None:
                    process.kill()
                    process.wait()
            self.result.seconds = time.monotonic() - started

    def _kill_table(self) -> None:
        assert self._table is not None
        self._kill(self._table)

    def _close(self, end_s: float) -> None:
        self._kill_device()
        self.start_device(LAST_SPEED)
        self.start_table(LAST_ROUNDS, pause_s=0.0)
        assert self._table is not None
        try:
            code = self._table.wait(end_s)
        except subprocess.TimeoutExpired:
            self._problem(f"the last table did not end in {end_s:g} s: {self._last_words()}")
            return
        if code:
            self._problem(f"the last table ended with exit code {code}: {self._last_words()}")
            return
        info = subprocess.run(
            [sys.executable, "-m", "shuffler", "device", "info", self.url, "--json", *self._key()],
            cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        groups = json.loads(info.stdout)["groups"] if info.returncode == 0 else None
        if groups is None:
            self._problem(f"the device could not be asked at the end: {info.stderr.strip()}")
        found = self.check(device_groups=groups, ended=True)
        result = self.result
        result.rounds, result.settled, result.void = found.rounds, found.settled, found.void
        result.groups, result.gaps = found.groups, found.gaps


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# ------------------------------------------------------------------------------------------------------------ one part


def run_part(
    folder: Path, *, seconds: float, seed: int, part: int = 0, ports: tuple[str, ...] = PORTS, pause_s: float = PAUSE_S,
    speeds: tuple[float, ...] = SPEEDS, loaded: bool = False,
) -> list[LaneResult]:  # fmt: skip
    """All lanes side by side for so long; each part gives every port another speed."""
    end = time.monotonic() + seconds
    lanes = []
    for index, port in enumerate(ports):
        place = folder / f"{part}-{port}"
        place.mkdir(parents=True)
        speed = speeds[(index + part) % len(speeds)]
        lanes.append(Lane(place, port, speed, seed * 1000 + part * 10 + index, pause_s=pause_s))
    burners = [_burner() for _ in range(os.cpu_count() or 1)] if loaded else []
    try:
        threads = [threading.Thread(target=lane.run, args=(lambda: time.monotonic() > end,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
    return [lane.result for lane in lanes]


def _burner() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["nice", "-n", "5", sys.executable, "-c", "while True: pass"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=11.5, help="of each part")
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--keep", type=Path, help="a folder for what each part came to; parts that are there are kept")
    parser.add_argument("--no-record", action="store_true", help="a try: leave docs/evidence alone")
    options = parser.parse_args()
    keep = options.keep or Path(tempfile.mkdtemp(prefix="live-"))
    keep.mkdir(parents=True, exist_ok=True)
    results: list[LaneResult] = []
    commits: list[str] = []  # each part's: a kept one may be of an earlier commit
    for part in range(options.parts):
        record = keep / f"part-{part}.json"
        if record.exists():
            kept = json.loads(record.read_text(encoding="utf-8"))
            results += [LaneResult(**{**one, "accidents": Counter(one["accidents"])}) for one in kept["lanes"]]
            commits.append(kept["commit"])
            continue
        loaded = part % LOADED_PART == 1
        folder = Path(tempfile.mkdtemp(dir=keep))
        found = run_part(folder, seconds=60 * options.minutes, seed=options.seed, part=part, loaded=loaded)
        if any(one.problems for one in found):
            print(f"journals and screens of part {part + 1} are in {folder}", flush=True)
        else:
            shutil.rmtree(folder)
        commits.append(evidence.commit())
        kept = {"commit": commits[-1], "lanes": [vars(one) for one in found]}
        record.write_text(json.dumps(kept), encoding="utf-8")
        results += found
        print(f"part {part + 1} of {options.parts}{' (loaded)' if loaded else ''}:", flush=True)
        for one in found:
            print(f"  {_line(one)}", *one.problems[:5], sep="\n    ", flush=True)
    body = report(results, options.parts, options.minutes)
    body += f"\n\nThe parts ran on the commits {', '.join(one[:7] for one in commits)}."
    print(body)
    problems = [problem for one in results for problem in one.problems]
    if not options.no_record:
        evidence.record("live", command="make proof-live", seed=options.seed, body=body)
    raise SystemExit(bool(problems))


def _line(one: LaneResult) -> str:
    return (
        f"{one.port} at speed {one.speed:g}: {sum(one.accidents.values())} accidents, {one.rounds} rounds"
        f" ({one.settled} settled, {one.void} void), {one.audits} audits, {len(one.problems)} problems,"
        f" longest quiet {one.longest_quiet_s:.0f} s"
    )


def _row(port: str, mine: list[LaneResult]) -> str:
    speeds = ", ".join(f"{speed:g}" for speed in sorted({one.speed for one in mine}))
    minutes = sum(one.seconds for one in mine) / 60
    accidents = sum(sum(one.accidents.values()) for one in mine)
    counts = [sum(getattr(one, name) for one in mine) for name in ("rounds", "settled", "void", "groups")]
    quiet = max(one.longest_quiet_s for one in mine)
    cells = [port, speeds, f"{minutes:.0f}", str(accidents), *(f"{count:,}" for count in counts), f"{quiet:.0f} s"]
    return f"| {' | '.join(cells)} |"


def report(results: list[LaneResult], parts: int, minutes: float) -> str:
    """The record of all parts."""
    accidents = sum((one.accidents for one in results), Counter[str]())
    problems = [problem for one in results for problem in one.problems]
    rows = [_row(port, mine) for port in PORTS if (mine := [one for one in results if one.port == port])]
    played = sum(one.seconds for one in results)
    wall = sum(max(one.seconds for one in results[at : at + len(PORTS)]) for at in range(0, len(results), len(PORTS)))
    lines = [
        f"{parts} parts of {minutes:g} minutes, {len(PORTS)} tables side by side, every second part with the machine",
        f"loaded: {wall / 60:.0f} minutes by the clock, {played / 60:.0f} minutes of play.",
        f"Players pause up to {PAUSE_S:g} s. A stall is {STALL_S:g} s without anything new on a table's screen.",
        "",
        f"- accidents: {sum(accidents.values()):,} ({', '.join(f'{name} {accidents[name]}' for name in ACCIDENTS)})",
        f"- stalls and tables that ended by themselves: {sum('stall' in p or 'ended' in p for p in problems)}",
        f"- audits of journal and screen: {sum(one.audits for one in results):,}, problems {len(problems)}",
        f"- gaps in events: {sum(one.gaps for one in results)}",
        "",
        "| port | speeds | minutes | accidents | rounds | settled | void | groups | longest quiet |",
        "|---|---|---|---|---|---|---|---|---|",
        *rows,
        *(["", *(f"- {problem}" for problem in problems[:20])] if problems else []),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
