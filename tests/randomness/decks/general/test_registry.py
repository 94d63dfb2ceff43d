"""Every test of the registry has, for any deck, a judge or a reason."""

import numpy as np
import pytest

from randomness.decks import DECK_TESTS
from randomness.decks.general import KindTest, counting, kind_tests, reason
from randomness.decks.general.counting import Chunk
from randomness.decks.general.registry import NOT_APART, law_of
from randomness.decks.kinds import deck_kind

KINDS = {
    "36": deck_kind(36), "54": deck_kind(54), "alike": deck_kind(54, jokers_alike=True),
    "two": deck_kind(52, shoe=2), "apart": deck_kind(36, shoe=2, told_apart=True),
    "one card": deck_kind(52, group=1, seats=8, dealer=False), "one seat": deck_kind(52, seats=1, dealer=False),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_a_judge_or_a_reason_for_each(name: str) -> None:
    found = kind_tests(KINDS[name])
    assert list(found) == list(DECK_TESTS)
    assert all(isinstance(test, KindTest) or test for test in found.values())


def test_permutations_need_told_apart_cards_and_the_rest_does_not() -> None:
    two = KINDS["two"]
    assert reason(two, "face-rising-sequences") == NOT_APART
    for made in ("card-by-position", "each-card", "rank-runs", "face-successions", "input-fixed-points", "lag-matches",
                 "input-successions", "hand-categories", "group-order"):  # fmt: skip
        assert not reason(two, made), made
    assert not reason(KINDS["apart"], "face-rising-sequences")


def test_the_reason_names_what_is_missing() -> None:
    assert reason(KINDS["one card"], "hand-categories") == "hands have categories from 2 to 7 cards, not with 1"
    assert "2 to 5 cards, not for 1" in reason(KINDS["one card"], "group-order")
    assert reason(KINDS["one seat"], "dealer-against-players") == "no hand is dealt to a dealer"
    assert reason(KINDS["one seat"], "seats-alike") == "one seat alone has no other to be compared with"
    assert "cells" in reason(deck_kind(52, shoe=4), "position-pairs")
    assert "partition of 72" in reason(KINDS["apart"], "input-longest-increasing")


@pytest.mark.parametrize("name", ["36", "two"])
def test_power_and_sample_agree(name: str) -> None:
    for test in kind_tests(KINDS[name]).values():
        if isinstance(test, KindTest):
            least = test.judge.least_effect(20_000, 1e-4, 0.99)
            assert least > 0, test.name
            assert test.judge.decks_for(least, 1e-4, 0.99) == pytest.approx(20_000, rel=0.6), test.name


@pytest.mark.parametrize("name", ["alike", "two", "apart"])
def test_a_law_has_a_place_for_every_cell_of_its_tally(name: str) -> None:
    kind = KINDS[name]
    row = np.tile(kind.whole_row, (3, 1))
    chunk = Chunk(kind, row, row[:1], row)
    for of in ("successions", "inversions", "suit_runs", "rank_runs"):
        assert len(counting.OF_AN_ORDER[of](chunk.faces)) == len(law_of(kind, of).counts), of
    assert len(counting.previous_matches(chunk)) == len(law_of(kind, "fixed_points").counts)


def test_a_deck_that_a_shoe_can_not_give_is_found_and_named() -> None:
    kind = KINDS["two"]
    test = kind_tests(kind)["face-inversions-spread"]
    assert isinstance(test, KindTest)
    cells = np.zeros(104 * 103 // 2 + 1, np.int64)
    cells[0] = 150
    assert test.judge.findings(cells, 150)[0].z > 1e6


def test_laws_have_the_mean_that_they_should() -> None:
    six = deck_kind(52, shoe=6)
    assert law_of(six, "fixed_points").mean == pytest.approx(6.0)
    assert law_of(six, "suit_runs").mean == pytest.approx(1 + 311 * (1 - 77 / 311))
    assert law_of(deck_kind(36), "longest_increasing").total == law_of(deck_kind(36), "cycles").total
