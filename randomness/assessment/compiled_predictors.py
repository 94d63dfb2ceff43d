"""The predictors of SP 800-90B 6.3.7 to 6.3.10 compiled by numba, each with its score of hits.

Kernels call nothing outside this file: numba's cache notices a change of this file only.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_WINDOWS = (63, 255, 1023, 4095)  # engine.WINDOWS and so on: numba's cache would not notice a change there
_LAGS = 128
_DEEPEST = 16

_STRETCH = 200  # samples between two looks at which lags can still win; at most 255
_FACTOR = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: spreads keys over slots (Knuth, volume 3, 6.4)


@numba.njit(cache=True, nogil=True)
def waits(bits: Array) -> Any:
    n = bits.size
    i, twos, threes = 0, 0, 0
    while i < n - 1:
        if bits[i] == bits[i + 1]:
            twos += 1
            i += 2
        elif i < n - 2:
            threes += 1
            i += 3
        else:
            break
    return twos + threes, 2 * twos + 3 * threes, 4 * twos + 9 * threes


@numba.njit(cache=True, nogil=True)
def pieces(samples: Array) -> Array:
    n = samples.size
    last = np.full(256, -1, np.int64)
    found = np.empty(n // 2 + 1, np.int64)
    count, start = 0, 0
    for i in range(n):
        if last[samples[i]] >= start:
            found[count] = i - start + 1
            count += 1
            start = i + 1
        else:
            last[samples[i]] = i
    return found[:count].copy()


# --- most common in window --------------------------------------------------------------------------------------------


@numba.njit(cache=True, nogil=True)
def window_hits(samples: Array, alphabet: int) -> Any:
    n = samples.size
    kinds = len(_WINDOWS)
    counts = np.zeros((kinds, alphabet), np.int32)
    last = np.zeros((kinds, alphabet), np.int64)
    commonest = np.zeros(kinds, np.int64)
    highest = np.zeros(kinds, np.int64)
    scores = np.zeros(kinds, np.int64)
    for w in range(kinds):
        for i in range(min(n, _WINDOWS[w])):
            symbol = samples[i]
            counts[w, symbol] += 1
            last[w, symbol] = i
            if counts[w, symbol] >= highest[w]:
                highest[w] = counts[w, symbol]
                commonest[w] = symbol
    winner, correct, run, longest = 0, 0, 0, 0
    for i in range(_WINDOWS[0], n):
        symbol = np.int64(samples[i])
        if commonest[winner] == symbol:
            correct += 1
            run += 1
            longest = max(longest, run)
        else:
            run = 0
        for w in range(kinds):
            if i < _WINDOWS[w]:
                break
            if commonest[w] == symbol:
                scores[w] += 1
                if scores[w] >= scores[winner]:
                    winner = w
        for w in range(kinds):
            size = _WINDOWS[w]
            if i < size:
                break
            gone = np.int64(samples[i - size])
            counts[w, gone] -= 1
            counts[w, symbol] += 1
            last[w, symbol] = i
            if gone != commonest[w]:
                if counts[w, symbol] >= highest[w]:
                    highest[w] = counts[w, symbol]
                    commonest[w] = symbol
            elif gone != symbol:
                best, latest = np.int64(-1), np.int64(-1)
                for other in range(alphabet):
                    count = np.int64(counts[w, other])
                    if count > best or (count == best and last[w, other] > latest):
                        best, latest = count, last[w, other]
                        commonest[w] = other
                highest[w] = best
    return correct, longest


# --- lags -------------------------------------------------------------------------------------------------------------


@numba.njit(cache=True, nogil=True)
def lag_hits(samples: Array) -> Any:
    """Only lags within a stretch's length of the highest score can win in it; the others are counted at its end."""
    n = samples.size
    scores = np.zeros(_LAGS, np.int64)
    near = np.empty(_LAGS, np.int64)
    is_near = np.zeros(_LAGS, np.bool_)
    high = np.int64(0)
    winner, correct, run, longest = 0, 0, 0, 0
    start = 1
    while start < n:
        end = min(n, start + _STRETCH)
        nears = 0
        for lag in range(_LAGS):
            is_near[lag] = start <= _LAGS or scores[lag] + (end - start) >= high
            if is_near[lag]:
                near[nears] = lag
                nears += 1
        for i in range(start, end):
            symbol = samples[i]
            if i > winner and samples[i - 1 - winner] == symbol:
                correct += 1
                run += 1
                longest = max(longest, run)
            else:
                run = 0
            for k in range(nears):
                lag = near[k]
                if lag >= i:
                    break
                if samples[i - 1 - lag] == symbol:
                    scores[lag] += 1
                    if scores[lag] >= high:
                        high = scores[lag]
                        winner = int(lag)
        for lag in range(_LAGS):
            if not is_near[lag]:
                scores[lag] += _matches(samples[start:end], samples[start - 1 - lag : end - 1 - lag])
        start = end
    return correct, longest


