"""Comparisons of strata: weights over stretches or phases, and standard normal scores of what they add up to.

A contrast gives each stratum a weight, so that the weights times the decks add up to nought: before against after each
cut, along the run (drift), one phase against the others. What it adds up to has mean nought if nothing changes, however
often the counted thing happens.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Fewer hits expected on one side of a cut tell nothing by themselves.
LEAST_HITS = 20.0
# Cuts that leave less than this on one side are not looked at where counts are summed.
LEAST_SHARE = 1 / 16


@dataclass(frozen=True, kw_only=True, eq=False)
class Contrasts:
    """A row of weights for each comparison; `shares` of the decks on the first side, where there are two sides."""

    weights: Array
    shares: Array
    names: tuple[str, ...]
    ends: NDArray[np.intp] | None = None
    """Of cuts, the last stratum before each: what lies before them is then added up along the strata, once for all."""

    def first_side(self, table: NDArray[Any]) -> Array:
        """What a table of strata × counts holds on the first side of each comparison."""
        if self.ends is None:
            return np.asarray((self.weights + self.shares[:, None]) @ table)
        return running_sums(table)[self.ends]

    def added_up(self, table: NDArray[Any]) -> Array:
        """Weights times a table of strata × counts."""
        if self.ends is None:
            return np.asarray(self.weights @ table)
        running = running_sums(table)
        return np.asarray(running[self.ends] - self.shares[:, None] * running[-1])


def running_sums(table: NDArray[Any]) -> Array:
    """Of the rows, from the first on. Whole rows at a time: numpy's own take three times as long on wide tables."""
    made = table.astype(float)
    for row in range(1, len(made)):
        made[row] += made[row - 1]
    return made


def cuts(decks: Array, *, least_share: float = 0.0) -> Contrasts:
    """Before against after, for each place between two stretches with decks."""
    total = decks.sum()
    before = np.cumsum(decks)[:-1] / total
    used = np.flatnonzero((decks[1:] > 0) & (before > least_share) & (before < 1 - least_share) & (before > 0))
    shares = before[used]
    weights = (np.arange(len(decks)) <= used[:, None]).astype(float) - shares[:, None]
    names = tuple(f"change after {share:.0%} of the run" for share in shares)
    return Contrasts(weights=weights, shares=shares, names=names, ends=used)


def drift(decks: Array) -> Contrasts:
    """Along the run: the middle of each stretch, as a share of all decks, less the middle of the run."""
    middle = (np.cumsum(decks) - decks / 2) / decks.sum() - 0.5
    return Contrasts(weights=middle[None, :], shares=np.zeros(0), names=("drift along the run",))


@lru_cache
def turns(phases: int) -> tuple[int, ...]:
    """The periods that remainders by `phases` can be compared by: its divisors."""
    return tuple(period for period in range(2, phases + 1) if phases % period == 0)


def phases(decks: Array, period: int) -> Contrasts:
    """Each phase of one period against the others; odd rows against even ones once."""
    number = np.arange(len(decks)) % period
    which = [1] if period == 2 else list(range(period))
    mine = np.array([number == phase for phase in which])
    shares = (mine * decks).sum(axis=1) / decks.sum()
    if period == 2:
        names: tuple[str, ...] = ("odd rows against even ones",)
    else:
        names = tuple(f"row {phase or period} of every {period}" for phase in which)
    return Contrasts(weights=mine.astype(float) - shares[:, None], shares=shares, names=names)


# ----- scores ---------------------------------------------------------------------------------------------------------


def moments(weights: Array, decks: Array) -> tuple[Array, Array, Array]:
    """Of a contrast: sums over decks of the second, third and fourth powers of the weights."""
    square = weights * weights
    return square @ decks, (square * weights) @ decks, (square * square) @ decks


def sum_scores(
    weights: Array, decks: Array, sums: NDArray[Any], law: tuple[float | Array, float | Array, float | Array]
) -> Array:
    """Of sums (strata × counts) with this deviation, skewness and excess kurtosis for one deck (Cornish and Fisher)."""
    deviation, skewness, kurtosis = law
    second, third, fourth = (power[:, None] for power in moments(weights, decks))
    z = weights @ sums / (deviation * np.sqrt(second))
    skew, excess = skewness * third / second**1.5, kurtosis * fourth / second**2
    square = z * z
    return np.asarray(
        z - skew * (square - 1) / 6 - excess * z * (square - 3) / 24 + skew**2 * z * (4 * square - 7) / 36
    )


def hits_given_total(weights: Array, decks: Array, totals: NDArray[Any]) -> tuple[Array, Array, Array]:
    """The law for `sum_scores` of hits, given how many there are in all: they are drawn without replacement.

    Whatever a single deck's law, only which decks are hit is left to chance, so the sum's tails are those of the
    weights, thinner than the normal law's where these are even.
    """
    every = float(decks.sum())
    second, _, fourth = (power[:, None] for power in moments(weights, decks))
    flat = every * fourth / second**2
    rate = np.where((totals > 0) & (totals < every), totals, 0.5) / every
    odds = rate * (1 - rate)
    return np.sqrt(odds), (1 - 2 * rate) / np.sqrt(odds), ((1 - 6 * odds) / odds * (flat - 3) - 6) / flat


def hit_scores(shares: Array, before: Array, totals: NDArray[Any], decks: float) -> Array:
    """Of hits before a cut (cuts × cells), given the hits in all: the hypergeometric law's root of the deviance.

    With a sixth of the skewness added it is normal far into the tail (Pierce and Schafer, "Residuals in generalized
    linear models", JASA 81 (1986) 977–986). Where too few are expected, nought.
    """
    share, x = shares[:, None], before.astype(float)
    mean = share * totals
    with np.errstate(divide="ignore", invalid="ignore"):
        deviance = (
            _term(x, mean)
            + _term(totals - x, totals - mean)
            + _term(share * decks - x, share * decks - mean)
            + _term((1 - share) * decks - totals + x, (1 - share) * decks - totals + mean)
        )
        rest = 1 - totals / decks
        spread = np.sqrt(totals * rest * share * (1 - share))
        z = np.sign(x - mean) * np.sqrt(np.maximum(0.0, 2 * deviance)) + (1 - 2 * share) * (2 * rest - 1) / (6 * spread)
    fewest = np.minimum(share, 1 - share) * totals
    return np.asarray(np.where(fewest >= LEAST_HITS, z, 0.0))


def _term(seen: Array, expected: Array) -> Array:
    return np.where(seen > 0, seen * np.log(np.maximum(seen, 1e-9) / expected), 0.0)
