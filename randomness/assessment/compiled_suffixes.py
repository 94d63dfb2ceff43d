"""Sorted suffixes compiled by numba: what neighbours have in common, and the strings that follow from it.

Each suffix is first known by a 64-bit key of its beginning (64 bits, or eight samples of eight), sorted by radix. Where
keys tie, the rank of what comes after the known beginning decides, and the known beginning doubles (Larsson and
Sadakane): n log n at the worst. Kernels call nothing outside this file: numba's cache notices a change of this file
only.
"""

from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

Array = NDArray[Any]

_DIGIT = 11  # bits of a radix digit: 2,048 places to write to still fit the nearest cache


def _count_leading_zeros(typing_context: Any, word: Any) -> Any:  # noqa: ARG001 (numba's signature)
    """Zeros above the highest one of a 64-bit word that is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.ctlz(arguments[0], context.get_constant(numba.types.boolean, True))

    return numba.types.uint64(numba.types.uint64), code


_leading_zeros: Any = intrinsic(_count_leading_zeros)


@numba.njit(cache=True, nogil=True)
def _sorted_keys(samples: Array, width: int, in_key: int) -> Any:
    """Keys and their places, sorted; equal keys with the later place first, so that a suffix's own end comes first."""
    n = samples.size
    keys, places = np.empty(n, np.uint64), np.empty(n, np.int32)
    other_keys, other_places = np.empty(n, np.uint64), np.empty(n, np.int32)
    passes = (width * in_key + _DIGIT - 1) // _DIGIT
    counts = np.zeros((passes, 1 << _DIGIT), np.int64)
    mask = np.uint64((1 << _DIGIT) - 1)
    down, up = np.uint64(width), np.uint64(width * (in_key - 1))
    key = np.uint64(0)
    for i in range(n - 1, -1, -1):
        key = (key >> down) | (np.uint64(samples[i]) << up)
        keys[n - 1 - i] = key
        places[n - 1 - i] = i
        rest = key
        for p in range(passes):
            counts[p, rest & mask] += 1
            rest >>= np.uint64(_DIGIT)
    for p in range(passes):
        shift = np.uint64(p * _DIGIT)
        row = counts[p]
        start = np.int64(0)
        for digit in range(1 << _DIGIT):
            start, row[digit] = start + row[digit], start
        for i in range(n):
            digit = (keys[i] >> shift) & mask
            to = row[digit]
            row[digit] = to + 1
            other_keys[to] = keys[i]
            other_places[to] = places[i]
        keys, other_keys = other_keys, keys
        places, other_places = other_places, places
    return keys, places


@numba.njit(cache=True, nogil=True)
def _merge_sort(ranks: Array, places: Array) -> None:
    """Sort both by rank, in place (numba's own sort takes seconds to compile)."""
    n = ranks.size
    from_ranks, from_places = ranks, places
    to_ranks, to_places = np.empty(n, ranks.dtype), np.empty(n, places.dtype)
    width = 1
    while width < n:
        for left in range(0, n, 2 * width):
            middle, right = min(left + width, n), min(left + 2 * width, n)
            i, j = left, middle
            for k in range(left, right):
                if j >= right or (i < middle and from_ranks[i] <= from_ranks[j]):
                    to_ranks[k], to_places[k] = from_ranks[i], from_places[i]
                    i += 1
                else:
                    to_ranks[k], to_places[k] = from_ranks[j], from_places[j]
                    j += 1
        from_ranks, to_ranks = to_ranks, from_ranks
        from_places, to_places = to_places, from_places
        width *= 2
    ranks[:] = from_ranks
    places[:] = from_places


