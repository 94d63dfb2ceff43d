"""Proof: coverage-guided fuzzing (atheris) of framing, link, USB/IP and every file loader finds nothing that breaks.

Each target of `coverage_targets` runs in a process of its own, since libFuzzer never returns, starting from its seeds
and from the corpus committed under tests/data/corpus. What the fuzzer found to reach new code is then thinned out and
measured: the lines of the target's modules that it runs. `make proof-coverage-fuzz`; needs atheris (Python below 3.13).
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from proofs import evidence
from proofs.coverage_targets import BY_NAME, TARGETS, Target

CORPUS = Path(__file__).parent.parent / "tests" / "data" / "corpus"
INSTRUMENTED = ("strict_toml", "protocol", "round_engine", "firmware_sim", "shuffler", "randomness.certification")
SECONDS = 60
LONGEST = 4096  # bytes of an input
SLOWEST_S = 20  # of one input: anything above it is a finding
KEPT_BYTES = 2048  # a longer input is not committed
KEPT_INPUTS = 40  # a target


@dataclass(frozen=True, slots=True)
class Fuzzed:
    """What one target's run showed."""

    name: str
    executions: int
    cpu_seconds: float
    lines_reached: int
    lines: int
    finding: str = ""


class Broken(AssertionError):
    """A target raised what it must not; the message says on what input."""


# ------------------------------------------------------------------------------------------------------- in a process


