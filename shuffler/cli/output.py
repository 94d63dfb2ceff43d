"""How commands speak to people: errors without tracebacks, and nothing that a terminal would act on."""

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import typer

from shuffler.cli.exit_codes import FAILED, MISUSED
from shuffler.host.printable import printable

if TYPE_CHECKING:
    from shuffler.errors import ShufflerError

HANGING = 4  # columns by which the rest of a broken line is set in
NARROWEST = 20


def say(text: str, *, err: bool = False) -> None:
    """A line with text of a device or a file in it."""
    typer.echo(printable(text), err=err)


def show_line(text: str) -> None:
    """A line of a story: broken between words where the terminal is narrower, left alone in a pipe."""
    text = printable(text)
    if not sys.stdout.isatty():
        typer.echo(text)
        return
    indent = " " * (len(text) - len(text.lstrip()) + HANGING)
    width = max(NARROWEST, shutil.get_terminal_size().columns)
    typer.echo("\n".join(textwrap.wrap(text, width, subsequent_indent=indent, drop_whitespace=True) or [""]))


def warn(text: str) -> None:
    """The same on standard error."""
    typer.echo(printable(text), err=True)


def fail(text: str, code: int = MISUSED) -> typer.Exit:
    """Say what is wrong on standard error; `raise` what this returns."""
    for line in f"shuffler: {text}".split("\n"):
        typer.echo(printable(line), err=True)
    return typer.Exit(code)


def device_failed(problem: "ShufflerError") -> typer.Exit:
    """What went wrong with a device as an exit code: 2 its port can't be opened, 1 anything after that."""
    from shuffler.errors import CannotOpen

    return fail(str(problem), MISUSED if isinstance(problem, CannotOpen) else FAILED)
