"""How evidence is counted: bets on the next card whose expected value is 1 if the shuffle is fair.

Under the null hypothesis the next card that is turned over is any card not yet seen in this round, each with the same
chance, whatever was dealt before. A bet multiplies the odds of an event of chance p by `odds`: it pays odds/(1 - p +
odds p) if the event happens, else 1/(1 - p + odds p). That is the likelihood ratio of the tilted law, with mean 1.
"""

import math

import numpy as np
from numpy.typing import NDArray

from randomness.monitoring.deals import CARDS, DEALT

ODDS = (0.25, 0.6, 0.9, 1.1, 1.35, 2.0, 4.0, 16.0)
"""Every cell bets on each of these factors with equal capital: fixed before the first card."""

TILT = np.array(ODDS)


def reserve(rounds: int) -> float:
    """Capital not yet bet after so many rounds: bets that start in later rounds, so that late drift is found too."""
    return 1.0 / math.log2(2 + rounds)


def _payoffs() -> NDArray[np.float64]:
    cards = np.arange(CARDS + 1)[:, None, None]
    left = (CARDS - np.arange(DEALT))[None, :, None]
    chance = np.minimum(cards / left, 1.0)
    payoffs: NDArray[np.float64] = 1.0 / (1.0 - chance + TILT * chance)
    return payoffs


MISS = _payoffs()
"""What a lost bet pays, by favoured cards left, cards seen in this round, and odds; a won one pays `odds` times it."""
