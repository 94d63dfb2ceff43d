"""`shuffler journal`: list, export, verify, replay and read a table's books."""

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shuffler.cli.output import fail

if TYPE_CHECKING:
    from shuffler.journal.reading import RoundEntries

app = typer.Typer(help="Read a table's journal.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The journal's file.")]


def _rounds(path: Path) -> "list[RoundEntries]":
    from shuffler.journal import JournalError, rounds

    try:
        return list(rounds(path))
    except JournalError as problem:
        raise fail(str(problem)) from None


@app.command("list")
def list_rounds(path: File, last: Annotated[int, typer.Option(min=1, help="How many, newest last.")] = 20) -> None:
    """The newest rounds, a line each."""
    for one in _rounds(path)[-last:]:
        seats = len(one.operations[0].get("wagers", []))
        typer.echo(f"{one.round_id:>8}  {one.at}  {one.outcome:<8} {seats} spots, {len(one.events)} device events")


@app.command()
def show(path: File, round_id: Annotated[str, typer.Argument(help="The round, as `list` names it.")]) -> None:
    """One round as a surveillance room would read it."""
    from round_engine.ledger import Entry as LedgerEntry
    from round_engine.ledger import Posting
    from shuffler.journal.codec import operation_of
    from shuffler.table_view import operation_text, settlement_lines

    chosen = next((one for one in _rounds(path) if one.round_id == round_id), None)
    if chosen is None:
        raise fail(f"{path} has no round {round_id}: `shuffler journal list {path}` names those there are")
    typer.echo(f"{chosen.at}  outcome: {chosen.outcome}")
    for plain in chosen.operations:
        if (line := operation_text(operation_of(plain))) is not None:
            typer.echo(line)
        if plain["op"] == "Settle":
            postings = [Posting(LedgerEntry(row[0]), *row[1:]) for row in plain.get("postings", [])]
            for line in settlement_lines(postings):
                typer.echo(line)
    for note in chosen.notes:
        typer.echo(f" note: {note['note']}: {note['text']}" if "note" in note else "")


@app.command()
def verify(
    path: File, head: Annotated[str | None, typer.Option(help="A hash noted elsewhere that must be in it.")] = None
) -> None:
    """Recompute the chain; exit code 0 when it holds, 1 when a row was changed, removed or put in."""
    from shuffler.journal import JournalError
    from shuffler.journal import verify as check

    try:
        verdict = check(path, head=head)
    except JournalError as problem:
        raise fail(str(problem)) from None
    if verdict.problem:
        raise fail(f"{path}: {verdict.problem}", 1)
    typer.echo(f"{verdict.records} records, the chain holds; head {verdict.head}")


@app.command()
def replay(
    path: File, rules: Annotated[str | None, typer.Option(help="Rule set; else the journal's own.")] = None
) -> None:
    """Play every operation again and compare each payout with what was written."""
    from round_engine.errors import RoundEngineError
    from round_engine.table import Table
    from shuffler.cli.table import load_rules
    from shuffler.journal import JournalError, read
    from shuffler.journal.codec import operation_of
    from shuffler.journal.reading import settings

    try:
        table = Table(load_rules(rules or settings(path).get("rules", "light-and-wonder")))
        count = 0
        for record in read(path):
            for plain in record.entries:
                if "op" not in plain:
                    continue
                applied = table.do(operation_of(plain))
                if [list(posting) for posting in applied.postings] != plain.get("postings", []):
                    raise fail(f"record {record.seq}: {plain['op']} leads to other payouts than were written", 1)
                count += 1
    except (JournalError, RoundEngineError) as problem:
        raise fail(str(problem), 1) from None
    total = table.ledger.total()
    typer.echo(f"{count} operations replayed, every payout as written; sum of all accounts {total} cents")


@app.command()
def export(
    path: File,
    form: Annotated[str, typer.Option("--format", help="json (a line an entry) or csv (a line a posting).")] = "json",
) -> None:
    """Everything, for other programs, on standard output."""
    from shuffler.journal import JournalError, read

    if form not in ("json", "csv"):
        raise fail("--format is json or csv")
    writer = csv.writer(sys.stdout)
    if form == "csv":
        writer.writerow(("seq", "at", "op", "entry", "spot", "wager", "cents", "from", "to", "row", "clause", "note"))
    try:
        for record in read(path):
            for plain in record.entries:
                if form == "json":
                    typer.echo(json.dumps({"seq": record.seq, "at": record.at, **plain}, ensure_ascii=False))
                else:
                    for row in _postings(plain):
                        writer.writerow((record.seq, record.at, plain.get("op", "opened"), *row))
    except JournalError as problem:
        raise fail(str(problem)) from None


def _postings(plain: dict[str, Any]) -> list[list[Any]]:
    found: list[list[Any]] = plain.get("postings", plain.get("opened", []))
    return found
