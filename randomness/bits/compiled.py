"""The counts compiled by numba: each public function is one method of `engine.Engine`.

Kernels call nothing outside this file: numba's cache notices a change of this file only.
"""

from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

from randomness.bits.counts import all_ones_counts, walk  # numpy is as quick here
from randomness.bits.engine import BitArray, Counts

__all__ = [
    "all_ones_counts",
    "block_counts",
    "circular_counts",
    "complexities",
    "distances",
    "longest_runs",
    "ranks",
    "walk",
]


def _count_trailing_zeros(typing_context: Any, word: Any) -> Any:  # noqa: ARG001 (numba's signature)
    """Zeros below the lowest one of a 64-bit word that is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.cttz(arguments[0], context.get_constant(numba.types.boolean, True))

    return numba.types.uint64(numba.types.uint64), code


_trailing_zeros: Any = intrinsic(_count_trailing_zeros)


# --- patterns ---------------------------------------------------------------------------------------------------------


@numba.njit(cache=True, nogil=True)
def circular_counts(values: BitArray, length: int) -> Counts:
    n = values.size
    mask = (1 << length) - 1
    found = np.zeros(1 << length, np.int64)
    code = np.int64(0)
    for i in range(length - 1):
        code = (code << 1) | np.int64(values[i % n])
    for i in range(length - 1, n):
        code = ((code << 1) | np.int64(values[i])) & mask
        found[code] += 1
    for i in range(max(n, length - 1), n + length - 1):
        code = ((code << 1) | np.int64(values[i % n])) & mask
        found[code] += 1
    return found


@numba.njit(cache=True, nogil=True)
def block_counts(values: BitArray, block: int, length: int) -> Counts:
    blocks = values.size // block
    mask = (1 << length) - 1
    found = np.zeros((blocks, 1 << length), np.int64)
    for b in range(blocks):
        row = found[b]
        code = np.int64(0)
        for i in range(b * block, b * block + min(block, length - 1)):
            code = (code << 1) | np.int64(values[i])
        for i in range(b * block + length - 1, (b + 1) * block):
            code = ((code << 1) | np.int64(values[i])) & mask
            row[code] += 1
    return found


@numba.njit(cache=True, nogil=True)
def longest_runs(values: BitArray, block: int) -> Counts:
    blocks = values.size // block
    found = np.zeros(blocks, np.int64)
    for b in range(blocks):
        run = np.int64(0)
        longest = np.int64(0)
        for i in range(b * block, (b + 1) * block):
            run = (run + 1) * np.int64(values[i])
            longest = max(longest, run)
        found[b] = longest
    return found


@numba.njit(cache=True, nogil=True)
def distances(values: BitArray, length: int, warm_up: int) -> Counts:
    blocks = values.size // length
    last = np.zeros(1 << length, np.int64)
    found = np.zeros(blocks + 1, np.int64)
    farthest = 0
    for b in range(blocks):
        code = np.int64(0)
        for i in range(b * length, (b + 1) * length):
            code = (code << 1) | np.int64(values[i])
        if b >= warm_up:
            back = b + 1 - last[code]
            found[back] += 1
            farthest = max(farthest, back)
        last[code] = b + 1
    return found[: farthest + 1]


# --- matrices and registers -------------------------------------------------------------------------------------------


@numba.njit(cache=True, nogil=True)
def ranks(values: BitArray, rows: int, columns: int) -> Counts:
    size = rows * columns
    matrices = values.size // size
    found = np.zeros(matrices, np.int64)
    matrix = np.zeros(rows, np.uint64)
    one = np.uint64(1)
    for m in range(matrices):
        place = m * size
        for r in range(rows):
            word = np.uint64(0)
            for _ in range(columns):
                word = (word << one) | np.uint64(values[place])
                place += 1
            matrix[r] = word
        rank = 0
        for r in range(rows):
            pivot = matrix[r]
            if pivot:
                rank += 1
                lowest = pivot & (~pivot + one)
                for other in range(r + 1, rows):
                    if matrix[other] & lowest:
                        matrix[other] ^= pivot
        found[m] = rank
    return found


@numba.njit(cache=True, nogil=True)
def _strip(poly: NDArray[np.uint64], words: int) -> Any:
    """Shift the lowest one down to bit 0 and say by how much; -1 for the zero polynomial."""
    empty = 0
    while empty < words and poly[empty] == 0:
        empty += 1
    if empty == words:
        return -1
    if empty:
        for i in range(words - empty):
            poly[i] = poly[i + empty]
        for i in range(words - empty, words):
            poly[i] = 0
    shift = _trailing_zeros(poly[0])
    if shift:
        rest = np.uint64(64) - shift
        for i in range(words - 1):
            poly[i] = (poly[i] >> shift) | (poly[i + 1] << rest)
        poly[words - 1] >>= shift
    return 64 * empty + np.int64(shift)


@numba.njit(cache=True, nogil=True)
def complexities(values: BitArray, block: int) -> Counts:
    """Euclid's algorithm as in `counts.complexities`, on words of 64 coefficients."""
    blocks = values.size // block
    words = block // 64 + 1
    f = np.zeros(words, np.uint64)
    g = np.zeros(words, np.uint64)
    found = np.zeros(blocks, np.int64)
    for b in range(blocks):
        f[:] = 0
        g[:] = 0
        f[0] = 1
        for i in range(block):
            g[i >> 6] |= np.uint64(values[b * block + i]) << np.uint64(i & 63)
        f_degree = block
        shift = _strip(g, words)
        g_degree = block - 1 - shift if shift >= 0 else -1
        while g_degree >= 0 and f_degree + g_degree >= block:
            while f_degree >= g_degree:
                active = (f_degree >> 6) + 1
                for i in range((g_degree >> 6) + 1):
                    f[i] ^= g[i]
                shift = _strip(f, active)
                if shift < 0:
                    f_degree = -1
                    break
                f_degree -= shift
            f, g = g, f
            f_degree, g_degree = g_degree, f_degree
        found[b] = block - f_degree
    return found
