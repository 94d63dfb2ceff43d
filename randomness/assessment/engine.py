"""The counts behind the ten estimators, and who makes them: numba where it is installed, plain Python elsewhere.

numba is an extra and slow to import, so nobody asks for it before the first samples.
"""

from functools import cache
from importlib import import_module
from typing import NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from randomness.extras import numba_installed

Symbols = NDArray[np.uint8]
Depths = NDArray[np.int32]
Counts = NDArray[np.int64]

WINDOWS = (63, 255, 1023, 4095)  # SP 800-90B 6.3.7
LAGS = 128  # 6.3.8
DEEPEST = 16  # 6.3.9: a model of each order 1 ... 16; 6.3.10: strings of up to 16 samples
MOST_PAIRS = 100_000  # 6.3.9: of string and next sample, in each model
MOST_STRINGS = 65_536  # 6.3.10: in the dictionary, all lengths together


class CollisionWaits(NamedTuple):
    """How long until a bit repeats (6.3.2): how many waits, their sum, and the sum of their squares."""

    number: int
    total: int
    squares: int


class StringRepeats(NamedTuple):
    """Strings by length t, from 1 to the longest that occurs twice (index 0 is empty).

    `most[t]` is how often the commonest string of length t occurs, `pairs[t]` in how many ways two equal ones can be
    picked. Strings may overlap.
    """

    most: Counts
    pairs: Counts


class Hits(NamedTuple):
    """What a predictor got right: how many, and the longest run of them."""

    correct: int
    longest: int


class EntropyEngine(Protocol):
    """What `plain` and `compiled` both offer. Samples are numbered 0 ... alphabet - 1."""

    def waits(self, bits: Symbols) -> CollisionWaits:
        """Cut the bits after each repeat within two or three bits; an unfinished rest is left out."""

    def pieces(self, samples: Symbols) -> Counts:
        """Cut after each sample that occurred since the last cut; how long the pieces are, without the rest."""

    def depths(self, samples: Symbols, alphabet: int) -> Depths:
        """Of the sorted suffixes: how many samples each has in common with the one before it (the first: 0)."""

    def repeats(self, depths: Depths) -> StringRepeats:
        """How often strings of each length occur."""

    def window_hits(self, samples: Symbols, alphabet: int) -> Hits:
        """6.3.7: the commonest sample of the last 63, 255, 1,023 or 4,095."""

    def lag_hits(self, samples: Symbols, alphabet: int) -> Hits:
        """6.3.8: the sample 1 to 128 places back."""

    def model_hits(self, samples: Symbols, alphabet: int) -> Hits:
        """6.3.9: what followed the last 1 to 16 samples most often."""

    def dictionary_hits(self, samples: Symbols, alphabet: int) -> Hits:
        """6.3.10: what followed any of the last 1 to 16 samples most often, in a dictionary that fills up."""


@cache
def compiled_engine() -> EntropyEngine | None:
    """The compiled kernels, or None where numba is not installed."""
    return cast(EntropyEngine, import_module("randomness.assessment.compiled")) if numba_installed() else None


def plain_engine() -> EntropyEngine:
    """The plain twins, which run everywhere."""
    return cast(EntropyEngine, import_module("randomness.assessment.plain"))


def choose_engine(*, compiled: bool | None) -> EntropyEngine:
    """The compiled kernels unless `compiled` is False or numba is missing."""
    return (compiled_engine() if compiled is not False else None) or plain_engine()
