"""Proof: nothing typed on the command line ends in a traceback, and every end is in the table of exit codes.

Every command, every option at its edges and beyond them, every file argument with damaged files of every kind. Calls
run in this process, each cut off by an alarm that acts like Ctrl-C; a part of them runs again as real processes.
"""

import argparse
import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from typer.testing import CliRunner

from proofs import evidence
from shuffler.cli import COMMANDS, app
from shuffler.cli.exit_codes import EXIT_CODES
from shuffler.cli.lazy import load

CUT_AFTER_S = 2.0
PROCESS_S = 30.0
MOST_MEMORY = 8 << 30  # so that a file without an end is an error here, not the end of the machine

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
SMALL_RUNS = {"soak": ("--rounds", "3"), "table": ("--rounds", "1", "--speed", "1000"), "demo": ()}


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


def _option(parameter: Any) -> Option:
    flag = next((name for name in parameter.opts if name.startswith("-")), "")
    if getattr(parameter, "is_flag", False):
        return Option(flag, "flag")
    told = repr(getattr(parameter, "type", None) or getattr(parameter, "type_descriptor", "")).lower()
    kinds = (("path", "file"), ("int", "number"), ("float", "number"))
    kind = next((kind for word, kind in kinds if f"'{word}" in told or f".{word}" in told or word in told), "words")
    return Option(flag, kind)


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
    others = (str(folder / "folder"), str(folder / "none" / "there"), "-", "/dev/full")
    return [*(str(folder / name) for name in made), *others]


def call_for(target: Target, files: list[str], chance: Random) -> list[str]:
    """One way of typing a command: some of its options, each with a value that may be wrong."""
    values = {"number": NUMBERS, "file": (*files, *WORDS[:8]), "words": (*WORDS, *NUMBERS[:6], *files[:6])}
    typed = [*target.words, *SMALL_RUNS.get(target.words[0], ())]
    for option in target.options:
        if option.flag and chance.random() > 0.35:
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
    if "Traceback" in told or "Error:" in told.splitlines()[-1:][:1]:
        tally.problems.append(f"{typed}: {told.strip().splitlines()[-1][:200]}")
    elif code not in EXIT_CODES:
        tally.problems.append(f"{typed}: exit code {code}")


def in_process(typed: list[str], tally: Tally) -> None:
    """One call here, ended like Ctrl-C where it takes too long."""

    def cut(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, cut)
    signal.setitimer(signal.ITIMER_REAL, CUT_AFTER_S)
    try:
        done = CliRunner().invoke(app, typed, input=b"")
        code, told = done.exit_code, done.stderr
        if done.exception is not None and not isinstance(done.exception, SystemExit | KeyboardInterrupt | OSError):
            told += f"Traceback\n{type(done.exception).__name__}: {done.exception}"
        elif isinstance(done.exception, KeyboardInterrupt):
            code = 130
        elif isinstance(done.exception, OSError):
            code = 1  # the program's own main says so in a sentence; see `as_process`
    except KeyboardInterrupt:
        code, told = 130, ""
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    judge(typed, code, told, tally)


def as_process(typed: list[str], folder: Path, tally: Tally) -> None:
    """The same as a real program, interrupted where it takes too long."""
    if any("\0" in word for word in typed):
        return
    process = subprocess.Popen(
        [sys.executable, "-m", "shuffler", *typed], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace",
        env={**os.environ, "PYTHONPATH": str(evidence.FOLDER.parent.parent)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        _, told = process.communicate(timeout=2 * CUT_AFTER_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            _, told = process.communicate(timeout=PROCESS_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            tally.problems.append(f"{typed}: does not end on Ctrl-C")
            return
    judge(typed, process.returncode, told, tally)


@contextlib.contextmanager
def bounded_memory() -> Iterator[None]:
    """No call may take more than this; whoever runs after us in this process may."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def run(calls: int, processes: int, seed: int) -> Tally:
    """So many calls of each kind, spread over all commands."""
    chance, tally, every = Random(seed), Tally(), targets()
    with bounded_memory(), tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        folder = Path(name)
        files = damaged_files(folder)
        for number in range(calls):
            in_process(call_for(every[number % len(every)], files, chance), tally)
            if sys.stderr.isatty() and number % 50 == 0:
                print(f"\r{number:,} of {calls:,} calls", end="", file=sys.stderr)
        for number in range(processes):
            as_process(call_for(every[number % len(every)], files, chance), folder, tally)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()
    tally = run(options.calls, options.processes, options.seed)
    codes = ", ".join(f"{code}: {count:,}" for code, count in sorted(tally.codes.items()))
    lines = [
        f"- commands: {len(targets())}",
        f"- calls: {options.calls:,} in process, {options.processes:,} as processes",
        f"- ends by exit code: {codes}",
        f"- problems: {len(tally.problems)}",
        f"- {time.perf_counter() - started:.0f} s",
    ]
    print("\n".join(lines), *tally.problems[:40], sep="\n")
    evidence.record("cli-fuzz", command="make proof-cli-fuzz", seed=options.seed, body="\n".join(lines))
    raise SystemExit(bool(tally.problems))


if __name__ == "__main__":
    main()
