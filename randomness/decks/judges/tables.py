"""Judges of tables: value × position whole and lumped, adjacent pairs, Lehmer digits, distances, correlations.

A table counts `cells[position, card]` over N decks of n cards with m copies of a card. The deviations of one deck have
covariance (I - J/n) ⊗ (diag(m) - m mᵀ/n) / (n-1), so Pearson's sum follows n/(n-1) × chi-square with (n-1)(cards-1).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks.judges.base import CONFIDENCE, CONFIDENCE_Z, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement
from randomness.decks.judges.chisquare import ChiSquareJudge, RowsJudge
from randomness.decks.judges.extremes import CellsJudge, least_p
from randomness.decks.sums import Law
from randomness.decks.tails import (
    Cumulants,
    added,
    chi_square,
    equal_cells,
    normal_tails,
    sidak,
    sidak_part,
    upper_z,
)
from randomness.result import Finding, Null

Table = NDArray[np.float64]
Name = Callable[[int, int], str]


def top(z: Table, observed: Table, expected: Table, name: Callable[[int, int], str]) -> tuple[Finding, ...]:
    """The cells that stand out most from a two-way table."""
    picked = np.argsort(np.abs(z), axis=None)[::-1][:MOST_FINDINGS]
    return tuple(
        Finding(
            place=name(int(i), int(j)),
            observed=float(observed[i, j]),
            expected=float(expected[i, j]),
            z=float(z[i, j]),
        )
        for i, j in zip(*np.unravel_index(picked, z.shape), strict=True)
    )


# ----- cells and rows of several laws ---------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class MixedCellsJudge:
    """Cells of several laws (cards with one copy and with two), judged by the one that stands out most."""

    parts: tuple[CellsJudge, ...]
    null: Null = Null.EXACT
    unit: str = "relative deviation of one cell"

    @cached_property
    def _many(self) -> int:
        return sum(len(part.chosen) for part in self.parts)

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:
        p = min(least_p(part.law(), cells[part.chosen], decks, chance) for part in self.parts)
        z = max(abs(finding.z) for finding in self.findings(cells, decks))
        return Judgement(statistic=z, p=sidak(p, self._many))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        return max((part.effect(cells, decks) for part in self.parts), key=lambda effect: abs(effect.value))

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        every = [finding for part in self.parts for finding in part.findings(cells, decks)]
        return tuple(sorted(every, key=lambda finding: -abs(finding.z))[:MOST_FINDINGS])

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return max(part.least_effect(decks, level, power) for part in self.parts)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return max(part.decks_for(effect, level, power) for part in self.parts)


CELL = "relative deviation of one cell"


def cells_judge(
    laws: Sequence[Law], of: Sequence[NDArray[np.intp]], name: Callable[[int], str], unit: str = CELL
) -> CellsJudge | MixedCellsJudge:
    """One law for each list of cells."""
    parts = tuple(
        CellsJudge(law=lambda law=law: law, chosen=chosen, name=name, unit=unit)  # type: ignore[misc]
        for law, chosen in zip(laws, of, strict=True)
    )
    return parts[0] if len(parts) == 1 else MixedCellsJudge(parts=parts, unit=unit)


@dataclass(frozen=True, kw_only=True)
class MixedRowsJudge:
    """Several tables, each of its own law, judged by the least likely of them, with their number allowed for."""

    measure: Callable[[Cells, int], Table]
    laws: Callable[[int], Sequence[Cumulants]]
    per_deck: Table
    unit: str
    places: Callable[[Cells, int, int], tuple[Finding, ...]]
    null: Null = Null.ASYMPTOTIC

    def _tails(self, cells: Cells, decks: int) -> list[float]:
        sums = self.measure(cells, decks)
        return [law.tails(float(x)).upper for law, x in zip(self.laws(decks), sums, strict=True)]

    def _worst(self, cells: Cells, decks: int) -> int:
        # Tails far out are all zero: there the standardised sum tells.
        sums, laws = self.measure(cells, decks), self.laws(decks)
        tails = self._tails(cells, decks)
        return min(range(len(tails)), key=lambda row: (tails[row], -(sums[row] - laws[row].mean)))

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        tails, worst = self._tails(cells, decks), self._worst(cells, decks)
        return Judgement(statistic=float(self.measure(cells, decks)[worst]), p=sidak(min(tails), len(tails)))

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        worst = self._worst(cells, decks)
        law = self.laws(decks)[worst]
        moved = float(self.measure(cells, decks)[worst]) - law.mean
        many = len(self.per_deck)
        half = upper_z(sidak_part(1 - CONFIDENCE, many) / 2) * math.sqrt(law.variance + 4 * max(0.0, moved))
        size = decks * float(self.per_deck[worst])
        value, low, high = (math.sqrt(max(0.0, each) / size) for each in (moved, moved - half, moved + half))
        return DeckEffect(value=value, low=low, high=high)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        return self.places(cells, decks, self._worst(cells, decks))

    def least_effect(self, decks: int, level: float, power: float) -> float:
        part = sidak_part(level, len(self.per_deck))
        found = [law.move_found(part, power, 1.0) for law in self.laws(decks)]
        return max(math.sqrt(moved / (decks * float(each))) for moved, each in zip(found, self.per_deck, strict=True))

    def decks_for(self, effect: float, level: float, power: float) -> float:
        part = sidak_part(level, len(self.per_deck))
        found = [law.move_found(part, power, 1.0) for law in self.laws(1_000_000)]
        return max(moved / (float(each) * effect**2) for moved, each in zip(found, self.per_deck, strict=True))


@dataclass(frozen=True, kw_only=True)
class MeanJudge:
    """Cells are a sum over decks, its squares and the decks: each deck has mean 0, the spread is the decks' own."""

    of: str
    cards: int
    deviation: float
    """About what one deck's deviation is, for the power."""
    null: Null = Null.ASYMPTOTIC
    unit: str = "extra pairs a deck"

    def _z(self, cells: Cells) -> float:
        return float(cells[0]) / math.sqrt(float(cells[1])) if cells[1] else 0.0

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        z = self._z(cells)
        return Judgement(statistic=z, p=normal_tails(z).two_sided)

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        value = float(cells[0]) / decks / self.cards
        half = CONFIDENCE_Z * math.sqrt(float(cells[1])) / decks / self.cards
        return DeckEffect(value=value, low=value - half, high=value + half)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        mean = float(cells[0]) / decks / self.cards
        return (Finding(place=f"{self.of}, more than by chance", observed=mean, expected=0.0, z=self._z(cells)),)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return (upper_z(level / 2) + upper_z(1 - power)) * self.deviation / math.sqrt(decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return ((upper_z(level / 2) + upper_z(1 - power)) * self.deviation / effect) ** 2


# ----- laws of tables -------------------------------------------------------------------------------------------------


def whole_table(copies: Sequence[int]) -> Callable[[int], Cumulants]:
    """Cumulants of the sum over positions × cards, exact but for a small part of the third.

    Over pairs of decks the sum counts equal cards at equal places, each by 1/copies, less one: variance
    (cards-1)/(n-1); third moment of a pair that of as many Poisson counts.
    """
    n, cards = sum(copies), len(copies)
    third_of_pair = sum(1.0 / (n * many) for many in copies)

    def law(decks: int) -> Cumulants:
        d = float(decks)
        pairs, triples = d * (d - 1) / 2, d * (d - 1) * (d - 2) / 6
        scale = 2.0 * n / d
        return Cumulants(
            mean=n * (cards - 1.0),
            variance=scale**2 * pairs * (cards - 1) / (n - 1),
            third=scale**3 * (pairs * third_of_pair + 6 * triples * (cards - 1) / (n - 1) ** 2),
        )

    return law


def multinomial(shares: Table) -> Callable[[int], Cumulants]:
    """Cumulants of Pearson's sum over cells of one sample a deck: exact mean and variance, third to first order."""
    cells = len(shares)
    inverse = 1.0 / shares
    spread = float(shares @ inverse**2) - cells**2  # variance of 1/share
    cubes = float(shares**2 @ (inverse - 1) ** 3) - (1.0 - float(shares @ shares))

    def law(decks: int) -> Cumulants:
        d = float(decks)
        pairs, triples = d * (d - 1) / 2, d * (d - 1) * (d - 2) / 6
        return Cumulants(
            mean=cells - 1.0,
            variance=2.0 * (cells - 1) * (d - 1) / d + spread / d,
            third=8.0 / d**3 * (pairs * (cubes + 3 * spread) + 6 * triples * (cells - 1)),
        )

    return law


def places_of_a_card(copies: int, n: int) -> Callable[[int], Cumulants]:
    """Cumulants of Pearson's sum of one card's places: `copies` of n are taken in each deck, without replacement."""
    share = copies / n
    variance = share * (1 - share) * copies * (n - copies) / (n - 1)
    third = variance * (n - 2 * copies) ** 2 / (n * (n - 2))
    eigen = copies * (n - copies) / (n * (n - 1.0))

    def law(decks: int) -> Cumulants:
        d = float(decks)
        pairs, triples = d * (d - 1) / 2, d * (d - 1) * (d - 2) / 6
        scale = 2.0 * n / (copies * d)
        return Cumulants(
            mean=n - copies,
            variance=scale**2 * pairs * variance,
            third=scale**3 * (pairs * third + 6 * triples * (n - 1) * eigen**3),
        )

    return law


# ----- value × position -----------------------------------------------------------------------------------------------


def position_table(
    position_groups: Sequence[int], value_groups: Sequence[int], copies: Sequence[int], name: Name
) -> ChiSquareJudge:
    """Positions and cards lumped by group number; whole where no two are."""
    n, cards = sum(copies), len(copies)
    rows = np.equal.outer(np.arange(max(position_groups) + 1), np.array(position_groups)).astype(float)
    columns = np.equal.outer(np.array(value_groups), np.arange(max(value_groups) + 1)).astype(float)
    high, wide = rows.sum(1), np.array(copies) @ columns
    share = np.outer(high, wide) / n
    ratio = n / (n - 1)
    variance = share * np.outer(1 - high / n, 1 - wide / n) * ratio
    freedom = (len(high) - 1.0) * (len(wide) - 1.0)
    whole = share.shape == (n, cards)

    def lumped(cells: Cells) -> Table:
        return np.asarray(rows @ cells.reshape(n, cards) @ columns)

    def measure(cells: Cells, decks: int) -> float:
        return float(((lumped(cells) - decks * share) ** 2 / (decks * share)).sum())

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        table = lumped(cells)
        return top((table - decks * share) / np.sqrt(decks * variance), table, decks * share, name)

    return ChiSquareJudge(
        measure=measure,
        law=whole_table(copies) if whole else lambda _: chi_square((ratio, freedom)),
        per_deck=float(n),
        weight=ratio,
        unit="rms relative deviation of a cell",
        places=places,
    )


def each_position(copies: Sequence[int], name_row: Callable[[int], str], name: Name) -> RowsJudge:
    """Each position alone over the cards."""
    n, cards = sum(copies), len(copies)
    shares = np.array(copies) / n
    law = multinomial(shares)

    def measure(cells: Cells, decks: int) -> Table:
        return np.asarray(((cells.reshape(n, cards) - decks * shares) ** 2 / (decks * shares)).sum(1))

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        sums, here = measure(cells, decks), law(decks)
        worst = int(sums.argmax())
        row = cells.reshape(n, cards)[worst : worst + 1].astype(float)
        expected = (decks * shares)[None, :]
        head = _head(name_row(worst), float(sums[worst]), here)
        z = (row - expected) / np.sqrt(expected * (1 - shares))
        return (head, *top(z, row, expected, lambda _, j: name(worst, j)))[:MOST_FINDINGS]

    return RowsJudge(
        measure=measure, law=law, rows=n, per_deck=1.0, places=places,
        unit="rms relative deviation of a cell in the worst line",
    )  # fmt: skip


def each_card(copies: Sequence[int], name_row: Callable[[int], str], name: Name) -> MixedRowsJudge:
    """Each card alone over the positions."""
    n, cards = sum(copies), len(copies)
    shares = np.array(copies) / n
    of = {many: places_of_a_card(many, n) for many in set(copies)}

    def laws(decks: int) -> list[Cumulants]:
        known = {many: law(decks) for many, law in of.items()}
        return [known[many] for many in copies]

    def measure(cells: Cells, decks: int) -> Table:
        return np.asarray(((cells.reshape(n, cards) - decks * shares) ** 2 / (decks * shares)).sum(0))

    def places(cells: Cells, decks: int, worst: int) -> tuple[Finding, ...]:
        column = cells.reshape(n, cards)[:, worst].astype(float)[None, :]
        expected = np.full_like(column, decks * shares[worst])
        head = _head(name_row(worst), float(measure(cells, decks)[worst]), laws(decks)[worst])
        z = (column - expected) / np.sqrt(expected * (1 - shares[worst]))
        return (head, *top(z, column, expected, lambda _, i: name(i, worst)))[:MOST_FINDINGS]

    return MixedRowsJudge(
        measure=measure, laws=laws, per_deck=np.array(copies, float), places=places,
        unit="rms relative deviation of a cell in the worst line",
    )  # fmt: skip


def _head(place: str, seen: float, law: Cumulants) -> Finding:
    return Finding(place=place, observed=seen, expected=law.mean, z=(seen - law.mean) / math.sqrt(law.variance))


# ----- adjacent pairs -------------------------------------------------------------------------------------------------


def adjacent_law(sizes: Sequence[int]) -> tuple[Table, Table]:
    """Mean and covariance, for one deck, of how often each kind follows each (kinds of so many cards).

    Two places of pairs are the same, overlap in a card, or lie apart; all are counted over told-apart cards.
    """
    w, n, kinds = np.array(sizes, float), float(sum(sizes)), len(sizes)
    same = np.eye(kinds)
    two = w[:, None] * (w[None, :] - same)
    mean = (two / n).ravel()
    # a b c: the third card is taken when the first two are.
    three = two[:, :, None] * (w[None, None, :] - same[:, None, :] - same[None, :, :])
    second = np.zeros((kinds,) * 4)
    for b in range(kinds):
        chain = three[:, b, :] * ((n - 2) / (n * (n - 1) * (n - 2)))  # a, b, d
        second[:, b, b, :] += chain
        second[b, :, :, b] += chain.T
    four = three[:, :, :, None] * (
        w[None, None, None, :] - same[:, None, None, :] - same[None, :, None, :] - same[None, None, :, :]
    )
    second += four * ((n - 2) * (n - 3) / (n * (n - 1) * (n - 2) * (n - 3)))
    covariance = second.reshape(kinds**2, kinds**2) - np.outer(mean, mean)
    covariance[np.diag_indices(kinds**2)] += mean
    return mean, covariance


def adjacent_pairs(copies: Sequence[int], name: Name) -> ChiSquareJudge:
    """Who follows whom, over all pairs of cards that can."""
    n, cards = sum(copies), len(copies)
    mean = adjacent_means(copies)
    can = mean > 0
    # One card is followed by another at most once in a deck; by a face of a shoe about as often as by a Poisson law.
    deviation = np.sqrt(np.where(can, mean * (1 - mean) if n == cards else mean, 1.0))

    def measure(cells: Cells, decks: int) -> float:
        return float(((cells[can] - decks * mean[can]) ** 2 / (decks * mean[can])).sum())

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        square = (cards, cards)
        z = np.where(can, (cells - decks * mean) / (deviation * math.sqrt(decks)), 0.0)
        seen = cells.reshape(square).astype(float)
        return top(z.reshape(square), seen, (decks * mean).reshape(square), name)

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: adjacent_cumulants(tuple(copies)),
        per_deck=n - 1.0,
        weight=(n + 1) / (n - 1),
        unit="rms relative deviation of a pair",
        places=places,
    )


