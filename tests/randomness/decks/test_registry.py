"""The registry is whole: every row has its words, its law, its tally and its plain twin."""

import pytest

from randomness.decks import CERTAIN_TESTS, DECK_TESTS, Subject, compiled_available, deck_test, reference
from randomness.decks.errors import UnknownTest
from randomness.decks.layout import TALLIES, View


@pytest.mark.parametrize("name", DECK_TESTS)
def test_a_row_says_what_it_sees_and_has_a_tally_and_a_twin(name: str) -> None:
    test = DECK_TESTS[name]
    assert len(test.sees.split()) >= 3
    assert test.least >= 1
    assert test.unit
    assert test.clause
    assert test.tally in TALLIES
    assert callable(getattr(reference, test.reference))


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
def test_every_tally_has_a_compiled_function_and_the_same_constants() -> None:
    from randomness.decks import compiled, layout

    for tally in TALLIES.values():
        assert callable(getattr(compiled, tally.function))
    assert (compiled.LAGS, compiled.SEGMENT) == (layout.LAGS, layout.SEGMENT)
    assert reference.LAGS == layout.LAGS


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownTest, match="card-by-position"):
        deck_test("card-by-postion")