def fuzz_here(target: Target, folder: Path, seconds: int) -> None:
    """Fuzz one target until the time is over; libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=list(INSTRUMENTED)):
        take = target.make(folder / "files")
    options = [
        f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={SLOWEST_S}", "-print_final_stats=1",
        f"-artifact_prefix={folder}/found-", "-seed=1", "-rss_limit_mb=2048",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(folder / "corpus")], take)
    atheris.Fuzz()


# ------------------------------------------------------------------------------------------------------------- outside


def fuzz(target: Target, seconds: int, *, keep: bool) -> Fuzzed:
    """Fuzz one target in a process of its own; with `keep` what it found goes into the committed corpus."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "files").mkdir()
        (folder / "corpus").mkdir()
        for number, seed in enumerate((*target.seeds(), *committed(target))):
            (folder / "corpus" / f"seed-{number:03}").write_bytes(seed[:LONGEST])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "proofs.coverage_fuzz", "--one", target.name, "--folder", name]
        done = subprocess.run(
            [*command, "--seconds", str(seconds)], capture_output=True, text=True, errors="replace", check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        executions = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
        finding = ""
        if done.returncode != 0:
            found = sorted(folder.glob("found-*"))
            shown = found[0].read_bytes().hex(" ") if found else "no input kept"
            finding = f"\n{done.stdout[-2000:]}\n{done.stderr[-300:]}\ninput: {shown[:3000]}\n"
        inputs = [path.read_bytes() for path in sorted((folder / "corpus").iterdir())]
    with tempfile.TemporaryDirectory() as name:
        reached = Lines(target, Path(name))
        useful = reached.those_that_add(inputs)
    if keep and not finding:
        write_corpus(target, useful)
    return Fuzzed(
        target.name, int(executions[1]) if executions else 0,
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        len(reached.reached), len(reached.all), finding,
    )  # fmt: skip


def committed(target: Target) -> list[bytes]:
    """The target's inputs under tests/data/corpus."""
    return [path.read_bytes() for path in sorted((CORPUS / target.name).glob("*"))]


def write_corpus(target: Target, inputs: list[bytes]) -> None:
    """Replace the committed corpus: short inputs that each reach lines the others do not."""
    folder = CORPUS / target.name
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for number, data in enumerate([data for data in inputs if len(data) <= KEPT_BYTES][:KEPT_INPUTS]):
        (folder / f"{number:02}").write_bytes(data)


# ---------------------------------------------------------------------------------------------------------- line counts


class Lines:
    """Which lines of a target's modules run: counted by tracing, one input at a time."""

    def __init__(self, target: Target, folder: Path) -> None:
        """`folder` is for the target's files."""
        self._take = target.make(folder)
        files = {str(path) for module in target.modules for path in _files(module)}
        self.all = {(name, line) for name in files for line in _executable(Path(name))}
        self.reached: set[tuple[str, int]] = set()
        self._files = files
        self._new: set[tuple[str, int]] = set()

    def those_that_add(self, inputs: list[bytes]) -> list[bytes]:
        """The inputs, shortest first, that each run a line that none before has run; raises Broken."""
        kept = []
        for data in sorted(inputs, key=len):
            if self.run(data):
                kept.append(data)
        return kept

    def run(self, data: bytes) -> int:
        """How many lines this input runs that none before has run."""
        self._new = set()
        sys.settrace(self._trace)
        try:
            self._take(data)
        except Exception as problem:
            sys.settrace(None)
            raise Broken(f"{problem!r} on {data.hex(' ')}") from problem
        finally:
            sys.settrace(None)
        fresh = (self._new & self.all) - self.reached
        self.reached |= fresh
        return len(fresh)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        if event == "line" or event == "call":
            self._new.add((frame.f_code.co_filename, frame.f_lineno))
        return self._trace


def _files(module: str) -> Iterator[Path]:
    spec = find_spec(module)
    assert spec is not None, module
    assert spec.origin is not None, module
    path = Path(spec.origin)
    yield from sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else (path,)


def _executable(path: Path) -> set[int]:
    """Lines inside functions: what runs at import is not what an input reaches."""

    def inside(code: CodeType, in_function: bool) -> Iterator[int]:
        if in_function:
            yield from (line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from inside(constant, in_function or not _is_class(constant))

    return set(inside(compile(path.read_text(encoding="utf-8"), str(path), "exec"), False))


def _is_class(code: CodeType) -> bool:
    return "__qualname__" in code.co_names and "__module__" in code.co_names


# ------------------------------------------------------------------------------------------------------------ the whole


def report(results: list[Fuzzed]) -> str:
    """The record's body."""
    rows = [
        f"| {one.name} | {one.executions:,} | {one.cpu_seconds:,.0f} | {one.lines_reached} of {one.lines}"
        f" ({100 * one.lines_reached / max(1, one.lines):.0f} %) | {len(committed(BY_NAME[one.name]))} |"
        f" {'BROKEN' if one.finding else 'none'} |"
        for one in results
    ]
    total = sum(one.cpu_seconds for one in results)
    return "\n".join(
        [
            __doc__.partition("\n\n")[0],
            "",
            "Lines are those inside functions of the modules that the target is about (`proofs/coverage_targets.py`); "
            "not every one can be reached by a file: some write, some are for other callers. An input may take "
            f"{SLOWEST_S} s and {LONGEST:,} bytes at most.",
            "",
            "| target | inputs | processor s | lines reached | corpus | findings |",
            "|---|---:|---:|---:|---:|---|",
            *rows,
            "",
            f"{sum(one.executions for one in results):,} inputs in {total:,.0f} processor seconds"
            f" ({total / 3600:.2f} hours).",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Fuzz every loader, guided by coverage.")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of each target")
    parser.add_argument("--only", nargs="*", choices=sorted(BY_NAME), help="these targets, without a record")
    parser.add_argument("--keep", action="store_true", help="replace the committed corpus by what was found")
    parser.add_argument("--one", choices=sorted(BY_NAME), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one is not None:
        fuzz_here(BY_NAME[arguments.one], arguments.folder, arguments.seconds)
        return
    chosen = TARGETS if not arguments.only else tuple(BY_NAME[name] for name in arguments.only)
    results = []
    for target in chosen:
        results.append(one := fuzz(target, arguments.seconds, keep=arguments.keep))
        print(
            f"{one.name}: {one.executions:,} inputs, {one.lines_reached} of {one.lines} lines {one.finding}", flush=True
        )
    if not arguments.only:
        command = f"python -m proofs.coverage_fuzz --seconds {arguments.seconds}"
        evidence.record("coverage-fuzz", command=command, seed="libFuzzer's -seed=1", body=report(results))
    if any(one.finding for one in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