def adjacent_means(copies: Sequence[int]) -> Table:
    """How often each card follows each in one deck."""
    w = np.array(copies, float)
    return np.asarray(w[:, None] * (w[None, :] - np.eye(len(w))) / w.sum()).ravel()


@lru_cache(maxsize=16)
def adjacent_cumulants(copies: tuple[int, ...]) -> Cumulants:
    """Of Pearson's sum over who follows whom. Permutations: 1/(n-1) for the row and column sums, 1 and (n+1)/(n-1) for
    the symmetric and the antisymmetric rest. Multisets: the traces of the powers of the scaled covariance."""
    n = sum(copies)
    if len(copies) == n:
        return chi_square(
            (1 / (n - 1), 2 * (n - 1)), (1.0, n * (n - 3) / 2), ((n + 1) / (n - 1), (n - 1) * (n - 2) / 2)
        )
    mean, covariance = adjacent_law(copies)
    can = mean > 0
    root = np.sqrt(mean[can])
    scaled = covariance[np.ix_(can, can)] / np.outer(root, root)
    square = scaled @ scaled
    return Cumulants(
        mean=float(np.trace(scaled)), variance=2.0 * float(np.trace(square)), third=8.0 * float((square * scaled).sum())
    )


def lumped_adjacent(sizes: Sequence[int], groups: Sequence[int], name: Name) -> ChiSquareJudge:
    """Which kind follows which, by the inverse of the exact covariance."""
    kinds = len(sizes)
    mean, covariance = adjacent_law(sizes)
    of = np.array(groups)
    pair = np.add.outer(of * kinds, of).ravel()
    values, vectors = np.linalg.eigh(covariance)
    used = values > 1e-10 * values.max()
    inverse = (vectors[:, used] / values[used]) @ vectors[:, used].T
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-12))

    def measure(cells: Cells, decks: int) -> float:
        off = np.bincount(pair, weights=cells, minlength=kinds**2) - decks * mean
        return float(off @ inverse @ off / decks)

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        seen = np.asarray(np.bincount(pair, weights=cells, minlength=kinds**2), float)
        z = np.where(mean > 0, (seen - decks * mean) / (deviation * math.sqrt(decks)), 0.0)
        square = (kinds, kinds)
        return top(z.reshape(square), seen.reshape(square), (decks * mean).reshape(square), name)

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: chi_square((1.0, float(used.sum()))),
        per_deck=sum(sizes) - 1.0,
        unit="rms relative deviation of a pair of kinds",
        places=places,
    )


