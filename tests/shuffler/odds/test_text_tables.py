"""Tables on a terminal and in Markdown."""

import io

from rich.console import Console

from shuffler.odds.text_tables import TextTable, left, markdown, right, show

TABLE = TextTable(title="Pays", columns=(left("hand"), right("pays")), rows=(("pair|two", "1"),), note="per unit")


def test_markdown_escapes_bars_and_aligns_numbers() -> None:
    assert markdown(TABLE, 3) == "### Pays\n\n| hand | pays |\n|---|---:|\n| pair\\|two | 1 |\n\nper unit\n"


def test_a_terminal_shows_title_cells_and_note() -> None:
    out = io.StringIO()
    show(TABLE, Console(file=out, width=60))
    assert all(text in out.getvalue() for text in ("Pays", "pair|two", "per unit"))


def test_square_brackets_are_text() -> None:
    out = io.StringIO()
    show(TextTable(title="[bold]", columns=(left("[x]"),), rows=(("[red]",),)), Console(file=out, width=60))
    assert "[red]" in out.getvalue()
