"""Decks that are none: found, named, numbered."""

import numpy as np
import pytest

from randomness.decks import compiled_available
from randomness.decks.integrity import MOST_KEPT, Integrity, describe, whole_rows
from randomness.decks.kinds import STANDARD, DeckKind, deck_kind
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
    whole = whole_rows(STANDARD, spoiled(), compiled=compiled)
    assert whole.tolist() == [True, False, True, True, False, True, False, False]


def test_what_is_wrong_is_named() -> None:
    rows = spoiled()
    assert describe(STANDARD, rows[1]) == "missing Q♣; has 5♣ 2 times"
    assert describe(STANDARD, rows[4]) == "missing A♠; not of this deck: joker"


def test_a_bad_deck_fails_for_certain_and_gives_its_row() -> None:
    made, rows = Integrity(), spoiled()
    made.count(rows, rows, whole_rows(STANDARD, rows), 1000)
    result = made.result()
    assert (result.p, result.statistic, result.samples) == (0.0, 4.0, 8)
    assert any(f.place.startswith("row 1001: missing Q♣") for f in result.findings)
    assert made.missing[10] == 2


def test_whole_decks_pass() -> None:
    made, rows = Integrity(), decks(5)
    made.count(rows, rows, whole_rows(STANDARD, rows), 0)
    assert made.result().p == 1.0
    assert Integrity().result().outcome is Outcome.TOO_FEW


def test_the_first_hundred_rows_are_kept_however_shards_are_merged() -> None:
    bad = np.zeros((150, 52), np.uint8)
    none = np.zeros(150, np.bool_)
    early, late = Integrity(), Integrity()
    early.count(bad, bad, none, 0)
    late.count(bad, bad, none, 150)
    late.merge(early)
    assert late.invalid == 300
    assert late.rows.tolist() == list(range(MOST_KEPT))
    again = Integrity.from_state(late.to_state())
    assert again.result() == late.result()


# ----- other decks ----------------------------------------------------------------------------------------------------


def checked(kind: DeckKind, *changes: tuple[int, int, int]) -> Integrity:
    rows = np.tile(kind.factory.astype(np.int64), (5, 1))
    for row, place, code in changes:
        rows[row, place] = code
    found = Integrity(kind)
    numbers = kind.lookup[rows]
    found.count(rows, numbers, whole_rows(kind, numbers), first_row=1)
    return found


def test_a_short_deck_with_a_card_of_the_full_one_is_not_whole() -> None:
    kind = deck_kind(36)
    found = checked(kind, (1, 0, 0), (3, 1, 4))
    assert (found.invalid, found.rows.tolist()) == (2, [2, 4])
    assert describe(kind, found.kept[0]) == "missing 6♣; not of this deck: 2♣"
    assert describe(kind, found.kept[1]) == "missing 7♣; has 6♣ 2 times"
    assert found.result().p == 0.0


def test_a_shoe_counts_copies() -> None:
    kind = deck_kind(52, shoe=6)
    found = checked(kind, (0, 0, 1))
    assert describe(kind, found.kept[0]) == "missing 2♣ (5 of 6); has 3♣ 7 times instead of 6"
    assert checked(kind).result().p == 1.0


def test_jokers_count_like_cards() -> None:
    found = checked(deck_kind(54), (2, 53, 52))
    assert describe(deck_kind(54), found.kept[0]) == "missing joker 2; has joker 1 2 times"


def test_keeping_and_merging_change_nothing() -> None:
    kind = deck_kind(36)
    one, two = checked(kind, (1, 0, 0)), checked(kind, (2, 0, 0))
    one.merge(Integrity.from_state(two.to_state(), kind=kind))
    assert (one.decks, one.invalid, one.rows.tolist()) == (10, 2, [2, 3])
