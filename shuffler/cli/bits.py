"""`shuffler bits`: the fifteen tests of SP 800-22 on a file or a pipe of bits."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shuffler.lab.bit_format import BitFormat

if TYPE_CHECKING:
    from randomness.bits import BitTest, SecondLevel
    from randomness.bits.battery import BatteryVerdict
    from shuffler.lab.bit_files import BitReader
    from shuffler.odds.text_tables import TextTable

LENGTH = 1_000_000
MOST_FROM_A_PIPE = 100
SHOW_PROGRESS_AFTER_S = 2.0
COMPILED_FROM = 4  # sequences: below that numba's start costs more than it saves
PIPED_WIDTH = 160


def bits(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="File of raw bytes, or of the characters 0 and 1; - reads standard input.", allow_dash=True
        ),
    ] = None,
    form: Annotated[
        BitFormat,
        typer.Option(
            "--format",
            help="bytes: most significant bit first; text: characters 0 and 1; auto: decided from the first bytes.",
        ),
    ] = BitFormat.AUTO,
    length: Annotated[
        int | None, typer.Option(help=f"Bits in each sequence. Default: {LENGTH:,}, or all if fewer.", min=100)
    ] = None,
    sequences: Annotated[
        int | None, typer.Option(help=f"Most sequences. Default: all of a file, {MOST_FROM_A_PIPE} from a pipe.", min=1)
    ] = None,
    tests: Annotated[
        str | None, typer.Option(help="Only these tests, separated by commas; --list names them. Default: all fifteen.")
    ] = None,
    level: Annotated[
        float, typer.Option(help="Level of the verdict: the chance that good bits fail.", min=1e-9, max=0.5)
    ] = 0.01,
    corrected: Annotated[
        bool, typer.Option("--corrected", help="Use corrected constants where the standard's are known to be wrong.")
    ] = False,
    beyond: Annotated[
        bool,
        typer.Option(
            "--beyond", help="Also look for generators that the standard's tests miss: congruential, MT19937."
        ),
    ] = False,
    detail: Annotated[
        bool, typer.Option("--detail", help="Show all 188 p-values instead of one row per test.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    show_list: Annotated[
        bool, typer.Option("--list", help="List the tests and what each one detects, then exit.")
    ] = False,
) -> None:
    """Run the fifteen tests of NIST SP 800-22 rev. 1a on a file of bits.

    The verdict covers all p-values together (Holm's rule); the pass rates that the standard asks for are shown too.

    Examples: shuffler bits random.bin; shuffler rng stream --bytes 12500000 | shuffler bits - --json
    """
    from randomness.bits import Bits
    from randomness.bits.battery import BitBattery
    from randomness.errors import BitsError
    from shuffler.lab.bit_files import BitReader

    if show_list:
        _print_list(as_json=as_json)
        return
    if file is None:
        raise typer.BadParameter("a file, or - for standard input", param_hint="FILE")
    try:
        chosen = _chosen(tests, beyond=beyond)
        with _opened(file) as stream:
            reader = BitReader(stream, form=form, length=length or LENGTH, short=length is None)
            most = sequences if sequences is not None or str(file) != "-" else MOST_FROM_A_PIPE
            expected = _expected(file, reader, most)
            compiled = None if expected is None or expected >= COMPILED_FROM else False
            battery = BitBattery(chosen, corrected=corrected)
            with _progress(expected) as advance:
                for values in reader.sequences(most):
                    battery.add(Bits(values, compiled=compiled))
                    advance()
        verdict = battery.verdict(level)
    except (BitsError, OSError) as error:
        typer.secho(f"shuffler bits: {error}", err=True, fg="red")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.secho("shuffler bits: interrupted", err=True)
        raise typer.Exit(130) from None
    if as_json:
        typer.echo(json.dumps(_as_data(verdict, battery, reader, chosen), indent=2))
    else:
        _print(verdict, reader, chosen, detail=detail)
    if not verdict.passed:
        raise typer.Exit(1)


# ----- input ----------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(file: Path) -> Iterator[Any]:
    if str(file) == "-":
        yield sys.stdin.buffer
    else:
        with file.open("rb") as stream:
            yield stream


def _chosen(names: str | None, *, beyond: bool) -> tuple[BitTest, ...]:
    from randomness.bits import BEYOND, TESTS, named
    from randomness.errors import BitsError

    if names is None:
        return (*TESTS, *BEYOND) if beyond else TESTS
    chosen = []
    for name in (part.strip() for part in names.split(",")):
        test = named(name)
        if test is None:
            raise BitsError(f"no such test: {name!r}; there are {', '.join(test.name for test in (*TESTS, *BEYOND))}")
        chosen.append(test)
    return tuple(chosen)


def _expected(file: Path, reader: BitReader, most: int | None) -> int | None:
    """How many sequences to expect, where that can be known."""
    if str(file) == "-" or not file.is_file():
        return most
    bits_of_file = file.stat().st_size * (8 if reader.form is BitFormat.BYTES else 1)
    whole = max(1, bits_of_file // reader.length)
    return whole if most is None else min(whole, most)


@contextmanager
def _progress(expected: int | None) -> Iterator[Callable[[], None]]:
    """A bar on standard error once it takes over two seconds, when that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    started = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("sequences", total=expected)

    def advance() -> None:
        bar.advance(task)
        if time.monotonic() - started > SHOW_PROGRESS_AFTER_S:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()


# ----- output ---------------------------------------------------------------------------------------------------------


def _print(verdict: BatteryVerdict, reader: BitReader, chosen: tuple[BitTest, ...], *, detail: bool) -> None:
    from rich.console import Console

    from shuffler.odds.text_tables import show

    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    show(_table(verdict, chosen, detail=detail), console)
    bits_each = f"{reader.length:,}" if reader.bits_read >= reader.length else "all"
    left = f", {reader.bits_left_over:,} bits left over" if reader.bits_left_over else ""
    console.print(f"{verdict.sequences:,} sequence(s) of {bits_each} bits, read as {reader.form.value}{left}.")
    console.print(
        f"The standard's reading, each p-value alone at 0.01: {verdict.below_level} of {verdict.tested:,} are below; "
        f"ideal bits show at least one {verdict.alarm_chance_alone:.0%} of the time."
    )
    collective = verdict.collective
    if verdict.passed:
        console.print(
            f"[bold green]PASSED[/] collectively at {collective.level:g}: {collective.tests:,} figures, Holm."
        )
    else:
        console.print(f"[bold red]FAILED[/] collectively at {collective.level:g}: {collective.tests:,} figures, Holm:")
        for name in collective.rejected[:20]:
            console.print(f"  {name}: adjusted p {collective.adjusted[name]:.3g}", markup=False)
        everything = (*verdict.results, verdict.stream)
        for place in dict.fromkeys(finding.place for found in everything for r in found for finding in r.findings):
            console.print(f"  {place}", markup=False)
        if len(collective.rejected) > 20:
            console.print(f"  and {len(collective.rejected) - 20:,} more")


def _table(verdict: BatteryVerdict, chosen: tuple[BitTest, ...], *, detail: bool) -> TextTable:
    from randomness.bits.second_level import LEAST_SEQUENCES
    from shuffler.odds.text_tables import TextTable, left, right

    many = verdict.sequences >= LEAST_SEQUENCES
    levels = {level.test: level for level in verdict.second_levels}
    rows = []
    for test in (each for each in chosen if not each.stream_bits):
        names = [result.test for result in verdict.results[0] if result.test.split("/")[0] == test.name]
        for title, group in [(name, [name]) for name in names] if detail else [(test.name, names)]:
            found = [result for results in verdict.results for result in results if result.test in group]
            p_values = [result.p for result in found if result.p is not None]
            if p_values:
                figures = (f"{len(p_values):,}", f"{min(p_values):.6f}")
                tested = [levels[name] for name in group if name in levels]
                said = _second_level(tested) if many else (f"{sum(p < 0.01 for p in p_values)} below 0.01",)
            else:
                figures = ("0", "")
                said = ("", "", found[0].unmet[0]) if many else (found[0].unmet[0],)
            rows.append((title, test.section, *figures, *said))
    for result in verdict.stream:
        figures = ("1", f"{result.p:.6f}") if result.p is not None else ("0", "")
        said = ("of the whole stream, once" if result.p is not None else result.unmet[0],)
        rows.append((result.test, "", *figures, *(("", "") if many else ()), *said))
    columns = [left("test"), left("section"), right("p-values"), right("lowest p")]
    columns += [right("lowest share"), right("lowest P_T")] if many else []
    return TextTable(title="SP 800-22 rev. 1a", columns=(*columns, left("the standard's reading")), rows=tuple(rows))


def _second_level(tested: list[SecondLevel]) -> tuple[str, str, str]:
    """Lowest share, lowest uniformity, and what section 4.2 makes of them; nothing where p is only a bound."""
    if not tested:
        return "", "", "each sequence alone"
    low = [one for one in tested if not one.share_ok]
    crowded = sum(not one.uniform_ok for one in tested)
    spreads = [one.uniformity for one in tested if one.uniformity is not None]
    said = [f"{len(low)} share(s) outside {low[0].share_low:.4f} … {min(1.0, low[0].share_high):.4f}"] if low else []
    said += [f"{crowded} not uniform"] if crowded else []
    return (
        f"{min(one.share for one in tested):.4f}",
        f"{min(spreads):.6f}" if spreads else "too few",
        "; ".join(said) or "as expected",
    )


def _as_data(verdict: BatteryVerdict, battery: Any, reader: BitReader, chosen: tuple[BitTest, ...]) -> dict[str, Any]:
    from dataclasses import asdict

    def plain(result: Any) -> dict[str, Any]:
        data = asdict(result)
        data["outcome"] = result.outcome.value
        data["null"] = result.null.value if result.null is not None else None
        return data

    return {
        "passed": verdict.passed,
        "level": verdict.collective.level,
        "family": verdict.collective.tests,
        "rejected": [
            {"what": name, "adjusted_p": verdict.collective.adjusted[name]} for name in verdict.collective.rejected
        ],
        "constants": "corrected" if battery.corrected else "standard",
        "format": reader.form.value,
        "sequences": verdict.sequences,
        "bits_each": min(reader.length, reader.bits_read),
        "bits_left_over": reader.bits_left_over,
        "below_0_01": verdict.below_level,
        "p_values": verdict.tested,
        "tests": [{"name": test.name, "section": test.section, "sees": test.sees} for test in chosen],
        "second_level": [
            {**asdict(level), "share": level.share, "share_ok": level.share_ok, "uniform_ok": level.uniform_ok}
            for level in verdict.second_levels
        ],
        "stream": [plain(result) for result in verdict.stream],
        "results": [[plain(result) for result in results] for results in verdict.results],
    }


def _print_list(*, as_json: bool) -> None:
    from rich.console import Console

    from randomness.bits import BEYOND, TESTS
    from shuffler.odds.text_tables import TextTable, left, right, show

    if as_json:
        rows = [
            {
                "name": test.name,
                "section": test.section,
                "p_values": test.p_values,
                "least_bits": test.least_bits,
                "sees": test.sees,
                "corrected": test.corrected is not None,
            }
            for test in (*TESTS, *BEYOND)
        ]
        typer.echo(json.dumps(rows, indent=2))
        return
    table = TextTable(
        title="The fifteen tests of SP 800-22 rev. 1a, and what they leave out",
        columns=(left("section"), left("test"), right("p-values"), right("least bits"), left("what it sees")),
        rows=tuple(
            (test.section, test.name, str(test.p_values), f"{test.least_bits:,}", test.sees)
            for test in (*TESTS, *BEYOND)
        ),
    )
    show(table, Console(width=None if sys.stdout.isatty() else PIPED_WIDTH))
