"""The spectral test on drawn numbers: no frequency stronger than the others, over blocks of the sequence."""

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from randomness.draws import judging
from randomness.draws.accumulator import Accumulator
from randomness.draws.correlations import cut_moments, shift_for
from randomness.draws.folding import Draws
from randomness.result import Finding


class Spectral(Accumulator):
    """In blocks of 1,024 draws: how often the power at each frequency exceeds twice its mean, exp(-2) of the time.

    The power of independent draws is exponential but for a term in their fourth cumulant over the block, whose tail is
    exp(-u) u (u - 2) / 2: it vanishes at u = 2, so that threshold is right for dice as for large numbers. Frequency 0
    is the sum, and a quarter and a half of the rate lie on a lattice: these three are left out.
    """

    name: ClassVar[str] = "spectral"
    unit: ClassVar[str] = "Cohen's w over frequencies"
    BLOCK: ClassVar[int] = 1_024
    OVER: ClassVar[float] = 2.0
    LEAST_BLOCKS: ClassVar[int] = 128

    def __init__(self, bound: int) -> None:
        super().__init__(bound, self.BLOCK // 2 + 2)  # frequencies 0 ... 512, and the number of blocks
        self._shift = shift_for(bound)
        self._mean = float(cut_moments(bound).mean)
        self._limit = self.OVER * self.BLOCK * float(cut_moments(bound).variance)

    def prepared(self, draws: Draws) -> Draws:
        return draws >> self._shift

    def count(self, waiting: Draws) -> int:
        blocks = waiting[: waiting.size // self.BLOCK * self.BLOCK].reshape(-1, self.BLOCK)
        spectrum = np.fft.rfft(blocks - self._mean, axis=1)
        power = np.square(spectrum.real) + np.square(spectrum.imag)
        self.cells[:-1] += np.count_nonzero(power > self._limit, axis=0)
        self.cells[-1] += blocks.shape[0]
        return blocks.size

    def frequencies(self) -> NDArray[np.int64]:
        """The frequencies judged."""
        return np.setdiff1d(np.arange(1, self.BLOCK // 2), [self.BLOCK // 4])

    @property
    def samples(self) -> int:
        return int(self.cells[-1])

    @property
    def freedom(self) -> float:
        return float(self.frequencies().size)

    @property
    def least_draws(self) -> int:
        return self.BLOCK * self.LEAST_BLOCKS

    def _z(self) -> NDArray[np.float64]:
        chance = math.exp(-self.OVER)
        over = self.cells[self.frequencies()]
        return np.asarray((over - self.samples * chance) / math.sqrt(self.samples * chance * (1.0 - chance)))

    def statistic(self) -> float:
        return float(np.square(self._z()).sum())

    def findings(self) -> tuple[Finding, ...]:
        expected = self.samples * math.exp(-self.OVER)
        return judging.strongest(
            [
                Finding(
                    place=f"a period of {self.BLOCK / frequency:.4g} draws",
                    observed=float(self.cells[frequency]),
                    expected=expected,
                    z=float(z),
                )
                for frequency, z in zip(self.frequencies().tolist(), self._z(), strict=True)
            ]
        )
