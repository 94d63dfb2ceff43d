"""Whole decks of any kind: what is missing, doubled or foreign, by row."""

import numpy as np

from randomness.decks.general.integrity import KindIntegrity, describe, whole_rows
from randomness.decks.kinds import DeckKind, deck_kind


def checked(kind: DeckKind, *changes: tuple[int, int, int]) -> KindIntegrity:
    rows = np.tile(kind.factory.astype(np.int64), (5, 1))
    for row, place, code in changes:
        rows[row, place] = code
    found = KindIntegrity(kind)
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
    one.merge(KindIntegrity.from_state(kind, two.to_state()))
    assert (one.decks, one.invalid, one.rows.tolist()) == (10, 2, [2, 3])
