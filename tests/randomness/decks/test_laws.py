"""The exact laws against counting every order of a few cards, and against counts made elsewhere."""

import json
import math
import os
from collections import Counter
from itertools import combinations, pairwise, permutations
from math import factorial
from pathlib import Path

import pytest

from randomness.decks import laws, lis


def adjacent_differences(w):
    return [b - a for a, b in pairwise(w)]


def cycle_count(w):
    unseen, found = set(range(len(w))), 0
    while unseen:
        found, place = found + 1, unseen.pop()
        while w[place] in unseen:
            place = w[place]
            unseen.remove(place)
    return found


def longest_increasing(w):
    best = []
    for i, card in enumerate(w):
        best.append(1 + max((best[j] for j in range(i) if w[j] < card), default=0))
    return max(best)


def guesses_next_higher(w):
    out, last, right = list(range(len(w))), -1, 0
    for card in w:
        right += next((c for c in out if c > last), out[0]) == card
        out.remove(card)
        last = card
    return right


STATISTICS = {
    "fixed_points": lambda w: sum(i == c for i, c in enumerate(w)),
    "cycles": cycle_count,
    "right_guesses": guesses_next_higher,
    "successions": lambda w: sum(d == 1 for d in adjacent_differences(w)),
    "adjacencies": lambda w: sum(abs(d) == 1 for d in adjacent_differences(w)),
    "descents": lambda w: sum(d < 0 for d in adjacent_differences(w)),
    "rising_sequences": lambda w: 1 + sum(w.index(c + 1) < w.index(c) for c in range(len(w) - 1)),
    "valleys": lambda w: sum(a > b < c for a, b, c in zip(w, w[1:], w[2:], strict=False)),
    "inversions": lambda w: sum(w[i] > w[j] for i in range(len(w)) for j in range(i + 1, len(w))),
}


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("name", STATISTICS)
def test_a_law_counts_every_order_of_a_few_cards(name: str, n: int) -> None:
    counted = Counter(STATISTICS[name](w) for w in permutations(range(n)))
    law = getattr(laws, name)(n)
    assert {value: count for value, count in enumerate(law) if count} == dict(counted)


@pytest.mark.parametrize("name", STATISTICS)
def test_a_law_of_52_cards_counts_every_order_once(name: str) -> None:
    assert sum(getattr(laws, name)(52)) == factorial(52)


def test_peaks_have_the_law_of_valleys() -> None:
    peaks = Counter(sum(a < b > c for a, b, c in zip(w, w[1:], w[2:], strict=False)) for w in permutations(range(6)))
    assert tuple(peaks[k] for k in sorted(peaks)) == laws.valleys(6)


@pytest.mark.parametrize(("kinds", "each"), [(2, 2), (2, 4), (3, 2), (4, 2), (3, 3)])
def test_runs_of_kinds_against_every_arrangement(kinds: int, each: int) -> None:
    deck = [kind for kind in range(kinds) for _ in range(each)]
    counted = Counter(1 + sum(a != b for a, b in pairwise(w)) for w in set(permutations(deck)))
    law = laws.runs((each,) * kinds)
    assert {value: count for value, count in enumerate(law) if count} == dict(counted)


@pytest.mark.parametrize(("kinds", "each"), [(4, 13), (2, 26), (13, 4)])
def test_runs_of_a_deck_count_every_arrangement_once(kinds: int, each: int) -> None:
    assert sum(laws.runs((each,) * kinds)) == factorial(52) // factorial(each) ** kinds


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
def test_hook_lengths_count_longest_increasing_subsequences(n: int) -> None:
    counted = Counter(longest_increasing(w) for w in permutations(range(n)))
    assert {k: c for k, c in enumerate(lis.by_hook_lengths(n)) if c} == dict(counted)


def test_the_kept_law_of_52_cards_is_whole_and_has_known_ends() -> None:
    counts = lis.longest_increasing(52)
    assert sum(counts) == factorial(52)
    # One order has no increasing pair; one is increasing throughout; 51² have a longest run one shorter.
    assert (counts[1], counts[52], counts[51]) == (1, 1, 51**2)
    # Longest increasing 2 avoids three in a row: the Catalan numbers, less the one order counted above.
    assert counts[2] == factorial(104) // (factorial(52) * factorial(53)) - 1


