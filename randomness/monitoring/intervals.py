"""Confidence sequences: an interval for a cell's excess that holds at every round at once.

Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences" (2021): the
empirical-Bernstein bound (theorem 4) with the stitched boundary (theorem 1, equation 10). It needs no model of the
change: it covers the average, over the rounds so far, of (true chance - fair chance).
"""

import math

_ETA = 2.0
_S = 1.4
_ZETA_S = 3.1055472779775810  # zeta(1.4)
_K1 = (_ETA**0.25 + _ETA**-0.25) / math.sqrt(2)
_K2 = (math.sqrt(_ETA) + 1) / 2
_LEAST = 1.0


def boundary(spread: float, level: float) -> float:
    """How far a sum of (hit - chance) ever gets from its mean, but for a probability of `level` (one side)."""
    spread = max(spread, _LEAST)
    growth = _S * math.log(math.log(_ETA * spread / _LEAST)) + math.log(_ZETA_S / (level * math.log(_ETA) ** _S))
    linear = _K2 * growth
    return math.sqrt(_K1**2 * spread * growth + linear**2) + linear


def excess_interval(hits: float, expected: float, spread: float, trials: float, level: float) -> tuple[float, float]:
    """The average excess of the chance over the fair one, both sides together at `level`."""
    if not trials:
        return -1.0, 1.0
    width = boundary(spread, level / 2)
    return max(-1.0, (hits - expected - width) / trials), min(1.0, (hits - expected + width) / trials)
