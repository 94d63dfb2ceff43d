"""When many p-values of one test on ideal data count as uniform, whatever their number.

For 2,000 of them: Kolmogorov–Smirnov distance at most 0.050, and 5 to 39 at 0.01 or below. Chance alone breaks either
bound about once in 10,000 tests; for other numbers the bounds keep that chance. In the far tail, at 0.0001, they are 1
to 24 of 100,000.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TAIL = 0.01
FAR = 0.0001
_SCALED_DISTANCE = 0.050 * math.sqrt(2_000)  # 2.236: exceeded by chance 9 times in 100,000
_TAIL_CHANCE = 5e-5  # on either side: gives 5 to 39 of 2,000 at 0.01, and 1 to 24 of 100,000 at 0.0001


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How the p-values of one test, in one variant of it, spread."""

    test: str
    variant: str
    runs: int
    distance: float
    low: int
    least_low: int
    most_low: int
    tiny: int  # p <= FAR

    @property
    def uniform(self) -> bool:
        """Whether both bounds hold."""
        return self.distance <= largest_distance(self.runs) and self.least_low <= self.low <= self.most_low


def spread(test: str, variant: str, p_values: Sequence[float]) -> Spread:
    """Distance and tail counts of the p-values of one test."""
    ordered = np.sort(p_values)
    runs = int(ordered.size)
    steps = np.arange(runs + 1) / runs
    least, most = tail_bounds(runs)
    return Spread(
        test=test,
        variant=variant,
        runs=runs,
        distance=float(max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max())),
        low=int(np.count_nonzero(ordered <= TAIL)),
        least_low=least,
        most_low=most,
        tiny=int(np.count_nonzero(ordered <= FAR)),
    )


def largest_distance(runs: int) -> float:
    """The Kolmogorov–Smirnov distance that still counts as uniform."""
    return _SCALED_DISTANCE / math.sqrt(runs)


def tail_bounds(runs: int, tail: float = TAIL) -> tuple[int, int]:
    """The numbers of p-values at or below `tail` that chance keeps within, but for 5 in 100,000 on either side."""
    chance = (1.0 - tail) ** runs
    below, least, most = 0.0, 0, 0
    for k in range(runs + 1):
        if below < _TAIL_CHANCE:
            least = k
        below += chance
        most = k
        if 1.0 - below < _TAIL_CHANCE:
            break
        chance *= (runs - k) / (k + 1) * tail / (1.0 - tail)
    return least, most
