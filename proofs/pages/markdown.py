"""What every page is made of: tables, and parts of a page that are replaced while the rest is written by hand."""

import re
from collections.abc import Iterable

MADE = "Made from the tables in the code by `make docs`; a test fails when it is out of date."


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = list(columns)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def replaced(page: str, parts: dict[str, str]) -> str:
    """The page with each marked part replaced by its fresh one."""
    for name, text in parts.items():
        start, end = f"<!-- made: {name} -->", f"<!-- end: {name} -->"
        pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
        if not pattern.search(page):
            raise SystemExit(f"the page has no place for {name}: {start} … {end}")
        page = pattern.sub(lambda _found, body=f"{start}\n\n{text}\n\n{end}": body, page)  # type: ignore[misc]
    return page
