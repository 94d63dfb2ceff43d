"""The whole distribution of a count over decks against its exact law, not its mean alone: mixtures have the right mean.

Two parts, nearly independent, joined by Šidák, as several histograms (lags) are. Bins: Pearson's sum over bins of
values, fine in the tails (each bin there holds about as much as everything beyond it) and none with fewer than ten
expected; its first three cumulants are exact. Outermost: the highest and the lowest value of any deck, exact and
randomised; one deck that can't be is enough.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks.judges.base import CONFIDENCE, Cells, Chance, DeckEffect, Judgement, strongest
from randomness.decks.sums import Law
from randomness.decks.tails import Cumulants, sidak, sidak_part, upper_z
from randomness.result import Finding, Null

LEAST_EXPECTED = 10.0
_ROUNDS = 8
WIDEST_SHARE = 0.1


@dataclass(frozen=True, kw_only=True)
class Bins:
    """First value of each bin, the share of decks that fall into it, and the law of Pearson's sum over them."""

    starts: NDArray[np.intp]
    shares: NDArray[np.float64]
    law: Cumulants

    def measure(self, counts: Cells, decks: int) -> float:
        seen = np.add.reduceat(counts, self.starts)
        expected = decks * self.shares
        return float(((seen - expected) ** 2 / expected).sum())


def unequal_cells(shares: NDArray[np.float64], samples: int) -> Cumulants:
    """Exact first three cumulants of Pearson's sum over cells with these probabilities.

    The sum is 1/N times (own terms 1/p - 1, one a sample, plus twice a kernel over pairs of samples); the kernel has
    mean nought given either sample, so only pairs joined to a loop have moments.
    """
    n = float(samples)
    pairs, triples = n * (n - 1) / 2, n * (n - 1) * (n - 2) / 6
    own = 1.0 / shares - 1.0
    off = own - float(shares @ own)
    both = np.outer(shares, shares)
    kernel = np.diag(1.0 / shares) - 1.0
    second = float((both * kernel**2).sum())
    closed = len(shares) - 1.0
    third = (
        n * float(shares @ off**3)
        + 12 * pairs * float((both * np.outer(off, off) * kernel).sum())
        + 24 * pairs * float((both * off[:, None] * kernel**2).sum())
        + 8 * (pairs * float((both * kernel**3).sum()) + 6 * triples * closed)
    )
    variance = n * float(shares @ off**2) + 4 * pairs * second
    return Cumulants(mean=len(shares) - 1.0, variance=variance / n**2, third=third / n**3)


def _from_the_end(pmf: NDArray[np.float64], decks: int) -> list[int]:
    """How many values each bin takes, from the thin end of a law up to half of it."""
    sizes, outside, share, size = [], 0.0, 0.0, 0
    for chance in pmf:
        share, size = share + float(chance), size + 1
        if outside + share > 0.5:
            break
        if decks * share >= LEAST_EXPECTED and share >= min(outside, WIDEST_SHARE):
            sizes.append(size)
            outside, share, size = outside + share, 0.0, 0
    return sizes


@lru_cache(maxsize=256)
def bins_of(law: Law, decks: int) -> Bins:
    """The bins for so many decks."""
    pmf = law.pmf
    low, high = _from_the_end(pmf, decks), _from_the_end(pmf[::-1], decks)
    first, last = sum(low), len(pmf) - sum(high)
    starts = np.cumsum([0, *low[:-1]]).tolist() if low else []
    # Between the two ends: values one by one, as far as each has enough.
    share, start = 0.0, first
    for value in range(first, last):
        share += float(pmf[value])
        enough_left = decks * float(pmf[value + 1 : last].sum()) >= LEAST_EXPECTED
        if value == last - 1 or (decks * share >= LEAST_EXPECTED and share >= WIDEST_SHARE and enough_left):
            starts.append(start)
            share, start = 0.0, value + 1
    starts += (last + np.cumsum([0, *high[::-1][:-1]])).tolist() if high else []
    places = np.array(starts, np.intp)
    shares = np.add.reduceat(pmf, places)
    while len(places) > 1 and decks * shares.min() < LEAST_EXPECTED:
        places = np.delete(places, max(1, int(shares.argmin())))
        shares = np.add.reduceat(pmf, places)
    return Bins(starts=places, shares=shares, law=unequal_cells(shares, decks))


