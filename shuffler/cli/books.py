"""Opening a table's journal from the command line: keys, anchors, rules, progress."""

import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from shuffler.cli.exit_codes import FAILED, MISUSED
from shuffler.cli.output import fail
from strict_toml import read_bounded_text

if TYPE_CHECKING:
    from round_engine.rules.ruleset import RuleSet
    from shuffler.journal import JournalError, SqliteJournal
    from shuffler.journal.entries import RulesInForce
    from shuffler.journal.restart import Reopened
    from shuffler.journal.signing import HeadSigner

SAY_AFTER_S = 2.0
KEY_DIGITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class BookOptions:
    """How a journal is to be kept."""

    sign: Path | None = None
    anchor: Path | None = None
    anchor_command: str | None = None
    accept_rules: bool = False


def failed(problem: "JournalError") -> typer.Exit:
    """An error of a journal as an exit code: 1 what is in it is wrong, 2 it can't be read at all."""
    from shuffler.journal import JournalUnreadable

    return fail(str(problem), MISUSED if isinstance(problem, JournalUnreadable) else FAILED)


def open_books(path: Path, rules_name: str, options: BookOptions, *, adopt: bool = False) -> "SqliteJournal":
    """The journal of a table under these rules, made where there is none; raises JournalError."""
    from shuffler.cli.table import utc_now
    from shuffler.journal import JournalBroken, SqliteJournal
    from shuffler.journal.anchors import Anchor, CommandAnchor, PathAnchor

    anchors: list[Anchor] = [PathAnchor(options.anchor)] if options.anchor is not None else []
    if options.anchor_command is not None:
        anchors.append(CommandAnchor(_words(options.anchor_command)))
    books = SqliteJournal(
        path, clock=utc_now, settings={"rules": rules_name}, anchors=anchors, adopt=adopt,
        signer=read_signer(options.sign) if options.sign is not None else None, progress=progress("records verified"),
    )  # fmt: skip
    if books.is_signed and options.sign is None:
        books.close()
        raise JournalBroken(f"{path} is signed: give the key with --sign, so that what follows is signed too")
    return books


def reopen_table(
    books: "SqliteJournal", rules_name: str, rules: "RuleSet", options: BookOptions, *, resume: bool = False
) -> "Reopened":
    """The table that the journal leads to; what was found is said. Raises JournalError."""
    from shuffler.host.printable import printable
    from shuffler.journal.restart import reopen

    kept = books.settings.get("rules")
    if books.position.rules is None and kept not in (None, rules_name):
        raise fail(f"{books.path} is the journal of a table under {kept}: use --rules {kept}")
    opened = reopen(
        books, rules, rules_name=rules_name, accept_rules=options.accept_rules, find_rules=find_rules,
        progress=progress("records replayed"), resume=resume,
    )  # fmt: skip
    for warning in opened.warnings:
        typer.echo(printable(f"WARNING: {warning}"), err=True)
    if opened.voided:
        typer.echo(f"round {opened.voided} was open when the table stopped: it is void, wagers are given back")
    return opened


def find_rules(entry: "RulesInForce") -> "RuleSet | None":
    """The rules that a journal names, where they are still here."""
    from round_engine.errors import RoundEngineError
    from shuffler.cli.table import rules_by_name

    try:
        return rules_by_name(entry.name)
    except (RoundEngineError, OSError):
        return None


def progress(what: str) -> Callable[[int], None]:
    """Says how far it is on standard error, once it has taken more than two seconds."""
    started = said = time.monotonic()

    def say(done: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - started > SAY_AFTER_S and now - said > 1.0 and sys.stderr.isatty():
            said = now
            typer.echo(f"{done:,} {what}", err=True)

    return say


def read_signer(path: Path) -> "HeadSigner":
    """A private key in a PEM file."""
    from randomness.certification.errors import ReportError
    from shuffler.journal.signing import HeadSigner
    from shuffler.lab.certificate.sealing import load_key

    try:
        return HeadSigner.of(load_key(path))
    except ReportError as problem:
        raise fail(str(problem)) from None


def _words(command: str) -> list[str]:
    """A program and its arguments, as a shell would take them apart."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise fail(f"--anchor-command {command}: expected a program and its arguments, with every quote closed")
    return words


def read_public(path: Path) -> bytes:
    """A public key in a PEM file, or as 64 hexadecimal digits."""
    from randomness.certification.errors import ReportError
    from shuffler.lab.certificate.sealing import load_public_key

    try:
        text = read_bounded_text(path).strip()
        if len(text) == KEY_DIGITS:
            return bytes.fromhex(text)
        return load_public_key(path)
    except OSError as problem:
        raise fail(f"{path}: {problem.strerror}") from None
    except ValueError:
        raise fail(f"{path}: expected a public key: a PEM file, or {KEY_DIGITS} hexadecimal digits") from None
    except ReportError as problem:
        raise fail(str(problem)) from None
