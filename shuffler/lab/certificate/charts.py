"""The report's charts: SVG as text, no scripts, no fonts of their own, the same bytes for the same numbers.

Every axis has a title and a unit, and every value is drawn where it lies: an axis reaches as far as its data.
"""

import math
from collections.abc import Sequence
from html import escape

from randomness.decks.faces import SUIT_NAMES

_STEPS = (-5.0, -4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0, 5.0)
_SUIT_CARDS = 13
_WIDE, _HIGH, _LEFT, _TOP = 330, 160, 50, 10
_LOG_TICKS = (0, 1, 2, 3, 5, 10, 20, 50, 100, 200, 300)
FLOOR = 1e-308
"""The smallest number that a p-value is told apart from 0 by; a p of 0 is drawn here, and marked."""


def _svg(width: float, height: float, body: str, title: str, desc: str, *, css: str = "chart") -> str:
    name = escape(title, quote=True)
    return (
        f'<svg class="{css}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{name}. {escape(desc, quote=True)}">'
        f"<title>{name}</title>{body}</svg>"
    )


def _text(x: float, y: float, said: str, *, anchor: str = "middle", css: str = "", turn: bool = False) -> str:
    kind = f' class="{css}"' if css else ""
    how = f' transform="rotate(-90 {x:g} {y:g})"' if turn else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{kind}{how}>{escape(said)}</text>'


def _titles(across: str, up: str, *, width: float, height: float, bottom: float = 32) -> str:
    """The titles of both axes."""
    return _text(_LEFT + width / 2, _TOP + height + bottom, across, css="title") + _text(
        12, _TOP + height / 2, up, css="title", turn=True
    )


def _axes() -> str:
    return f'<path d="M{_LEFT} {_TOP}V{_TOP + _HIGH}H{_LEFT + _WIDE}" class="axis"/>'


def _scale(most: float) -> list[float]:
    """Round values from 0 to the most that is shown, four to six of them."""
    if most <= 0:
        return [0.0]
    step = 10.0 ** math.floor(math.log10(most / 4))
    step *= next(times for times in (1, 2, 5, 10) if most / (step * times) <= 6)
    return [n * step for n in range(int(most / step + 1e-9) + 1)]


def _upright(most: float) -> str:
    """Ticks of the upright axis."""
    return "".join(
        _text(_LEFT - 6, _TOP + _HIGH * (1 - value / most) + 3.5, f"{value:g}", anchor="end")
        + f'<path d="M{_LEFT - 3} {_TOP + _HIGH * (1 - value / most):.1f}h3" class="axis"/>'
        for value in _scale(most)
    )


# ----- maps -----------------------------------------------------------------------------------------------------------


def deviations(table: Sequence[Sequence[int]]) -> list[list[float]]:
    """Each cell in standard deviations from its expected count; cards of a face more often there expect more."""
    decks = sum(table[0]) or 1
    places = len(table)
    totals = [sum(row[face] for row in table) for face in range(len(table[0]))]
    found = []
    for row in table:
        line = []
        for face, count in enumerate(row):
            share = totals[face] / (decks * places)
            spread = math.sqrt(decks * share * (1 - share)) or 1.0
            line.append((count - decks * share) / spread)
        found.append(line)
    return found


def heat_map(off: Sequence[Sequence[float]], title: str) -> str:
    """Card × position, each cell by how many standard deviations it is off (see `deviations`)."""
    places, faces = len(off), len(off[0])
    size = 416 / max(places, faces)
    paths: list[list[str]] = [[] for _ in range(len(_STEPS) + 1)]
    for position, row in enumerate(off):
        for face, z in enumerate(row):
            step = sum(z > edge for edge in _STEPS)
            paths[step].append(f"M{_LEFT + position * size:g} {_TOP + face * size:g}h{size:g}v{size:g}h-{size:g}z")
    body = [f'<path d="{"".join(cells)}" class="z{step}"/>' for step, cells in enumerate(paths) if cells]
    wide, high = places * size, faces * size
    body.append(f'<rect x="{_LEFT}" y="{_TOP}" width="{wide:g}" height="{high:g}" class="axis"/>')
    if faces == 4 * _SUIT_CARDS:
        for suit in range(4):
            y = _TOP + suit * _SUIT_CARDS * size
            body.append(_text(_LEFT - 8, y + 6.5 * size + 4, SUIT_NAMES[suit], anchor="end"))
            if suit:
                body.append(f'<path d="M{_LEFT - 6} {y:g}H{_LEFT + wide:g}" class="hair"/>')
    marks = [1, *range(10, places, 10)]
    for position in [mark for mark in marks if places - mark >= 3] + [places]:
        body.append(_text(_LEFT + (position - 0.5) * size, _TOP + high + 16, str(position)))
    across = f"position in the deck (1 to {places}, 1 is dealt first)"
    up = "card (each suit from 2 up to A)" if faces == 4 * _SUIT_CARDS else "card, in the order of the deck"
    body.append(_titles(across, up, width=wide, height=high, bottom=34))
    top, box = _TOP + high + 48, wide / (len(_STEPS) + 1)
    for step in range(len(_STEPS) + 1):
        body.append(
            f'<rect x="{_LEFT + step * box:.1f}" y="{top:g}" width="{box:.1f}" height="9" class="z{step} key"/>'
        )
    for place, edge in enumerate(_STEPS):
        body.append(_text(_LEFT + (place + 1) * box, top + 23, f"{edge:+g}"))
    body.append(
        _text(_LEFT + wide / 2, top + 40, "standard deviations from the expected count; the ends are open", css="title")
    )
    return _svg(_LEFT + wide + 8, top + 46, "".join(body), title, f"{up} against {across}", css="map")