@pytest.mark.parametrize("k", [24, 25, 27, 30, 40, 50])
def test_the_kept_law_of_52_cards_is_what_the_code_makes(k: int) -> None:
    """Where the first row is long there are few shapes; `python -m randomness.decks.lis` makes all 281,589 again."""
    count = sum(lis.tableaux((k, *rest)) ** 2 for rest in lis.partitions(52 - k, k))
    assert count == lis.longest_increasing(52)[k]


@pytest.mark.skipif("SHUFFLER_REFERENCE" not in os.environ, reason="SHUFFLER_REFERENCE names no folder")
def test_laws_agree_with_counts_made_elsewhere() -> None:
    kept = json.loads((Path(os.environ["SHUFFLER_REFERENCE"]) / "perm52_exact_counts.json").read_text())
    ours = {
        "cycles": laws.cycles(52),
        "fixed_points": laws.fixed_points(52),
        "successions": laws.successions(52),
        "unsigned_adjacency": laws.adjacencies(52),
        "descents": laws.descents(52),
        "valleys": laws.valleys(52),
        "inversions": laws.inversions(52),
        "LIS": lis.longest_increasing(52),
    }
    assert {name: [str(c) for c in counts] for name, counts in ours.items()} == {name: kept[name] for name in ours}


def test_riffle_weights_are_log_likelihood_ratios() -> None:
    weights = laws.riffle_weights(52, 7, 16)
    # The likeliest order against the least likely: (1 + 9857.94) times uniform against (1 - 0.999995).
    assert weights[1] - weights[52] == pytest.approx(16 * (math.log(9858.94) - math.log(1 - 0.999995)), rel=0.01)
    assert weights[52] == 0
    assert list(weights[1:]) == sorted(weights[1:], reverse=True)
    # Few riffles cannot make many rising sequences.
    assert set(laws.riffle_weights(52, 2, 16)[4:]) == {0}


def test_a_weighted_law_keeps_every_order() -> None:
    counts = laws.weighted(laws.rising_sequences(5), laws.riffle_weights(5, 2, 10))
    assert sum(counts) == factorial(5)


def test_neighbours_of_one_kind_are_counted_over_every_arrangement() -> None:
    n, many = 8, 3
    seen = Counter(
        sum(b - a == 1 for a, b in pairwise(places)) for places in combinations(range(n), many)
    )
    assert laws.neighbours_of_kind(n, many) == tuple(seen[value] for value in range(many))


# ----- multisets ------------------------------------------------------------------------------------------------------

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
    assert same_law(laws.face_successions(sizes), counted(sizes, lambda w, _: sum(b == a + 1 for a, b in pairwise(w))))
    assert same_law(laws.runs(sizes), counted(sizes, lambda w, _: 1 + sum(a != b for a, b in pairwise(w))))
    inverted = counted(sizes, lambda w, _: sum(w[i] > w[j] for i in range(len(w)) for j in range(i + 1, len(w))))
    assert same_law(laws.face_inversions(sizes), inverted)


def test_who_follows_whom_by_every_order() -> None:
    sizes = (2, 1, 3)
    like = counted(sizes, lambda w, _: sum(a == b == 2 for a, b in pairwise(w)))
    assert same_law(laws.followed_by_its_like(3, 6), like)
    other = counted(sizes, lambda w, _: sum((a, b) == (0, 2) for a, b in pairwise(w)))
    assert same_law(laws.followed(2, 3, 6), other)


def test_one_of_each_card_is_the_law_of_permutations() -> None:
    ones = (1,) * 52
    assert laws.matches(ones) == laws.fixed_points(52)
    assert laws.face_successions(ones) == laws.successions(52)
    exact, found = laws.inversions(52), laws.face_inversions(ones)
    assert max(abs(a / sum(exact) - b / sum(found)) for a, b in zip(exact, found, strict=True)) < 1e-14
