"""The counts compiled by numba: each public function is one method of `engine.Engine`."""

import numpy as np

import randomness.assessment.compiled_predictors as predictors
import randomness.assessment.compiled_suffixes as suffixes
from randomness.assessment.engine import (
    MOST_PAIRS,
    MOST_STRINGS,
    CollisionWaits,
    Counts,
    Depths,
    Hits,
    StringRepeats,
    Symbols,
)

__all__ = ["depths", "dictionary_hits", "lag_hits", "model_hits", "pieces", "repeats", "waits", "window_hits"]


def waits(bits: Symbols) -> CollisionWaits:
    return CollisionWaits(*(int(figure) for figure in predictors.waits(bits)))


def pieces(samples: Symbols) -> Counts:
    found: Counts = predictors.pieces(samples)
    return found


def depths(samples: Symbols, alphabet: int) -> Depths:
    width = max(1, int(alphabet - 1).bit_length())
    found: Depths = suffixes.depths(samples, width)
    return found


def repeats(depths: Depths) -> StringRepeats:
    longest = int(depths.max(initial=0))
    most, opened = suffixes.intervals(depths, longest)
    most, pairs = np.maximum.accumulate(most[::-1])[::-1].copy(), np.cumsum(opened[::-1])[::-1].copy()
    most[0] = pairs[0] = 0
    return StringRepeats(most, pairs)


def window_hits(samples: Symbols, alphabet: int) -> Hits:
    return _hits(predictors.window_hits(samples, alphabet))


def lag_hits(samples: Symbols, alphabet: int) -> Hits:  # noqa: ARG001 (one signature for every predictor)
    return _hits(predictors.lag_hits(samples))


def model_hits(samples: Symbols, alphabet: int) -> Hits:
    kernel = predictors.bit_model_hits if alphabet == 2 else predictors.model_hits
    return _hits(kernel(samples, MOST_PAIRS))


def dictionary_hits(samples: Symbols, alphabet: int) -> Hits:
    if alphabet == 2:
        return _hits(predictors.bit_dictionary_hits(samples, MOST_STRINGS))
    return _hits(predictors.dictionary_hits(samples, alphabet, MOST_STRINGS))


def _hits(found: tuple[int, int]) -> Hits:
    return Hits(int(found[0]), int(found[1]))
