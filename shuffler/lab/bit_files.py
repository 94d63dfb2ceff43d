"""The edge where bits come in: a file or standard input, raw bytes or ASCII zeros and ones, cut into sequences."""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from randomness.errors import BitsError
from shuffler.lab.bit_format import BitFormat

_CHUNK_BYTES = 1 << 16
_BLANKS = b" \t\r\n\v\f"
_TEXT = frozenset(b"01" + _BLANKS)


class BitReader:
    """Sequences of `length` bits from a file. A file that holds less than one sequence is one, if `short` allows it."""

    def __init__(self, file: BinaryIO, *, form: BitFormat = BitFormat.AUTO, length: int, short: bool = True) -> None:
        self._file = file
        self._waiting = file.read(_CHUNK_BYTES)
        self._short = short
        self.form = _guess(self._waiting) if form is BitFormat.AUTO else form
        self.length = length
        self.bits_read = 0
        self.bits_left_over = 0

    def sequences(self, most: int | None = None) -> Iterator[NDArray[np.uint8]]:
        """Up to `most` sequences, each an array of zeros and ones."""
        pieces: list[NDArray[np.uint8]] = []
        have = done = 0
        while most is None or done < most:
            piece = self._next()
            if piece is None:
                break
            pieces.append(piece)
            have += piece.size
            while have >= self.length and (most is None or done < most):
                joined = np.concatenate(pieces)
                yield joined[: self.length]
                pieces, have, done = [joined[self.length :]], have - self.length, done + 1
        if done == 0 and have and self._short:
            yield np.concatenate(pieces)
            have = 0
        self.bits_left_over = have

    def _next(self) -> NDArray[np.uint8] | None:
        """The bits of the next chunk, or None at the end."""
        chunk = self._waiting or self._file.read(_CHUNK_BYTES)
        self._waiting = b""
        if not chunk:
            return None
        codes = np.frombuffer(chunk, dtype=np.uint8)
        bits = np.unpackbits(codes) if self.form is BitFormat.BYTES else self._digits(codes)
        self.bits_read += bits.size
        return bits

    def _digits(self, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        kept = codes[~np.isin(codes, list(_BLANKS))]
        bits = kept - np.uint8(ord("0"))
        if wrong := np.flatnonzero(bits > 1).tolist():
            raise BitsError(
                f"neither a zero nor a one: {chr(int(kept[wrong[0]]))!r} after {self.bits_read + wrong[0]:,} bits; "
                "say --format bytes if the file is not text"
            )
        return np.asarray(bits)


def _guess(beginning: bytes) -> BitFormat:
    """Text when nothing but zeros, ones and blanks stands at the beginning."""
    return BitFormat.TEXT if beginning and _TEXT.issuperset(beginning) else BitFormat.BYTES
