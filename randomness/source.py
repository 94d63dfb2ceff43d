"""The seam through which every draw comes: bytes on request, nothing else."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class RandomSource(Protocol):
    """Anything that gives random bytes. The bytes may depend on how they are divided into requests."""

    def generate(self, n: int) -> bytes:
        """Exactly `n` bytes."""
        ...


@runtime_checkable
class FillingSource(RandomSource, Protocol):
    """A source that can also write in place, which saves a large request its copy."""

    def fill(self, out: memoryview) -> None:
        """The same bytes as `generate(len(out))`."""
        ...


def read_words(source: RandomSource, count: int) -> NDArray[np.uint64]:
    """One request of `8 * count` bytes, as little-endian 64-bit words."""
    if isinstance(source, FillingSource):
        words: NDArray[np.uint64] = np.empty(count, "<u8")
        source.fill(words.view(np.uint8).data)
    else:
        words = np.frombuffer(source.generate(8 * count), "<u8")
    return words.astype(np.uint64, copy=False)
