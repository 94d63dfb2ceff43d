"""The registry is whole: every row has its words, its law and its tally; for any deck a judge or a reason."""

import numpy as np
import pytest

from randomness.decks import (
    CERTAIN_TESTS,
    DECK_TESTS,
    DeckTest,
    Subject,
    battery_tests,
    compiled_available,
    counting,
    deck_test,
)
from randomness.decks.errors import UnknownTest
from randomness.decks.kinds import DeckKind, deck_kind
from randomness.decks.layout import TALLIES, View
from randomness.decks.rows.exact import law_of
from randomness.decks.rows.makers import NOT_APART


@pytest.mark.parametrize("name", DECK_TESTS)
def test_a_row_says_what_it_sees_and_has_a_tally(name: str) -> None:
    test = DECK_TESTS[name]
    assert len(test.sees.split()) >= 3
    assert test.least >= 1
    assert test.unit
    assert test.clause
    assert test.tally in TALLIES
    assert callable(getattr(counting, TALLIES[test.tally].function))


def test_names_begin_with_what_they_are_read_against() -> None:
    for name, test in DECK_TESTS.items():
        view = TALLIES[test.tally].view
        if name.startswith("input-"):
            assert view is View.INPUT
        if name.startswith("previous-"):
            assert view is View.PREVIOUS
        assert test.needs_input == (view is View.INPUT)


def test_only_the_order_inside_a_group_may_be_declared_not_applicable() -> None:
    assert {test.name for test in DECK_TESTS.values() if test.declarable} == {
        "group-order", "group-order-by-rank", "group-order-by-input", "group-order-by-previous",
    }  # fmt: skip


def test_every_group_has_tests_and_certain_ones_stand_apart() -> None:
    assert {test.group for test in DECK_TESTS.values()} == set(Subject)
    assert not CERTAIN_TESTS.keys() & DECK_TESTS.keys()


@pytest.mark.skipif(not compiled_available(), reason="numba is not installed")
def test_the_accelerator_has_the_same_constants() -> None:
    from randomness.decks import compiled, layout

    there = {tally.function for tally in TALLIES.values() if hasattr(compiled, tally.function)}
    assert len(there) >= 37
    assert (compiled.LAGS, compiled.NEAR, compiled.SEGMENT) == (layout.LAGS, layout.NEAR, layout.SEGMENT)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownTest, match="card-by-position"):
        deck_test("card-by-postion")


# ----- other decks ----------------------------------------------------------------------------------------------------

KINDS = {
    "36": deck_kind(36), "54": deck_kind(54), "alike": deck_kind(54, jokers_alike=True),
    "two": deck_kind(52, shoe=2), "apart": deck_kind(36, shoe=2, told_apart=True),
    "one card": deck_kind(52, group=1, seats=8, dealer=False), "one seat": deck_kind(52, seats=1, dealer=False),
}  # fmt: skip


def reason(kind: DeckKind, name: str) -> str:
    found = battery_tests(kind)[name]
    return found if isinstance(found, str) else ""


@pytest.mark.parametrize("name", KINDS)
def test_a_judge_or_a_reason_for_each(name: str) -> None:
    found = battery_tests(KINDS[name])
    assert list(found) == list(DECK_TESTS)
    assert all(isinstance(test, DeckTest) or test for test in found.values())


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
    for test in battery_tests(KINDS[name]).values():
        if isinstance(test, DeckTest):
            least = test.judge.least_effect(20_000, 1e-4, 0.99)
            assert least > 0, test.name
            assert test.judge.decks_for(least, 1e-4, 0.99) == pytest.approx(20_000, rel=0.6), test.name


@pytest.mark.parametrize("name", ["alike", "two", "apart"])
def test_a_law_has_a_place_for_every_cell_of_its_tally(name: str) -> None:
    kind = KINDS[name]
    for of in ("faces.successions", "faces.inversions", "suit_runs", "rank_runs", "previous.fixed_points"):
        assert TALLIES[of].size(kind) == len(law_of(kind, of.rpartition(".")[2]).counts), of


def test_a_deck_that_a_shoe_can_not_give_is_found_and_named() -> None:
    kind = KINDS["two"]
    test = battery_tests(kind)["face-inversions-spread"]
    assert isinstance(test, DeckTest)
    cells = np.zeros(104 * 103 // 2 + 1, np.int64)
    cells[0] = 150
    assert test.judge.findings(cells, 150)[0].z > 1e6


def test_laws_have_the_mean_that_they_should() -> None:
    six = deck_kind(52, shoe=6)
    assert law_of(six, "fixed_points").mean == pytest.approx(6.0)
    assert law_of(six, "suit_runs").mean == pytest.approx(1 + 311 * (1 - 77 / 311))
    assert law_of(deck_kind(36), "longest_increasing").total == law_of(deck_kind(36), "cycles").total