@numba.njit(cache=True, nogil=True)
def _sort_ties(places: Array, ranks: Array, starts: Array, ends: Array, known: int) -> None:
    """Put suffixes that share their first `known` samples in order; groups of them are places[start:end]."""
    while starts.size:
        more_starts, more_ends = np.empty(0, np.int64), np.empty(0, np.int64)
        found = 0
        for group in range(starts.size):
            start, end = starts[group], ends[group]
            size = end - start
            after = np.empty(size, np.int32)
            for i in range(size):
                after[i] = ranks[places[start + i] + known]
            if size <= 24:
                for i in range(1, size):
                    rank, place = after[i], places[start + i]
                    j = i
                    while j and after[j - 1] > rank:
                        after[j], places[start + j] = after[j - 1], places[start + j - 1]
                        j -= 1
                    after[j], places[start + j] = rank, place
            else:
                _merge_sort(after, places[start:end])
            first = 0
            for i in range(1, size + 1):
                if i == size or after[i] != after[first]:
                    for j in range(first, i):
                        ranks[places[start + j]] = start + first
                    if i - first > 1:
                        if found == more_starts.size:
                            more_starts = np.concatenate((more_starts, np.empty(found + 64, np.int64)))
                            more_ends = np.concatenate((more_ends, np.empty(found + 64, np.int64)))
                        more_starts[found], more_ends[found] = start + first, start + i
                        found += 1
                    first = i
        starts, ends = more_starts[:found], more_ends[:found]
        known *= 2


@numba.njit(cache=True, nogil=True)
def depths(samples: Array, width: int) -> Array:
    """Of the sorted suffixes of samples of `width` bits: what each has in common with the one before it."""
    n = samples.size
    in_key = 64 // width
    keys, places = _sorted_keys(samples, width, in_key)
    found = np.zeros(n, np.int32)
    spare = np.uint64(64 - width * in_key)
    tied = np.zeros(n, np.bool_)
    ties = 0
    for r in range(1, n):
        shorter = n - max(places[r], places[r - 1])
        if keys[r] != keys[r - 1]:
            found[r] = min((_leading_zeros(keys[r] ^ keys[r - 1]) - spare) // np.uint64(width), np.uint64(shorter))
        elif shorter < in_key:
            found[r] = shorter
        else:
            tied[r] = True
            ties += 1
    if ties == 0:
        return found
    ranks = np.empty(n + 1, np.int32)
    ranks[n] = -1
    starts, ends = np.empty(ties, np.int64), np.empty(ties, np.int64)
    groups = 0
    first = 0
    for r in range(1, n + 1):
        if r == n or not tied[r]:
            for i in range(first, r):
                ranks[places[i]] = first
            if r - first > 1:
                starts[groups], ends[groups] = first, r
                groups += 1
            first = r
    _sort_ties(places, ranks, starts[:groups].copy(), ends[:groups].copy(), in_key)
    # In the order of the text each suffix shares at least one sample less than the one before it did (Kasai et al.).
    before = np.full(n, -1, np.int32)
    for r in range(1, n):
        if tied[r]:
            before[places[r]] = places[r - 1]
    shared = 0
    for i in range(n):
        if before[i] < 0:
            shared = 0
            continue
        j = before[i]
        shared = max(shared - 1, in_key)
        while i + shared < n and j + shared < n and samples[i + shared] == samples[j + shared]:
            shared += 1
        found[ranks[i]] = shared
    return found


@numba.njit(cache=True, nogil=True)
def intervals(depths: Array, longest: int) -> Any:
    """Strings that cannot be longer without occurring less often, by length: the most occurrences, and pairs opened.

    A stretch of suffixes that share d samples, inside a stretch that shares e < d, is one string of each length
    e + 1 ... d: its pairs are counted at d and taken back at e, so that sums from the long end give every length.
    """
    n = depths.size
    most = np.ones(longest + 1, np.int64)
    pairs = np.zeros(longest + 1, np.int64)
    shared, lefts = np.zeros(longest + 2, np.int64), np.zeros(longest + 2, np.int64)
    top = 0
    for i in range(1, n + 1):
        depth = depths[i] if i < n else np.int64(0)
        left = i - 1
        while shared[top] > depth:
            at = shared[top]
            left = lefts[top]
            top -= 1
            size = i - left
            outer = max(shared[top], depth)
            choices = size * (size - 1) // 2
            most[at] = max(most[at], size)
            pairs[at] += choices
            pairs[outer] -= choices
        if shared[top] < depth:
            top += 1
            shared[top], lefts[top] = depth, left
    return most, pairs
