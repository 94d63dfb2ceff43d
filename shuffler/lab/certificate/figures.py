"""The report's section of charts: maps, p-values, and counts against their exact laws."""

from collections.abc import Sequence
from html import escape

from randomness.certification.model import DeckPart, RunRecord
from randomness.decks import CERTAIN_TESTS
from shuffler.lab.certificate.charts import curve, deviations, heat_map, histogram, quantiles
from shuffler.lab.certificate.html import number


def charts(record: RunRecord) -> str:
    """Maps, p-values, and counts against their exact laws."""
    maps = []
    for name, cells in record.tables.items():
        off = deviations(cells)
        said = f"{name.capitalize()}: {_farthest(cells, off, record.deck)}"
        maps.append(_figure(heat_map(off, f"Card by position, {name}"), said))
    # The certain tests have p = 1 unless something is wrong: they would crowd the chart there.
    first = [
        row.p for row in record.results
        if row.p is not None and not row.second_level and not (row.p == 1.0 and row.test in CERTAIN_TESTS)
    ]  # fmt: skip
    spread = []
    if first:
        none = sum(p == 0.0 for p in first)
        said = f" {none} of them are 0 to the last digit (ringed)." if none else ""
        spread = [
            _figure(
                histogram(first, "p-values"), f"{len(first)} p-values in twenty bins; the line is an ideal device."
            ),
            _figure(
                quantiles(first, "Q–Q plot of p-values"),
                f"The same against the uniform law: above the line, p-values are too small.{said}",
            ),
        ]
    curves = [
        _figure(curve(one.observed, one.expected, one.counts),
                f"{one.counts.capitalize()}, {one.section}: {one.decks:,} decks; the line is the exact law.")
        for one in record.curves
    ]  # fmt: skip
    return (
        _group("Card by position", "pair", maps)
        + _group("p-values", "pair", spread)
        + _group("Counts and their laws", "pair", curves)
    )


def _group(title: str, css: str, figures: list[str]) -> str:
    return f'<h3>{title}</h3><div class="{css}">{"".join(figures)}</div>' if figures else ""


def _figure(svg: str, said: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(said)}</figcaption></figure>\n"


def _farthest(cells: Sequence[Sequence[int]], off: Sequence[Sequence[float]], deck: DeckPart) -> str:
    """The cell that is farthest off, in words."""
    decks = sum(cells[0])
    if not decks:
        return "no decks."
    position, face = max(
        ((p, f) for p in range(len(cells)) for f in range(len(cells[p]))), key=lambda at: abs(off[at[0]][at[1]])
    )
    name = deck.names[face] if face < len(deck.names) else f"face {face}"
    return (
        f"{number(decks / len(cells[0]))} expected in a cell; the farthest is {name} at {position + 1}, "
        f"{off[position][face]:+.1f} standard deviations."
    )
