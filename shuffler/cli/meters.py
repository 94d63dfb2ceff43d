"""`shuffler meters`: progressive meters that many tables share, on a PostgreSQL server."""

import csv
import json
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.exit_codes import FAILED
from shuffler.cli.linked import VARIABLE, address
from shuffler.cli.output import fail, say

if TYPE_CHECKING:
    from shuffler.meters.audit import MeterAudit
    from shuffler.meters.server import MeterServer, Shown

app = typer.Typer(help="Progressive meters that many tables share, on PostgreSQL.", no_args_is_help=True)

Url = Annotated[
    str | None,
    typer.Option(
        "--meters", envvar=VARIABLE, show_envvar=True,
        help="The server, postgresql://HOST/DATABASE; passwords by PGPASSFILE or a service file.",
    ),
]  # fmt: skip
Meter = Annotated[str, typer.Argument(help="The meter's name.")]
Table = Annotated[str, typer.Argument(help="The table's name, as `shuffler table --table-name` gives it.")]
By = Annotated[str, typer.Option(help="Your name.")]
Reason = Annotated[str, typer.Option(help="The reason, for the ledger.")]


@contextmanager
def _server(url: str | None) -> "Iterator[MeterServer]":
    """A connection; the server's errors as sentences and exit codes, the same for every verb."""
    from shuffler.meters.errors import MeterError, MeterMisuse
    from shuffler.meters.server import MeterServer

    where = address(url)
    try:
        with closing(MeterServer(where)) as server:
            yield server
    except MeterMisuse as problem:
        raise fail(str(problem)) from None
    except MeterError as problem:
        raise fail(str(problem), FAILED) from None


@app.command()
def init(meters: Url = None) -> None:
    """Make the tables in an empty database, or bring them up to this version; needs a login that may create roles."""
    from shuffler.meters.database import masked, migrate
    from shuffler.meters.errors import MeterError

    where = address(meters)
    try:
        done = migrate(where)
    except MeterError as problem:
        raise fail(str(problem), FAILED) from None
    say(f"{masked(where)}: {', '.join(done) if done else 'up to date'}")


@app.command()
def create(
    name: Meter,
    rules: Annotated[str, typer.Option(help="Rule set of its tables, by name (south-dakota+bad-beat) or a file.")],
    wager: Annotated[str, typer.Option(help="progressive or bad-beat.")] = "progressive",
    cap: Annotated[str | None, typer.Option(help="Most that it may show; the rest goes to the reserve.")] = None,
    order: Annotated[
        str,
        typer.Option(
            help="When awards come off the meter: round (all of a round together) or asked (each as it is keyed)."
        ),
    ] = "round",
    meters: Url = None,
) -> None:
    """Create a meter at its seed. Seed, share, reserve and percentages come from the rule set."""
    from dataclasses import replace

    from round_engine.wagers import METERED
    from shuffler.cli.table import load_rules
    from shuffler.meters.errors import MeterMisuse
    from shuffler.meters.linked import rules_of

    kind = wager.replace("-", "_")
    if kind not in METERED:
        raise fail(f"--wager is {' or '.join(METERED).replace('_', '-')}")
    if order not in ("round", "asked"):
        raise fail("--order is round or asked")
    try:
        made = rules_of(load_rules(rules), kind, name)
    except MeterMisuse as problem:
        raise fail(str(problem)) from None
    made = replace(made, cap=None if cap is None else _cents(cap, "--cap"), order=order)  # type: ignore[arg-type]
    with _server(meters) as server:
        server.create_meter(made)
        _list(server.meters(), only=name)


@app.command()
def enrol(
    table: Table,
    meter: Meter,
    login: Annotated[str, typer.Option(help="The only database login that may push for this table.")],
    transfer: Annotated[
        str, typer.Option(help="Dollars above the seed that the table's own meter may bring along.")
    ] = "0",
    meters: Url = None,
) -> None:
    """Let a table push to a meter, with a login of its own."""
    with _server(meters) as server:
        server.enrol(table, meter, login, transfer=_cents(transfer, "--transfer"))
        say(f"table {table} is enrolled at meter {meter}, for the login {login} alone")


