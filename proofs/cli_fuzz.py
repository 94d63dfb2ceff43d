"""Proof: nothing typed on the command line ends in a traceback, and every end is in the table of exit codes.

Every command of the registry, every option at its edges and beyond them, every file argument with damaged files of
every kind. Calls run in this program's own processes, each ended like by Ctrl-C where it takes too long; a part of them
runs again as real programs. Each call has a number, and everything in it follows from seed and number.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NamedTuple

from typer.testing import CliRunner

from proofs import evidence
from shuffler.cli import COMMANDS, app
from shuffler.cli.exit_codes import EXIT_CODES, FAILED, INTERRUPTED, MISUSED
from shuffler.cli.help_pages import kind_of
from shuffler.cli.lazy import load

CUT_AFTER_S = 1.0  # then Ctrl-C
CUT_AGAIN_S = 15.0  # then once more, as somebody impatient would
PROCESS_S = 90.0  # after Ctrl-C; a loaded machine takes its time
CHUNK = 50  # calls in one process, so that what a call leaves behind troubles few others
MOST_MEMORY = 8 << 30  # so that a file without an end is an error here, not the end of the machine

TRACES = re.compile(r"^Traceback|^Exception ignored|^[A-Za-z_.]+(Error|Exception|Interrupt): ", re.MULTILINE)
UNBREAKABLE = re.compile(r"importlib|EventLoop\.__init__$|\.__del__$")
LEAKS = (" object at 0x", "NoneType", "<class '", "codec can't", "positional argument", "not supported between")

WORDS = (
    "", " ", "-", "--", "nonsense", "ü♠\u202e", "a" * 5000, "../../evil", "/dev/null", "/dev/full", "%s%n", "'; DROP",
    "\x1b[31m", "NaN", "socket://127.0.0.1:1", "socket://[::1", "tcp://", "usb://zz", "usbip://127.0.0.1:1/1-1",
    "hwgrep://(", "light-and-wonder", "i-deal-style",
    "gli-style", "Q-6-4", "3♠ 8♠ Q♣", "house.limit_ceiling=$300", "=", "a=b", "supervisor=", "1209:0001",
)  # fmt: skip
NUMBERS = (
    "-1", "0", "1", "2", "7", "255", "65535", "65536", "-9223372036854775809", "1e400", "inf", "-inf", "nan", "0.5",
    "1.5", "x", "",
)  # fmt: skip
SMALL_RUNS = {
    ("soak",): ("--rounds", "3"),
    ("table",): ("--rounds", "1", "--speed", "1000"),
    ("rng", "stream"): ("--bytes", "64k"),  # without an end it would be a matter of memory here
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option or argument of a command: how it is given and what kind of value it takes."""

    flag: str  # empty for an argument
    kind: str  # number, file, flag, words


@dataclass(frozen=True, slots=True)
class Target:
    """A command as it is typed."""

    words: tuple[str, ...]
    options: tuple[Option, ...]


@dataclass(slots=True)
class Tally:
    """What came of the calls."""

    calls: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def targets() -> list[Target]:
    """Every command of the program, found by asking it."""
    return [found for row in COMMANDS for found in _walk((row.name,), load(row))]


def _walk(words: tuple[str, ...], command: Any) -> Iterator[Target]:
    inner = getattr(command, "commands", None)
    if inner:
        for name, below in inner.items():
            yield from _walk((*words, name), below)
    if not inner or getattr(command, "invoke_without_command", False):
        yield Target(words, tuple(_option(one) for one in command.params if one.name != "help"))


KINDS = {"": "flag", "FILE": "file", "FOLDER": "file", "N": "number", "NUMBER": "number", "TEXT": "words"}


def _option(parameter: Any) -> Option:
    flag = next((name for name in parameter.opts if name.startswith("-")), "")
    return Option(flag, KINDS[kind_of(parameter)])


