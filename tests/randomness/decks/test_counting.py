"""Counting in numpy: for 52 cards the oracle's integers, for other decks what can be said of a few by hand."""

from itertools import pairwise

import deck_oracle
import numpy as np
import pytest

from randomness.decks.errors import MergeError
from randomness.decks.kinds import deck_kind
from randomness.decks.layout import TALLIES
from randomness.decks.tallies import Tallies

CHANCE = np.random.default_rng(3)
TIDY = np.arange(52)
# Shuffled decks, and orderly ones that reach the far cells.
DECKS = np.concatenate([
    CHANCE.permuted(np.tile(TIDY, (30, 1)), axis=1), [TIDY, TIDY, TIDY[::-1], np.roll(TIDY, 1), TIDY],
    CHANCE.permuted(np.tile(TIDY, (5, 1)), axis=1),
])  # fmt: skip
ORDERS = np.concatenate([CHANCE.permuted(np.tile(TIDY, (35, 1)), axis=1), DECKS[34:39]])


@pytest.fixture(scope="module")
def found() -> Tallies:
    made = Tallies(TALLIES, compiled=False)
    for part in (slice(0, 7), slice(7, 8), slice(8, 40)):
        made.update(DECKS[part], ORDERS[part])
    return made


@pytest.mark.parametrize("name", [name for name in TALLIES if name != "position_pairs"])
def test_52_cards_are_counted_as_by_the_oracle(name: str, found: Tallies) -> None:
    cells, decks = deck_oracle.counted(name, DECKS.tolist(), ORDERS.tolist())
    assert found.decks[name] == decks
    np.testing.assert_array_equal(found.cells[name], cells)


def test_pairs_of_positions_are_counted_as_by_the_oracle(found: Tallies) -> None:
    cells, _ = deck_oracle.counted("position_pairs", DECKS.tolist(), None)
    np.testing.assert_array_equal(found.cells["position_pairs"], cells)


@pytest.mark.parametrize("kind", [deck_kind(36), deck_kind(52, shoe=2), deck_kind(54, jokers_alike=True)])
def test_chunks_merging_and_keeping_change_nothing(kind) -> None:
    rows = CHANCE.permuted(np.tile(kind.whole_row, (60, 1)), axis=1)
    names = ["faces.by_position", "lag_matches", "lag_places", "hands", "seat_scores", "previous.fixed_points"]
    names += ["serial", "previous.pairs_kept"]
    whole, parts = Tallies(names, kind=kind), Tallies(names, kind=kind)
    whole.update(rows)
    parts.update(rows[:13])
    parts = Tallies.from_state(parts.to_state(), kind=kind)
    parts.update(rows[13:])
    for name in names:
        assert np.array_equal(whole.cells[name], parts.cells[name]), name
    for name in ("faces.by_position", "hands", "previous.fixed_points"):
        assert np.array_equal(whole.strata.by_stretch([name]), parts.strata.by_stretch([name])), name
        assert np.array_equal(whole.strata.by_phase([name]), parts.strata.by_phase([name])), name
    one, two = Tallies(names, kind=kind), Tallies(names, kind=kind)
    one.update(rows[:30])
    two.update(rows[30:])
    one.merge(two)
    assert one.decks["previous.fixed_points"] == 58
    assert np.array_equal(one.cells["faces.by_position"], whole.cells["faces.by_position"])
    with pytest.raises(MergeError):
        one.merge(Tallies(names, kind=deck_kind(40)))


def test_neighbours_by_their_faces_are_counted_against_what_chance_makes_of_them() -> None:
    kind = deck_kind(24, ranks="9TJQKA", shoe=2)
    order = np.arange(48) % 24
    found = Tallies(["input.pairs_kept"], kind=kind)
    found.update(order[None, :], order[None, :])
    there = {(a, b) for a, b in pairwise(order)}
    expected = sum(2 * (2 - (a == b)) for a, b in there)
    assert found.cells["input.pairs_kept"].tolist() == [48 * 47 - expected, (48 * 47 - expected) ** 2, 1]


def test_groups_of_any_size_are_ordered_and_ties_left_out() -> None:
    kind = deck_kind(52, shoe=2, group=2, seats=2, dealer=False)
    row = np.array([[5, 3, 7, 7, *[card for card in range(52) for _ in range(2) if card not in (3, 5, 7)], 3, 5]])
    found = Tallies(["faces.group_order"], kind=kind)
    found.update(row)
    assert found.cells["faces.group_order"].tolist() == [0, 1, 0, 0]
