"""The program `shuffler`: one module a command, imported when that command is run."""

import os
import sys
from typing import Annotated

import typer

from shuffler.cli.exit_codes import FAILED, INTERRUPTED
from shuffler.cli.lazy import HELP_OPTIONS, LazyCommand, LazyGroup
from shuffler.cli.rooms import shadowed

DEVICE, TABLE, LAB, KIT, REFERENCE = "Device", "Table", "Laboratory", "Tester's kit", "Reference"

COMMANDS = (
    LazyCommand(DEVICE, "demo", "deal", "demo", "Play two settled rounds on an emulated shuffler, then end."),
    LazyCommand(DEVICE, "live", "live", "live", "The whole bench in your browser, until Ctrl-C."),
    LazyCommand(DEVICE, "emulate", "emulate", "emulate", "Serve emulated shufflers until Ctrl-C."),
    LazyCommand(DEVICE, "control", "control", "control", "Call the control API of a running bench."),
    LazyCommand(DEVICE, "deal", "deal", "deal", "Shuffle and deal rounds on a device and show the hands."),
    LazyCommand(DEVICE, "device", "device", "app", "Ask a device for its identity, log, program or past hands."),
    LazyCommand(DEVICE, "conform", "conform", "app", "Check a device or a controller against the protocol's rules."),
    LazyCommand(DEVICE, "fuzz", "fuzz", "fuzz", "Throw malformed traffic at a device or a controller."),
    LazyCommand(TABLE, "table", "table", "table", "Play full rounds: wagers, decisions, settlement, journal."),
    LazyCommand(TABLE, "soak", "soak", "soak", "Play thousands of rounds with faults and reconcile them."),
    LazyCommand(TABLE, "journal", "journal", "app", "Verify, show and export a table's journal."),
    LazyCommand(TABLE, "monitor", "monitor", "monitor", "Watch dealt cards and raise the alarm if they can't be fair."),
    LazyCommand(TABLE, "meters", "meters", "app", "Progressive meters that many tables share, on PostgreSQL."),
    LazyCommand(LAB, "collect", "collect", "collect", "Record decks or raw bits from a device."),
    LazyCommand(LAB, "certify", "certify", "app", "Test shuffles, live or recorded, and write the report."),
    LazyCommand(LAB, "bits", "bits", "bits", "Run the SP 800-22 tests on a file of bits."),
    LazyCommand(LAB, "entropy", "entropy", "entropy", "Assess the entropy of raw noise by SP 800-90B."),
    LazyCommand(LAB, "proficiency", "proficiency", "app", "A blind test for laboratories: make, answer, score."),
    LazyCommand(LAB, "rng", "rng", "app", "The random generator: raw output, self-test, sources."),
    LazyCommand(KIT, "scenario", "scenario", "app", "Stage what goes wrong at a table and check what comes of it."),
    LazyCommand(KIT, "proxy", "proxy", "proxy", "Stand between a controller and a device: record, disturb."),
    LazyCommand(KIT, "recording", "recording", "app", "Show, compare and replay recorded conversations."),
    LazyCommand(REFERENCE, "doctor", "doctor", "doctor", "Check this machine: versions, ports, permissions, programs."),
    LazyCommand(REFERENCE, "odds", "odds", "odds", "Exact odds of every wager of every rule set."),
    LazyCommand(REFERENCE, "protocol", "protocol", "app", "The wire protocol: reference, messages, frames."),
    LazyCommand(REFERENCE, "theory", "theory", "app", "Exact laws of riffle and shelf shuffles."),
)


class _Commands(LazyGroup):
    table = COMMANDS


app = typer.Typer(
    name="shuffler",
    cls=_Commands,
    help="An emulated casino card shuffler: device, wire protocol, table and certification.",
    no_args_is_help=True,
    rich_markup_mode=None,  # the front page loads no rich
    pretty_exceptions_enable=False,
    context_settings=HELP_OPTIONS,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"shuffler {version('shuffler-bench')}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Every command explains itself with --help."""


def main() -> None:
    """Entry point of the installed program: output that can't be written ends it with a sentence, too."""
    if hidden := shadowed():
        sys.exit(f"shuffler: {hidden}")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        sys.exit(FAILED)
    except OSError as problem:
        _drop_output()
        print(f"shuffler: can't write the output: {problem.strerror or problem}", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _drop_output() -> None:
    """What is left in the buffer has nowhere to go; without this the interpreter would try once more and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