def damaged_files(folder: Path) -> list[str]:
    """Files of every kind that no command should trip over."""
    made = {
        "empty": b"",
        "zeros": bytes(4096),
        "noise.bin": Random(5).randbytes(5000),
        "text.txt": b"hello\n" * 50,
        "utf16.csv": "1,2,3\n".encode("utf-16"),
        "half.json": b'{"kind": "certification", "plan": {"name": ',
        "list.json": b"[1, 2, 3]",
        "lines.jsonl": b'{"faces": [0, 0, 0]}\n{"faces": "x"}\nnot json\n',
        "bad.toml": b"about = [",
        "odd.toml": b"[[fault]]\nname = 7\n[sample]\ndecks = 'many'\n",
        "short.csv": b"1,2,3\n4,5\n",
        "cards.csv": (",".join(map(str, range(52))) + "\n").encode() * 3,
        "wrong.npy": b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "cut.npy": b"\x93NUMPY\x01\x00v\x00{'descr': '<u1', 'fortran_order': False, 'shape': (9999, 52), }   \n\x00",
        "cut.gz": b"\x1f\x8b\x08\x00\x00\x00",
        "sqlite.db": b"SQLite format 3\x00" + bytes(4000),
        "key": b"zz" * 32,
        "log.jsonl": b'{"line": 1}\n\xff\xfe\n',
    }
    for name, content in made.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir(exist_ok=True)
    others = (str(folder / "folder"), str(folder / "none" / "there"), "-", "/dev/full", "/dev/zero")
    return [*(str(folder / name) for name in made), *others]


def call_for(target: Target, files: list[str], chance: Random) -> list[str]:
    """One way of typing a command: some of its options, few or many, each with a value that may be wrong."""
    values = {"number": NUMBERS, "file": (*files, *WORDS[:8]), "words": (*WORDS, *NUMBERS[:6], *files[:6])}
    typed = [*target.words, *SMALL_RUNS.get(target.words, ())]
    share = chance.choice((0.0, 0.05, 0.15, 0.35))  # few, so that a call gets past its options
    for option in target.options:
        if option.flag and chance.random() > share:
            continue
        if option.kind == "flag":
            typed.append(option.flag)
        else:
            value = chance.choice(values[option.kind])
            typed += [option.flag, value] if option.flag else [value]
    if chance.random() < 0.05:
        typed.append(chance.choice(("--no-such-option", "surplus", "--")))
    return typed


def judge(typed: list[str], code: int, told: str, tally: Tally) -> None:
    """Count a call, and say what is wrong with its end."""
    tally.calls += 1
    tally.codes[code] += 1
    lines = told.strip().splitlines() or [""]
    if TRACES.search(told):
        tally.problems.append(f"{typed}: {lines[-1][:200]}")
    elif code not in EXIT_CODES:
        tally.problems.append(f"{typed}: exit code {code}")
    elif code == MISUSED and not lines[0]:
        tally.problems.append(f"{typed}: refused without a word")
    elif leak := next((leak for leak in LEAKS if leak in told), None):
        tally.problems.append(f"{typed}: speaks Python ({leak.strip()}): {lines[-1][:200]}")


# --- in this process -------------------------------------------------------------------------------------------------


def in_process(typed: list[str], tally: Tally) -> None:
    """One call here, ended like by Ctrl-C where it takes too long."""
    before = signal.signal(signal.SIGALRM, _ctrl_c)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    signal.setitimer(signal.ITIMER_REAL, CUT_AFTER_S, CUT_AGAIN_S)
    try:
        end = _called(typed)
    except KeyboardInterrupt:
        end = End(INTERRUPTED, "")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    judge(typed, end.code, end.told, tally)


class End(NamedTuple):
    """How a call ended: its exit code and what it said on standard error."""

    code: int
    told: str


def _called(typed: list[str]) -> End:
    """Call the program here; what its own `main` turns into a sentence is an ordinary end."""
    done = CliRunner().invoke(app, typed, input=b"")
    match done.exception:
        case None | SystemExit():
            return End(done.exit_code, done.stderr)
        case KeyboardInterrupt():
            return End(INTERRUPTED, done.stderr)
        case OSError():
            return End(FAILED, done.stderr)
        case other:
            return End(done.exit_code, f"{done.stderr}\nTraceback\n{type(other).__name__}: {other}")


def _ctrl_c(_number: int, frame: FrameType | None) -> None:
    """Ctrl-C for a call, and for nothing else: an alarm that comes late, between calls, is none.

    An import that is broken off can't be done again in the same process, nor can the making of an event loop, and what
    a `__del__` raises is lost: the alarm waits until it is through.
    """
    running = []
    while frame is not None and frame.f_code is not _called.__code__:
        running.append(frame.f_code)
        frame = frame.f_back
    if frame is None:
        return
    if any(UNBREAKABLE.search(name) for code in running for name in (code.co_filename, code.co_qualname)):
        signal.setitimer(signal.ITIMER_REAL, 0.1, CUT_AGAIN_S)
        return
    signal.raise_signal(signal.SIGINT)


# --- as programs -----------------------------------------------------------------------------------------------------


