"""The counts in numpy alone: each function is one method of `engine.Engine`, and its compiled twin gives the same."""

import numpy as np
from numpy.typing import NDArray

from randomness.bits.engine import CYCLE_STATES, MOST_VISITS, VISIT_STATES, BitArray, Counts, Walk


def _blocks(values: BitArray, block: int) -> BitArray:
    whole = values.size // block
    return values[: whole * block].reshape(whole, block)


def _windows(rows: BitArray, length: int) -> NDArray[np.uint32]:
    """The number read in each window of `length` bits of each row; windows double until they are long enough."""
    codes, width = rows.astype(np.uint32), 1
    while width < length:
        step = min(width, length - width)
        shifted = codes[..., step:]
        codes = (codes[..., : shifted.shape[-1]] << np.uint32(step)) | (shifted & np.uint32((1 << step) - 1))
        width += step
    return codes


def circular_counts(values: BitArray, length: int) -> Counts:
    closed = np.concatenate([values, np.resize(values, length - 1)]) if length > 1 else values
    return np.bincount(_windows(closed, length), minlength=1 << length).astype(np.int64)


def block_counts(values: BitArray, block: int, length: int) -> Counts:
    return np.array(
        [np.bincount(row, minlength=1 << length) for row in _windows(_blocks(values, block), length)], dtype=np.int64
    ).reshape(-1, 1 << length)


def all_ones_counts(values: BitArray, block: int, length: int) -> Counts:
    rows, width = _blocks(values, block), 1
    while width < length:
        step = min(width, length - width)
        rows = rows[:, :-step] & rows[:, step:]
        width += step
    return np.asarray(rows.sum(axis=1, dtype=np.int64))


def longest_runs(values: BitArray, block: int) -> Counts:
    rows = _blocks(values, block)
    fenced = np.zeros((rows.shape[0], block + 1), dtype=np.uint8)  # a zero before each block ends the run before it
    fenced[:, 1:] = rows
    zeros = np.flatnonzero(fenced.ravel() == 0)
    lengths = np.diff(zeros, append=fenced.size) - 1
    starts = np.searchsorted(zeros, np.arange(rows.shape[0]) * (block + 1))
    return np.maximum.reduceat(lengths, starts).astype(np.int64) if rows.shape[0] else np.zeros(0, dtype=np.int64)


def ranks(values: BitArray, rows: int, columns: int) -> Counts:
    bits = _blocks(values, rows * columns).reshape(-1, rows, columns)
    matrices = np.zeros(bits.shape[:2], dtype=np.uint64)
    for column in range(columns):
        matrices = (matrices << np.uint64(1)) | bits[:, :, column]
    found = np.zeros(bits.shape[0], dtype=np.int64)
    every = np.arange(bits.shape[0])
    for column in range(columns):
        set_here = ((matrices >> np.uint64(column)) & np.uint64(1)).astype(bool)
        pivot_row = set_here.argmax(axis=1)
        pivot = np.where(set_here[every, pivot_row], matrices[every, pivot_row], np.uint64(0))
        found += pivot != 0
        matrices ^= np.where(set_here, pivot[:, None], np.uint64(0))  # the pivot row itself becomes zero and is used up
    return found


def complexities(values: BitArray, block: int) -> Counts:
    """By Euclid's algorithm on x^block and the block as a polynomial; only the degrees of the remainders matter.

    The denominators of the continued fraction of block / x^block are the registers; the first one whose degree, block
    minus the degree of the remainder before, exceeds the next remainder's makes the whole block (equivalence with
    Berlekamp and Massey: J. L. Dornstetter, IEEE Trans. Inf. Theory 33, 1987).
    """
    packed = np.packbits(_blocks(values, block), axis=1, bitorder="little")
    return np.array([_complexity(int.from_bytes(row.tobytes(), "little"), block) for row in packed], dtype=np.int64)


def _complexity(sequence: int, block: int) -> int:
    """Polynomials are integers with the leading coefficient in bit 0: cancelling it is one exclusive or."""
    f, f_degree = 1, block
    g, g_degree = sequence, block - 1
    while True:
        if g == 0:
            return block - f_degree
        zeros = (g & -g).bit_length() - 1
        g, g_degree = g >> zeros, g_degree - zeros
        if f_degree + g_degree < block:
            return block - f_degree
        while f_degree >= g_degree:
            f ^= g
            if f == 0:
                return block - g_degree
            zeros = (f & -f).bit_length() - 1
            f, f_degree = f >> zeros, f_degree - zeros
        f, g, f_degree, g_degree = g, f, g_degree, f_degree


def distances(values: BitArray, length: int, warm_up: int) -> Counts:
    rows = _blocks(values, length)
    numbers = np.zeros(rows.shape[0], dtype=np.uint16)
    for column in range(length):
        numbers = (numbers << np.uint16(1)) | rows[:, column]
    order = np.argsort(numbers, kind="stable")
    same = numbers[order[1:]] == numbers[order[:-1]]
    back = np.arange(1, numbers.size + 1)  # a block never seen before: the distance to the place before the first
    back[order[1:][same]] = np.diff(order)[same]
    return np.bincount(back[warm_up:]).astype(np.int64)


def walk(values: BitArray) -> Walk:
    path = np.cumsum(values.astype(np.int32) * 2 - 1, dtype=np.int32)
    end = int(path[-1])
    near = np.flatnonzero(np.abs(path) <= VISIT_STATES[-1])
    levels = path[near]
    home = levels == 0
    cycles = int(np.count_nonzero(home)) + (end != 0)
    cycle = np.cumsum(home)  # at a level other than 0: how many cycles are already complete
    cycle_visits = [
        np.bincount(
            np.minimum(np.bincount(cycle[levels == state], minlength=cycles), MOST_VISITS), minlength=MOST_VISITS + 1
        )
        for state in CYCLE_STATES
    ]
    return Walk(
        highest=max(0, int(path.max())),
        lowest=min(0, int(path.min())),
        end=end,
        cycles=cycles,
        cycle_visits=np.array(cycle_visits, dtype=np.int64),
        visits=np.array([np.count_nonzero(levels == state) for state in VISIT_STATES], dtype=np.int64),
    )
