"""`shuffler scenario`: what goes wrong at a table, staged in virtual time from TOML files."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shuffler.cli.exit_codes import FAILED
from shuffler.cli.output import fail, say

if TYPE_CHECKING:
    from shuffler.kit.scenarios.running import ScenarioOutcome
    from shuffler.kit.scenarios.scenario import Scenario

app = typer.Typer(
    name="scenario",
    help="Scenarios: stage what goes wrong at a table, and check what comes of it.",
    no_args_is_help=True,
)

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Scenarios: names of the library, or files; by default the library.", show_default=False),
]


@app.command()
def run(
    scenarios: Names = None,
    seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="Seed in place of the scenario's own.")] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a JUnit report to this file.", dir_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a scenario.")] = False,
) -> None:
    """Play scenarios in virtual time; a failure shows what was expected, what came, and the frames around it.

    Exit code 0 if every scenario passes, 1 if any fails, 2 if a file can't be used.
    """
    from shuffler.kit.scenarios.junit import junit as report
    from shuffler.kit.scenarios.running import run as play

    wanted = _load(scenarios)
    outcomes: list[ScenarioOutcome] = []
    seconds: list[float] = []
    for scenario in wanted:
        started = time.perf_counter()
        outcomes.append(play(scenario, seed=seed))
        seconds.append(time.perf_counter() - started)
        if as_json:
            typer.echo(json.dumps(_as_json(outcomes[-1]), ensure_ascii=False))
        else:
            _show(outcomes[-1])
    if junit is not None:
        try:
            junit.write_bytes(report(outcomes, seconds))
        except OSError as problem:
            raise fail(f"{junit}: {problem.strerror or problem}") from None
    failed = sum(not outcome.passed for outcome in outcomes)
    if not as_json:
        typer.echo(f"{len(outcomes)} scenarios, {failed} failed")
    if failed:
        raise typer.Exit(FAILED)


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(help="Scenarios: files, or names of the library.", show_default=False)],
) -> None:
    """Read scenarios without playing them; what can't be meant is refused with file, line and reason."""
    for scenario in _load(files):
        say(f"{scenario.name}: {len(scenario.steps)} steps")


@app.command("list")
def list_scenarios(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the scenarios of the library."""
    found = _load(None)
    if as_json:
        rows = [{"name": one.name, "about": one.about, "steps": len(one.steps)} for one in found]
        typer.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    width = max(len(one.name) for one in found)
    for one in found:
        typer.echo(f"{one.name:<{width}}  {one.about}")


def _load(given: list[str] | None) -> "list[Scenario]":
    from shuffler.kit.errors import BadScenario
    from shuffler.kit.scenarios.scenario import load, names

    try:
        return [load(name) for name in given or names()]
    except BadScenario as problem:
        raise fail(str(problem)) from None


def _show(outcome: "ScenarioOutcome") -> None:
    scenario = outcome.scenario
    if outcome.passed:
        say(f"passed  {scenario.name} ({len(scenario.steps)} steps, {outcome.virtual_s:.0f} s of virtual time)")
    else:
        say(f"FAILED  {scenario.name}")
        for line in outcome.text().split("\n"):
            say(f"    {line}")


def _as_json(outcome: "ScenarioOutcome") -> dict[str, Any]:
    failure = outcome.failure
    return {
        "name": outcome.scenario.name,
        "passed": outcome.passed,
        "seed": outcome.scenario.seed,
        "virtual_s": round(outcome.virtual_s, 3),
        "repeat": outcome.repeat,
        "failure": None
        if failure is None
        else {
            "step": failure.step, "line": failure.line, "verb": failure.verb, "expected": failure.expected,
            "came": failure.came, "panel": failure.panel, "frames": list(failure.before + failure.after),
        },
    }  # fmt: skip
