"""`shuffler soak`: a table for a long time, with faults, and its reconciliation."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.exit_codes import DONE, FAILED, INTERRUPTED
from shuffler.cli.output import fail

if TYPE_CHECKING:
    from shuffler.virtual.soak.report import SoakReport


def soak(
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")] = 1000,
    rate: Annotated[
        float, typer.Option(min=0, max=1, help="Probability of injecting a fault before each round.")
    ] = 0.02,
    rules: Annotated[str, typer.Option(help="Rule set: a name or a file.")] = "light-and-wonder",
    side: Annotated[
        list[str] | None, typer.Option(help="Add a side wager to the layout: bad-beat, or its rule file; repeatable.")
    ] = None,
    profile: Annotated[str, typer.Option(help="Device profile: a name or a file.")] = "i-deal-style",
    seats: Annotated[int, typer.Option(min=1, max=7, help="Number of players.")] = 7,
    strategy: Annotated[
        str, typer.Option(help="When players play: Q-6-4 (or any lowest hand), always, never or random.")
    ] = "Q-6-4",
    seed: Annotated[int, typer.Option(help="Seed; the same seed repeats the same run.")] = 1,
    workers: Annotated[
        int, typer.Option(min=1, help="Number of tables to run side by side, each in its own process.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Play many rounds in virtual time with every kind of fault injected, then check money, groups and hold.

    Exit code 0 if everything balances, 1 if anything does not, 130 if stopped by Ctrl-C.
    """
    import json

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from firmware_sim.errors import DeviceError
    from firmware_sim.machine.profile import load
    from shuffler.cli.table import bots, load_rules, with_sides
    from shuffler.virtual.soak.crew import SoakPlan
    from shuffler.virtual.soak.crew import soak as run
    from shuffler.virtual.table import Stalled

    try:
        load(profile)
    except DeviceError as problem:
        raise fail(str(problem)) from None
    bots(strategy, seats)
    plan = SoakPlan(
        rules=load_rules(with_sides(rules, side)), strategy=strategy, seats=seats, profile=profile, seed=seed, rate=rate
    )  # fmt: skip
    columns = (TextColumn("rounds"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    started = time.monotonic()
    try:
        with Progress(*columns, transient=True, disable=as_json) as bar:
            task = bar.add_task("rounds", total=rounds)
            report = run(plan, rounds, workers, lambda done: bar.update(task, completed=done))
    except Stalled as problem:
        raise fail(f"the soak came to a stop: {problem}", FAILED) from None
    if report.stopped_early:
        typer.echo("stopped early; the books so far:", err=True)
    if as_json:
        typer.echo(json.dumps(report.to_json()))
    else:
        show(report, time.monotonic() - started)
    if report.problems:
        raise typer.Exit(FAILED)
    raise typer.Exit(INTERRUPTED if report.stopped_early else DONE)


def show(report: "SoakReport", seconds: float) -> None:
    """The report as tables."""
    from rich.console import Console
    from rich.table import Table

    from round_engine.wagers import wager_label
    from shuffler.virtual.soak.report import signs_text

    console = Console()
    played = f"{report.rules} ({report.rules_fingerprint[:12]})"
    console.print(
        f"{report.rounds:,} rounds of {played} in {seconds:.1f} s: {report.settled:,} settled, {report.void:,} void, "
        f"{report.out_of_balance} cents out of balance",
        highlight=False,
    )
    injections = Table(
        "injection", "injected", "noticed", "recovered", "rounds void", "how it showed",
        title=f"{report.injected:,} injections; {report.cleared:,} faults cleared, {report.attended:,} visits",
    )  # fmt: skip
    for name, injection in sorted(report.injections.items()):
        numbers = (injection.injected, injection.noticed, injection.recovered, injection.void)
        injections.add_row(name, *(f"{number:,}" for number in numbers), signs_text(injection))
    holds = Table("wager", "rounds", "observed", "exact", "error", "p (Holm)", title="Hold")
    for row in report.holds:
        holds.add_row(
            wager_label(row.wager), f"{row.rounds:,}", f"{row.observed:.4%}", f"{row.exact:.4%}", f"{row.error:.4%}",
            f"{row.p_holm:.3f}",
        )  # fmt: skip
    for shown in (injections, holds):
        console.print(shown)
    for wager, (seen, expected, p) in report.jackpots.items():
        console.print(f"{wager_label(wager)}: {seen} whole-meter awards, {expected:.2f} expected (Poisson p {p:.3f})")
    for reason, count in report.void_reasons.most_common():
        console.print(f"void {count}×: {reason}")
    for problem in report.problems:
        console.print(f"[bold red]{problem}[/]")