@lru_cache(maxsize=64)
def _beyond(law: Law) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P(value or less) and P(value or more) for each value, summed from the thin ends."""
    return np.cumsum(law.pmf), np.cumsum(law.pmf[::-1])[::-1]


def _none_in(chance: float, decks: int) -> float:
    """The chance that some of so many decks has what one deck has with that chance."""
    return 1.0 if chance >= 1.0 else -math.expm1(decks * math.log1p(-chance))


def _outermost(chances: NDArray[np.float64], place: int, decks: int, u: float) -> float:
    """The randomised chance that the outermost of so many decks lies as far out as `place` of the ordered values."""
    beyond = _none_in(float(chances[place + 1]), decks) if place + 1 < len(chances) else 0.0
    return beyond + u * (_none_in(float(chances[place]), decks) - beyond)


@dataclass(frozen=True, kw_only=True)
class DistributionJudge:
    """Cells are a histogram of the count, or several in a row (lags), each over decks of its own."""

    law: Callable[[], Law]
    of: str
    rows: int = 1
    row_name: Callable[[int], str] = lambda _: ""
    null: Null = Null.ASYMPTOTIC
    unit: str = "rms relative deviation of a bin of decks"

    def _rows(self, cells: Cells) -> list[tuple[int, Cells, int]]:
        table = cells.reshape(self.rows, -1)[:, : len(self.law().counts)]
        return [(row, counts, many) for row, counts in enumerate(table) if (many := int(counts.sum()))]

    def _sums(self, cells: Cells) -> list[tuple[float, Cumulants]]:
        """Pearson's sum of each row, and its law."""
        parts = [(bins_of(self.law(), many), counts, many) for _, counts, many in self._rows(cells)]
        return [(bins.measure(counts, many), bins.law) for bins, counts, many in parts]

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        at_most, at_least = _beyond(self.law())
        outer = []
        for _, counts, many in self._rows(cells):
            seen = np.flatnonzero(counts)
            outer.append(_outermost(at_least, int(seen[-1]), many, chance.uniform()))
            low = len(counts) - 1 - int(seen[0])
            outer.append(_outermost(at_most[::-1], low, many, chance.uniform()))
        sums = self._sums(cells)
        binned = [law.tails(statistic).two_sided for statistic, law in sums]
        parts = (sidak(min(binned), len(binned)), sidak(min(outer), len(outer)))
        return Judgement(statistic=max(sums, key=_moved)[0], p=sidak(min(parts), len(parts)))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        statistic, law = max(self._sums(cells), key=_moved)
        moved = statistic - law.mean
        half = upper_z(sidak_part(1 - CONFIDENCE, self.rows) / 2) * math.sqrt(law.variance + 4 * max(0.0, moved))
        value, low, high = (math.sqrt(max(0.0, by) / decks) for by in (moved, moved - half, moved + half))
        return DeckEffect(value=value, low=low, high=high)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:  # noqa: ARG002
        found = []
        at_most, at_least = _beyond(self.law())
        for row, counts, many in self._rows(cells):
            bins, head = bins_of(self.law(), many), self.row_name(row)
            stops = [*(bins.starts[1:] - 1).tolist(), len(counts) - 1]
            seen = np.add.reduceat(counts, bins.starts)
            for start, stop, count, share in zip(bins.starts.tolist(), stops, seen, bins.shares, strict=True):
                values = f"{start}" if start == stop else f"{start} to {stop}"
                found.append(_finding(f"{head}decks with {values} {self.of}", int(count), many * float(share)))
            used = np.flatnonzero(counts)
            for place, chances, side in ((used[-1], at_least, "or more"), (used[0], at_most, "or fewer")):
                count, expected = int(counts[place]), many * float(chances[place])
                found.append(_finding(f"{head}decks with {place} {side} {self.of}", count, expected))
        return strongest(found)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return math.sqrt(self._move(decks, level, power) / decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return self._move(1_000_000, level, power) / effect**2

    def _move(self, decks: int, level: float, power: float) -> float:
        """How far the sum of one row must move, if all decks too many fall into its rarest bin: what is hit more often
        varies more, and rare bins most, so that any other deviation of this size is found at least as often."""
        bins, part, weight, moved = bins_of(self.law(), decks), sidak_part(level, 2 * self.rows) / 2, 1.0, 0.0
        for _ in range(_ROUNDS):
            moved = bins.law.move_found(part, power, round(weight, 6))
            weight = 1.0 + math.sqrt(moved / (decks * float(bins.shares.min())))
        return moved


def _moved(part: tuple[float, Cumulants]) -> float:
    statistic, law = part
    return (statistic - law.mean) / math.sqrt(law.variance)


_TINY = 1e-300


def _finding(place: str, observed: int, expected: float) -> Finding:
    # The law of a shoe can be nought, in floating point, where a deck still lies.
    z = (observed - expected) / math.sqrt(max(expected, _TINY))
    return Finding(
        place=place, observed=float(observed), expected=expected, z=z
    )
