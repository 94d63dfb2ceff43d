"""The law of all pairs of positions, by brute force over every order of a few cards."""

from itertools import combinations, permutations

import numpy as np
import pytest

from randomness.decks.judges import pairs
from randomness.decks.kinds import STANDARD


def test_the_parts_of_the_action_on_ordered_pairs() -> None:
    """Covariance eigenvalues of one deck's pair table: 2/d for d = n-1 (twice, doubled), 1/d for the two others."""
    n = 5
    tables = []
    for w in permutations(range(n)):
        table = np.zeros((n * (n - 1) // 2, n, n))
        for index, (i, j) in enumerate(combinations(range(n), 2)):
            table[index, w[i], w[j]] = 1
        tables.append(table.ravel())
    values = np.linalg.eigvalsh(np.cov(np.array(tables).T, bias=True))
    values = values[values > 1e-9]
    symmetric, antisymmetric, single = n * (n - 3) // 2, (n - 1) * (n - 2) // 2, n - 1
    # Counting unordered pairs of positions halves each part's share of n(n-1).
    expected = {
        round(2 / single / 2, 9): single**2,
        round(1 / symmetric / 2, 9): symmetric**2,
        round(1 / antisymmetric / 2, 9): antisymmetric**2,
    }
    found = {round(float(v), 9): int(np.isclose(values, v).sum()) for v in values}
    assert found == expected


def test_the_first_part_is_51_times_the_card_by_position_sum() -> None:
    rng = np.random.default_rng(1)
    rows = rng.permuted(np.tile(np.arange(52), (40, 1)), axis=1)
    cells = np.zeros((1326, 52, 52), np.int64)
    for index, (i, j) in enumerate(combinations(range(52), 2)):
        np.add.at(cells[index], (rows[:, i], rows[:, j]), 1)
    by_position = np.array([np.bincount(rows[:, i], minlength=52) for i in range(52)])
    alone = ((by_position - 40 / 52) ** 2).sum() / (40 / 52)
    total = ((cells - 40 / 2652) ** 2 / (40 / 2652)).sum() - 1326 * 52 * 40 / 2652
    measured = pairs.all_pairs(STANDARD, lambda *_: "").measure(cells.ravel(), 40)
    assert measured == pytest.approx(total - 51 * alone)