# ----- Lehmer digits --------------------------------------------------------------------------------------------------


def lehmer_digits(cards: int, name: Name) -> ChiSquareJudge:
    """Digit i is uniform on cards - i values and independent of the others: of 52, 1,326 degrees of freedom in all."""
    used = np.add.outer(np.arange(cards), np.arange(cards)) < cards
    share = np.where(used, 1.0 / (cards - np.arange(cards))[:, None], 1.0)

    def measure(cells: Cells, decks: int) -> float:
        expected = decks * share
        return float(np.where(used, (cells.reshape(cards, cards) - expected) ** 2 / expected, 0.0).sum())

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        expected = decks * share
        table = np.where(used, cells.reshape(cards, cards), expected)
        deviation = np.sqrt(np.where(share < 1, expected * (1 - share), 1.0))
        return top((table - expected) / deviation, table, expected, name)

    return ChiSquareJudge(
        measure=measure,
        law=lambda decks: added([equal_cells(values, decks) for values in range(2, cards + 1)]),
        per_deck=cards - 1.0,
        unit="rms relative deviation of a digit's values",
        places=places,
    )


# ----- distances and correlations -------------------------------------------------------------------------------------


@lru_cache
def distance_law(n: int) -> tuple[Table, Table]:
    """Mean and covariance, for one deck, of how many of the n-1 neighbouring pairs come out at each distance.

    Two pairs share a card (three places) or do not (four places): both are counted over all places.
    """
    reach = np.array([[(y - d >= 0) + (y + d < n) for y in range(n)] for d in range(1, n)], float)
    pairs = reach.sum(1)
    same = np.eye(n - 1)
    sharing = reach @ reach.T - same * pairs
    apart = np.outer(pairs, pairs) - 4 * sharing - same * 2 * pairs
    three, four = n * (n - 1) * (n - 2), n * (n - 1) * (n - 2) * (n - 3)
    mean = (n - 1) * pairs / (n * (n - 1))
    second = same * mean + 2 * (n - 2) * sharing / three
    if n > 3:
        second = second + (n - 2) * (n - 3) * apart / four
    return mean, second - np.outer(mean, mean)