def as_process(typed: list[str], tally: Tally) -> None:
    """The same as a real program, interrupted where it takes too long."""
    process = subprocess.Popen(
        [sys.executable, "-m", "shuffler", *typed], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace",
        env={**os.environ, "PYTHONPATH": str(evidence.FOLDER.parent.parent)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    told = ""
    for waits, then in ((6 * CUT_AFTER_S, signal.SIGINT), (PROCESS_S, signal.SIGINT), (PROCESS_S, signal.SIGKILL)):
        try:
            _, told = process.communicate(timeout=waits)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(then)
    else:
        process.communicate()
        tally.problems.append(f"{typed}: does not end on Ctrl-C")
    judge(typed, process.returncode, told, tally)


# --- many ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def bounded_memory() -> Iterator[None]:
    """No call may take more than this; whoever runs after us in this process may."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def typed_for(number: int, seed: int, every: list[Target], files: list[str]) -> list[str]:
    """The words of one call, which follow from seed and number."""
    return call_for(every[number % len(every)], files, Random(f"{seed} {number}"))


def run(numbers: range, seed: int, *, programs: bool = False) -> Tally:
    """The calls with these numbers, in a folder of their own with damaged files in it."""
    tally, every = Tally(), targets()
    os.environ["BROWSER"] = "true"  # `live` opens none
    with bounded_memory(), tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        files = damaged_files(Path(name))
        for number in numbers:
            typed = typed_for(number, seed, every, files)
            as_process(typed, tally) if programs else in_process(typed, tally)
    return tally


def kept_or_run(folder: Path | None, numbers: range, seed: int, programs: bool) -> Tally:
    """A chunk of calls: what an earlier run has found, or else the calls."""
    if folder is None:
        return run(numbers, seed, programs=programs)
    path = folder / f"{'programs' if programs else 'calls'}-{seed}-{numbers.start:06}-{numbers.stop:06}.json"
    if not path.exists():
        found = run(numbers, seed, programs=programs)
        folder.mkdir(parents=True, exist_ok=True)
        told = {"calls": found.calls, "codes": dict(found.codes), "problems": found.problems}
        path.write_text(json.dumps(told), encoding="utf-8")
    kept = json.loads(path.read_text(encoding="utf-8"))
    return Tally(kept["calls"], Counter({int(code): count for code, count in kept["codes"].items()}), kept["problems"])


def chunks_of(calls: int, programs: int) -> list[tuple[range, bool]]:
    """The numbers of each chunk and whether they are programs, which take the numbers after the calls."""
    here = [(range(at, min(at + CHUNK, calls)), False) for at in range(0, calls, CHUNK)]
    ends, few = calls + programs, CHUNK // 5
    return here + [(range(at, min(at + few, ends)), True) for at in range(calls, ends, few)]


def run_all(calls: int, programs: int, seed: int, workers: int, folder: Path | None) -> Tally:
    """All calls in chunks, each chunk in a process of its own."""
    chunks, tally = chunks_of(calls, programs), Tally()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        waiting = [pool.submit(kept_or_run, folder, numbers, seed, programs) for numbers, programs in chunks]
        for (numbers, _), one in zip(chunks, waiting, strict=True):
            found = one.result()
            tally.calls += found.calls
            tally.codes += found.codes
            tally.problems += found.problems
            print(f"{numbers.stop:,} of {calls + programs:,}", *found.problems, sep="\n", flush=True)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a folder to resume from: chunks that are in it are not run again")
    parser.add_argument("--chunk", type=int, help="run only the chunk with this number, into --keep")
    options = parser.parse_args()
    if options.chunk is not None:
        numbers, programs = chunks_of(options.calls, options.processes)[options.chunk]
        print(*kept_or_run(options.keep, numbers, options.seed, programs).problems, sep="\n")
        return
    started = time.perf_counter()
    tally = run_all(options.calls, options.processes, options.seed, options.workers, options.keep)
    lines = [
        f"- commands: {len(targets())}",
        f"- calls: {options.calls:,} in process, {options.processes:,} as programs of their own",
        "- ends by exit code: " + ", ".join(f"{code}: {count:,}" for code, count in sorted(tally.codes.items())),
        f"- tracebacks, other exit codes, refusals without a word: {len(tally.problems)}",
    ]
    print("\n".join(lines), f"{time.perf_counter() - started:.0f} s", sep="\n")
    told = ("\n".join(lines), *(f"- `{problem}`" for problem in tally.problems[:40]))
    evidence.record("cli-fuzz", command="make proof-cli-fuzz", seed=options.seed, body="\n".join(told))
    raise SystemExit(bool(tally.problems))


if __name__ == "__main__":
    main()
