"""Pieces of the report's HTML: paragraphs, lists, tables, numbers. Everything that comes from a record is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

BAD = "!"
"""A cell that starts with this is marked as bad news."""
SMALL = "\n"
"""What follows this in a cell is small print."""


def seal_slot(name: str) -> tuple[str, str]:
    """Where the page shows a part of its seal: text in a record is escaped and can't hold these marks."""
    return f"<!--seal:{name}-->", f"<!--/seal:{name}-->"


def paragraph(said: str, css: str = "") -> str:
    """One paragraph."""
    return f'<p class="{css}">{escape(said)}</p>' if css else f"<p>{escape(said)}</p>"


def bullets(items: Iterable[str]) -> str:
    """A list."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    numbers: frozenset[int] = frozenset(),
    widths: Sequence[int] = (),
) -> str:
    """Cells are text; columns in `numbers` stand to the right; `widths` are percentages; `caption` names the table."""
    head = "".join(_cell("th", said, right=n in numbers, scope="col") for n, said in enumerate(heads))
    body = "".join(
        "<tr>"
        + "".join(
            _cell("th" if n == 0 and said else "td", said, right=n in numbers, scope="row" if n == 0 and said else "")
            for n, said in enumerate(row)
        )
        + "</tr>\n"
        for row in rows
    )
    columns = "".join(f'<col style="width:{width}%">' for width in widths)
    kind = ' class="fixed"' if widths else ""
    group = f"<colgroup>{columns}</colgroup>" if widths else ""
    name = escape(caption, quote=True)
    return (
        f'<div class="scroll" role="group" aria-label="{name}" tabindex="0">'
        f"<table{kind}><caption>{name}</caption>{group}<thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>"
    )


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values, two columns without a head."""
    body = "".join(f'<tr><th scope="row">{escape(name)}</th>{_cell("td", said)}</tr>\n' for name, said in rows)
    return f'<table class="facts"><tbody>\n{body}</tbody></table>'


def _cell(tag: str, said: str, *, right: bool = False, scope: str = "") -> str:
    kinds = [*(["n"] if right else []), *(["bad"] if said.startswith(BAD) else [])]
    css = f' class="{" ".join(kinds)}"' if kinds else ""
    where = f' scope="{scope}"' if scope else ""
    large, _, small = said.removeprefix(BAD).partition(SMALL)
    under = f"<small>{escape(small)}</small>" if small else ""
    return f"<{tag}{where}{css}>{escape(large)}{under}</{tag}>"


def number(value: float | None, digits: int = 4) -> str:
    """So many digits; a dash for none."""
    if value is None:
        return "–"
    return f"{value:,.{digits}g}" if abs(value) < 1e6 else f"{value:.{digits}g}"


def chance(p: float | None) -> str:
    """A p-value; 0 is below what a float can tell from it."""
    if p is None:
        return "–"
    if p == 0.0:
        return "< 1e-300"
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def percent(share: float) -> str:
    """Of a hundred, with as few digits as say it."""
    return f"{100 * share:.4f}".rstrip("0").rstrip(".") + " %"


def one_in(share: float) -> str:
    """How often: `1 in 100`."""
    return f"1 in {1 / share:,.0f}"
