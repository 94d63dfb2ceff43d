"""Bits: a sequence of zeros and ones, and the counts that several tests share, made once."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from randomness.bits.engine import BitArray, Counts, Walk, choose_engine
from randomness.errors import BitsError


class Bits:
    """A sequence of bits. `compiled` False keeps numba out; None or True uses it where it is installed."""

    def __init__(self, values: Iterable[int] | BitArray, *, compiled: bool | None = None) -> None:
        array = values if isinstance(values, np.ndarray) else np.array(list(values), dtype=np.int64)
        if array.ndim != 1 or (array.size and (array.min() < 0 or array.max() > 1)):
            raise BitsError("a bit sequence is a flat row of zeros and ones")
        self.values: BitArray = np.ascontiguousarray(array, dtype=np.uint8)
        self.engine = choose_engine(compiled=compiled)
        self._circular: dict[int, Counts] = {}

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, *, compiled: bool | None = None) -> "Bits":
        """Eight bits a byte, the most significant first, as the NIST suite reads binary files."""
        return cls(np.unpackbits(np.frombuffer(data, dtype=np.uint8)), compiled=compiled)

    @classmethod
    def from_text(cls, text: str, *, compiled: bool | None = None) -> "Bits":
        """ASCII zeros and ones; white space is skipped, anything else refused."""
        kept = "".join(text.split())
        if wrong := kept.strip("01"):
            raise BitsError(f"neither a zero nor a one: {wrong[0]!r}")
        return cls(np.frombuffer(kept.encode("ascii"), dtype=np.uint8) - ord("0"), compiled=compiled)

    def __len__(self) -> int:
        return int(self.values.size)

    @cached_property
    def ones(self) -> int:
        """How many ones."""
        return int(np.count_nonzero(self.values))

    @cached_property
    def walk(self) -> Walk:
        """The ±1 walk's extremes, cycles and visits (sections 2.13 to 2.15)."""
        return self.engine.walk(self.values)

    def circular_counts(self, length: int) -> Counts:
        """How often each `length`-bit pattern starts at a position, the sequence bent to a circle."""
        if length not in self._circular:
            longer = min((have for have in self._circular if have > length), default=None)
            if longer is None:
                self._circular[length] = self.engine.circular_counts(self.values, length)
            else:
                self._circular[length] = self._circular[longer].reshape(1 << length, -1).sum(axis=1)
        return self._circular[length]