@app.command("list")
def list_meters(
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON per meter.")] = False,
    meters: Url = None,
) -> None:
    """List every meter and what it shows."""
    with _server(meters) as server:
        shown = server.meters()
    if as_json:
        for one in shown:
            plain = {name: getattr(one, name) for name in ("version", "amount", "reserve", "floor", "held")}
            typer.echo(json.dumps({"name": one.rules.name, "wager": one.rules.wager, "seed": one.rules.seed, **plain}))
        return
    _list(shown)


def _list(shown: "tuple[Shown, ...]", only: str | None = None) -> None:
    from round_engine.money import dollars

    if not shown:
        say("there is no meter yet: `shuffler meters create NAME --rules RULES`")
    for one in shown:
        if only in (None, one.rules.name):
            held = f", {dollars(one.held)} of it held for an award" if one.held else ""
            aside = f", reserve {dollars(one.reserve)}" if one.reserve else ""
            say(
                f"{one.rules.name:<20} {one.rules.wager:<12} {dollars(one.amount):>14}{held}{aside}"
                f"  seed {dollars(one.rules.seed)}, row {one.version}"
            )


@app.command()
def watch(
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between updates.")] = 1.0,
    rows: Annotated[bool, typer.Option("--rows", help="Show every row of the ledger, too.")] = False,
    meters: Url = None,
) -> None:
    """Show the meters as they move, one line per change, until Ctrl-C. Waits for a server that is away."""
    from shuffler.meters.errors import ServerAway
    from shuffler.meters.server import MeterPool

    where = address(meters)
    with _server(where):
        pass  # a wrong address or version is said at once
    known: dict[str, int] = {}
    away = ""
    try:
        with closing(MeterPool(where)) as pool:
            while True:
                try:
                    with pool.server() as server:
                        _changes(server, known, rows)
                    away = ""
                except ServerAway as problem:
                    if str(problem) != away:
                        say(str(problem))
                    away = str(problem)
                time.sleep(every)
    except KeyboardInterrupt:
        raise typer.Exit from None


def _changes(server: "MeterServer", known: dict[str, int], rows: bool) -> None:
    from round_engine.money import dollars
    from shuffler.meters.audit import rows_after

    for one in server.meters():
        name, before = one.rules.name, known.get(one.rules.name)
        if before == one.version:
            continue
        if rows and before is not None:
            for row in rows_after(server, name, before):
                say(f"  {name} {row.number:>8}  {row.kind:<13} {row.table:<8} {row.round_id:<8} {dollars(row.change)}")
        known[name] = one.version
        _list((one,))


@app.command()
def check(meters: Url = None) -> None:
    """Check the server's ledger, balances, reservations and order of awards. Exit code 1 if anything is wrong."""
    from shuffler.meters.audit import check as audit

    with _server(meters) as server:
        found = audit(server)
    _report(found, f"{found.rows:,} rows: every balance follows from the ledger, every award from its reservation")


@app.command()
def reconcile(
    journals: Annotated[list[Path], typer.Argument(help="Journals of the tables, or folders of them.")],
    meters: Url = None,
) -> None:
    """Compare the ledger with every journal, move by move. Names a journal that was restored from an older copy."""
    from shuffler.cli.books import progress
    from shuffler.meters.audit import reconcile as audit

    paths = [path for one in journals for path in (sorted(one.glob("*.db")) if one.is_dir() else [one])]
    if not paths:
        raise fail("there is no journal there (*.db)")
    with _server(meters) as server:
        found = audit(server, paths, progress("records read"))
    if found.unsent:
        say(f"{found.unsent:,} moves are not sent yet: their tables send them when they are open")
    _report(found, f"{found.journals} journals, {found.moves:,} moves: each is in the ledger exactly once, to the cent")


