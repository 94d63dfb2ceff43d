"""`shuffler entropy`: the min-entropy of raw noise samples by SP 800-90B."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shuffler.cli.exit_codes import FAILED, INTERRUPTED, MISUSED
from strict_toml import read_bounded

if TYPE_CHECKING:
    from numpy.random import Generator

    from randomness.assessment import Assessment, Estimate, IidAssessment, RestartAssessment, Samples

PIPED_WIDTH = 160
MOST_BYTES = 1 << 30  # of noise; the standard asks for a million samples


def entropy(
    file: Annotated[
        Path,
        typer.Argument(
            help="Raw noise, one sample per byte in its lowest bits; - for standard input.", allow_dash=True
        ),
    ],
    bits: Annotated[
        int | None,
        typer.Option(help="Bits per sample, 1 to 8. Default: as many as the largest sample needs.", min=1, max=8),
    ] = None,
    iid: Annotated[
        bool,
        typer.Option(
            "--iid", help="Test the claim that samples are independent and identically distributed (section 5)."
        ),
    ] = False,
    restart: Annotated[
        Path | None,
        typer.Option(
            help="Also the restart tests: 1,000 samples of each of 1,000 restarts, one restart after another."
        ),
    ] = None,
    claimed: Annotated[
        float | None,
        typer.Option(help="H_submitter: bits of entropy per sample that the maker claims.", min=0.0, max=8.0),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the permutation tests. Default: from the file's digest.", min=0)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every statistic as JSON.")] = False,
) -> None:
    """Assess the min-entropy of raw noise by NIST SP 800-90B.

    The ten estimators, or with --iid the tests of independence; restart tests; cut-offs of the health tests.

    Examples: shuffler entropy noise.bin; shuffler entropy noise.bin --bits 1 --restart restarts.bin --json
    """
    from randomness.assessment import Samples, assess, assess_iid, assess_restarts, final_entropy, section
    from randomness.errors import AssessmentError

    try:
        data = read_noise(file)
        with _progress() as say:
            samples = Samples.from_bytes(data, bits)
            rng = _shuffler(seed, data)
            non_iid = None if iid else assess(samples, claimed=claimed, progress=say)
            independent = assess_iid(samples, rng, progress=say) if iid else None
            restarted = None
            if restart is not None:
                initial = final_entropy(non_iid=non_iid, iid=independent)
                if initial <= 0.0:
                    raise AssessmentError("no entropy was assessed, so there is nothing that restarts could confirm")
                again = Samples.from_bytes(read_noise(restart), samples.width)
                restarted = assess_restarts(again, initial, rng=rng if iid else None, progress=say)
    except OSError as error:
        typer.secho(f"shuffler entropy: can't read {error.filename or file}: {error.strerror}", err=True, fg="red")
        raise typer.Exit(MISUSED) from None
    except AssessmentError as error:
        typer.secho(f"shuffler entropy: {error}", err=True, fg="red")
        raise typer.Exit(MISUSED) from None
    except KeyboardInterrupt:
        typer.secho("shuffler entropy: interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None
    found = section(samples, non_iid=non_iid, iid=independent, restart=restarted)
    found = {"file": str(file), "sha256": hashlib.sha256(data).hexdigest(), **found}
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        _print(found, samples, non_iid, independent, restarted)
    if not found["passed"]:
        raise typer.Exit(FAILED)


# ----- input ----------------------------------------------------------------------------------------------------------


def read_noise(file: Path) -> bytes:
    """All of a file of noise, or of standard input; more than there is room for is refused."""
    from randomness.errors import AssessmentError

    try:
        if str(file) != "-":
            return read_bounded(file, MOST_BYTES)
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES:,} bytes")
    except ValueError as problem:
        raise AssessmentError(f"{file}: {problem}") from None
    return data


def _shuffler(seed: int | None, data: bytes) -> Generator:
    """The same file is shuffled in the same way every time, so that a verdict can be made again."""
    import numpy as np

    return np.random.default_rng(int.from_bytes(hashlib.sha256(data).digest(), "big") if seed is None else seed)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """What is being done, on standard error, when that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _what: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda what: status.update(what)


# ----- output ---------------------------------------------------------------------------------------------------------


def _print(
    found: dict[str, Any],
    samples: Samples,
    non_iid: Assessment | None,
    iid: IidAssessment | None,
    restart: RestartAssessment | None,
) -> None:
    from rich.console import Console

    from randomness.assessment import ENOUGH

    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, highlight=False)
    missing = ", values renumbered without gaps" if samples.renumbered else ""
    console.print(
        f"{len(samples):,} samples of {samples.width} bit(s), {samples.symbols.alphabet} different values{missing}."
    )
    if len(samples) < ENOUGH:
        console.print(f"[yellow]Fewer than {ENOUGH:,} samples: SP 800-90B asks for that many.[/]")
    if non_iid is not None:
        _print_non_iid(console, non_iid)
    if iid is not None:
        _print_iid(console, iid)
    if restart is not None:
        _print_restart(console, restart)
    _print_end(console, found)


