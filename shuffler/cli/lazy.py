"""A command group that imports a command only when it is run, so that `--help` costs little more than typer."""

from importlib import import_module
from typing import Any, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from shuffler.cli.help_pages import HELP_NAMES, in_plain_words
from shuffler.cli.plain_commands import PlainCommand, PlainGroup


class LazyCommand(NamedTuple):
    """Where a command is: a function of the module `shuffler.cli.HOME`, or its `app` for a group of commands."""

    panel: str
    name: str
    home: str
    attribute: str
    help: str


class LazyGroup(PlainGroup):
    """Lists commands by their one-line helps, in plain text; subclasses name them in `table`."""

    table: tuple[LazyCommand, ...] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for row in self.table:
            self.add_command(TyperCommand(name=row.name, help=row.help))

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """A section for each panel of the table, the commands in its order."""
        for panel in dict.fromkeys(row.panel for row in self.table):
            with formatter.section(panel):
                formatter.write_dl([(row.name, row.help) for row in self.table if row.panel == panel])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command itself, now that it is wanted."""
        name, placeholder, rest = super().resolve_command(ctx, args)
        row = next((row for row in self.table if row.name == name), None)
        return name, placeholder if row is None else load(row), rest


def load(row: LazyCommand) -> Any:
    """Import a command."""
    found = getattr(import_module(f"shuffler.cli.{row.home}"), row.attribute)
    parent = typer.Typer(add_completion=False, context_settings=HELP_OPTIONS, rich_markup_mode=None)
    parent.callback()(_nothing)
    if isinstance(found, typer.Typer):
        for command in found.registered_commands:
            command.cls = PlainCommand
        parent.add_typer(found, name=row.name, cls=PlainGroup)
    else:
        parent.command(row.name, cls=PlainCommand)(found)
    return in_plain_words(cast(TyperGroup, get_command(parent)).commands[row.name])


def _nothing() -> None:
    """A parent's own action."""


HELP_OPTIONS = {"help_option_names": HELP_NAMES}
