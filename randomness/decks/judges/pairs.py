"""Judges of the full tables of position pairs: each pair alone, and, for permutations, all together.

Counting every ordered pair of cards at every ordered pair of positions adds up N matrices of the permutations acting on
ordered pairs. That action splits into irreducible parts of dimension 1, n-1 (twice), n(n-3)/2 and (n-1)(n-2)/2; the
entries of a part of dimension d are uncorrelated with variance 1/d. So Pearson's sum over all tables is n(n-1)/2 times
a sum of chi-squares, and the part of single positions is n-1 times the card × position sum: the rest belongs to pairs.
"""

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from randomness.decks.columns import kernel
from randomness.decks.judges.base import MOST_FINDINGS, Cells
from randomness.decks.judges.chisquare import ChiSquareJudge, RowsJudge
from randomness.decks.judges.tables import multinomial, top
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.tails import chi_square
from randomness.extras import numba_installed
from randomness.result import Finding

Table = NDArray[np.float64]
Name = Callable[[int, int, int, int], str]


def _shares(kind: DeckKind) -> Table:
    w, n = np.array(kind.copies, float), float(kind.cards)
    return np.asarray(w[:, None] * (w[None, :] - np.eye(len(w))) / (n * (n - 1)))


def _sums(cells: Cells, decks: int, shares: Table) -> Table:
    table = cells.reshape(-1, shares.size)
    used = shares[shares > 0]
    if used.min() == used.max():
        # Impossible cells (one card twice) are empty, so they add nothing to the squares.
        return np.asarray(_squares(table) * (len(used) / decks) - decks)
    weights = np.where(shares > 0, 1.0 / np.where(shares > 0, shares, 1.0), 0.0).ravel()
    return np.asarray((table.astype(np.float64) ** 2) @ weights / decks - decks)


def _squares(table: Cells) -> NDArray[np.int64]:
    """The sum of squares of each row."""
    if numba_installed():
        out = np.empty(len(table), np.int64)
        kernel().squares(table, out)
        return out
    return np.asarray(np.einsum("ij,ij->i", table, table, dtype=np.int64))


def worst_pair(kind: DeckKind, name: Name) -> RowsJudge:
    """Each pair of positions alone over the ordered pairs of cards."""
    shares = _shares(kind)
    law = multinomial(shares[shares > 0])
    return RowsJudge(
        measure=lambda cells, decks: _sums(cells, decks, shares),
        law=law,
        rows=kind.cards * (kind.cards - 1) // 2,
        per_deck=1.0,
        unit="rms relative deviation of a cell in the worst pair of positions",
        places=_places(kind, shares, name),
    )


def all_pairs(kind: DeckKind, name: Name) -> ChiSquareJudge:
    """All pairs together, less what single positions explain; where every card differs."""
    n, shares = kind.cards, _shares(kind)
    half, symmetric, antisymmetric = n * (n - 1) / 2, n * (n - 3) / 2, (n - 1) * (n - 2) / 2

    def measure(cells: Cells, decks: int) -> float:
        table = cells.reshape(-1, n, n)
        rows = [table[0].sum(1), *(table[other - 1].sum(0) for other in range(1, n))]
        expected = decks / n
        alone = sum(float(((row - expected) ** 2).sum()) for row in rows) / expected
        return float(_sums(cells, decks, shares).sum()) - (n - 1) * alone

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: chi_square((half / symmetric, symmetric**2), (half / antisymmetric, antisymmetric**2)),
        per_deck=half,
        weight=half / antisymmetric,
        unit="rms relative deviation of a cell",
        places=_places(kind, shares, name),
    )


def _places(kind: DeckKind, shares: Table, name: Name) -> Callable[[Cells, int], tuple[Finding, ...]]:
    pairs = tuple(combinations(range(kind.cards), 2))
    law = multinomial(shares[shares > 0])

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        sums, here = _sums(cells, decks, shares), law(decks)
        worst = int(sums.argmax())
        i, j = pairs[worst]
        table = cells.reshape(len(pairs), *shares.shape)[worst].astype(float)
        expected = decks * shares
        z = np.where(shares > 0, (table - expected) / np.sqrt(np.maximum(expected, 1e-12)), 0.0)
        head = Finding(
            place=name(i, j, -1, -1), observed=float(sums[worst]), expected=here.mean,
            z=float((sums[worst] - here.mean) / math.sqrt(here.variance)),
        )  # fmt: skip
        return (head, *top(z, table, expected, lambda a, b: name(i, j, a, b)))[:MOST_FINDINGS]

    return places