@numba.njit(cache=True, nogil=True)
def _matches(some: Array, others: Array) -> Any:
    count = 0
    for i in range(some.size):
        count += some[i] == others[i]
    return count


# --- what followed before: bits, in tables of every string ------------------------------------------------------------


@numba.njit(cache=True, nogil=True)
def bit_model_hits(bits: Array, most_pairs: int) -> Any:
    """Counts of the bit after each string of d bits lie from 2^(d+1) on: string s and bit b at 2 s + b."""
    n = bits.size
    counts = np.zeros(1 << (_DEEPEST + 2), np.int32)
    pairs = np.zeros(_DEEPEST, np.int64)
    scores = np.zeros(_DEEPEST, np.int64)
    string = np.int64(0)
    for d in range(min(_DEEPEST, n - 2)):
        string = (string << 1) | np.int64(bits[d])
        counts[(2 << (d + 1)) + 2 * string + bits[d + 1]] = 1
        pairs[d] = 1
    winner, correct, run, longest = 0, 0, 0, 0
    recent = np.int64(0)
    for i in range(2):
        recent = (recent << 1) | np.int64(bits[i])
    for i in range(2, n):
        bit = np.int64(bits[i])
        known = True
        chosen = winner
        for d in range(min(_DEEPEST, i - 1)):
            at = (2 << (d + 1)) + 2 * (recent & ((2 << d) - 1))
            zeros, ones = counts[at], counts[at + 1]
            known = known and (zeros > 0 or ones > 0)
            if known:
                right = (zeros > ones) == (bit == 0)
                scores[d] += right  # no branch here: every other guess is wrong
                if right & (scores[d] >= scores[winner]):
                    winner = d
                if d == chosen:
                    run = run + 1 if right else 0
                    correct += right
                    longest = max(longest, run)
            if counts[at + bit] > 0:
                counts[at + bit] += 1
            elif pairs[d] < most_pairs:
                counts[at + bit] = 1
                pairs[d] += 1
        recent = (recent << 1) | bit
    return correct, longest


@numba.njit(cache=True, nogil=True)
def bit_dictionary_hits(bits: Array, most_strings: int) -> Any:
    n = bits.size
    counts = np.zeros(1 << (_DEEPEST + 2), np.int32)
    strings = 0
    recent = np.int64(0)
    for i in range(_DEEPEST):
        recent = (recent << 1) | np.int64(bits[i])
    correct, run, longest = 0, 0, 0
    for i in range(_DEEPEST, n):
        bit = np.int64(bits[i])
        best, said = np.int32(0), np.int64(-1)
        for d in range(_DEEPEST, 0, -1):
            at = (2 << d) + 2 * (recent & ((1 << d) - 1))
            zeros, ones = counts[at], counts[at + 1]
            highest = max(zeros, ones)
            if highest > 0:
                if highest > best:
                    best = highest
                    said = np.int64(0) if zeros > ones else np.int64(1)
                counts[at + bit] += 1
            elif strings < most_strings:
                counts[at + bit] = 1
                strings += 1
        if said == bit:
            correct += 1
            run += 1
            longest = max(longest, run)
        else:
            run = 0
        recent = (recent << 1) | bit
    return correct, longest


# --- what followed before: symbols, in tables by hash -----------------------------------------------------------------


@numba.njit(cache=True, nogil=True)
def _same(samples: Array, one: int, other: int, length: int) -> Any:
    """Whether the strings of that length before two places are equal."""
    i = 1
    while i <= length and samples[one - i] == samples[other - i]:
        i += 1
    return i > length


@numba.njit(cache=True, nogil=True)
def _slot_bits(entries: int) -> Any:
    """A table of 2^bits slots is less than half full with so many entries."""
    bits = 4
    while (1 << bits) <= 2 * entries:
        bits += 1
    return bits


@numba.njit(cache=True, nogil=True)
def _slot_of_string(samples: Array, table: Array, slot: Any, end: int, length: int) -> Any:
    """The slot of the string before place `end`, or the empty one where it belongs; slots hold the end of a string."""
    mask = np.uint64(table.size - 1)
    while True:
        there = table[slot]
        if there < 0:
            return np.int64(slot)
        if _same(samples, there, end, length):
            return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask


@numba.njit(cache=True, nogil=True)
def _slot_of_pair(keys: Array, key: int, shift: Any) -> Any:
    """The slot of a pair of string and next symbol, or the empty one where it belongs."""
    mask = np.uint64(keys.size - 1)
    slot = (np.uint64(key) * np.uint64(_FACTOR)) >> shift
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@numba.njit(cache=True, nogil=True)
def _codes(samples: Array, end: int, codes: Array) -> None:
    """Hashes of the strings of 1 ... 16 symbols before place `end`."""
    code = np.uint64(0)
    for d in range(min(_DEEPEST, end)):
        code = (code + np.uint64(samples[end - 1 - d]) + np.uint64(1)) * np.uint64(_FACTOR)
        code ^= code >> np.uint64(29)
        codes[d] = code * np.uint64(_FACTOR)


