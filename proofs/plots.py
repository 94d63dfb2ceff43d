"""Small charts as SVG text, for the records of proofs. No plotting package."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SIZE, _EDGE = 420, 46
_STYLE = "font-family:sans-serif;font-size:11px;fill:#222"


def _frame(left: int, title: str, x: str, y: str) -> list[str]:
    s, e = _SIZE, _EDGE
    return [
        f'<rect x="{left}" y="{e}" width="{s}" height="{s}" fill="white" stroke="#888"/>',
        f'<text x="{left + s / 2}" y="{e - 14}" text-anchor="middle" style="{_STYLE};font-weight:bold">{title}</text>',
        f'<text x="{left + s / 2}" y="{e + s + 34}" text-anchor="middle" style="{_STYLE}">{x}</text>',
        f'<text transform="translate({left - 32} {e + s / 2}) rotate(-90)" text-anchor="middle" '
        f'style="{_STYLE}">{y}</text>',
    ]


def _line(points: Sequence[tuple[float, float]], style: str) -> str:
    return f'<polyline fill="none" {style} points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>'


def quantiles(names: Sequence[str], p: NDArray[np.float64]) -> str:
    """Two panels: every test's share of p-values below each level, whole and (on logarithmic axes) in the tail."""
    s, e = _SIZE, _EDGE
    second = s + 2 * e + 40
    parts = [
        *_frame(e, "all p-values", "level", "share of samples with p at or below it"),
        *_frame(second, "small p-values", "level", "share"),
    ]
    for left, ticks in ((e, (0.0, 0.25, 0.5, 0.75, 1.0)), (second, (1e-4, 1e-3, 1e-2, 0.1, 1.0))):
        for place, tick in enumerate(ticks):
            along, up = left + place / 4 * s, e + s - place / 4 * s
            parts.append(f'<text x="{along}" y="{e + s + 16}" text-anchor="middle" style="{_STYLE}">{tick:g}</text>')
            parts.append(f'<text x="{left - 5}" y="{up + 4}" text-anchor="end" style="{_STYLE}">{tick:g}</text>')
    levels, small = np.linspace(0, 1, 101), np.logspace(-4, 0, 81)
    for column, name in enumerate(names):
        ordered = np.sort(p[:, column])
        below = np.searchsorted(ordered, levels, side="right") / len(ordered)
        near = np.searchsorted(ordered, small, side="right") / len(ordered)
        style = f'stroke="hsl({360 * column // max(1, len(names))} 60% 45%)" stroke-width="0.7" stroke-opacity="0.55"'
        title = f"<title>{name}</title>"
        whole = _line([(e + x * s, e + s - y * s) for x, y in zip(levels, below, strict=True)], style)
        tail = _line(
            [
                (second + (np.log10(x) + 4) / 4 * s, e + s - (np.log10(y) + 4) / 4 * s)
                for x, y in zip(small, near, strict=True)
                if y >= 1e-4
            ],
            style,
        )
        parts += [f"<g>{title}{whole}{tail}</g>"]
    parts.append(_line([(e, e + s), (e + s, e)], 'stroke="black" stroke-dasharray="4 3"'))
    parts.append(_line([(second, e + s), (second + s, e)], 'stroke="black" stroke-dasharray="4 3"'))
    width, height = second + s + e, s + 2 * e + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f'<rect width="{width}" height="{height}" fill="white"/>' + "\n".join(parts) + "</svg>\n"
    )


def predicted_and_found(points: Sequence[tuple[str, float, int | None]], ladder: Sequence[int]) -> str:
    """Decks predicted (across) and decks at which it was found (up) on logarithmic axes, a dot for each defect.

    The line is where both are equal, the shaded band up to twice the prediction and a step of the ladder more; defects
    that were not found stand at the upper edge, hollow, those predicted to be out of reach at the right one.
    """
    s, e = _SIZE, _EDGE + 14
    low, high = np.log10(ladder[0]) - 0.5, np.log10(ladder[-1]) + 0.5

    def across(decks: float) -> float:
        return e + s * float(np.clip((np.log10(max(decks, 1.0)) - low) / (high - low), 0.0, 1.0))

    def up(decks: float) -> float:
        return 2 * e + s - across(decks)

    parts = [f'<rect x="{e}" y="{e}" width="{s}" height="{s}" fill="white" stroke="#888"/>']
    reach = 2 * 10**0.5
    edge = [ladder[0] / 10**0.5, ladder[-1] * 10**0.5]
    corners = [*((d, d) for d in edge), (edge[1] / reach, edge[1]), (edge[0], edge[0] * reach)]
    shape = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in corners)
    parts.append(f'<polygon points="{shape}" fill="#cfe3cf"/>')
    parts.append(_line([(across(d), up(d)) for d in edge], 'stroke="black" stroke-dasharray="4 3"'))
    for step in ladder[::2]:
        label = f"10^{round(np.log10(step))}"
        x, y = across(step), up(step)
        parts.append(f'<text x="{x:.1f}" y="{e + s + 16}" text-anchor="middle" style="{_STYLE}">{label}</text>')
        parts.append(f'<text x="{e - 6}" y="{y + 4:.1f}" text-anchor="end" style="{_STYLE}">{label}</text>')
    for what, predicted, found in points:
        x, y = across(predicted), up(10**high if found is None else found)
        fill = "white" if found is None else "#2b5fa8"
        said = f"{what}: predicted {predicted:,.0f}, " + ("not found" if found is None else f"found at {found:,}")
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="#2b5fa8" fill-opacity="0.7">'
            f"<title>{said}</title></circle>"
        )
    middle = e + s / 2
    parts.append(f'<text x="{middle}" y="{e + s + 34}" text-anchor="middle" style="{_STYLE}">decks predicted</text>')
    parts.append(
        f'<text transform="translate({e - 44} {middle}) rotate(-90)" text-anchor="middle" style="{_STYLE}">'
        "decks at which it is found</text>"
    )
    side = s + 2 * e
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" role="img">'
        f'<rect width="{side}" height="{side}" fill="white"/>' + "\n".join(parts) + "</svg>\n"
    )
