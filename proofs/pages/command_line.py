"""docs/command-line.md: every command and its options, and how commands end."""

from typing import Any

from proofs.pages.markdown import MADE, table
from shuffler.cli import COMMANDS
from shuffler.cli.exit_codes import EXIT_CODES
from shuffler.cli.lazy import load


def page() -> str:
    """The whole page."""
    parts = [
        "# The command line",
        MADE,
        "Every command explains itself with `--help`. Shell completion: `shuffler --install-completion`.",
        "## Exit codes",
        table(["code", "meaning"], [[str(code), meaning] for code, meaning in EXIT_CODES.items()]),
    ]
    for panel in dict.fromkeys(row.panel for row in COMMANDS):
        parts.append(f"## {panel}")
        for row in COMMANDS:
            if row.panel == panel:
                parts += _command(f"shuffler {row.name}", load(row))
    return "\n\n".join(parts) + "\n"


def _command(name: str, command: Any) -> list[str]:
    about = " ".join((command.help or "").split("\n\n")[0].split())
    parts = [f"### `{name}`", about]
    inner = getattr(command, "commands", {})
    options = [one for one in command.params if one.name != "help" and not one.hidden]
    if options:
        parts.append(table(["option", "what it does"], [[_typed(one), _told(one)] for one in options]))
    for below, found in inner.items():
        parts += _command(f"{name} {below}", found)
    return parts


def _typed(parameter: Any) -> str:
    flags = [name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("-")]
    return f"`{' / '.join(flags) if flags else parameter.name.upper()}`"


def _told(parameter: Any) -> str:
    told = " ".join((parameter.help or "").split())
    default = parameter.default
    value = getattr(default, "value", default)
    if value in (None, False, ()) or callable(value) or "efault" in told:
        return told
    return f"{told} Default: {value}."
