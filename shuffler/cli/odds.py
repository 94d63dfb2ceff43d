"""`shuffler odds`: exact house advantage, hit frequency and variance of every wager, by counting every deal."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from shuffler.odds import Answer, Query

PIPED_WIDTH = 160
"""Columns of a table that goes to a file or a pipe."""


def odds(
    rules: Annotated[
        list[str] | None, typer.Option(help="Rule set by name, or a rule file; repeatable. Default: all that ship.")
    ] = None,
    wager: Annotated[
        list[str] | None,
        typer.Option(help="ante (with play and bonus), pair_plus, six_card_bonus, progressive, bad_beat; repeatable."),
    ] = None,
    paytable: Annotated[str | None, typer.Option(help="One paytable: A, TCP-05, TCP-6B1, 1, TCP-BBP01, …")] = None,
    stake: Annotated[
        str | None, typer.Option(help="Stake in dollars: pays in whole cents, under the table's limits and cap.")
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            help="How the ante is played: optimal, always, never, pair, or the weakest hand to play, such as Q-6-4."
        ),
    ] = "optimal",
    strategies: Annotated[
        bool, typer.Option("--strategies", help="Compare ways to decide between play and fold.")
    ] = False,
    others: Annotated[
        int | None, typer.Option(help="Other bettors on the meter, for envy bonuses. Default: 6.", min=0, max=15)
    ] = None,
    meter: Annotated[
        str | None,
        typer.Option(help="Also show a metered wager's house advantage with the meter at this many dollars."),
    ] = None,
    together: Annotated[
        str | None,
        typer.Option(help="Exact odds of several stakes on one spot, such as ante=10,pair_plus=5."),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="What if: change a rule, such as pair_plus.flush=3 or settings.cap=$500; repeatable."
        ),
    ] = None,
    changes: Annotated[
        Path | None, typer.Option(help="What if: a file with changes in the shape of a rule file.", dir_okay=False)
    ] = None,
    side: Annotated[list[str] | None, typer.Option(help="Add a side wager's rule file to the layout.")] = None,
    printed: Annotated[
        bool, typer.Option("--printed", help="Show the documents' printed figures beside the exact ones.")
    ] = False,
    detail: Annotated[bool, typer.Option("--detail", help="Show every outcome of every wager.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON list; each fraction as a number and in full.")
    ] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Print every table as one page in Markdown.")] = False,
    simulate: Annotated[
        str | None,
        typer.Option(
            help="Play this many rounds (such as 100M) of the --together stakes and test them against the exact odds."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of a simulation.", min=0, max=2**32 - 1)] = 1,
    keep: Annotated[
        Path | None,
        typer.Option(help="File in which a simulation is saved as it runs, and from which it resumes.", dir_okay=False),
    ] = None,
) -> None:
    """Exact odds of every wager of every rule set, from counting every deal.

    Examples: shuffler odds --printed; shuffler odds --rules ten-dollar-house --stake 10;
    shuffler odds --rules south-dakota --wager pair_plus --set pair_plus.flush=3; shuffler odds --strategies;
    shuffler odds --rules south-dakota --together ante=10,progressive=1 --simulate 100M.
    """
    from rich.console import Console

    from round_engine.errors import RoundEngineError
    from shuffler.odds import Query, answer
    from shuffler.odds import page as whole_page
    from shuffler.odds.text_tables import markdown, show

    try:
        if page:
            typer.echo(whole_page(), nl=False)
            return
        query = Query(
            rules=tuple(rules or ()),
            wagers=tuple(wager or ()),
            paytable=paytable,
            stake=stake,
            strategy=strategy,
            strategies=strategies,
            others=others,
            meter=meter,
            together=together,
            change=tuple(change or ()),
            changes=changes,
            side=tuple(side or ()),
            printed=printed,
            detail=detail,
        )
        given = answer(query) if simulate is None else _simulated(query, simulate, seed, keep)
    except RoundEngineError as error:
        typer.secho(f"shuffler odds: {error}", err=True, fg="red")
        raise typer.Exit(2) from None
    for line in given.left_out:
        typer.secho(f"left out: {line}", err=True, fg="yellow")
    if as_json:
        typer.echo(json.dumps(given.data, indent=2))
    elif as_markdown:
        typer.echo("\n".join(markdown(table) for table in given.tables), nl=False)
    else:
        console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
        for table in given.tables:
            show(table, console)


def _simulated(query: "Query", rounds: str, seed: int, keep: Path | None) -> "Answer":
    """Play the rounds with a bar; Ctrl-C ends after the block in play and shows what there is."""
    from rich.console import Console
    from rich.progress import Progress

    from round_engine.errors import OperationError, RuleError
    from shuffler.cli.numbers import byte_count
    from shuffler.cli.stopping import stopping
    from shuffler.odds import Answer, Simulation, mix_of
    from shuffler.odds.simulate import BLOCK
    from shuffler.odds.tables import simulated, simulated_json

    wanted = byte_count(rounds, "--simulate")
    if query.together is None or query.meter is not None or query.others is not None:
        raise RuleError("--simulate plays one spot: give its stakes with --together, and neither --meter nor --others")
    if wanted < 1:
        raise RuleError("simulate at least one round")
    run = Simulation(mix_of(query), seed)
    if keep is not None and keep.exists():
        try:
            run.resume(json.loads(keep.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise OperationError(f"{keep} cannot be read: {error}") from None
    console = Console(stderr=True)
    with (
        stopping("stopping after this block") as stop,
        Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task("rounds", total=wanted, completed=run.rounds)
        while run.rounds < wanted and not stop():
            bar.advance(task, run.block(min(BLOCK, wanted - run.rounds)))
            if keep is not None:
                _saved(keep, json.dumps(run.to_json()))
    result = run.result()
    left = (f"{wanted - run.rounds:,} rounds that were not played",) if run.rounds < wanted else ()
    return Answer(tables=(simulated(result),), data=[simulated_json(result)], left_out=left)


def _saved(path: Path, text: str) -> None:
    """A file that is whole or the one before, whenever the program is stopped."""
    from round_engine.errors import OperationError

    try:
        if path.exists() and not path.is_file():
            raise OperationError(f"{path} is not a regular file: name another one")
        beside = path.with_name(path.name + ".new")
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise OperationError(f"{path} cannot be written: {error}") from None
