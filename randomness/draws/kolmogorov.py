"""Kolmogorov–Smirnov on drawn numbers: how far the share of numbers up to each one strays from the straight line."""

import math
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from randomness.draws import judging
from randomness.draws.accumulator import FoldedValues
from randomness.result import Finding

# Counts are whole, so distances are too, in steps of 1/sqrt(samples), where the cells divide the samples; p-values then
# come in lumps of up to 1.7 such steps. From here on the law of p is within 0.02 of uniform for any number of cells.
_LEAST_SAMPLES = 2_048
_FAR_OUT = 3.0  # from here on (p < 4e-8) Kolmogorov's leading term, which is never below the truth


@cache
def bridge_tail(scaled: float, cells: int) -> float:
    """P(a Brownian bridge seen at 1/cells, 2/cells, ... leaves ±scaled), by following its density from step to step.

    Numbers fall into cells, so the distance is looked at between cells only, and the law of continuous data would be
    conservative. The integral over each step's density uses Gauss–Legendre nodes, fine against the step.
    """
    if scaled <= 0.0:
        return 1.0
    if scaled > _FAR_OUT:
        return 2.0 * math.exp(-2.0 * scaled * scaled)
    step = 1.0 / math.sqrt(cells)
    nodes, weights = _nodes(max(64, math.ceil(8.0 * _FAR_OUT / step)))
    places, widths = nodes * scaled, weights * scaled
    kernel = np.exp(-0.5 * np.square((places[:, None] - places[None, :]) / step)) / (step * math.sqrt(2.0 * math.pi))
    density = np.exp(-0.5 * np.square(places / step)) / (step * math.sqrt(2.0 * math.pi))
    for _ in range(cells - 2):
        density = kernel @ (density * widths)
    home = np.exp(-0.5 * np.square(places / step)) / (step * math.sqrt(2.0 * math.pi))
    stays = float(np.dot(home, density * widths)) * math.sqrt(2.0 * math.pi)
    return min(1.0, max(0.0, 1.0 - stays))


@cache
def _nodes(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss–Legendre nodes and weights on -1 ... 1."""
    return np.polynomial.legendre.leggauss(count)


class KolmogorovSmirnov(FoldedValues):
    """The largest distance, up or down, with the law of data in cells."""

    name: ClassVar[str] = "kolmogorov-smirnov"
    unit: ClassVar[str] = "largest distance of distribution functions"
    MOST_CELLS: ClassVar[int] = 128

    @property
    def samples(self) -> int:
        return int(self.cells.sum())

    @property
    def freedom(self) -> float:
        return 1.0

    @property
    def least_draws(self) -> int:
        samples = max(_LEAST_SAMPLES, judging.LEAST_EXPECTED * self.cells.size)
        return int(np.ceil(samples * self.bound / self.fold.kept * 1.1))

    def _strays(self) -> NDArray[np.float64]:
        shares = np.cumsum(self.cells) / max(1, self.samples)
        return np.asarray(shares - np.arange(1, self.cells.size + 1) / self.cells.size)[:-1]

    def statistic(self) -> float:
        return float(np.abs(self._strays()).max()) * math.sqrt(self.samples)

    def p_value(self, statistic: float) -> float:
        return bridge_tail(statistic, self.fold.cells)

    def effect(self, statistic: float) -> judging.DrawEffect:
        distance = statistic / math.sqrt(self.samples)
        reach = _margin(1.0 - judging.CONFIDENCE) / math.sqrt(self.samples)
        return judging.DrawEffect(distance, max(0.0, distance - reach), distance + reach)

    def findings(self) -> tuple[Finding, ...]:
        strays, n = self._strays(), self.samples
        last = int(np.abs(strays).argmax())
        share = (last + 1) / self.cells.size
        return (
            Finding(
                place=f"values up to {(last + 1) * self.fold.width - 1}",
                observed=float(self.cells[: last + 1].sum()),
                expected=n * share,
                z=float(strays[last]) * math.sqrt(n / (share * (1.0 - share))),
            ),
        )

    def least_effect(self, *, level: float = 0.01, power: float = 0.99) -> float:
        """By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart."""
        return (_margin(level) + _margin(2.0 * (1.0 - power))) / math.sqrt(max(1, self.samples))


def _margin(tail: float) -> float:
    return math.sqrt(math.log(2.0 / tail) / 2.0)
