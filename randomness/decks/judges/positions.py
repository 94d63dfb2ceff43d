"""Judges of tables of one permutation: value × position whole and lumped, adjacent pairs, Lehmer digits, distances.

A table counts `cells[position, value]` over N decks with n = 52 cards. Written as N permutation matrices less their
mean, Pearson's sum over the whole table is n/N times a squared norm, whose covariance has one eigenvalue: the sum
follows n/(n-1) × chi-square with (n-1)² degrees of freedom. Lumping positions into A groups and values into B groups
projects it and leaves n/(n-1) × chi-square with (A-1)(B-1).
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS
from randomness.decks.judges.base import MOST_FINDINGS, Cells
from randomness.decks.judges.chisquare import ChiSquareJudge, RowsJudge
from randomness.decks.judges.extremes import CellsJudge
from randomness.decks.sums import Law
from randomness.decks.tails import Cumulants, added, chi_square, equal_cells
from randomness.result import Finding

Name = Callable[[int], str]
Table = NDArray[np.float64]

_RATIO = CARDS / (CARDS - 1)


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


# ----- value × position -----------------------------------------------------------------------------------------------


def _whole_table(decks: int) -> Cumulants:
    """Exact first three cumulants of the sum over the whole table, for any number of decks.

    The squared norm counts, over pairs of decks, the fixed points of one seen from the other, less one: variance 1 and
    third moment 1 for a pair, 1/(n-1) for a closed triple (fixed points less one are an irreducible character).
    """
    n, d = CARDS, float(decks)
    pairs, triples = d * (d - 1) / 2, d * (d - 1) * (d - 2) / 6
    scale = 2.0 * n / d
    return Cumulants(
        mean=n * (n - 1.0), variance=scale**2 * pairs, third=scale**3 * (pairs + 6 * triples / (n - 1))
    )


def position_table(
    position_groups: Sequence[int], value_groups: Sequence[int], name: Callable[[int, int], str]
) -> ChiSquareJudge:
    """Positions and values lumped by group number; `name` names a (position group, value group) pair."""
    rows = np.equal.outer(np.arange(max(position_groups) + 1), np.array(position_groups)).astype(float)
    columns = np.equal.outer(np.array(value_groups), np.arange(max(value_groups) + 1)).astype(float)
    share = np.outer(rows.sum(1), columns.sum(0)) / CARDS
    whole = share.shape == (CARDS, CARDS)
    freedom = (share.shape[0] - 1.0) * (share.shape[1] - 1.0)
    # Of one cell: a hypergeometric count in each deck.
    n = float(CARDS)
    variance = share * np.outer(1 - rows.sum(1) / n, 1 - columns.sum(0) / n) * n / (n - 1)

    def lumped(cells: Cells) -> Table:
        return np.asarray(rows @ cells.reshape(CARDS, CARDS) @ columns)

    def measure(cells: Cells, decks: int) -> float:
        return float(((lumped(cells) - decks * share) ** 2 / (decks * share)).sum())

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        table = lumped(cells)
        return top((table - decks * share) / np.sqrt(decks * variance), table, decks * share, name)

    return ChiSquareJudge(
        measure=measure,
        law=_whole_table if whole else lambda _: chi_square((_RATIO, freedom)),
        per_deck=n,
        weight=_RATIO,
        unit="rms relative deviation of a cell",
        places=places,
    )


def each_row(name_row: Name, name: Callable[[int, int], str], *, by_value: bool) -> RowsJudge:
    """Each position alone over values (or each value alone over positions): ordinary chi-squares with 51."""
    share = 1.0 / CARDS

    def table(cells: Cells) -> Table:
        square = cells.reshape(CARDS, CARDS).astype(float)
        return square.T if by_value else square

    def measure(cells: Cells, decks: int) -> Table:
        return np.asarray(((table(cells) - decks * share) ** 2).sum(1) / (decks * share))

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        sums, law = measure(cells, decks), equal_cells(CARDS, decks)
        worst = int(sums.argmax())
        row = table(cells)[worst : worst + 1]
        expected = np.full_like(row, decks * share)
        z = (row - expected) / math.sqrt(decks * share * (1 - share))
        spread = (sums[worst] - law.mean) / math.sqrt(law.variance)
        head = Finding(place=name_row(worst), observed=float(sums[worst]), expected=law.mean, z=float(spread))
        cell = top(z, row, expected, lambda _, j: name(j, worst) if by_value else name(worst, j))
        return (head, *cell)[:MOST_FINDINGS]

    return RowsJudge(
        measure=measure,
        law=lambda decks: equal_cells(CARDS, decks),
        rows=CARDS,
        per_deck=1.0,
        unit="rms relative deviation of a cell in the worst line",
        places=places,
    )


@lru_cache
def one_in(cells: int, hits: int = 1) -> Law:
    """One deck's law of a cell that is hit with probability hits/cells."""
    return Law((cells - hits, hits))


def each_cell(name: Callable[[int, int], str]) -> CellsJudge:
    return CellsJudge(
        law=lambda: one_in(CARDS),
        chosen=np.arange(CARDS * CARDS),
        name=lambda cell: name(*divmod(cell, CARDS)),
    )


