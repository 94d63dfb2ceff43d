"""SP 800-90B 6.3.3: a chain in which each bit depends on the one before. For bits only."""

import math

import numpy as np

from randomness.assessment.estimate import Estimate
from randomness.assessment.samples import Series

NAME, SECTION = "Markov", "6.3.3"

_LENGTH = 128
# Step 3, table 1: the paths that can be likeliest, as first bit and how often each step 00, 01, 10, 11 is taken.
_PATHS = (
    (0, (127, 0, 0, 0)),
    (0, (0, 64, 63, 0)),
    (0, (0, 1, 0, 126)),
    (1, (126, 0, 1, 0)),
    (1, (0, 63, 64, 0)),
    (1, (0, 0, 0, 127)),
)


def markov(series: Series) -> Estimate:
    """The likeliest 128 bits of the chain."""
    bits = series.values
    steps = np.bincount(2 * bits[:-1].astype(np.int64) + bits[1:], minlength=4).tolist()
    zero = 1.0 - int(np.count_nonzero(bits)) / len(series)
    first = (zero, 1.0 - zero)
    chances = []
    for bit in (0, 1):
        left = steps[2 * bit] + steps[2 * bit + 1]
        to_zero = steps[2 * bit] / left if left else 0.0
        chances += [to_zero, 1.0 - to_zero if left else 0.0]
    lowest = float(_LENGTH)
    for start, counts in _PATHS:
        taken = [(count, chances[step]) for step, count in enumerate(counts) if count]
        if all(chance > 0.0 for _, chance in taken):
            lowest = min(lowest, -math.log2(first[start]) - sum(count * math.log2(chance) for count, chance in taken))
    return Estimate(
        name=NAME,
        section=SECTION,
        figures={
            "P_0": first[0],
            "P_1": first[1],
            "P_{0,0}": chances[0],
            "P_{0,1}": chances[1],
            "P_{1,0}": chances[2],
            "P_{1,1}": chances[3],
            "p-hat_max": 2.0**-lowest,
        },
        min_entropy=min(1.0, max(0.0, lowest) / _LENGTH),
    )
