"""Restarts: the exact cut-off, and what rows and columns say."""

import math

import numpy as np
import pytest

from randomness.assessment import Samples, assess_restarts, restart
from randomness.assessment.restart import ALPHA, count_cutoff
from randomness.errors import AssessmentError

RNG = np.random.default_rng(314)


def table(width: int = 8) -> np.ndarray:
    return RNG.integers(0, 1 << width, (1_000, 1_000), dtype=np.uint8)


def test_the_cutoff_for_one_bit_is_the_binomials() -> None:
    """The larger of both counts exceeds c with twice the chance that a fair coin does."""
    tail, count = 0.0, 1_001
    while 2 * tail <= ALPHA:
        count -= 1
        tail += math.comb(1_000, count) / 2**1_000
    assert count_cutoff(1.0) == count


@pytest.mark.parametrize(("entropy", "cutoff"), [(2.5, 236), (7.19, 25)])
def test_cutoffs_that_nists_tool_simulates(entropy: float, cutoff: int) -> None:
    assert count_cutoff(entropy) == cutoff


def test_the_cutoff_holds_its_alpha_in_simulation() -> None:
    counts = [int(np.bincount(row).max()) for row in RNG.integers(0, 8, (4_000, 1_000))]
    assert np.mean(np.array(counts) > count_cutoff(3.0, alpha=0.05)) <= 0.065
    assert np.mean(np.array(counts) > count_cutoff(3.0, alpha=0.05) - 1) > 0.035


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """100 samples of each of 100 restarts, to save time."""
    monkeypatch.setattr(restart, "RESTARTS", 100)
    monkeypatch.setattr(restart, "EACH", 100)


@pytest.mark.usefixtures("few")
def test_good_restarts_keep_the_initial_estimate() -> None:
    found = assess_restarts(Samples.from_bytes(table()[:100, :100].tobytes()), 6.0)
    assert found.passed
    assert found.assessed == 6.0
    assert min(found.h_rows, found.h_columns) > 6.0
    assert (len(found.rows), len(found.columns), found.iid) == (7, 7, ())


def test_a_sample_that_follows_every_restart_is_found_and_named() -> None:
    restarts = table()
    restarts[RNG.random(1_000) < 0.1, 41] = 77
    found = assess_restarts(Samples.from_bytes(restarts.tobytes()), 7.0)
    assert not found.sane
    assert found.where == "value 77 as sample 42 after a restart"
    assert found.assessed == 0.0


@pytest.mark.usefixtures("few")
def test_restarts_that_repeat_each_other_are_worth_little() -> None:
    restarts = np.tile(RNG.integers(0, 4, 100, dtype=np.uint8), (100, 1))
    found = assess_restarts(Samples.from_bytes(restarts.tobytes()), 1.9)
    assert not found.sane
    assert not found.validated
    assert found.h_columns < 0.5


@pytest.mark.usefixtures("few")
def test_the_claim_of_independence_is_tested_on_rows_and_columns() -> None:
    """Columns of restarts that all rise are not samples of one law."""
    restarts = RNG.integers(0, 16, (100, 100), dtype=np.uint8)
    good = assess_restarts(Samples.from_bytes(restarts.tobytes()), 3.0, rng=np.random.default_rng(1))
    assert (good.passed, [tests.passed for tests in good.iid], len(good.rows)) == (True, [True, True], 1)
    rising = np.where(RNG.random((100, 100)) < 0.3, np.arange(100) * 16 // 100, restarts).astype(np.uint8)
    bad = assess_restarts(Samples.from_bytes(rising.tobytes()), 3.0, rng=np.random.default_rng(1), shuffles=60)
    assert not bad.passed
    assert [tests.passed for tests in bad.iid] == [False, False]


@pytest.mark.parametrize(
    ("data", "initial", "said"),
    [
        (bytes([0, 1] * 500), 1.0, "1,000 samples; a restart file has the first 1,000 samples of 1,000 restarts"),
        (bytes([0, 1] * 500_000), 1.5, "can't be of a source of 2 values"),
        (bytes([0, 1] * 500_000), 0.0, "above 0"),
    ],
)
def test_what_is_no_restart_file(data: bytes, initial: float, said: str) -> None:
    with pytest.raises(AssessmentError, match=said):
        assess_restarts(Samples.from_bytes(data), initial)
