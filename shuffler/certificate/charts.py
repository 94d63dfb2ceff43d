"""The report's drawings: SVG as text, no scripts, no fonts of their own, the same bytes for the same figures."""

import math
from collections.abc import Sequence
from html import escape

CARDS = 52
_STEPS = (-5.0, -4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0, 5.0)
# Blue for too seldom, red for too often, white in between; the ends are the only dark colours, in print too.
_COLOURS = (
    "#053061", "#2166ac", "#6aaed6", "#b3d3e8", "#e3eef6", "#ffffff",
    "#fbe6da", "#f7bfa0", "#ee8a62", "#c9302c", "#67001f",
)  # fmt: skip
_SUITS = "♣♦♥♠"


def _svg(width: float, height: float, body: str, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title, quote=True)}">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )


def _text(x: float, y: float, said: str, *, anchor: str = "middle", css: str = "") -> str:
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{kind}>{escape(said)}</text>'


def heat_map(table: Sequence[Sequence[int]], title: str) -> str:
    """Card × position, each cell by how many standard deviations it is off."""
    size, left, top = 8, 26, 14
    decks = sum(table[0]) or 1
    mean = decks / CARDS
    deviation = math.sqrt(decks * (1 / CARDS) * (1 - 1 / CARDS)) or 1.0
    paths: list[list[str]] = [[] for _ in _COLOURS]
    for position, row in enumerate(table):
        for face, count in enumerate(row):
            z = (count - mean) / deviation
            step = sum(z > edge for edge in _STEPS)
            paths[step].append(f"M{left + position * size} {top + face * size}h{size}v{size}h-{size}z")
    body = [
        f'<path d="{"".join(cells)}" fill="{colour}"/>' for cells, colour in zip(paths, _COLOURS, strict=True) if cells
    ]
    wide, high = CARDS * size, CARDS * size
    body.append(f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="none" stroke="#444"/>')
    for suit in range(4):
        y = top + suit * 13 * size
        body.append(_text(left - 6, y + 6.5 * size + 4, _SUITS[suit], anchor="end"))
        if suit:
            body.append(f'<path d="M{left - 8} {y}H{left + wide}" stroke="#444" stroke-width=".5"/>')
    for position in (1, 10, 20, 30, 40, 52):
        body.append(_text(left + (position - 0.5) * size, top - 4, str(position)))
    for step, colour in enumerate(_COLOURS):
        x = left + step * 28
        body.append(f'<rect x="{x}" y="{top + high + 10}" width="28" height="9" fill="{colour}" stroke="#888"/>')
    for place, edge in enumerate(_STEPS):
        body.append(_text(left + (place + 1) * 28, top + high + 30, f"{edge:+g}"))
    body.append(_text(left + 11 * 28 + 8, top + high + 19, "standard deviations", anchor="start"))
    return _svg(left + wide + 6, top + high + 36, "".join(body), title)


def histogram(p_values: Sequence[float], title: str, *, bins: int = 20) -> str:
    """p-values in equal bins, with the level line they scatter about when nothing is wrong."""
    counts = [0] * bins
    for p in p_values:
        counts[min(bins - 1, int(p * bins))] += 1
    expected = len(p_values) / bins
    most = max([*counts, expected * 2, 1])
    wide, high, left, top = 320, 160, 34, 8
    bars = "".join(
        f'<rect x="{left + n * wide / bins:.1f}" y="{top + high * (1 - count / most):.1f}" '
        f'width="{wide / bins - 1:.1f}" height="{high * count / most:.1f}" class="bar"/>'
        for n, count in enumerate(counts)
    )
    y = top + high * (1 - expected / most)
    axes = f'<path d="M{left} {top}V{top + high}H{left + wide}" class="axis"/>'
    line = f'<path d="M{left} {y:.1f}H{left + wide}" class="law"/>'
    marks = "".join(_text(left + wide * p, top + high + 14, f"{p:g}") for p in (0, 0.25, 0.5, 0.75, 1))
    marks += _text(left - 5, top + 9, f"{most:.0f}", anchor="end") + _text(left - 5, top + high, "0", anchor="end")
    return _svg(left + wide + 14, top + high + 20, bars + axes + line + marks, title)


def quantiles(p_values: Sequence[float], title: str) -> str:
    """Q–Q plot: sorted p-values against where they would lie, in powers of ten, for the small ones' sake."""
    wide, high, left, top = 320, 160, 34, 8
    many = len(p_values)
    wanted = [-math.log10((n + 0.5) / many) for n in range(many)]
    seen = [-math.log10(max(p, 1e-300)) for p in sorted(p_values)]
    most = max([*wanted, 2.0]) * 1.15
    end = max(most, min(max([*seen, 0.0]), 3 * most))
    dots = "".join(
        f'<circle cx="{left + wide * x / most:.1f}" cy="{top + high * (1 - min(y, end) / end):.1f}" r="1.8" '
        f'class="{"dot" if y <= end else "over-the-top"}"/>'
        for x, y in zip(wanted, seen, strict=True)
    )
    axes = f'<path d="M{left} {top}V{top + high}H{left + wide}" class="axis"/>'
    line = f'<path d="M{left} {top + high}L{left + wide} {top + high * (1 - most / end):.1f}" class="law"/>'
    marks = _text(left + wide / 2, top + high + 24, "expected: −log₁₀ p")
    marks += _text(left - 5, top + 9, f"{end:.1f}", anchor="end") + _text(left - 5, top + high, "0", anchor="end")
    marks += _text(left + wide, top + high + 12, f"{most:.1f}") + _text(left, top + high + 12, "0")
    return _svg(left + wide + 14, top + high + 30, axes + line + dots + marks, title)


def curve(observed: Sequence[int], expected: Sequence[float], title: str) -> str:
    """A count over decks as bars, its exact law as a line."""
    decks = sum(observed) or 1
    shown = [n for n, chance in enumerate(expected) if chance > 1e-5]
    shown += [n for n, count in enumerate(observed) if count / decks > 1e-4]
    first, last = min(shown), max(shown)
    span = range(first, last + 1)
    share = [observed[n] / decks if n < len(observed) else 0.0 for n in span]
    law = [expected[n] if n < len(expected) else 0.0 for n in span]
    most = max([*share, *law])
    wide, high, left, top = 320, 150, 34, 8
    step = wide / len(span)
    bars = "".join(
        f'<rect x="{left + n * step:.1f}" y="{top + high * (1 - value / most):.1f}" width="{step * 0.85:.1f}" '
        f'height="{high * value / most:.1f}" class="bar"/>'
        for n, value in enumerate(share)
    )
    points = " ".join(
        f"{left + (n + 0.425) * step:.1f},{top + high * (1 - value / most):.1f}" for n, value in enumerate(law)
    )
    line = f'<polyline points="{points}" class="law"/>'
    axes = f'<path d="M{left} {top}V{top + high}H{left + wide}" class="axis"/>'
    every = max(1, len(span) // 8)
    marks = "".join(
        _text(left + (n + 0.425) * step, top + high + 14, str(value)) for n, value in enumerate(span) if n % every == 0
    )
    marks += _text(left - 5, top + 9, f"{most:.2f}", anchor="end")
    return _svg(left + wide + 14, top + high + 20, bars + axes + line + marks, title)
