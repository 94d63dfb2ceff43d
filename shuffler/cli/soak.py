"""`shuffler soak`: a table for a long time, with faults, and its reconciliation."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.output import fail

if TYPE_CHECKING:
    from shuffler.soak.report import SoakReport


def soak(
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds, in virtual time.")] = 1000,
    rate: Annotated[float, typer.Option(min=0, max=1, help="Chance of one fault before each round.")] = 0.02,
    rules: Annotated[str, typer.Option(help="Rule set by name, or a rule file.")] = "light-and-wonder",
    profile: Annotated[str, typer.Option(help="The device's profile.")] = "i-deal-style",
    seats: Annotated[int, typer.Option(min=1, max=7, help="How many players.")] = 7,
    strategy: Annotated[str, typer.Option(help="Q-6-4, always, never, random, or a hand.")] = "Q-6-4",
    seed: Annotated[int, typer.Option(help="The same seed gives the same soak.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Tables side by side, a process each.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Run a table in virtual time with every kind of fault, and reconcile money, groups and holds.

    Exit code 0 when all is in balance, 1 when anything is not.
    """
    import dataclasses
    import json

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from firmware_sim.errors import DeviceError
    from firmware_sim.profile import load
    from shuffler.cli.table import bots, load_rules
    from shuffler.soak.crew import SoakPlan
    from shuffler.soak.crew import soak as run
    from shuffler.virtual_table import Stalled

    try:
        load(profile)
    except DeviceError as problem:
        raise fail(str(problem)) from None
    bots(strategy, seats)
    plan = SoakPlan(
        rules=load_rules(rules), strategy=strategy, seats=seats, profile=profile, seed=seed, rate=rate
    )  # fmt: skip
    columns = (TextColumn("rounds"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    started = time.monotonic()
    try:
        with Progress(*columns, transient=True, disable=as_json) as bar:
            task = bar.add_task("rounds", total=rounds)
            report = run(plan, rounds, workers, lambda done: bar.update(task, completed=done))
    except Stalled as problem:
        raise fail(f"the soak came to a stop: {problem}", 1) from None
    if report.stopped_early:
        typer.echo("stopped early; the books so far:", err=True)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(report)))
    else:
        show(report, time.monotonic() - started)
    raise typer.Exit(1 if report.problems else 0)


def show(report: "SoakReport", seconds: float) -> None:
    """The report as tables."""
    from rich.console import Console
    from rich.table import Table

    from shuffler.soak.report import signs_text

    console = Console()
    console.print(
        f"{report.rounds:,} rounds in {seconds:.1f} s: {report.settled:,} settled, {report.void:,} void, "
        f"{report.out_of_balance} cents out of balance"
    )
    troubles = Table(
        "trouble", "injected", "noticed", "recovered", "rounds void", "how it showed",
        title=f"{report.injected:,} troubles; {report.cleared:,} faults cleared, {report.attended:,} visits",
    )  # fmt: skip
    for name, trouble in sorted(report.troubles.items()):
        numbers = (trouble.injected, trouble.noticed, trouble.recovered, trouble.void)
        troubles.add_row(name, *(f"{number:,}" for number in numbers), signs_text(trouble))
    holds = Table("wager", "rounds", "observed", "exact", "error", "p (Holm)", title="Hold")
    for row in report.holds:
        holds.add_row(
            row.wager, f"{row.rounds:,}", f"{row.observed:.4%}", f"{row.exact:.4%}", f"{row.error:.4%}",
            f"{row.p_holm:.3f}",
        )  # fmt: skip
    for shown in (troubles, holds):
        console.print(shown)
    for wager, (seen, expected, p) in report.jackpots.items():
        console.print(f"{wager}: {seen} whole-meter awards, {expected:.2f} expected (Poisson p {p:.3f})")
    for reason, count in report.void_reasons.most_common():
        console.print(f"void {count}×: {reason}")
    for problem in report.problems:
        console.print(f"[bold red]{problem}[/]")
