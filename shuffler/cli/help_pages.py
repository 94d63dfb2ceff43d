"""How help pages read: values by the words that people use for them, and paragraphs that flow at any width."""

import re
from typing import Any

import typer

HELP_NAMES = ["-h", "--help"]
VALUES = (
    (("path", "filename", "file"), "FILE"),
    (("directory", "dir"), "FOLDER"),
    (("int", "integer"), "N"),
    (("float",), "NUMBER"),
)
"""What typer and click call a kind of value, and what we call it; anything else is TEXT."""


def in_plain_words(command: Any) -> Any:
    """The command, and those below it, without the names of Python's types and without line breaks of the source."""
    command.help = flowing(command.help or "")
    asks_for_help = command.get_help_option(typer.Context(command, help_option_names=HELP_NAMES))
    for parameter in (*command.params, asks_for_help):
        _name_value(parameter)
    for below in getattr(command, "commands", {}).values():
        in_plain_words(below)
    return command


def flowing(text: str) -> str:
    """Paragraphs as one line each, for a terminal of any width to break."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def kind_of(parameter: Any) -> str:
    """What an option or argument takes: empty for a flag, else a word of VALUES or TEXT."""
    if getattr(parameter, "is_flag", False):
        return ""
    described = getattr(parameter, "type_descriptor", None)
    if described is None:  # typer before it had click inside
        told = parameter.type.name
    elif described.is_path:
        told = described.path_type
    else:
        told = str(described.annotation)
    words = re.findall(r"[a-z]+", told.lower())
    return next((name for names, name in VALUES if any(word in names for word in words)), "TEXT")


def _name_value(parameter: Any) -> None:
    if parameter.param_type_name == "argument":
        if parameter.metavar is None:
            parameter.metavar = parameter.name.upper()
        parameter.display_type_rich = lambda ctx: None  # noqa: ARG005 - its name says what it is
    elif parameter.metavar is None and not _choices(parameter):
        parameter.metavar = kind_of(parameter)


def _choices(parameter: Any) -> bool:
    described = getattr(parameter, "type_descriptor", None) or getattr(parameter, "type", None)
    return bool(getattr(described, "choices", None))
