"""`shuffler odds`: exact house advantage, hit frequency and variance of every wager, by counting every deal."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

PIPED_WIDTH = 160
"""Columns of a table that goes to a file or a pipe."""

def odds(
    rules: Annotated[
        list[str] | None, typer.Option(help="Rule set by name, or a rule file; repeatable. All that are shipped.")
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
        str, typer.Option(help="How the ante is played: optimal, always, never, pair, or the weakest hand, as Q-6-4.")
    ] = "optimal",
    strategies: Annotated[
        bool, typer.Option("--strategies", help="Compare ways to decide between play and fold.")
    ] = False,
    others: Annotated[int, typer.Option(help="Other bettors on the meter, for envy bonuses.", min=0, max=15)] = 6,
    meter: Annotated[
        str | None, typer.Option(help="Also a metered wager's advantage while the meter stands at these dollars.")
    ] = None,
    together: Annotated[
        str | None,
        typer.Option(help="Several stakes on one spot, as ante=10,pair_plus=5,six_card_bonus=5: the exact total."),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="What if: pair_plus.flush=3, progressive.2.contribution=15%, settings.cap=$500; repeatable."
        ),
    ] = None,
    changes: Annotated[
        Path | None, typer.Option(help="What if: a file with changes in the shape of a rule file.", dir_okay=False)
    ] = None,
    side: Annotated[list[str] | None, typer.Option(help="Add a side wager's rule file to the layout.")] = None,
    printed: Annotated[
        bool, typer.Option("--printed", help="The documents' printed figures beside the exact ones.")
    ] = False,
    detail: Annotated[bool, typer.Option("--detail", help="Every outcome of every wager shown.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="A list of objects, with fractions as numbers and exactly.")
    ] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Tables in Markdown.")] = False,
    page: Annotated[bool, typer.Option("--page", help="The whole documentation page, docs/odds.md.")] = False,
) -> None:
    """Exact odds of every wager of every rule set, from counting every deal: no simulation.

    Examples: shuffler odds --printed; shuffler odds --rules ten-dollar-house --stake 10;
    shuffler odds --rules south-dakota --wager pair_plus --set pair_plus.flush=3; shuffler odds --strategies.
    """
    from rich.console import Console

    from round_engine.errors import RoundEngineError
    from shuffler.odds import Query, answer
    from shuffler.odds import page as whole_page
    from shuffler.tables import markdown, show

    try:
        if page:
            typer.echo(whole_page(), nl=False)
            return
        given = answer(
            Query(
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
        )
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
