"""Loops that numpy can't do: plain Python, compiled where numba is installed. They call nothing outside this file."""

import numpy as np
from numpy.typing import NDArray


def coupon_segments(values: NDArray[np.int64], k: int, most: int, cells: NDArray[np.int64]) -> int:
    """Count segments that hold all k values by length: cells[length - k], the last cell for those cut at `most`."""
    seen = np.full(k, -1, np.int64)
    start = different = 0
    for place in range(values.size):
        value = values[place]
        if seen[value] < start:
            different += 1
        seen[value] = place
        length = place - start + 1
        if different == k or length == most:
            cells[length - k if different == k else most - k + 1] += 1
            start = place + 1
            different = 0
    return start


def rising_runs(values: NDArray[np.int64], most: int, cells: NDArray[np.int64]) -> int:
    """Count strictly rising runs by length: cells[length - 1]; the draw that ends a run belongs to none.

    A run is cut at `most`, the last cell; what follows it is fresh, so that nothing is left out.
    """
    start = 0
    place = 1
    while place < values.size:
        if values[place] > values[place - 1]:
            if place - start + 1 == most:
                cells[most - 1] += 1
                start = place + 1
                place += 2
            else:
                place += 1
        else:
            cells[place - start - 1] += 1
            start = place + 1
            place += 2
    return min(start, values.size)
