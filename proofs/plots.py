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
