"""Proof: nothing typed on the command line ends in a traceback, and every end is in the table of exit codes.

Every command of the registry, every option at its edges and beyond them, every file argument with damaged files of
every kind. Calls run in this program's own processes, each ended like by Ctrl-C where it takes too long; a part of them
runs again as real programs. Each call has a number, and everything in it follows from seed and number.
"""

import argparse
import contextlib
import json
import logging
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NamedTuple
from weakref import WeakSet

from typer.testing import CliRunner

from proofs import evidence
from shuffler.cli import COMMANDS, app
from shuffler.cli.exit_codes import EXIT_CODES, FAILED, INTERRUPTED, MISUSED
from shuffler.cli.help_pages import kind_of
from shuffler.cli.lazy import load

CUT_AFTER_S = 1.0  # then Ctrl-C
CUT_AGAIN_S = 15.0  # then once more, as somebody impatient would
PROCESS_S = 90.0  # after Ctrl-C; a loaded machine takes its time
THREADS_S = 30.0
KNOWN: "WeakSet[threading.Thread]" = WeakSet()  # told already
CHUNK_S = 1200.0  # for a chunk of calls, on a loaded machine
CHUNK = 50  # calls in one process, so that what a call leaves behind troubles few others
MOST_MEMORY = 8 << 30  # so that a file without an end is an error here, not the end of the machine

TRACES = re.compile(
    r"^(?:Traceback.*|Exception ignored.*|[A-Za-z_.]+(?:Error|Exception|Interrupt|Warning): .*)$", re.MULTILINE
)
ROOT = evidence.FOLDER.parent.parent
UNBREAKABLE = re.compile(r"importlib|EventLoop\.__init__$|\.__del__$|site-packages/(numba|llvmlite)/")
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


class Chunk(NamedTuple):
    """Calls that share a process."""

    numbers: range
    programs: bool


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
    if found := TRACES.findall(told):
        tally.problems.append(f"{typed}: {found[-1][:200]}")
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
    if left := _threads_left():
        tally.problems.append(f"{typed}: would not end, for {left}")


def _threads_left() -> list[str]:
    """Threads that would hold the program up at its end: each has some time to end by itself."""
    ends = time.monotonic() + THREADS_S
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon and thread not in KNOWN:
            thread.join(max(0.0, ends - time.monotonic()))
            if thread.is_alive():
                KNOWN.add(thread)
                return [thread.name]
    return []


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

    An import that is broken off can't be done again in the same process, nor can the making of an event loop; LLVM
    frees twice what a broken compilation left; what a `__del__` raises is lost: the alarm waits until it is through.
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
        env={**os.environ, "PYTHONPATH": str(ROOT)},
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
    ended = process.returncode if process.returncode >= 0 else 128 - process.returncode  # as a shell tells a signal
    judge(typed, ended, told, tally)


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
    if not programs:
        sys.unraisablehook = lambda _: None  # what an interrupted call left behind is cleared away during a later one
        logging.getLogger("asyncio").disabled = True  # likewise
    with bounded_memory(), tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        files = damaged_files(Path(name))
        for number in numbers:
            typed = typed_for(number, seed, every, files)
            print(number, typed, flush=True)
            as_process(typed, tally) if programs else in_process(typed, tally)
    return tally


def chunks_of(calls: int, programs: int) -> list[Chunk]:
    """Every call in a chunk; programs take the numbers after the calls."""
    here = [Chunk(range(at, min(at + CHUNK, calls)), False) for at in range(0, calls, CHUNK)]
    ends, few = calls + programs, CHUNK // 5
    return here + [Chunk(range(at, min(at + few, ends)), True) for at in range(calls, ends, few)]


def keep(path: Path, found: Tally) -> None:
    """Write down what a chunk has found."""
    told = {"calls": found.calls, "codes": dict(found.codes), "problems": found.problems}
    path.write_text(json.dumps(told), encoding="utf-8")


def kept(path: Path) -> Tally:
    """What a chunk has found."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return Tally(told["calls"], Counter({int(code): count for code, count in told["codes"].items()}), told["problems"])


def in_a_process(chunk: Chunk, seed: int, folder: Path) -> Tally:
    """A chunk in a process of its own, unless it is kept already; one that does not end is a problem."""
    path = folder / f"{'programs' if chunk.programs else 'calls'}-{seed}-{chunk.numbers.start:06}.json"
    if path.exists():
        return kept(path)
    numbers = [str(chunk.numbers.start), str(chunk.numbers.stop)]
    how = ["--programs"] if chunk.programs else []
    program = [sys.executable, "-X", "faulthandler", "-m", "proofs.cli_fuzz", "chunk"]
    command = [*program, *numbers, str(seed), str(path), *how]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=CHUNK_S)
    except subprocess.TimeoutExpired as late:
        said = late.stdout.decode(errors="replace") if isinstance(late.stdout, bytes) else late.stdout or ""
        return Tally(problems=[f"chunk {numbers} does not end: {said.strip().splitlines()[-1:]}"])
    if done.returncode:
        return Tally(problems=[f"chunk {numbers} ended with {done.returncode}: {done.stderr.strip()[-2000:]}"])
    return kept(path)


def run_all(calls: int, programs: int, seed: int, workers: int, folder: Path) -> Tally:
    """All calls in chunks."""
    folder.mkdir(parents=True, exist_ok=True)
    chunks, tally = chunks_of(calls, programs), Tally()
    with ThreadPoolExecutor(workers) as pool:
        for chunk, found in zip(chunks, pool.map(lambda one: in_a_process(one, seed, folder), chunks), strict=True):
            tally.calls += found.calls
            tally.codes += found.codes
            tally.problems += found.problems
            print(f"{chunk.numbers.stop:,} of {calls + programs:,}", *found.problems, sep="\n", flush=True)
    return tally


def one_chunk(words: list[str]) -> None:
    """What `in_a_process` calls: START STOP SEED FILE [--programs]."""
    start, stop, seed = map(int, words[:3])
    keep(Path(words[3]), run(range(start, stop), seed, programs="--programs" in words))
    sys.stdout.flush()
    os._exit(0)  # whatever the calls have left behind


def main() -> None:
    if sys.argv[1:2] == ["chunk"]:
        one_chunk(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a folder to resume from: chunks that are in it are not run again")
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        tally = run_all(options.calls, options.processes, options.seed, options.workers, folder)
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
