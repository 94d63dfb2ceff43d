"""Many cells of text to codes of cards at once: each different cell is read once, the rest is found by its bytes."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]

LONGEST = 24
"""Bytes of a cell that is looked up; a longer one is left to the slow way."""
_WORDS = LONGEST // 8
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)
_NEWLINE = 10
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(8)] + [2**64 - 1], np.uint64)


class CellCodes:
    """Reads cells by `read`, each different one once."""

    def __init__(self, read: Callable[[str], int]) -> None:
        self._read = read
        self._known: dict[bytes, int] = {}
        # One entry that no cell has, so that every lookup finds a place.
        self._words = [np.full(1, 2**64 - 1, np.uint64)] * _WORDS
        self._keys, self._long = self._words[0], np.ones(1, np.bool_)
        self._codes = np.zeros(1, np.int64)

    def table(self, text: bytes, delimiter: bytes, wide: int, columns: tuple[int, ...]) -> Codes | None:
        """A row of codes for each line of `wide` cells; None where a line has another number of cells, or one of them
        is too long. Raises what `read` raises."""
        data = np.frombuffer(text + b"\n" + bytes(LONGEST), np.uint8)
        ends = np.flatnonzero((data[: len(text) + 1] == delimiter[0]) | (data[: len(text) + 1] == _NEWLINE))
        if len(ends) % wide or (data[ends[wide - 1 :: wide]] != _NEWLINE).any():
            return None
        if np.count_nonzero(data[ends] == _NEWLINE) != len(ends) // wide:
            return None
        places = (-1, wide)
        starts = np.concatenate(([0], ends[:-1] + 1)).reshape(places)[:, columns]
        lengths = (ends.reshape(places)[:, columns] - starts).ravel()
        if lengths.size and lengths.max() > LONGEST:
            return None
        return self._looked_up(data, starts.ravel(), lengths).reshape(starts.shape)

    def _looked_up(self, data: Bytes, starts: Codes, lengths: Codes) -> Codes:
        words = self._words_of(data, starts, lengths)
        keys = _keys_of(words)
        at = self._places(keys)
        fresh = np.flatnonzero(self._strange(words, at))
        if fresh.size:
            _, firsts = np.unique(keys[fresh], return_index=True)
            for cell in fresh[firsts].tolist():
                raw = data[starts[cell] : starts[cell] + lengths[cell]].tobytes()
                self._known[raw] = self._read(raw.decode("utf-8"))
            self._build()
            at = self._places(keys)
            if self._strange(words, at).any():
                raise AssertionError("two different cells have the same key")
        return self._codes[at]

    def _places(self, keys: Words) -> NDArray[np.intp]:
        return np.searchsorted(self._keys[1:], keys, side="right")

    def _strange(self, words: list[Words], at: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which cells are not the known ones at these places."""
        strange: NDArray[np.bool_] = self._words[0][at] != words[0]
        for known, word in zip(self._words[1:], words[1:], strict=False):
            strange |= known[at] != word
        if len(words) == 1:
            strange |= self._long[at]
        return strange

    def _build(self) -> None:
        texts = list(self._known)
        data = np.frombuffer(b"".join(text.ljust(LONGEST, b"\0") for text in texts), np.uint64)
        words = [data[word::_WORDS] for word in range(_WORDS)]
        keys = _keys_of(words)
        order = np.argsort(keys, kind="stable")
        self._words, self._keys = [word[order] for word in words], keys[order]
        self._long = (self._words[1] != 0) | (self._words[2] != 0)
        self._codes = np.array([self._known[text] for text in texts], np.int64)[order]

    @staticmethod
    def _words_of(data: Bytes, starts: Codes, lengths: Codes) -> list[Words]:
        """The bytes of each cell as words, zero after its end; one word where no cell needs more."""
        anywhere = np.ndarray((len(data) - 7,), np.uint64, data, strides=(1,))
        words = [anywhere[starts] & _KEEP[np.minimum(lengths, 8)]]
        for word in range(1, _WORDS if lengths.size and lengths.max() > 8 else 1):
            left = np.clip(lengths - 8 * word, 0, 8)
            words.append(anywhere[np.minimum(starts + 8 * word, len(anywhere) - 1)] & _KEEP[left])
        return words


def _keys_of(words: list[Words]) -> Words:
    """One number for each cell."""
    keys = words[0].copy()
    for word, mix in zip(words[1:], _MIX, strict=False):
        keys += word * mix
    return keys
