"""The program `shuffler`: one module a subcommand; heavy imports happen inside commands, so `--help` is quick."""

import typer

from shuffler.cli import certify, device, journal, protocol, rng, theory
from shuffler.cli.bits import bits
from shuffler.cli.collect import collect
from shuffler.cli.deal import deal, demo
from shuffler.cli.emulate import emulate
from shuffler.cli.odds import odds
from shuffler.cli.soak import soak
from shuffler.cli.table import table

app = typer.Typer(
    name="shuffler",
    help="Shuffler bench: an emulated casino card shuffler, its certification and its table.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _root() -> None:
    """Every command explains itself with --help."""


app.command()(demo)
app.command()(emulate)
app.command()(deal)
app.add_typer(device.app, name="device")
app.command()(table)
app.command()(soak)
app.add_typer(journal.app, name="journal")
app.command()(collect)
app.add_typer(certify.app, name="certify")
app.command()(bits)
app.command()(odds)
app.add_typer(protocol.app, name="protocol")
app.add_typer(rng.app, name="rng")
app.add_typer(theory.app, name="theory")


def main() -> None:
    """Entry point of the installed program."""
    app()
