"""Bounded integers: unbiased, and the same one at a time or in a batch."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randomness.errors import BoundError, SourceStuck
from randomness.integers import WORD, Integers, multiply
from randomness.sources import seeded_source

BOUNDS = st.one_of(st.integers(1, 60), st.integers(1, WORD), st.sampled_from([WORD, WORD - 1, 2**63 + 1, 2**32, 1]))


class Words:
    """A source that gives these words and then no more."""

    def __init__(self, words: Iterable[int]) -> None:
        self._data = b"".join(word.to_bytes(8, "little") for word in words)

    def generate(self, n: int) -> bytes:
        taken, self._data = self._data[:n], self._data[n:]
        assert len(taken) == n, "more was read than was needed"
        return taken


@given(bound=BOUNDS, count=st.integers(0, 40), block=st.integers(1, 9))
def test_a_batch_gives_the_numbers_of_single_calls_and_leaves_off_where_they_do(
    bound: int, count: int, block: int
) -> None:
    one, many = Integers(seeded_source(4), block), Integers(seeded_source(4), block)
    singles = [one.below(bound) for _ in range(count)]
    assert many.many_below(bound, count).tolist() == singles
    assert one.below(1000) == many.below(1000)


def test_words_are_refused_exactly_below_the_threshold() -> None:
    # 2^64 mod 6 is 4; word w gives low half 6 w mod 2^64: 0 for w = 0 (refused), 6 for w = 1 (accepted, number 0).
    assert Integers(Words([0, 1])).below(6) == 0
    # 6 * (2^63 / 3 rounded up) has high half 1 and low half 2: refused; one word later the low half is 8.
    third = -(-(2**64) // 6)
    assert (third * 6) % WORD == 2
    assert Integers(Words([third, third + 1])).below(6) == 1


@given(bound=st.integers(1, 2**63), number=st.data())
def test_every_number_has_the_same_count_of_accepted_words(bound: int, number: st.DataObject) -> None:
    k = number.draw(st.integers(0, bound - 1))
    threshold = WORD % bound
    first = -(-(k * WORD + threshold) // bound)
    last = -(-((k + 1) * WORD) // bound)
    assert last - first == WORD // bound
    if last > first:
        assert Integers(Words([first])).below(bound) == k
        assert Integers(Words([last - 1])).below(bound) == k


@given(words=st.lists(st.integers(0, WORD - 1), min_size=1), bound=BOUNDS)
def test_the_product_in_halves_is_the_product(words: list[int], bound: int) -> None:
    high, low = multiply(np.array(words, np.uint64), bound)
    assert high.tolist() == [word * bound // WORD for word in words]
    assert low.tolist() == [word * bound % WORD for word in words]


@pytest.mark.parametrize("bound", [0, -1, WORD + 1])
def test_an_impossible_bound_is_refused(bound: int) -> None:
    with pytest.raises(BoundError):
        Integers(seeded_source(1)).below(bound)
    with pytest.raises(BoundError):
        Integers(seeded_source(1)).many_below(bound, 2)


def test_an_impossible_count_or_block_is_refused() -> None:
    with pytest.raises(BoundError):
        Integers(seeded_source(1)).many_below(6, -1)
    with pytest.raises(BoundError):
        Integers(seeded_source(1), block=0)


def test_a_source_of_zeros_is_found_out_and_not_waited_for() -> None:
    class Zeros:
        def generate(self, n: int) -> bytes:
            return bytes(n)

    with pytest.raises(SourceStuck):
        Integers(Zeros()).below(6)
    with pytest.raises(SourceStuck):
        Integers(Zeros(), block=100).many_below(6, 10)
