"""`shuffler journal`: list, show, verify, reconcile, export and sign a table's books."""

import csv
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from shuffler.cli.books import BookOptions, failed, find_rules, open_books, progress, read_public, read_signer
from shuffler.cli.exit_codes import FAILED
from shuffler.cli.output import fail, show_line

if TYPE_CHECKING:
    from round_engine.rules.ruleset import RuleSet
    from shuffler.journal.reading import RoundEntries
    from shuffler.table.device_heads import Compared

app = typer.Typer(help="Read, check and sign a table's journal.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The journal's file.")]
Rules = Annotated[str | None, typer.Option(help="Rule set by name, or a rule file. Default: the journal's own.")]


@contextmanager
def _sentences() -> Iterator[None]:
    """A journal's errors as sentences and exit codes, the same for every verb."""
    from round_engine.errors import RoundEngineError
    from shuffler.journal import JournalError

    try:
        yield
    except JournalError as problem:
        raise failed(problem) from None
    except RoundEngineError as problem:
        raise fail(str(problem), FAILED) from None


@app.command("list")
def list_rounds(
    path: File, last: Annotated[int, typer.Option(min=1, help="Number of rounds to list, newest last.")] = 20
) -> None:
    """List the newest rounds, one line each."""
    from collections import deque

    from shuffler.host.printable import printable
    from shuffler.journal import rounds
    from shuffler.journal.entries import EventGap

    with _sentences():
        newest: deque[RoundEntries] = deque(rounds(path), maxlen=last)
    for one in newest:
        seats = len(one.opening.wagers)
        lost = ", WARNING: events of the device are missing" if any(isinstance(n, EventGap) for n in one.notes) else ""
        line = f"{one.round_id:>8}  {one.at}  {one.outcome:<8} {seats} spots, {len(one.events)} device events{lost}"
        typer.echo(printable(line))


@app.command()
def show(path: File, round_id: Annotated[str, typer.Argument(help="The round, as `list` names it.")]) -> None:
    """Show one round as a surveillance room would read it."""
    from shuffler.host.printable import printable
    from shuffler.journal import rounds
    from shuffler.journal.export import named
    from shuffler.table.narration import operated_lines

    with _sentences():
        chosen = next((one for one in rounds(path) if one.round_id == round_id), None)
    if chosen is None:
        raise fail(f"{path} has no round {round_id}: `shuffler journal list {path}` names those there are")
    typer.echo(printable(f"{chosen.at}  outcome: {chosen.outcome}"))
    for operated in chosen.operations:
        for line in operated_lines(operated.operation, operated.postings):
            show_line(line)
    for note in chosen.notes:
        plain = named(note)
        kind = str(plain.pop("entry"))
        if kind not in ("Checkpoint", "CommandKept", "CommandSettled", "RequestsReserved"):
            show_line(f" {_spaced(kind)}: {_in_words(plain)}")


