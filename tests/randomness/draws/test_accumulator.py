"""Counts do not depend on how draws are divided into calls, merge exactly, and keep through a state."""

import json

import numpy as np
import pytest

from randomness.draws import TESTS, DrawTallies, DrawTest, named
from randomness.errors import DrawsError
from randomness.result import Outcome

EVERY_TEST = pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)


def some_draws(bound: int, n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng([bound, seed]).integers(0, bound, n)


@EVERY_TEST
@pytest.mark.parametrize("bound", [6, 52])
def test_calls_of_any_size_count_the_same(test: DrawTest, bound: int) -> None:
    draws = some_draws(bound, 5_000)
    whole, parts = test.accumulator(bound), test.accumulator(bound)
    whole.update(draws)
    start = 0
    for size in (1, 0, 2, 3, 999, 1, 1_024, 2_000, 970):
        parts.update(draws[start : start + size])
        start += size
    assert start == 5_000
    assert parts.to_state() == whole.to_state()


@EVERY_TEST
def test_chunks_inside_one_call_count_the_same(test: DrawTest) -> None:
    draws = some_draws(37, 150_000)
    whole, parts = test.accumulator(37), test.accumulator(37)
    whole.update(draws)
    for start in range(0, draws.size, 40_000):
        parts.update(draws[start : start + 40_000])
    assert parts.to_state() == whole.to_state()


@EVERY_TEST
def test_merging_is_exact_in_any_order(test: DrawTest) -> None:
    pieces = [some_draws(52, 3_001, seed) for seed in range(3)]

    def merged(order: list[int]) -> dict[str, object]:
        total = test.accumulator(52)
        for number in order:
            one = test.accumulator(52)
            one.update(pieces[number])
            total.merge(one)
        return total.to_state()

    assert merged([0, 1, 2]) == merged([2, 0, 1])


@EVERY_TEST
def test_merging_counts_nothing_across_the_seam(test: DrawTest) -> None:
    first, second = some_draws(6, 2_500, 1), some_draws(6, 2_500, 2)
    one, other = test.accumulator(6), test.accumulator(6)
    one.update(first)
    other.update(second)
    before = other.to_state()
    expected = one.cells + other.cells
    one.merge(other)
    assert one.cells.tolist() == expected.tolist()
    assert one.draws == 5_000
    assert other.to_state() == before


@EVERY_TEST
def test_a_state_goes_through_json_and_counts_on(test: DrawTest) -> None:
    draws = some_draws(52, 4_000)
    whole, begun = test.accumulator(52), test.accumulator(52)
    whole.update(draws)
    begun.update(draws[:1_777])
    resumed = test.make.from_state(json.loads(json.dumps(begun.to_state())))
    resumed.update(draws[1_777:])
    assert resumed.to_state() == whole.to_state()


@EVERY_TEST
def test_counting_needs_no_more_memory_on_constant_draws(test: DrawTest) -> None:
    """A source that never does what the test waits for must not be kept waiting for."""
    stuck = test.accumulator(52)
    for value in (0, 51):
        stuck.update(np.full(200_000, value))
        assert len(stuck.to_state()["carry"]) <= 1_100


@EVERY_TEST
def test_too_few_draws_give_no_p_value(test: DrawTest) -> None:
    few = test.accumulator(52)
    few.update(some_draws(52, test.least_draws(52) - 1))
    result = few.evaluate()
    assert (result.outcome, result.p) == (Outcome.TOO_FEW, None)
    assert "the test needs at least" in result.unmet[0]
    few.update([0])
    assert few.evaluate().outcome is Outcome.TESTED


@pytest.mark.parametrize("draws", [[52], [-1], [3, 99, 1], np.array([1.5]), [[1, 2]], ["a"]])
def test_draws_out_of_range_are_refused(draws: object) -> None:
    with pytest.raises(DrawsError):
        named("frequency").accumulator(52).update(draws)  # type: ignore[arg-type]


def test_the_error_names_the_draw() -> None:
    with pytest.raises(DrawsError, match="draw 3 is 60, not from 0 to 51"):
        DrawTallies(52).update([1, 2, 60, 70])


@pytest.mark.parametrize("bound", [0, 1, -3, (1 << 62) + 1])
def test_bounds_out_of_range_are_refused(bound: int) -> None:
    for test in TESTS:
        with pytest.raises(DrawsError, match="bound"):
            test.accumulator(bound)


def test_different_tests_or_bounds_do_not_merge() -> None:
    gap, poker = named("gap").accumulator(52), named("poker").accumulator(52)
    with pytest.raises(DrawsError, match="same test"):
        gap.merge(poker)
    with pytest.raises(DrawsError, match="same test"):
        gap.merge(named("gap").accumulator(51))


def test_a_state_of_another_test_is_refused() -> None:
    state = named("gap").accumulator(52).to_state()
    with pytest.raises(DrawsError, match="not one of 'poker'"):
        named("poker").make.from_state(state)
    with pytest.raises(DrawsError, match="cells"):
        named("gap").make.from_state({**state, "cells": [1, 2]})


def test_unsigned_words_are_taken() -> None:
    tally = named("frequency").accumulator(52)
    tally.update(np.array([51, 0], dtype=np.uint64))
    assert (tally.cells[0], tally.cells[51]) == (1, 1)