# ----- p-values -------------------------------------------------------------------------------------------------------


def histogram(p_values: Sequence[float], title: str, *, bins: int = 20) -> str:
    """p-values in equal bins, with the level line they scatter about when nothing is wrong."""
    counts = [0] * bins
    for p in p_values:
        counts[min(bins - 1, int(p * bins))] += 1
    expected = len(p_values) / bins
    most = 1.05 * max([*counts, expected * 2, 1])
    bars = "".join(
        f'<rect x="{_LEFT + n * _WIDE / bins:.1f}" y="{_TOP + _HIGH * (1 - count / most):.1f}" '
        f'width="{_WIDE / bins - 1:.1f}" height="{_HIGH * count / most:.1f}" class="bar"/>'
        for n, count in enumerate(counts)
    )
    y = _TOP + _HIGH * (1 - expected / most)
    line = f'<path d="M{_LEFT} {y:.1f}H{_LEFT + _WIDE}" class="law"/>'
    marks = "".join(_text(_LEFT + _WIDE * p, _TOP + _HIGH + 14, f"{p:g}") for p in (0, 0.25, 0.5, 0.75, 1))
    titles = _titles("p-value (0 to 1)", "tests in each bin", width=_WIDE, height=_HIGH)
    body = bars + _axes() + line + _upright(most) + marks + titles
    return _svg(_LEFT + _WIDE + 12, _TOP + _HIGH + 40, body, title, f"{len(p_values)} p-values in {bins} bins")


def quantiles(p_values: Sequence[float], title: str) -> str:
    """Q–Q plot: sorted p-values against where they would lie, as −log₁₀ p on axes that both grow like a logarithm."""
    many = len(p_values)
    wanted = [-math.log10((n + 0.5) / many) for n in range(many)]
    seen = [-math.log10(max(p, FLOOR)) for p in sorted(p_values)]
    zero = [p == 0.0 for p in sorted(p_values)]
    across, up = max([*wanted, 2.0]) * 1.1, max([*seen, *wanted, 2.0]) * 1.1

    def placed(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + _WIDE * math.log1p(x) / math.log1p(across),
            _TOP + _HIGH * (1 - math.log1p(y) / math.log1p(up)),
        )

    dots = ""
    for x, y, none in zip(wanted, seen, zero, strict=True):
        at = placed(x, y)
        how = 'r="2.6" class="none"' if none else 'r="1.8" class="dot"'
        dots += f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" {how}/>'
    ideal = [placed(x, x) for x in (n * across / 40 for n in range(41))]
    line = f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in ideal)}" class="law"/>'
    marks = "".join(
        _text(placed(value, 0)[0], _TOP + _HIGH + 14, str(value)) for value in (0, 1, 2, 3, 4) if value <= across
    )
    last = _TOP + _HIGH + 20.0
    for value in (tick for tick in _LOG_TICKS if tick <= up):
        y = placed(0, value)[1]
        if last - y >= 11:
            marks += _text(_LEFT - 6, y + 3.5, str(value), anchor="end")
            marks += f'<path d="M{_LEFT - 3} {y:.1f}h3" class="axis"/>'
            last = y
    titles = _titles("expected −log₁₀ p", "observed −log₁₀ p", width=_WIDE, height=_HIGH)
    desc = f"{many} p-values against the uniform law; above the line, p-values are too small"
    return _svg(_LEFT + _WIDE + 12, _TOP + _HIGH + 40, _axes() + line + dots + marks + titles, title, desc)


# ----- counts ---------------------------------------------------------------------------------------------------------


def curve(observed: Sequence[int], expected: Sequence[float], title: str) -> str:
    """A count over decks as bars, its exact law as a line; from the least to the most that was seen or is likely."""
    decks = sum(observed) or 1
    shown = [n for n, chance in enumerate(expected) if chance * decks > 0.5] or [0]
    shown += [n for n, count in enumerate(observed) if count]
    first, last = min(shown), max(shown)
    span = range(first, last + 1)
    share = [observed[n] / decks if n < len(observed) else 0.0 for n in span]
    law = [expected[n] if n < len(expected) else 0.0 for n in span]
    most = 1.05 * max([*share, *law]) or 1.0
    step = _WIDE / len(span)
    bars = "".join(
        f'<rect x="{_LEFT + n * step:.1f}" y="{_TOP + _HIGH * (1 - value / most):.1f}" width="{step * 0.85:.1f}" '
        f'height="{_HIGH * value / most:.1f}" class="bar"/>'
        for n, value in enumerate(share)
    )
    points = " ".join(
        f"{_LEFT + (n + 0.425) * step:.1f},{_TOP + _HIGH * (1 - value / most):.1f}" for n, value in enumerate(law)
    )
    every = max(1, len(span) // 8)
    marks = "".join(
        _text(_LEFT + (n + 0.425) * step, _TOP + _HIGH + 14, str(value))
        for n, value in enumerate(span)
        if n % every == 0
    )
    body = bars + _axes() + f'<polyline points="{points}" class="law"/>' + _upright(most) + marks
    body += _titles(f"{title} in one deck", "share of decks", width=_WIDE, height=_HIGH)
    desc = f"{decks:,} decks as bars, the exact law as a line"
    return _svg(_LEFT + _WIDE + 12, _TOP + _HIGH + 40, body, title, desc)
