"""The law of the largest of a few normal scores that depend on each other.

P(some score passes its limit) is the sum over scores of P(it passes) times the mean of 1 / (how many pass) given that
it does (D. Q. Naiman and C. E. Priebe, "Computing scan statistic p values using importance sampling", JCGS 10 (2001)
296–328): as exact far out in the tail as in the middle. The means are taken over fixed points that fill the cube evenly
(multiples of square roots of primes), so the same scores always give the same p-value.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks.tails import normal_quantile, normal_tails

Array = NDArray[np.float64]

_POINTS = 1_024
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)


def any_passes(limits: Sequence[float], correlation: Array, *, sides: int = 2) -> float:
    """P(some |score| > its limit), or some score itself for one side; by symmetry the upper limits say it all."""
    tails = [normal_tails(limit).upper for limit in limits]
    bars = np.array(limits)[:, None]
    beyond = {tail: -_quantiles(_cube()[:, 0] * tail) for tail in set(tails)}
    rests = _rests(np.ascontiguousarray(correlation, float).tobytes())
    total = 0.0
    for one, tail in enumerate(tails):
        scores = correlation[one][:, None] * beyond[tail] + rests[one]
        passing = (np.abs(scores, out=scores) if sides == 2 else scores) > bars
        passing[one] = True
        total += sides * tail * float((1.0 / np.add.reduce(passing, dtype=np.int8)).mean())
    return min(1.0, total)


def worth(z: float, correlation: Array) -> float:
    """How many independent two-sided scores pass a limit z as often as these do together."""
    single = 2 * normal_tails(z).upper
    together = any_passes([z] * len(correlation), correlation)
    if single <= 0.0 or together >= 1.0:
        return float(len(correlation))
    return math.log1p(-together) / math.log1p(-single)


def exclusive(shares: Sequence[float]) -> Array:
    """How counts correlate of which each deck hits exactly one, with these shares of the decks (or one of others)."""
    p = np.array(shares)
    odds = np.sqrt(p / (1 - p))
    made = -np.outer(odds, odds)
    np.fill_diagonal(made, 1.0)
    return np.asarray(made)


@lru_cache(maxsize=32)
def _rests(correlation: bytes) -> tuple[Array, ...]:
    """For each score, what all scores have that does not follow from it (scores × points). The same few matrices come
    in every run, and what they give is large arrays."""
    flat = np.frombuffer(correlation)
    many = math.isqrt(len(flat))
    matrix = flat.reshape(many, many)
    found = []
    for with_one in matrix:
        values, vectors = np.linalg.eigh(matrix - np.outer(with_one, with_one))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        found.append(np.ascontiguousarray((_normals(many) @ root.T).T))
    return tuple(found)


@lru_cache
def _cube() -> Array:
    steps = np.sqrt(np.array(_PRIMES, float)) % 1.0
    return np.asarray((np.arange(1, _POINTS + 1)[:, None] * steps + 0.5) % 1.0)


@lru_cache
def _normals(many: int) -> Array:
    return _quantiles(_cube()[:, 1 : many + 1])


def _quantiles(levels: Array) -> Array:
    return np.array([normal_quantile(level) for level in levels.ravel().tolist()]).reshape(levels.shape)


# ----- many scores ----------------------------------------------------------------------------------------------------

_MANY_POINTS = 256
_GRID = 0.25
_FAR = 7.0
"""Scores this high are passed one at a time."""


def worth_of_many(z: float, correlation: Array) -> float:
    """The same as `worth` for hundreds of scores, between points of a grid of heights."""
    if z >= _FAR:
        return float(len(correlation))
    low = max(1.0, math.floor(z / _GRID) * _GRID)
    share = min(1.0, max(0.0, (z - low) / _GRID))
    key = np.ascontiguousarray(correlation, float).tobytes()
    made = (1 - share) * _worth_at(low, key) + share * _worth_at(low + _GRID, key)
    return min(made, float(len(correlation)))


@lru_cache(maxsize=256)
def _worth_at(z: float, correlation: bytes) -> float:
    """Scores given one of them are any scores, moved along by what that one lacks of its value."""
    scores, matrix = _many_scores(correlation)
    tail = normal_tails(z).upper
    beyond = -_quantiles(_cube()[:_MANY_POINTS, 0] * tail)
    together = 0.0
    for one, with_one in enumerate(matrix):
        given = scores + np.outer(beyond - scores[:, one], with_one)
        passing = np.abs(given) > z
        passing[:, one] = True
        together += 2 * tail * float((1.0 / passing.sum(axis=1)).mean())
    return math.log1p(-min(together, 1 - 1e-12)) / math.log1p(-2 * tail)


@lru_cache(maxsize=16)
def _many_scores(correlation: bytes) -> tuple[Array, Array]:
    """Points × scores with this correlation, from fixed numbers (SplitMix64), and the correlation itself."""
    flat = np.frombuffer(correlation)
    many = math.isqrt(len(flat))
    matrix = flat.reshape(many, many)
    word = np.arange(1, _MANY_POINTS * many + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    uniform = ((word ^ (word >> np.uint64(31))) >> np.uint64(11)).astype(float) * 2.0**-53 + 2.0**-54
    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return _quantiles(uniform.reshape(_MANY_POINTS, many)) @ root.T, matrix
