"""SP 800-90B 6.3.4: how far back a block of six bits was last seen (Maurer's statistic). For bits only."""

import math

import numpy as np
from numpy.typing import NDArray

from randomness.assessment.bounds import Z_ALPHA, entropy
from randomness.assessment.estimate import Estimate, refused
from randomness.assessment.samples import Series
from randomness.bits.engine import choose_engine

NAME, SECTION = "Compression", "6.3.4"

_BLOCK = 6
_BLOCKS = 1 << _BLOCK
_WARM_UP = 1000
_SPREAD = 0.5907  # step 5: correction of the deviation for blocks of six bits
_UNDERFLOW = 746.0  # exp(-746) is 0: later terms of a sum add nothing

Terms = NDArray[np.float64]


def compression(series: Series) -> Estimate:
    """The mean logarithm of the distances, bounded from below, against that of blocks of which one is likelier."""
    blocks = len(series) // _BLOCK
    tested = blocks - _WARM_UP
    if tested < 2:
        unmet = f"{len(series):,} bits; the estimate needs {(_WARM_UP + 2) * _BLOCK:,} at the least"
        return refused(NAME, SECTION, unmet)
    counts = choose_engine(compiled=None).distances(series.values, _BLOCK, _WARM_UP)
    logs = np.log2(np.arange(1, counts.size))
    mean = float((counts[1:] * logs).sum()) / tested
    squares = float((counts[1:] * logs**2).sum())
    deviation = _SPREAD * math.sqrt(max(0.0, squares / (tested - 1) - mean * mean))
    bound = mean - Z_ALPHA * deviation / math.sqrt(tested)
    p = _likeliest_block(bound, blocks)
    return Estimate(
        name=NAME,
        section=SECTION,
        figures={"X-bar": mean, "sigma-hat": deviation, "X-bar'": bound, "p": p},
        min_entropy=entropy(p) / _BLOCK,
    )


def _likeliest_block(bound: float, blocks: int) -> float:
    """The chance of the likeliest block that makes the mean logarithm `bound`, by bisection; at least 1/64."""
    logs = np.log2(np.arange(1, blocks + 1, dtype=np.float64))
    low, high = 1.0 / _BLOCKS, 1.0
    if _expected(low, logs) <= bound:
        return low
    while True:
        middle = (low + high) / 2.0
        if not low < middle < high:
            return high
        if _expected(middle, logs) > bound:
            low = middle
        else:
            high = middle


def _expected(p: float, logs: Terms) -> float:
    """Step 7: the expected mean logarithm where one block has chance p and the others share the rest."""
    q = (1.0 - p) / (_BLOCKS - 1)
    return _share(p, logs) + (_BLOCKS - 1) * _share(q, logs)


def _share(z: float, logs: Terms) -> float:
    """G(z) of step 7, its double sum over t and u gathered by the distance u.

    A block of chance z lies u back with chance z^2 (1-z)^(u-1) for u < t, and was never seen with z (1-z)^(t-1).
    """
    blocks = logs.size
    if not 0.0 < z < 1.0:
        return 0.0
    decay = math.log1p(-z)
    kept = min(blocks, int(_UNDERFLOW / -decay) + 2)
    distance = np.arange(kept, dtype=np.float64)  # u - 1
    terms = logs[:kept] * np.exp(distance * decay)
    uses = np.minimum(blocks - 1.0 - distance, blocks - float(_WARM_UP))  # how many t > max(u, d) there are
    again = float((uses * terms).sum())  # not a dot product: BLAS would start threads
    never = float(terms[_WARM_UP:].sum())
    return z * (z * again + never) / (blocks - _WARM_UP)
