"""The report's section of drawings: maps, p-values, and counts against their exact laws."""

import math
from html import escape
from typing import Any

from shuffler.certificate.charts import curve, heat_map, histogram, quantiles
from shuffler.certificate.html import number


def drawings(record: dict[str, Any]) -> str:
    """Maps, p-values, and counts against their exact laws."""
    maps = [
        _figure(heat_map(cells, f"card by position, {name}"), f"{name.capitalize()}: {_farthest(cells)}")
        for name, cells in record["tables"].items()
    ]
    first = [row["p"] for row in record["results"] if row["p"] is not None and not row["second_level"]]
    first = [p for p in first if 0.0 < p < 1.0]
    spread = []
    if first:
        spread = [
            _figure(
                histogram(first, "p-values"), f"{len(first)} p-values in twenty bins; the line is an ideal device."
            ),
            _figure(
                quantiles(first, "Q–Q plot of p-values"),
                "Q–Q plot of the same: above the line, p-values are too small.",
            ),
        ]
    curves = [
        _figure(curve(one["observed"], one["expected"], one["counts"]),
                f"{one['counts'].capitalize()}, {one['section']}: {one['decks']:,} decks; the line is the exact law.")
        for one in record["curves"]
    ]  # fmt: skip
    laws = _group("Counts and their laws", "many", curves)
    if len(maps) == 1 and spread:
        return f'<div class="pair">{maps[0]}<div>{"".join(spread)}</div></div>{laws}'
    return (
        _group("Card by position", "many" if len(maps) > 2 else "pair", maps)
        + _group("p-values", "pair", spread)
        + laws
    )


def _group(title: str, css: str, figures: list[str]) -> str:
    return f'<h3>{title}</h3><div class="{css}">{"".join(figures)}</div>' if figures else ""


def _figure(svg: str, said: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(said)}</figcaption></figure>\n"


def _farthest(cells: list[list[int]]) -> str:
    """The cell that is farthest off, in words."""
    decks = sum(cells[0])
    mean = decks / len(cells)
    if not decks:
        return "No decks."
    position, face = max(
        ((p, f) for p in range(len(cells)) for f in range(len(cells[p]))),
        key=lambda at: abs(cells[at[0]][at[1]] - mean),
    )
    z = (cells[position][face] - mean) / math.sqrt(mean * (1 - 1 / len(cells)))
    name = "23456789TJQKA"[face % 13] + "♣♦♥♠"[face // 13]
    return f"{number(mean)} expected in a cell; the farthest is {name} at {position + 1}, {z:+.1f} standard deviations."
