"""`shuffler theory`: exact laws of imperfect shuffles, as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from shuffler.cli.numbers import number_list

if TYPE_CHECKING:
    from rich.progress import Progress

    from randomness.kernels import Kernel
    from randomness.theory import ClassLaw, Summary
    from randomness.theory.simulate import SimulatedShuffle, Statistic

T = TypeVar("T")

app = typer.Typer(
    help="Exact laws of riffle and shelf shuffles: how far from perfect, and how many decks it takes to notice.",
    no_args_is_help=True,
)

FIGURES = (
    "total\nvar.",
    "sepa-\nration",
    "max\nratio-1",
    "chi-\nsquare",
    "top\ncard TV",
    "right\nguesses",
    "decks to\nnotice",
)

Cards = Annotated[int, typer.Option(help="Cards in the deck.", min=2, max=1000)]
Level = Annotated[float, typer.Option(help="Level of the test: the chance that a perfect shuffle fails it.")]
Power = Annotated[float, typer.Option(help="Power: the chance that the test detects the shuffle.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Decks = Annotated[
    int,
    typer.Option(
        "--simulate", metavar="DECKS", help="Also simulate this many decks and show them beside the exact law.", min=0
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the simulation.")]


@app.command()
def riffle(
    passes: Annotated[str, typer.Option(help="Number of riffles: 7, 1-10 or 5,7,9.")] = "1-10",
    cards: Cards = 52,
    level: Level = 0.01,
    power: Power = 0.80,
    simulate: Decks = 0,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Riffle shuffles (Gilbert-Shannon-Reeds), by the law of Bayer and Diaconis.

    Guesses: mean number of right guesses when each turned card is shown and the next larger one left is guessed.
    Decks to detect: how many the best possible test on rising sequences needs.
    """
    from randomness.theory import riffle_law, riffle_summary

    todo = number_list(passes, "--passes", low=1, high=60)
    rows = _told(lambda: _each(todo, lambda k: riffle_summary(cards, k, alpha=level, power=power)))
    seen = None
    if simulate:
        from randomness.kernels import make
        from randomness.theory.simulate import guess_upwards, rising_sequences

        runs = [(make("riffle", passes=k), riffle_law(cards, k)) for k in todo]
        seen = _told(lambda: _simulated(runs, rising_sequences, guess_upwards, simulate, seed))
    _show(f"{cards} cards, riffle shuffles", "passes", [str(k) for k in todo], rows, seen, as_json)


@app.command()
def shelf(
    shelves: Annotated[
        str, typer.Option(help="Number of shelves: 10, or a list such as 10,20,50.")
    ] = "10,15,20,30,50,100,200,300",
    passes: Annotated[int, typer.Option(help="Passes through the machine.", min=1, max=20)] = 1,
    cards: Cards = 52,
    level: Level = 0.01,
    power: Power = 0.80,
    simulate: Decks = 0,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Shelf shufflers, by the law of Diaconis, Fulman and Holmes.

    Guesses: mean number of right guesses with feedback, upwards until a descent is seen, then downwards, and so on.
    Decks to detect: how many the best possible test on valleys needs.
    """
    from randomness.theory import shelf_law, shelf_summary

    todo = number_list(shelves, "--shelves", low=1, high=1_000_000)
    rows = _told(lambda: _each(todo, lambda m: shelf_summary(cards, m, passes, alpha=level, power=power)))
    seen = None
    if simulate:
        from randomness.kernels import make
        from randomness.theory.simulate import guess_both_ways, valleys

        runs = _told(lambda: [(make("shelf", shelves=m, passes=passes), shelf_law(cards, m, passes)) for m in todo])
        seen = _told(lambda: _simulated(runs, valleys, guess_both_ways, simulate, seed))
    times = "one pass" if passes == 1 else f"{passes} passes"
    _show(f"{cards} cards, shelf shuffler, {times}", "shelves", [str(m) for m in todo], rows, seen, as_json)


def _told(work: Callable[[], T]) -> T:
    """Run it; what the room refuses is said in one line."""
    from randomness.errors import RandomnessError

    try:
        return work()
    except RandomnessError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None


def _bar() -> Progress:
    """A progress bar on standard error, where that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


def _each(todo: list[int], work: Callable[[int], Summary]) -> list[Summary]:
    with _bar() as bar:
        return [work(number) for number in bar.track(todo, description="exact laws")]


def _simulated(
    runs: list[tuple[Kernel, ClassLaw]], classes: Statistic, guesses: Statistic, decks: int, seed: int
) -> list[SimulatedShuffle]:
    from randomness.sources import seeded_source
    from randomness.theory.simulate import simulate

    with _bar() as bar:
        task = bar.add_task("simulating", total=decks * len(runs))

        def advance(done: int) -> None:
            bar.advance(task, done)

        return [
            simulate(kernel, law, classes, guesses, decks, seeded_source(seed, stream), advance)
            for stream, (kernel, law) in enumerate(runs)
        ]


def _show(
    title: str, first: str, names: list[str], rows: list[Summary], seen: list[SimulatedShuffle] | None, as_json: bool
) -> None:
    if as_json:
        told = [row.as_json() for row in rows]
        for entry, run in zip(told, seen or [], strict=False):
            entry["simulated"] = {
                "decks": run.decks,
                "total_variation": run.total_variation.value,
                "total_variation_error": run.total_variation.error,
                "guesses": run.guesses.value,
                "guesses_error": run.guesses.error,
            }
        typer.echo(json.dumps(told, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    from randomness.theory import shown

    def table(heading: str, columns: tuple[str, ...]) -> Table:
        made = Table(title=heading, box=None, padding=(0, 2, 0, 0), title_justify="left")
        for column in columns:
            made.add_column(column, justify="right", no_wrap=True)
        return made

    exact = table(title, (first, *FIGURES))
    for name, row in zip(names, rows, strict=True):
        exact.add_row(
            name,
            f"{float(row.total_variation):.5f}",
            f"{float(row.separation):.5f}",
            shown(row.l_infinity, 3),
            shown(row.chi_square, 3),
            "-" if row.top_card_total_variation is None else f"{float(row.top_card_total_variation):.5f}",
            "-" if row.guesses is None else f"{float(row.guesses):.3f}",
            f"{row.decks_needed:,}",
        )
    console = Console()
    console.print(exact)
    if seen:
        simulated = table(f"{seen[0].decks:,} decks from the kernel", (first, "total variation", "right guesses"))
        for name, run in zip(names, seen, strict=True):
            simulated.add_row(
                name,
                f"{run.total_variation.value:.5f} ± {run.total_variation.error:.5f}",
                f"{run.guesses.value:.3f} ± {run.guesses.error:.3f}",
            )
        console.print(simulated)
    console.print(f"A perfect shuffle gives {float(rows[0].guesses_uniform):.3f} right guesses.")
