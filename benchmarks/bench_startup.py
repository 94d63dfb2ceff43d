"""How long a command takes to start: its processor time beside that of importing typer, and of version 0.1.0."""

import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from benchmarks import Section

ROOT = Path(__file__).parent.parent
FIRST = "7316e4b"  # version 0.1.0
TURNS = 20
BASE = "python -c 'import typer'"
COMMANDS = {
    "shuffler --help": ("--help",),
    "shuffler deal --help": ("deal", "--help"),
    "shuffler deal URL, one round of seven": ("deal", "URL"),
}


@dataclass(frozen=True)
class Tree:
    """One version of the product, with a device of its own to deal from."""

    name: str
    folder: Path
    url: str


def run() -> list[Section]:
    """One section: each command in turn, `TURNS` times, so that a busy machine slows all alike."""
    with ExitStack() as stack:
        trees = [Tree("now", ROOT, stack.enter_context(_device(ROOT)))]
        if (first := _first_version(Path(stack.enter_context(tempfile.TemporaryDirectory())))) is not None:
            trees.append(Tree("0.1.0", first, stack.enter_context(_device(first))))
        took: dict[tuple[str, str], list[float]] = {}
        for _ in range(TURNS):
            took.setdefault(("now", BASE), []).append(_processor_s(ROOT, ["-c", "import typer"]))
            for tree in trees:
                for command, words in COMMANDS.items():
                    arguments = ["-m", "shuffler", *(tree.url if word == "URL" else word for word in words)]
                    took.setdefault((tree.name, command), []).append(_processor_s(tree.folder, arguments))
    median = {key: statistics.median(times) for key, times in took.items()}
    base = median["now", BASE]
    rows = [(BASE, f"{1e3 * base:.0f}", "1.00", "", "")]
    for command in COMMANDS:
        now, then = median["now", command], median.get(("0.1.0", command))
        against = ("", "") if then is None else (f"{1e3 * then:.0f}", f"{now / then:.2f}")
        rows.append((command, f"{1e3 * now:.0f}", f"{now / base:.2f}", *against))
    note = (
        f"Processor time (user and system) of a fresh process, median of {TURNS} runs in turn. Reach: `--help` at most "
        "1.5 times the import of typer, and a third of the time that 0.1.0 takes on the same machine with the same "
        "libraries. Each version deals from an emulated device of its own, which is another process."
    )
    columns = ("command", "ms", "times import typer", "0.1.0, ms", "of 0.1.0's time")
    return [Section(title="Starting a command", columns=columns, rows=tuple(rows), note=note)]


def _processor_s(folder: Path, arguments: list[str]) -> float:
    """User and system time of one run; a run that fails is no measurement."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(sys.executable, [sys.executable, *arguments], _environment(folder), file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(arguments)} in {folder} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}


def _first_version(into: Path) -> Path | None:
    """The product as it was in 0.1.0, from this checkout's history; None where that is not at hand."""
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", FIRST], capture_output=True)
    if packed.returncode:
        return None
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(into, filter="data")
    return into


@contextmanager
def _device(folder: Path) -> Iterator[str]:
    """The URL of a fast emulated device, served by that version in a process of its own."""
    command = [sys.executable, "-m", "shuffler", "emulate", "--tcp", "0", "--speed", "1000"]
    with subprocess.Popen(command, env=_environment(folder), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if found := re.search(r"socket://[\w.:]+", line):
                    yield found[0]
                    return
            raise RuntimeError(f"the device of {folder} did not start")
        finally:
            process.terminate()