def _print_non_iid(console: Any, found: Assessment) -> None:
    from shuffler.odds.text_tables import TextTable, left, right, show

    names = {each.name: each.section for _, each in found.estimates()}
    literal = {each.name: each for each in found.literal}
    bitstring = {each.name: each for each in found.bitstring}
    rows = tuple(
        (section, name, _shown(literal.get(name)), _shown(bitstring.get(name)), _why(literal, bitstring, name))
        for name, section in sorted(names.items(), key=lambda item: tuple(map(int, item[1].split("."))))
    )
    columns = (left("section"), left("estimator"), right("samples"), right("bit string"), left("note"))
    show(TextTable(title="SP 800-90B 6.3, min-entropy in bits", columns=columns, rows=rows), console)
    bits = "" if found.h_bitstring is None else f", H_bitstring {found.h_bitstring:.6f} a bit"
    claimed = "" if found.claimed is None else f", H_submitter {found.claimed:.6f}"
    console.print(f"H_original {found.h_original:.6f} a sample{bits}{claimed}: H_I = {found.assessed:.6f} a sample.")


def _shown(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    return "–" if estimate.min_entropy is None else f"{estimate.min_entropy:.6f}"


def _why(literal: dict[str, Estimate], bitstring: dict[str, Estimate], name: str) -> str:
    found = [each.get(name) for each in (literal, bitstring)]
    return "; ".join(dict.fromkeys(each.unmet for each in found if each is not None and each.unmet is not None))


def _print_iid(console: Any, found: IidAssessment) -> None:
    from shuffler.odds.text_tables import TextTable, left, right, show

    rows = [(each.section, f"chi-square, {each.name}", _p(each.p), _verdict(each.passed)) for each in found.chi_square]
    repeat = found.longest_repeat
    name = f"longest repeated substring, {repeat.length} samples"
    rows.append(("5.2.5", name, _p(repeat.p), _verdict(repeat.passed)))
    rows += [
        (each.section, each.name, f"{each.larger} / {each.equal} / {each.smaller}", _verdict(each.passed))
        for each in found.permutation.rankings
    ]
    columns = (left("section"), left("test"), right("p, or shuffles above / equal / below"), left("verdict"))
    show(TextTable(title="SP 800-90B 5, independent samples of one law", columns=columns, rows=tuple(rows)), console)
    console.print(f"{found.permutation.shuffles:,} shuffles, until no statistic could fail any more or 10,000.")
    bits = "" if found.h_bitstring is None else f", H_bitstring {found.h_bitstring:.6f} a bit"
    console.print(f"Most common value: H_original {found.h_original:.6f} a sample{bits}.")
    if found.passed:
        console.print(f"Nothing speaks against it: H_I = {found.assessed:.6f} a sample.")
    else:
        console.print("[bold red]Not independent samples of one law[/]: run without --iid.")


def _print_restart(console: Any, found: RestartAssessment) -> None:
    limit = "at most" if found.sane else "[bold red]more than[/]"
    console.print(f"Restarts: {found.where} {found.most} times, {limit} the cut-off {found.cutoff}.")
    half = "not below" if found.validated else "[bold red]below[/]"
    console.print(f"Rows {found.h_rows:.6f}, columns {found.h_columns:.6f}: {half} half of {found.initial:.6f}.")
    if any(not tests.passed for tests in found.iid):
        console.print("[bold red]Rows or columns are not independent samples of one law.[/]")


def _print_end(console: Any, found: dict[str, Any]) -> None:
    from shuffler.odds.text_tables import TextTable, right, show

    if found["health_tests"]:
        rows = tuple(
            (
                f"2^-{row['alpha_bits']}",
                f"{row['repetition_count']}",
                f"{row['adaptive_proportion']} of {row['window']}",
            )
            for row in found["health_tests"]
        )
        columns = (right("false alarms"), right("repetition count"), right("adaptive proportion"))
        show(
            TextTable(title="Health-test cut-offs (4.4) for the assessed entropy", columns=columns, rows=rows), console
        )
    colour, word = ("green", "ASSESSED") if found["passed"] else ("red", "FAILED")
    console.print(f"[bold {colour}]{word}[/]: {found['assessed']:.6f} bits of min-entropy a sample.")


def _p(p: float) -> str:
    return f"{p:.6f}" if p >= 1e-6 else f"{p:.2e}"


def _verdict(passed: bool) -> str:
    return "passed" if passed else "FAILED"
