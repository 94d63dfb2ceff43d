"""`shuffler rng`: the generator's raw bytes for outside testers, its self-test, and what sources there are."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from shuffler.cli.numbers import byte_count

if TYPE_CHECKING:
    from randomness.source import RandomSource

app = typer.Typer(help="The random generator: raw bytes for outside testers, self-test, sources.", no_args_is_help=True)

CHUNK_BYTES = 1 << 20
SHOW_PROGRESS_AFTER_S = 2.0


@app.command()
def stream(
    source: Annotated[
        str, typer.Option(help="ctr, ctr-df, hmac, or a planted defect: defect:NAME or defect:NAME:KEY=VALUE,…")
    ] = "ctr",
    size: Annotated[
        str | None,
        typer.Option(
            "--bytes", metavar="N", help="Number of bytes: 1000, 64k, 100M, 1Gi. Default: until the reader stops."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Repeatable output from this seed. Default: fresh entropy from the operating system."),
    ] = None,
) -> None:
    """Write raw random bytes to standard output, for example: shuffler rng stream | dieharder -g 200 -a

    Ends quietly when the reader closes the pipe.
    """
    from randomness.errors import RandomnessError
    from randomness.sources import make_source

    wanted = None if size is None else byte_count(size, "--bytes")
    if sys.stdout.isatty():
        typer.echo("error: raw bytes would garble this terminal: pipe them into a tester or a file", err=True)
        raise typer.Exit(2)
    try:
        random = make_source(source, seed=seed)
        pump(random, sys.stdout.buffer, wanted)
    except RandomnessError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    except BrokenPipeError:
        # Python would flush standard output once more on its way out, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(130) from None


def pump(source: RandomSource, out: BinaryIO, wanted: int | None) -> int:
    """Copy bytes from a source until `wanted` are written, or for ever; how many were."""
    from randomness.source import FillingSource

    buffer = memoryview(bytearray(CHUNK_BYTES))
    fills = isinstance(source, FillingSource)
    done = 0
    with _Progress(wanted) as progress:
        while wanted is None or done < wanted:
            size = CHUNK_BYTES if wanted is None else min(CHUNK_BYTES, wanted - done)
            if fills:
                source.fill(buffer[:size])  # type: ignore[attr-defined]
                out.write(buffer[:size])
            else:
                out.write(source.generate(size))
            done += size
            progress(done)
        out.flush()
    return done


class _Progress:
    """A bar on standard error, when that is a terminal, the end is known and it takes a while."""

    def __init__(self, wanted: int | None) -> None:
        self._wanted = wanted if sys.stderr.isatty() else None
        self._start = time.monotonic()
        self._stop: Callable[[], None] = lambda: None
        self._update: Callable[[int], None] | None = None

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def __call__(self, done: int) -> None:
        if self._wanted is None:
            return
        if self._update is None and time.monotonic() - self._start > SHOW_PROGRESS_AFTER_S:
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

            columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
            bar = Progress(*columns, console=Console(stderr=True), transient=True)
            task = bar.add_task("", total=self._wanted)
            bar.start()
            self._stop = bar.stop
            self._update = lambda n: bar.update(task, completed=n)
        if self._update is not None:
            self._update(done)


@app.command()
def selftest(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Known-answer tests of every generator, the start-up health test on this machine's entropy, and whether the
    health tests still catch a dead source. Exit code 0 when all pass, 1 when one fails."""
    results = checks()
    passed = all(error is None for _, error in results)
    if as_json:
        entries = [{"check": name, "passed": error is None, "error": error} for name, error in results]
        typer.echo(json.dumps({"passed": passed, "checks": entries}, indent=2))
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table(title="Generator self-test")
        table.add_column("check")
        table.add_column("result")
        for name, error in results:
            table.add_row(name, "[green]passed[/]" if error is None else f"[red]FAILED[/]: {error}")
        Console().print(table)
    if not passed:
        raise typer.Exit(1)


def checks() -> list[tuple[str, str | None]]:
    """Each check's name, and its error or None."""
    from randomness.drbg import KNOWN_ANSWERS, MECHANISMS, power_up_self_test
    from randomness.entropy import SystemEntropy
    from randomness.errors import HealthFailure, RandomnessError
    from randomness.health import START_UP_SAMPLES, MonitoredEntropy

    class Dead:
        name = "dead source"

        def read(self, n: int) -> bytes:
            return bytes(n)

    def catches_a_dead_source() -> None:
        try:
            MonitoredEntropy(Dead()).read(1)
        except HealthFailure:
            return
        raise RandomnessError("a source of zeros passed the health tests")

    todo: list[tuple[str, Callable[[], object]]] = [
        (
            f"{kind.name}: {len(KNOWN_ANSWERS[kind.name])} known answers (NIST CAVP)",
            lambda kind=kind: power_up_self_test(kind, again=True),  # type: ignore[misc]
        )
        for kind in MECHANISMS.values()
    ]
    todo.append(
        (
            f"entropy of the operating system: SP 800-90B start-up test, {START_UP_SAMPLES} samples",
            lambda: MonitoredEntropy(SystemEntropy()).start_up(),
        )
    )
    todo.append(("health tests catch a dead source", catches_a_dead_source))
    results: list[tuple[str, str | None]] = []
    for name, check in todo:
        try:
            check()
        except RandomnessError as error:
            results.append((name, str(error)))
        else:
            results.append((name, None))
    return results


@app.command()
def sources(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the generators, and the planted defects with their parameters and predicted effects."""
    from dataclasses import fields
    from inspect import cleandoc

    from randomness.drbg import MECHANISMS
    from randomness.weak import DEFECTS, SOURCES

    entries = [{"name": name, "what": kind.name, "stream": True, "parameters": {}} for name, kind in MECHANISMS.items()]
    for name, kind in DEFECTS.items():
        entries.append(
            {
                "name": f"defect:{name}",
                "what": cleandoc(kind.__doc__ or ""),
                "stream": name in SOURCES,
                "parameters": {field.name: str(field.default) for field in fields(kind)},
            }
        )
    if as_json:
        typer.echo(json.dumps(entries, indent=2))
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console()
    for entry in entries:
        settings = entry["parameters"]
        assert isinstance(settings, dict)
        values = ",".join(f"{key}={value}" for key, value in settings.items())
        head = Text(str(entry["name"]), style="bold").append(f":{values}" if values else "", style="not bold")
        console.print(head.append("" if entry["stream"] else "  (shuffle, no stream)", style="dim"))
        console.print(Padding(Text(" ".join(str(entry["what"]).split())), (0, 0, 1, 4)))