def distances(n: int, name: Callable[[int], str]) -> ChiSquareJudge:
    """How far apart neighbours come out, by the inverse of the exact covariance."""
    mean, covariance = distance_law(n)
    values, vectors = np.linalg.eigh(covariance)
    used = values > 1e-10 * values.max()
    inverse = (vectors[:, used] / values[used]) @ vectors[:, used].T
    deviation = np.sqrt(np.diag(covariance))

    def measure(cells: Cells, decks: int) -> float:
        off = cells[1:] - decks * mean
        return float(off @ inverse @ off / decks)

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        z = (cells[1:] - decks * mean) / (deviation * math.sqrt(decks))
        rows = (z[None, :], cells[1:][None, :].astype(float), (decks * mean)[None, :])
        return top(*rows, lambda _, d: name(d + 1))

    return ChiSquareJudge(
        measure=measure, law=lambda _: chi_square((1.0, float(used.sum()))), per_deck=1.0,
        unit="standardised shift of the distances", places=places,
    )  # fmt: skip


def serial_correlation(n: int, square: float, name: Name) -> ChiSquareJudge:
    """Every position with every position of the deck before: (n/(n-1))² × chi-square with (n-1)²."""
    ratio = (n / (n - 1)) ** 2

    def z(cells: Cells, decks: int) -> Table:
        return np.asarray(cells.reshape(n, n) / (square * math.sqrt(decks)))

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        table = z(cells, decks)
        return top(table, table / math.sqrt(decks), np.zeros_like(table), name)

    return ChiSquareJudge(
        measure=lambda cells, decks: float((z(cells, decks) ** 2).sum()),
        law=lambda _: chi_square((ratio, (n - 1.0) ** 2)),
        per_deck=float(n * n),
        weight=ratio,
        unit="rms correlation over pairs of positions",
        places=places,
    )