def _report(found: "MeterAudit", green: str) -> None:
    for warning in found.warnings:
        say(f"WARNING: {warning}")
    for problem in found.problems:
        fail(problem)
    if found.problems:
        raise typer.Exit(FAILED)
    say(green)


@app.command()
def export(
    form: Annotated[str, typer.Option("--format", help="json (one line per row) or csv.")] = "json", meters: Url = None
) -> None:
    """Print the whole ledger, for other programs."""
    from shuffler.meters.audit import exported

    if form not in ("json", "csv"):
        raise fail("--format is json or csv")
    with _server(meters) as server:
        writer = None
        for row in exported(server):
            if form == "json":
                typer.echo(json.dumps(row, ensure_ascii=False))
                continue
            if writer is None:
                writer = csv.DictWriter(sys.stdout, list(row))
                writer.writeheader()
            writer.writerow(row)


# --- what takes two people ---


@app.command()
def adjust(
    meter: Meter,
    change: Annotated[str, typer.Option(help="Dollars to add or take, such as +12.50 or -3; the house bears it.")],
    reason: Reason,
    by: By,
    meters: Url = None,
) -> None:
    """Propose to adjust a meter by hand. Another person approves it."""
    cents = _cents(change, "--change", signed=True)
    if not cents:
        raise fail("--change 0 moves nothing")
    with _server(meters) as server:
        _proposed(server.propose("correction", by, reason, meter=meter, change=cents))


@app.command()
def release(
    meter: Meter,
    ticket: Annotated[int, typer.Argument(help="The reservation's ticket, as `shuffler meters check` shows it.")],
    reason: Reason,
    by: By,
    meters: Url = None,
) -> None:
    """Propose to free the reservation of a table that will not pay it. Another person approves it."""
    with _server(meters) as server:
        _proposed(server.propose("release", by, reason, meter=meter, ticket=ticket))


@app.command()
def retire(table: Table, reason: Reason, by: By, meters: Url = None) -> None:
    """Propose to retire a table that will not come back: nobody waits for it. Another person approves it."""
    with _server(meters) as server:
        _proposed(server.propose("retire", by, reason, table=table))


@app.command()
def moved(table: Table, reason: Reason, by: By, meters: Url = None) -> None:
    """Propose to accept a table's journal at a new place, after its file was moved. Another person approves it."""
    with _server(meters) as server:
        _proposed(server.propose("moved", by, reason, table=table))


@app.command()
def approve(
    number: Annotated[int, typer.Argument(help="The proposal that you agree to.")], by: By, meters: Url = None
) -> None:
    """Approve another person's proposal, with a login of your own; the ledger keeps both names."""
    from round_engine.money import dollars

    with _server(meters) as server:
        amount = server.approve(number, by)
    say(f"proposal {number} is done" + ("" if amount is None else f": the meter shows {dollars(amount)}"))


def _proposed(number: int) -> None:
    say(f"proposal {number}: another person approves it with `shuffler meters approve {number} --by NAME`")


@app.command()
def restored(meters: Url = None) -> None:
    """Say that the server was restored from a copy of its files. A restored dump is noticed without it."""
    with _server(meters) as server:
        server.restored()
    say("no award is reserved until every table has sent again what is missing; `shuffler meters check` names them")


def _cents(text: str, option: str, *, signed: bool = False) -> int:
    """Dollars as people write them, in cents."""
    from decimal import Decimal, InvalidOperation

    plain = text.replace("$", "").replace(",", "").strip()
    try:
        cents = Decimal(plain) * 100
        if cents != cents.to_integral_value() or (cents < 0 and not signed):
            raise InvalidOperation
    except (InvalidOperation, ValueError):
        raise fail(f"{option} {text}: dollars and cents, like 12.50") from None
    return int(cents)
