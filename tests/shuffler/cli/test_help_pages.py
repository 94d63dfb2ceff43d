"""Every help page, of commands and what is below them, on a terminal of 80 columns, read as a new user would."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from shuffler.cli import COMMANDS, app
from shuffler.cli.help_pages import flowing, kind_of
from shuffler.cli.lazy import load

WIDTH = 80


def every(words: tuple[str, ...], command: Any) -> Iterator[tuple[str, ...]]:
    yield words
    for name, below in getattr(command, "commands", {}).items():
        yield from every((*words, name), below)


PAGES = [words for row in COMMANDS for words in every((row.name,), load(row))]


@pytest.mark.parametrize("words", PAGES, ids=" ".join)
def test_a_page_fits_and_speaks_no_python(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*words, "--help"], terminal_width=WIDTH, env={"COLUMNS": str(WIDTH)})
    assert done.exit_code == 0
    page = done.stdout
    assert max(map(len, page.splitlines())) <= WIDTH
    assert not re.findall(r"<(?:bool|str|int|float|path|file|dir|list)\b|list\[", page)
    assert not re.findall(r"\w…\s*│?$", page, re.MULTILINE), "a word is cut off"
    assert not re.findall(r"docs/\S+\.md", page), "an installed program has no such page beside it"


@pytest.mark.parametrize("words", PAGES, ids=" ".join)
def test_every_option_is_explained_in_sentences(words: tuple[str, ...]) -> None:
    command = load(next(row for row in COMMANDS if row.name == words[0]))
    for name in words[1:]:
        command = command.commands[name]
    for parameter in command.params:
        assert parameter.help, parameter.name
        assert parameter.help.endswith((".", "…")), parameter.help
        assert "[default" not in parameter.help, "a terminal takes it for markup and shows nothing"
    assert all("\n" not in part for part in command.help.split("\n\n")), "broken where the source is broken"


def test_paragraphs_flow() -> None:
    assert flowing("One line\n    and its rest.\n\n    Another\n    one.\n") == "One line and its rest.\n\nAnother one."


def test_values_are_named_by_what_they_are() -> None:
    kinds = {option.name: kind_of(option) for row in COMMANDS if row.name == "emulate" for option in load(row).params}
    named = ("tcp", "speed", "capture", "pty", "profile", "setup")
    assert [kinds[name] for name in named] == ["N", "NUMBER", "FILE", "", "TEXT", "TEXT"]
