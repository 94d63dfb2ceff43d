"""The quick counting is the slow counting, for every test, on even and uneven draws below many bounds."""

import draws_oracle as oracle
import numpy as np
import pytest

from randomness.draws import TESTS, DrawTest
from randomness.draws.folding import fold

SLOW_TWINS = {"spectral"}  # a plain Fourier sum takes seconds


def oracle_of(test: DrawTest):
    return getattr(oracle, test.name.replace("-", "_"))


def draws_below(bound: int, n: int, seed: int) -> np.ndarray:
    """The first half even, the second crowded towards small numbers and repeating itself."""
    rng = np.random.default_rng([bound, n, seed])
    even = rng.integers(0, bound, n // 2)
    crowded = (rng.random(n - n // 2) ** 3 * bound).astype(np.int64)
    crowded[::7] = crowded[0]
    return np.concatenate([even, crowded])


@pytest.mark.parametrize("test", [test for test in TESTS if test.name not in SLOW_TWINS], ids=lambda test: test.name)
@pytest.mark.parametrize("bound", [2, 3, 6, 37, 52, 1_000, 5_003, 1 << 33])
def test_twins_agree(test: DrawTest, bound: int) -> None:
    draws = draws_below(bound, 3_003, 1)
    quick = test.accumulator(bound)
    quick.update(draws)
    assert quick.cells.tolist() == oracle_of(test)(draws.tolist(), bound)


@pytest.mark.slow
@pytest.mark.parametrize("bound", [2, 6, 5_003])
def test_spectral_twins_agree(bound: int) -> None:
    (test,) = [test for test in TESTS if test.name == "spectral"]
    draws = draws_below(bound, 1_500, 2)
    quick = test.accumulator(bound)
    quick.update(draws)
    slow = oracle_of(test)(draws.tolist(), bound)
    off_lattice = [place for place in range(514) if place not in (0, 256, 512)]
    assert [quick.cells[place] for place in off_lattice] == [slow[place] for place in off_lattice]


@pytest.mark.parametrize(("bound", "most"), [(52, 32), (37, 16), (5_003, 4_096), (2, 2), (97, 64)])
def test_both_folds_agree(bound: int, most: int) -> None:
    cells, k = oracle.folded(list(range(bound)), bound, most)
    assert (cells, k) == (fold(bound, most)(np.arange(bound)).tolist(), fold(bound, most).cells)
