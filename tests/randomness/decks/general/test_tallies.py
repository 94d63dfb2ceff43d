"""Counting over any deck: the same integers as the tallies for 52 cards, in any chunks, merged or kept."""

from itertools import pairwise

import numpy as np
import pytest

from randomness.decks.errors import MergeError
from randomness.decks.general import counting
from randomness.decks.general.tallies import KindTallies
from randomness.decks.kinds import STANDARD, deck_kind
from randomness.decks.layout import TALLIES
from randomness.decks.tallies import Tallies

CHANCE = np.random.default_rng(3)
DECKS = CHANCE.permuted(np.tile(np.arange(52), (90, 1)), axis=1)
ORDERS = CHANCE.permuted(np.tile(np.arange(52), (90, 1)), axis=1)
OTHERWISE = {"hands", "rank_order", "faces.group_order", "input.group_order", "previous.group_order"}
SAME = [
    name
    for name in TALLIES
    if (name.rpartition(".")[2] in (counting.OF_AN_ORDER | counting.OF_A_DECK | counting.OF_TIME)
        or name in ("input.fixed_points", "previous.fixed_points"))
    and name not in OTHERWISE | {"seat_scores"}
]  # fmt: skip


def test_52_cards_are_counted_as_by_the_tallies_for_them() -> None:
    plain, found = Tallies(SAME, compiled=False), KindTallies(STANDARD, SAME)
    plain.update(DECKS.astype(np.uint8), ORDERS.astype(np.uint8))
    for part in (slice(0, 7), slice(7, 8), slice(8, 60), slice(60, 90)):
        found.update(DECKS[part], ORDERS[part])
    assert found.decks == plain.decks
    for name in SAME:
        assert np.array_equal(found.cells[name], plain.cells[name]), name


@pytest.mark.parametrize("kind", [deck_kind(36), deck_kind(52, shoe=2), deck_kind(54, jokers_alike=True)])
def test_chunks_merging_and_keeping_change_nothing(kind) -> None:
    rows = CHANCE.permuted(np.tile(kind.whole_row, (60, 1)), axis=1)
    names = ["faces.by_position", "lag_matches", "hands", "seat_scores", "previous.fixed_points", "serial"]
    names += ["previous.pairs_kept"]
    whole, parts = KindTallies(kind, names), KindTallies(kind, names)
    whole.update(rows, None)
    parts.update(rows[:13], None)
    parts = KindTallies.from_state(kind, parts.to_state())
    parts.update(rows[13:], None)
    for name in names:
        assert np.array_equal(whole.cells[name], parts.cells[name]), name
    one, two = KindTallies(kind, names), KindTallies(kind, names)
    one.update(rows[:30], None)
    two.update(rows[30:], None)
    one.merge(two)
    assert one.decks["previous.fixed_points"] == 58
    assert np.array_equal(one.cells["faces.by_position"], whole.cells["faces.by_position"])
    with pytest.raises(MergeError):
        one.merge(KindTallies(deck_kind(40), names))


def test_neighbours_by_their_faces_are_counted_against_what_chance_makes_of_them() -> None:
    kind = deck_kind(24, ranks="9TJQKA", shoe=2)
    order = np.arange(48) % 24
    found = KindTallies(kind, ["input.pairs_kept"])
    found.update(order[None, :], order[None, :])
    there = {(a, b) for a, b in pairwise(order)}
    expected = sum(2 * (2 - (a == b)) for a, b in there)
    assert found.cells["input.pairs_kept"].tolist() == [48 * 47 - expected, (48 * 47 - expected) ** 2, 1]


def test_groups_of_any_size_are_ordered_and_ties_left_out() -> None:
    kind = deck_kind(52, shoe=2, group=2, seats=2, dealer=False)
    row = np.array([[5, 3, 7, 7, *[card for card in range(52) for _ in range(2) if card not in (3, 5, 7)], 3, 5]])
    found = KindTallies(kind, ["faces.group_order"])
    found.update(row, None)
    assert found.cells["faces.group_order"].tolist() == [0, 1, 0, 0]
