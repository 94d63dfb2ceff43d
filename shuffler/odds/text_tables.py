"""A table as a value, and how it looks in a terminal and in a Markdown page."""

from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text


@dataclass(frozen=True, kw_only=True)
class Column:
    """A heading; numbers stand to the right."""

    title: str
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """Rows of text under headings, with a note below."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def left(title: str) -> Column:
    """A column of words."""
    return Column(title=title)


def right(title: str) -> Column:
    """A column of numbers."""
    return Column(title=title, align="right")


def show(table: TextTable, console: Console) -> None:
    """Print to a terminal."""
    title = Text(table.title, style="bold")
    shown = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in table.columns:
        shown.add_column(Text(column.title), justify=column.align, no_wrap=column.align == "right")
    for row in table.rows:
        shown.add_row(*(Text(cell) for cell in row))
    console.print(shown)
    if table.note:
        console.print(Text(table.note), style="dim")
    console.print()


def markdown(table: TextTable, level: int = 2) -> str:
    """The table under a heading, in GitHub's Markdown."""
    lines = [f"{'#' * level} {table.title}", ""]
    lines.append("| " + " | ".join(column.title for column in table.columns) + " |")
    lines.append("|" + "|".join("---:" if column.align == "right" else "---" for column in table.columns) + "|")
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table.rows]
    if table.note:
        lines += ["", table.note]
    return "\n".join(lines) + "\n"
