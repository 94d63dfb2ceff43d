"""The law of a change-point scan: the largest of standard normal statistics, one for each place to cut a run in two.

Before and after a cut with share f of the decks before it, two cuts f < g correlate by √(f(1−g) / (g(1−f))): the
statistics are a Markov chain, so the chance that all of them stay within a limit is a chain of integrals, done here on
Gauss–Legendre nodes. Far out, where 1 less that chance would be rounding alone, Worsley's bound stands in (K. J.
Worsley, "Testing for a two-phase multiple regression", Technometrics 25 (1983) 35–42): the sum of the tails less what
neighbouring cuts share. It is never too small.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks.tails import normal_tails

_NODES = 96
_TRUSTED = 1e-7
_FAR = 8.0
_ERFC = np.vectorize(math.erfc, otypes=[float])

Array = NDArray[np.float64]


def correlations(shares: Sequence[float]) -> Array:
    """Of each cut with the next; `shares` of the decks before each cut, ascending."""
    f = np.array(shares)
    return np.asarray(np.sqrt(f[:-1] * (1 - f[1:]) / (f[1:] * (1 - f[:-1]))))


def scan_tail(z: float, neighbours: Array, *, sides: int = 2) -> float:
    """P(the largest of |Z₁|, |Z₂|, … > z), of Z₁, Z₂, … for one side, given how each correlates with the next."""
    one = sides * normal_tails(z).upper
    if not len(neighbours) or (z <= 0.0 and sides == 2):
        return min(1.0, one)
    outside = 1.0 - _stays_within(-z if sides == 2 else -_FAR, z, tuple(neighbours.tolist()))
    return outside if outside > _TRUSTED else min(abs(outside) + _TRUSTED, _worsley(z, one, neighbours, sides))


def scan_limit(level: float, neighbours: Array, *, sides: int = 2) -> float:
    """The limit that the largest passes with probability `level`."""
    low, high = 0.0, 40.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if scan_tail(middle, neighbours, sides=sides) > level else (low, middle)
    return high


@lru_cache(maxsize=512)
def _stays_within(low: float, high: float, neighbours: tuple[float, ...]) -> float:
    nodes, weights = _legendre()
    half = (high - low) / 2
    x, w = low + half * (nodes + 1), half * weights
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    for rho in neighbours:
        spread = math.sqrt(1 - rho**2)
        step = (x[:, None] - rho * x) / spread
        step *= step
        step *= -0.5
        np.exp(step, out=step)
        step /= spread * math.sqrt(2 * math.pi)
        density = step @ (w * density)
    return float(w @ density)


@lru_cache
def _legendre() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _worsley(z: float, one: float, neighbours: Array, sides: int) -> float:
    nodes, weights = _legendre()
    reach = 12.0 / max(z, 1.0)
    x, w = z + reach * (nodes + 1) / 2, reach * weights / 2
    density = w * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    rho = neighbours[:, None]
    spread = np.sqrt(1 - rho**2) * math.sqrt(2.0)
    both = _ERFC((z - rho * x) / spread) / 2
    if sides == 2:
        both = both + _ERFC((z + rho * x) / spread) / 2
    return float(one * (1 + len(neighbours)) - sides * (both @ density).sum())
