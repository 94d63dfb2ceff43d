"""The loops compiled and plain give the same, on even and odd draws."""

import numpy as np
import pytest

from randomness.draws import loops
from randomness.draws.engine import quickest


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments", "cells"), [("coupon_segments", (6, 53), 49), ("rising_runs", (5,), 5)])
@pytest.mark.parametrize("kind", ["even", "constant", "rising", "empty"])
def test_compiled_is_plain(name: str, arguments: tuple[int, ...], cells: int, kind: str) -> None:
    draws = {
        "even": np.random.default_rng(4).integers(0, 6, 10_000),
        "constant": np.zeros(1_000, np.int64),
        "rising": np.arange(1_000) % 6,
        "empty": np.zeros(0, np.int64),
    }[kind]
    counts = np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    used = quickest(name)(draws, *arguments, counts[0]), getattr(loops, name)(draws, *arguments, counts[1])
    assert used[0] == used[1]
    assert counts[0].tolist() == counts[1].tolist()


def test_without_numba_the_plain_loop_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    quickest.cache_clear()
    try:
        assert quickest("rising_runs") is loops.rising_runs
    finally:
        quickest.cache_clear()


def test_the_draw_that_ends_a_rising_run_belongs_to_none() -> None:
    cells = np.zeros(5, np.int64)
    used = loops.rising_runs(np.array([1, 2, 3, 0, 4, 4, 2, 5, 9, 11, 12, 13, 7]), 5, cells)
    # 1 2 3 | 0 ends it; 4 | 4 ends it; 2 5 9 11 12 cut at five; 13 | 7 ends it.
    assert cells.tolist() == [2, 0, 1, 0, 1]
    assert used == 13


def test_segments_that_hold_every_value() -> None:
    cells = np.zeros(4, np.int64)  # lengths 2, 3, 4, and those cut at four
    used = loops.coupon_segments(np.array([0, 1, 1, 1, 0, 0, 0, 0, 0, 1]), 2, 4, cells)
    assert cells.tolist() == [1, 1, 0, 1]
    assert used == 9