def _spaced(kind: str) -> str:
    """`DealtFrom` as "Dealt from"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).capitalize()


def _in_words(value: object) -> str:
    """A note's fields for people: names without underscores, wagers as they are said."""
    from round_engine.wagers import WAGERS

    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {_in_words(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return "[" + "; ".join(map(_in_words, value)) + "]"
    return WAGERS[value].label if isinstance(value, str) and value in WAGERS else repr(value)


@app.command()
def verify(
    path: File,
    head: Annotated[str | None, typer.Option(help="A hash noted elsewhere; the chain must contain it.")] = None,
    key: Annotated[
        list[Path] | None, typer.Option(help="The operator's public key (PEM): no other signature is accepted.")
    ] = None,
    anchors: Annotated[Path | None, typer.Option(help="A file of heads that `table --anchor` wrote.")] = None,
    device_log: Annotated[
        Path | None,
        typer.Option(help="A log that `device log --out` wrote; the journal must contain every head noted in it."),
    ] = None,
) -> None:
    """Recompute the chain and check its signatures. Exit code 1 if a record was changed, removed or inserted.

    The chain alone finds an edit that did not recompute every later hash. A noted head or an anchor finds a cut or
    rewritten end, as far as it was noted; so does the log of a device that the table was played on, where the table
    notes its heads. A signature shows that the holder of the key saw the record; it proves nothing against whoever
    holds the key. Whether the payouts are right is asked by `reconcile`.
    """
    from shuffler.journal import verify as check
    from shuffler.journal.anchors import read_anchors

    with _sentences():
        heads = read_anchors(anchors) if anchors is not None else []
        if anchors is not None and not heads:
            raise fail(f"{anchors}: there is no head in it")
        compared = _compared(path, device_log) if device_log is not None else None
        verdict = check(
            path,
            head=head,
            trust=[read_public(one) for one in key or []],
            anchors=[*heads, *(compared.noted if compared is not None else ())],
            progress=progress("records verified"),
        )
    if verdict.problem:
        raise fail(f"{path}: {verdict.problem.removeprefix(f'{path}: ')}", FAILED)
    if compared is not None and compared.problem:
        raise fail(f"{path}: {compared.problem}", FAILED)
    typer.echo(f"{verdict.records} records, the chain holds; head {verdict.head}")
    if compared is not None:
        typer.echo(compared.text)
    if verdict.signed_upto:
        whose = "the key that was given" if key else f"{verdict.signed_by} (compare it with the operator's key)"
        typer.echo(f"signed up to record {verdict.signed_upto} by {whose}")
        if verdict.signed_upto < verdict.records - 1:
            typer.echo(f"records {verdict.signed_upto + 2} to {verdict.records} are not signed yet")
    elif head is None and anchors is None and compared is None:
        typer.echo("not signed, and no noted head was given: whoever can write the file could have rewritten all of it")


def _compared(path: Path, file: Path) -> "Compared":
    """The journal held against an exported log that is sound itself and names it."""
    from shuffler.cli.device import read_log_file
    from shuffler.host.printable import printable
    from shuffler.journal import read
    from shuffler.table.device_heads import compare

    log = read_log_file(file)
    whose = printable(f"{file}: the log of {log.serial}")
    if (broken := log.broken()) is not None:
        raise fail(f"{whose} is broken at line {broken}: changed, removed or cut", FAILED)
    compared = compare(read(path), log)
    if not compared.noted:
        raise fail(f"{whose} has no head of this journal", FAILED)
    return compared


@app.command()
def reconcile(
    path: File,
    rules: Rules = None,
    groups: Annotated[int | None, typer.Option(help="How many groups the device says it has dealt.")] = None,
) -> None:
    """The full audit: chain, every payout and checkpoint replayed, meters, every dealt group in exactly one round."""
    from shuffler.host.printable import printable
    from shuffler.journal.reconcile import reconcile as audit

    with _sentences():
        played = _played(path, rules)
        found = audit(
            path, played.rules, dealt_groups=groups, find_rules=find_rules, progress=progress("records replayed")
        )  # fmt: skip
    typer.echo(f"{found.records} records, {found.rounds} rounds: {found.settled} settled, {found.void} void")
    typer.echo(f"{found.groups} groups were dealt")
    for warning in found.warnings:
        typer.echo(printable(f"WARNING: {warning}"))
    for problem in found.problems:
        typer.echo(printable(f"shuffler: {path}: {problem}"), err=True)
    if found.problems:
        raise typer.Exit(FAILED)
    typer.echo("every payout, meter and checkpoint is what the rules lead to; every group is in exactly one round")


@app.command()
def replay(path: File, rules: Rules = None) -> None:
    """Play every operation again and compare each payout with what was written."""
    from shuffler.journal import read
    from shuffler.journal.entries import Operated
    from shuffler.journal.reconcile import Audit

    with _sentences():
        played = _played(path, rules)
        audit = Audit(played.rules, find_rules)
        count = 0
        for record in read(path):
            audit.take(record)
            count += sum(isinstance(entry, Operated) for entry in record.entries)
            if audit.found.stops:
                raise fail(f"{path}: {audit.found.stops[0]}", FAILED)
    total = audit.table.ledger.total() if audit.table is not None else 0
    typer.echo(f"{count} operations replayed, every payout as written; sum of all accounts {total} cents")


@app.command()
def export(
    path: File,
    form: Annotated[
        str, typer.Option("--format", help="json (one line per entry) or csv (one line per posting).")
    ] = "json",
) -> None:
    """Print the whole journal, for other programs."""
    from shuffler.host.printable import json_line
    from shuffler.journal import read
    from shuffler.journal.entries import Operated
    from shuffler.journal.export import named, postings_of

    if form not in ("json", "csv"):
        raise fail("--format is json or csv")
    writer = csv.writer(sys.stdout)
    if form == "csv":
        writer.writerow(("seq", "at", "op", "entry", "spot", "wager", "cents", "from", "to", "row", "clause", "note"))
    with _sentences():
        for record in read(path):
            for entry in record.entries:
                if form == "json":
                    typer.echo(json_line({"seq": record.seq, "at": record.at, **named(entry)}))
                    continue
                op = type(entry.operation).__name__ if isinstance(entry, Operated) else "opened"
                for row in postings_of(entry):
                    writer.writerow((record.seq, record.at, op, *row))


@app.command()
def sign(
    path: File,
    key: Annotated[
        Path, typer.Option(help="The operator's private key (PEM), as made by: openssl genpkey -algorithm ed25519.")
    ],
    rules: Rules = None,
) -> None:
    """Start signing a journal that was kept without a key. It is reconciled, then closed by a signed checkpoint."""
    from shuffler.cli.books import reopen_table

    with _sentences():
        played = _played(path, rules)
        options = BookOptions(sign=key)
        with closing(open_books(path, played.name, options, adopt=True)) as books:
            opened = reopen_table(books, played.name, played.rules, options)
            books.checkpoint(opened.table.state())
            typer.echo(f"{books.records} records, signed by {read_signer(key).public.hex()}; head {books.head.hex()}")


@app.command("change-key")
def change_key(
    path: File,
    new: Annotated[Path, typer.Option(help="The new private key (PEM).")],
    old: Annotated[Path | None, typer.Option(help="The current private key (PEM).")] = None,
    lost: Annotated[bool, typer.Option("--lost", help="The old key is lost: nothing vouches for the new one.")] = False,
    rules: Rules = None,
) -> None:
    """Replace the signing key from here on. The old key signs the change, unless it is lost."""
    from shuffler.cli.books import reopen_table
    from shuffler.cli.table import utc_now
    from shuffler.journal import SqliteJournal
    from shuffler.journal.entries import KeyChanged

    if (old is None) != lost:
        raise fail("give the old key with --old, or say --lost")
    successor = read_signer(new)
    with _sentences():
        played = _played(path, rules)
        signer = read_signer(old) if old is not None else None
        with closing(SqliteJournal(path, clock=utc_now, signer=signer)) as books:
            opened = reopen_table(books, played.name, played.rules, BookOptions())
            books.checkpoint(opened.table.state())
            entry = (
                signer.hand_over(books.records, books.head, successor.public)
                if signer is not None
                else KeyChanged(old=b"", new=successor.public, signature=b"")
            )
            books.change_key(entry, successor)
            books.checkpoint(opened.table.state())
            typer.echo(f"{successor.public.hex()} signs from record {books.records - 1} on; head {books.head.hex()}")


class _Played(NamedTuple):
    """The rules that a journal was played under last, and what it says of its table."""

    name: str
    rules: "RuleSet"
    settings: Mapping[str, str]


def _played(path: Path, rules: str | None) -> _Played:
    """The rules that were asked for, else the journal's newest."""
    from shuffler.cli.table import load_rules
    from shuffler.journal.reading import position_of

    position = position_of(path)
    in_force = position.rules.name if position.rules is not None else position.settings.get("rules")
    name = rules if rules is not None else in_force
    if name is None:
        raise fail(f"{path} does not say under which rules it was played: give --rules")
    return _Played(name, load_rules(name), position.settings)
