"""Commands whose help is plain text, in sections, and that take plain values: neither rich nor pydantic is loaded."""

from typing import Any

from typer.core import TyperCommand, TyperGroup

from shuffler.cli.plain_values import spare_pydantic


class PlainCommand(TyperCommand):
    """A command; options that name a panel get a section of that name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spare_pydantic(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if param.param_type_name == "argument" else "Options"
                panel = getattr(param, "rich_help_panel", None) or usual
                sections.setdefault(panel, []).append(record)
        for panel, records in sections.items():
            with formatter.section(panel):
                formatter.write_dl(records)


class PlainGroup(TyperGroup):
    """A group of commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spare_pydantic(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each command with the whole first sentence of its help, where click would cut it short."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        helps = [(name, (command.help or "").partition("\n\n")[0]) for name, command in commands if command]
        with formatter.section("Commands"):
            formatter.write_dl(helps)