# ----- adjacent pairs -------------------------------------------------------------------------------------------------


_OFF_DIAGONAL = np.flatnonzero(~np.eye(CARDS, dtype=bool))

# (n-1)^-1 for the row and column sums, 1 and (n+1)/(n-1) for the symmetric and the antisymmetric rest.
ADJACENT = (
    (1 / (CARDS - 1), 2.0 * (CARDS - 1)),
    (1.0, CARDS * (CARDS - 3) / 2),
    ((CARDS + 1) / (CARDS - 1), (CARDS - 1) * (CARDS - 2) / 2),
)
_ADJACENT_LAW = chi_square(*ADJACENT)


def adjacent_pairs(name: Callable[[int, int], str]) -> ChiSquareJudge:
    """Who follows whom. The cells of one deck exclude each other, so the sum is not chi-square with 2,651."""

    def measure(cells: Cells, decks: int) -> float:
        expected = decks / CARDS
        return float(((cells[_OFF_DIAGONAL] - expected) ** 2).sum() / expected)

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        expected = np.full((CARDS, CARDS), decks / CARDS)
        table = np.where(np.eye(CARDS, dtype=bool), expected, cells.reshape(CARDS, CARDS))
        return top((table - expected) / math.sqrt(decks * 51 / 52**2), table, expected, name)

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: _ADJACENT_LAW,
        per_deck=CARDS - 1.0,
        weight=(CARDS + 1) / (CARDS - 1),
        unit="rms relative deviation of a pair",
        places=places,
    )


def each_adjacent_pair(name: Callable[[int, int], str]) -> CellsJudge:
    return CellsJudge(
        law=lambda: one_in(CARDS), chosen=_OFF_DIAGONAL, name=lambda cell: name(*divmod(cell, CARDS))
    )


def adjacent_covariance(n: int = CARDS) -> Table:
    """Of one deck's n × n table of who follows whom: two pairs exclude each other, overlap, or lie apart."""
    first, second = np.divmod(np.arange(n * n), n)
    proper = first != second
    together = 1.0 / (n * (n - 1))
    same_first, same_second = np.equal.outer(first, first), np.equal.outer(second, second)
    follows = np.equal.outer(second, first)
    joint = np.where(same_first | same_second | (follows & follows.T), 0.0, together)
    joint[same_first & same_second] = 1.0 / n
    joint -= 1.0 / n**2
    joint[~proper] = 0.0
    joint[:, ~proper] = 0.0
    return joint


def lumped_adjacent(groups: Sequence[int], name: Callable[[int, int], str]) -> ChiSquareJudge:
    """Which kind follows which, by the inverse of the exact covariance of the lumped table."""
    kinds = max(groups) + 1
    of = np.array(groups)
    pair = np.add.outer(of * kinds, of).ravel()
    lump = np.equal.outer(np.arange(kinds**2), pair).astype(float)
    share = lump @ (~np.eye(CARDS, dtype=bool)).ravel() / CARDS

    @lru_cache(maxsize=1)
    def covariance() -> Table:
        return np.asarray(lump @ adjacent_covariance() @ lump.T)

    @lru_cache(maxsize=1)
    def inverse() -> Table:
        return np.asarray(np.linalg.pinv(covariance(), rcond=1e-10, hermitian=True))

    def off(cells: Cells, decks: int) -> Table:
        return np.asarray(np.bincount(pair, weights=cells, minlength=kinds**2) - decks * share)

    def measure(cells: Cells, decks: int) -> float:
        apart = off(cells, decks)
        return float(apart @ inverse() @ apart / decks)

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        apart = off(cells, decks)
        z = apart / np.sqrt(decks * np.diag(covariance()))
        square = (kinds, kinds)
        expected = decks * share
        return top(z.reshape(square), (apart + expected).reshape(square), expected.reshape(square), name)

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: chi_square((1.0, kinds**2 - 1.0)),
        per_deck=float(CARDS - 1),
        unit="rms relative deviation of a pair of kinds",
        places=places,
    )


# ----- Lehmer digits --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def lehmer_digits(name: Callable[[int, int], str], cards: int = CARDS) -> ChiSquareJudge:
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


# ----- distances ------------------------------------------------------------------------------------------------------


@lru_cache
def distance_law(n: int = CARDS) -> tuple[Table, Table]:
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


def distances(name: Name) -> ChiSquareJudge:
    """How far apart neighbours come out, by the inverse of the exact covariance: 50 degrees of freedom."""
    mean, covariance = distance_law()
    inverse = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    deviation = np.sqrt(np.diag(covariance))

    def measure(cells: Cells, decks: int) -> float:
        off = cells[1:] - decks * mean
        return float(off @ inverse @ off / decks)

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        z = (cells[1:] - decks * mean) / (deviation * math.sqrt(decks))
        picked = np.abs(z).argsort()[::-1][:MOST_FINDINGS]
        return tuple(
            Finding(
                place=name(int(d) + 1), observed=float(cells[d + 1]), expected=float(decks * mean[d]), z=float(z[d])
            )
            for d in picked
        )

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: chi_square((1.0, CARDS - 2.0)),
        per_deck=1.0,
        unit="standardised shift of the distances",
        places=places,
    )
