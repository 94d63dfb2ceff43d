"""Raw noise samples as SP 800-90B wants them: one sample a byte, renumbered without gaps, and as a string of bits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from randomness.assessment.engine import EntropyEngine, Symbols, choose_engine
from randomness.errors import AssessmentError

ENOUGH = 1_000_000
"""SP 800-90B 3.1.1: a sequential dataset has at least 1,000,000 samples."""


class Series:
    """Numbers 0 ... alphabet - 1 in a row, and the engine that counts them."""

    def __init__(self, values: Symbols, alphabet: int, engine: EntropyEngine) -> None:
        self.values = values
        self.alphabet = alphabet
        self.engine = engine

    def __len__(self) -> int:
        return int(self.values.size)


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Samples of `width` bits: `raw` as read, `symbols` renumbered in the same order where values are missing."""

    raw: Symbols
    width: int
    symbols: Series

    @classmethod
    def from_bytes(
        cls, data: bytes | bytearray | memoryview, width: int | None = None, *, compiled: bool | None = None
    ) -> "Samples":
        """One sample a byte. Unless told, the width is that of the largest sample."""
        raw = np.frombuffer(data, np.uint8)
        if raw.size < 2:
            raise AssessmentError(f"{raw.size} sample(s); an assessment should have {ENOUGH:,}")
        needed = max(1, int(raw.max()).bit_length())
        if width is not None and not 1 <= width <= 8:
            raise AssessmentError(f"a sample has 1 to 8 bits, not {width}")
        if width is not None and needed > width:
            raise AssessmentError(
                f"sample {int(np.argmax(raw >= 1 << width))} is {int(raw[raw >= 1 << width][0])}, which has more than "
                f"{width} bits: one sample a byte, in its lowest bits"
            )
        present = np.flatnonzero(np.bincount(raw, minlength=256))
        if present.size == 1:
            raise AssessmentError(f"every sample is {present[0]}: no entropy")
        numbers = np.zeros(256, np.uint8)
        numbers[present] = np.arange(present.size)
        engine = choose_engine(compiled=compiled)
        return cls(
            raw=raw, width=needed if width is None else width, symbols=Series(numbers[raw], int(present.size), engine)
        )

    def __len__(self) -> int:
        return len(self.symbols)

    def transposed(self, rows: int) -> "Samples":
        """Read as a table of so many rows, column by column."""
        raw, symbols = (
            np.ascontiguousarray(each.reshape(rows, -1).T).reshape(-1) for each in (self.raw, self.symbols.values)
        )
        return Samples(raw=raw, width=self.width, symbols=Series(symbols, self.symbols.alphabet, self.symbols.engine))

    @property
    def binary(self) -> bool:
        """Whether there are only two values; such samples are their own bit string."""
        return self.symbols.alphabet == 2

    @property
    def renumbered(self) -> bool:
        """Whether some value of the width never occurs."""
        return self.symbols.alphabet < 1 << self.width

    @cached_property
    def bits(self) -> Series:
        """The samples as read, highest bit first."""
        bits = np.unpackbits(self.raw.reshape(-1, 1), axis=1)[:, 8 - self.width :]
        return Series(np.ascontiguousarray(bits).reshape(-1), 2, self.symbols.engine)
