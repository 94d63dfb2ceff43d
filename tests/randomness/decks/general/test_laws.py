"""Laws of multisets against counting every order of a few cards, and against the laws for 52 cards."""

from collections import Counter
from itertools import pairwise, permutations

import pytest

from randomness.decks import laws as plain
from randomness.decks.general import laws

SIZES = [(2, 1, 3), (1, 1, 1, 1, 1, 1), (2, 2, 2), (4, 2)]


def counted(sizes, count):
    deck = [face for face, size in enumerate(sizes) for _ in range(size)]
    return Counter(count([deck[place] for place in order], deck) for order in permutations(range(len(deck))))


def same_law(law, found) -> bool:
    total, seen = sum(law), sum(found.values())
    return all(abs(many / total - found[value] / seen) < 1e-12 for value, many in enumerate(law)) and (
        max(found) < len(law)
    )


@pytest.mark.parametrize("sizes", SIZES)
def test_matches_successions_runs_and_inversions_by_every_order(sizes) -> None:
    assert same_law(laws.matches(sizes), counted(sizes, lambda w, d: sum(a == b for a, b in zip(w, d, strict=True))))
    assert same_law(laws.successions(sizes), counted(sizes, lambda w, _: sum(b == a + 1 for a, b in pairwise(w))))
    assert same_law(laws.runs(sizes), counted(sizes, lambda w, _: 1 + sum(a != b for a, b in pairwise(w))))
    inverted = counted(sizes, lambda w, _: sum(w[i] > w[j] for i in range(len(w)) for j in range(i + 1, len(w))))
    assert same_law(laws.inversions(sizes), inverted)


def test_who_follows_whom_by_every_order() -> None:
    sizes = (2, 1, 3)
    like = counted(sizes, lambda w, _: sum(a == b == 2 for a, b in pairwise(w)))
    assert same_law(laws.followed_by_its_like(3, 6), like)
    other = counted(sizes, lambda w, _: sum((a, b) == (0, 2) for a, b in pairwise(w)))
    assert same_law(laws.followed(2, 3, 6), other)


def test_one_of_each_card_is_the_law_of_permutations() -> None:
    ones = (1,) * 52
    assert laws.matches(ones) == plain.fixed_points(52)
    assert laws.successions(ones) == plain.successions(52)
    assert laws.runs((13,) * 4) == plain.runs_of_kinds(4, 13)
    exact, found = plain.inversions(52), laws.inversions(ones)
    assert max(abs(a / sum(exact) - b / sum(found)) for a, b in zip(exact, found, strict=True)) < 1e-14
