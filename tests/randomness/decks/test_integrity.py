"""Decks that are none: found, named, numbered."""

import numpy as np
import pytest

from randomness.decks import compiled_available
from randomness.decks.integrity import MOST_KEPT, Integrity, describe, whole_rows
from randomness.result import Outcome

compiled_only = pytest.mark.skipif(not compiled_available(), reason="numba is not installed")


def decks(many: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def spoiled() -> np.ndarray:
    rows = decks(8)
    rows[1][rows[1] == 10] = 3  # Q♣ replaced by a second 5♣
    rows[4][rows[4] == 51] = 52
    rows[6][:] = 0
    rows[7][rows[7] == 0] = 64  # the same low bits as face 0
    return rows


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=[compiled_only, pytest.mark.slow])])
def test_only_rows_with_each_face_once_are_whole(compiled: bool) -> None:
    assert whole_rows(spoiled(), compiled=compiled).tolist() == [True, False, True, True, False, True, False, False]


def test_what_is_wrong_is_named() -> None:
    rows = spoiled()
    assert describe(rows[1]) == "missing Q♣; has 5♣ 2 times"
    assert describe(rows[4]) == "missing A♠; no card: code 52"


def test_a_bad_deck_fails_for_certain_and_gives_its_row() -> None:
    made, rows = Integrity(), spoiled()
    made.add(rows, whole_rows(rows, compiled=False), 1000)
    result = made.result()
    assert (result.p, result.statistic, result.samples) == (0.0, 4.0, 8)
    assert any(f.place.startswith("row 1001: missing Q♣") for f in result.findings)
    assert made.missing[10] == 2


def test_whole_decks_pass() -> None:
    made, rows = Integrity(), decks(5)
    made.add(rows, whole_rows(rows, compiled=False), 0)
    assert made.result().p == 1.0
    assert Integrity().result().outcome is Outcome.TOO_FEW


def test_the_first_hundred_rows_are_kept_however_shards_are_merged() -> None:
    bad = np.zeros((150, 52), np.uint8)
    none = np.zeros(150, np.bool_)
    early, late = Integrity(), Integrity()
    early.add(bad, none, 0)
    late.add(bad, none, 150)
    late.merge(early)
    assert late.invalid == 300
    assert late.rows.tolist() == list(range(MOST_KEPT))
    again = Integrity.from_state(late.to_state())
    assert again.result() == late.result()
