"""Several exact dice from one word, in plain Python and in numpy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randomness.errors import BoundError
from randomness.kernels.dice import PRODUCT_LIMIT, WORD, plan_dice, roll_plain, roll_vector
from randomness.source import read_words
from randomness.sources import seeded_source

BOUNDS = st.lists(st.integers(1, 2000), min_size=1, max_size=60)


def test_fifty_two_cards_take_four_words_and_lose_two_decks_in_a_hundred() -> None:
    plan = plan_dice(range(2, 53))
    assert plan.words == 4
    assert plan.acceptance == pytest.approx(0.98266, abs=1e-5)


@given(bounds=BOUNDS)
def test_every_die_is_in_one_word_and_no_word_overflows(bounds: list[int]) -> None:
    plan = plan_dice(bounds)
    assert plan.starts[0] == 0
    assert plan.starts[-1] == len(bounds)
    for w, threshold in enumerate(plan.thresholds):
        product = math.prod(bounds[plan.starts[w] : plan.starts[w + 1]])
        assert product <= PRODUCT_LIMIT
        assert threshold == WORD % product


@given(bounds=BOUNDS, seed=st.integers(0, 1000))
def test_dice_are_the_digits_of_word_times_product(bounds: list[int], seed: int) -> None:
    plan = plan_dice(bounds)
    words = read_words(seeded_source(seed), plan.words).tolist()
    expected: list[int] = []
    accepted = True
    for w, word in enumerate(words):
        part = bounds[plan.starts[w] : plan.starts[w + 1]]
        product = math.prod(part)
        number, low = divmod(word * product, WORD)
        digits = []
        for bound in reversed(part):
            number, digit = divmod(number, bound)
            digits.append(digit)
        expected += reversed(digits)
        accepted &= low >= WORD % product
    assert roll_plain(plan, words) == (expected if accepted else None)


@given(bounds=st.lists(st.integers(2, 60), min_size=1, max_size=8), pick=st.data())
def test_every_combination_of_dice_has_the_same_count_of_accepted_words(bounds: list[int], pick: st.DataObject) -> None:
    plan = plan_dice(bounds)
    assert plan.words == 1
    product, threshold = math.prod(bounds), plan.thresholds[0]
    k = pick.draw(st.integers(0, product - 1))
    first, end = -(-(k * WORD + threshold) // product), -(-((k + 1) * WORD) // product)
    assert end - first == WORD // product
    assert roll_plain(plan, [first]) == roll_plain(plan, [end - 1]) is not None
    if threshold:
        assert roll_plain(plan, [first - 1]) != roll_plain(plan, [first])


@given(bounds=BOUNDS, seed=st.integers(0, 100))
def test_numpy_gives_what_plain_python_gives(bounds: list[int], seed: int) -> None:
    plan = plan_dice(bounds)
    words = read_words(seeded_source(seed), 50 * plan.words).reshape(50, plan.words)
    dice, accepted = roll_vector(plan, words)
    for b, row in enumerate(words.tolist()):
        plain = roll_plain(plan, row)
        assert (plain is not None) == accepted[b]
        if plain is not None:
            assert dice[:, b].tolist() == plain


def test_extreme_words() -> None:
    plan = plan_dice([52, 2**32 - 5])
    for word in (0, 1, WORD // 2, WORD - 1):
        dice, accepted = roll_vector(plan, np.full((1, plan.words), word, np.uint64))
        plain = roll_plain(plan, [word] * plan.words)
        assert bool(accepted[0]) == (plain is not None)
        assert plain is None or dice[:, 0].tolist() == plain


@pytest.mark.parametrize("bound", [0, -1, 2**32 + 1])
def test_an_impossible_die_is_refused(bound: int) -> None:
    with pytest.raises(BoundError):
        plan_dice([6, bound])
