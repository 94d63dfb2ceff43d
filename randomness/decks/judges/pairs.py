"""Judges of the full table of position pairs: 1,326 tables of 52 × 51 cells.

Counting every ordered pair of cards at every ordered pair of positions adds up N matrices of the permutations acting
on ordered pairs. That action splits into irreducible parts of dimension 1, 51 (twice), 1,274 and 1,275; the entries of
a part of dimension d are uncorrelated with variance 1/d. So Pearson's sum over all tables follows
(n(n-1)/2) × [2/51 chi-square(51²) + 1/1274 chi-square(1274²) + 1/1275 chi-square(1275²)], and its first term is 51
times the card × position sum: what is left when that is taken off belongs to pairs alone.
"""

import importlib
import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS
from randomness.decks.judges.base import MOST_FINDINGS, Cells
from randomness.decks.judges.chisquare import ChiSquareJudge, RowsJudge
from randomness.decks.tails import chi_square, equal_cells
from randomness.extras import numba_installed
from randomness.result import Finding

_PAIRS = tuple(combinations(range(CARDS), 2))
_CELLS = CARDS * (CARDS - 1)
_SYMMETRIC = CARDS * (CARDS - 3) / 2
_ANTISYMMETRIC = (CARDS - 1) * (CARDS - 2) / 2

Name = Callable[[int, int, int, int], str]


def _sums(cells: Cells, decks: int) -> NDArray[np.float64]:
    # Impossible cells (one card twice) are empty, so they add nothing to the squares.
    return np.asarray(_squares(cells.reshape(len(_PAIRS), CARDS * CARDS)) * (_CELLS / decks) - decks)


def _squares(table: Cells) -> NDArray[np.int64]:
    if numba_installed():
        out = np.empty(len(table), np.int64)
        importlib.import_module("randomness.decks.compiled").squares(table, out)
        return out
    return np.asarray(np.einsum("ij,ij->i", table, table, dtype=np.int64))


def _one_position(cells: Cells, decks: int) -> float:
    """The card × position sum of the same decks, from the tables that hold each position first or second."""
    table = cells.reshape(len(_PAIRS), CARDS, CARDS)
    # Pair j - 1 is positions (0, j).
    rows = [table[0].sum(1), *(table[other - 1].sum(0) for other in range(1, CARDS))]
    expected = decks / CARDS
    return float(sum(((row - expected) ** 2).sum() for row in rows) / expected)


def worst_pair(name: Name) -> RowsJudge:
    """Each pair of positions alone: chi-square over 2,652 cells, the worst of 1,326."""
    return RowsJudge(
        measure=_sums,
        law=lambda decks: equal_cells(_CELLS, decks),
        rows=len(_PAIRS),
        per_deck=1.0,
        unit="rms relative deviation of a cell in the worst pair of positions",
        places=lambda cells, decks: _places(cells, decks, name),
    )


def all_pairs(name: Name) -> ChiSquareJudge:
    """All pairs together, less what single positions explain."""
    half = _CELLS / 2

    def measure(cells: Cells, decks: int) -> float:
        return float(_sums(cells, decks).sum()) - (CARDS - 1) * _one_position(cells, decks)

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: chi_square((half / _SYMMETRIC, _SYMMETRIC**2), (half / _ANTISYMMETRIC, _ANTISYMMETRIC**2)),
        per_deck=float(len(_PAIRS)),
        weight=half / _ANTISYMMETRIC,
        unit="rms relative deviation of a cell",
        places=lambda cells, decks: _places(cells, decks, name),
    )


def _places(cells: Cells, decks: int, name: Name) -> tuple[Finding, ...]:
    sums, law = _sums(cells, decks), equal_cells(_CELLS, decks)
    worst = int(sums.argmax())
    i, j = _PAIRS[worst]
    table = cells.reshape(len(_PAIRS), CARDS, CARDS)[worst]
    expected = decks / _CELLS
    picked = np.argsort(table, axis=None)[::-1][: MOST_FINDINGS - 1]
    head = Finding(
        place=name(i, j, -1, -1),
        observed=float(sums[worst]),
        expected=law.mean,
        z=float((sums[worst] - law.mean) / math.sqrt(law.variance)),
    )
    rest = (
        Finding(
            place=name(i, j, int(cell) // CARDS, int(cell) % CARDS),
            observed=float(table.ravel()[cell]),
            expected=expected,
            z=float((table.ravel()[cell] - expected) / math.sqrt(expected)),
        )
        for cell in picked
    )
    return (head, *rest)