@numba.njit(cache=True, nogil=True)
def model_hits(samples: Array, most_pairs: int) -> Any:
    n = samples.size
    bits = _slot_bits(min(n, most_pairs))
    slots, shift = 1 << bits, np.uint64(64 - bits)
    strings = np.full((_DEEPEST, slots), -1, np.int32)
    best = np.zeros((_DEEPEST, slots), np.int32)
    said = np.zeros((_DEEPEST, slots), np.uint8)
    pair_keys = np.full((_DEEPEST, slots), -1, np.int32)
    pair_counts = np.zeros((_DEEPEST, slots), np.int32)
    pairs = np.zeros(_DEEPEST, np.int64)
    scores = np.zeros(_DEEPEST, np.int64)
    codes = np.zeros(_DEEPEST, np.uint64)
    for d in range(min(_DEEPEST, n - 2)):
        _codes(samples, d + 1, codes)
        slot = _slot_of_string(samples, strings[d], codes[d] >> shift, d + 1, d + 1)
        pair = _slot_of_pair(pair_keys[d], (slot << 8) | np.int64(samples[d + 1]), shift)
        strings[d, slot] = d + 1
        best[d, slot] = 1
        said[d, slot] = samples[d + 1]
        pair_keys[d, pair] = (slot << 8) | np.int64(samples[d + 1])
        pair_counts[d, pair] = 1
        pairs[d] = 1
    winner, correct, run, longest = 0, 0, 0, 0
    for i in range(2, n):
        symbol = samples[i]
        chosen = winner
        known = True
        _codes(samples, i, codes)
        for d in range(min(_DEEPEST, i - 1)):
            if not known and pairs[d] >= most_pairs:
                continue
            slot = _slot_of_string(samples, strings[d], codes[d] >> shift, i, d + 1)
            known = known and strings[d, slot] >= 0
            if known:
                if said[d, slot] == symbol:
                    scores[d] += 1
                    if scores[d] >= scores[winner]:
                        winner = d
                    if d == chosen:
                        correct += 1
                        run += 1
                        longest = max(longest, run)
                elif d == chosen:
                    run = 0
            key = (slot << 8) | np.int64(symbol)
            pair = _slot_of_pair(pair_keys[d], key, shift)
            if pair_keys[d, pair] < 0:
                if pairs[d] >= most_pairs:
                    continue
                strings[d, slot] = i
                pair_keys[d, pair] = key
                pairs[d] += 1
            elif not known:
                pairs[d] += 1
            pair_counts[d, pair] += 1
            count = pair_counts[d, pair]
            if count > best[d, slot] or (count == best[d, slot] and symbol > said[d, slot]):
                best[d, slot] = count
                said[d, slot] = symbol
    return correct, longest


@numba.njit(cache=True, nogil=True)
def dictionary_hits(samples: Array, alphabet: int, most_strings: int) -> Any:
    n = samples.size
    bits = _slot_bits(most_strings)
    mask, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    table = np.full(1 << bits, -1, np.int32)
    ends = np.zeros(most_strings, np.int32)
    lengths = np.zeros(most_strings, np.int32)
    best = np.zeros(most_strings, np.int32)
    said = np.zeros(most_strings, np.uint8)
    counts = np.zeros((most_strings, alphabet), np.int32)
    codes = np.zeros(_DEEPEST, np.uint64)
    strings = 0
    correct, run, longest = 0, 0, 0
    for i in range(_DEEPEST, n):
        symbol = samples[i]
        highest, guess = np.int32(0), np.int64(-1)
        _codes(samples, i, codes)
        for length in range(_DEEPEST, 0, -1):
            slot = codes[length - 1] >> shift
            string = table[slot]
            while string >= 0:
                if lengths[string] == length and _same(samples, ends[string], i, length):
                    break
                slot = (slot + np.uint64(1)) & mask
                string = table[slot]
            if string >= 0:
                if best[string] > highest:
                    highest = best[string]
                    guess = np.int64(said[string])
            elif strings < most_strings:
                string = np.int32(strings)
                table[slot] = string
                ends[string], lengths[string] = i, length
                strings += 1
            else:
                continue
            counts[string, symbol] += 1
            count = counts[string, symbol]
            if count > best[string] or (count == best[string] and symbol > said[string]):
                best[string] = count
                said[string] = symbol
        if guess == symbol:
            correct += 1
            run += 1
            longest = max(longest, run)
        else:
            run = 0
    return correct, longest
