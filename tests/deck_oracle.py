"""An oracle for the tallies of 52 cards: one deck at a time, in plain Python, slow and obvious.

A tally of one permutation gets `w` (the card, or its place in an earlier order, at each position) and its inverse `v`;
a tally of hands the eight hand values; a tally over time the deck and the decks before it, latest first. Each yields
(cell, amount) pairs to add. `counted` gives the cells of a tally over decks.
"""

# Every tally has one signature, whether it reads the order or its inverse.

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS, SEATS, colour_of, rank_of, suit_of
from randomness.decks.kinds import STANDARD
from randomness.decks.layout import TALLIES, TallySource, View

LAGS = 16
FAR = 128
NEAR = 8

Order = Sequence[int]
Adds = Iterator[tuple[int, int]]


def inverse(w: Order) -> list[int]:
    v = [0] * len(w)
    for position, card in enumerate(w):
        v[card] = position
    return v


def seen_from(deck: Order, order: Order) -> list[int]:
    """The deck as positions in an earlier order of the same cards."""
    place = inverse(order)
    return [place[face] for face in deck]


# ----- tables of one permutation --------------------------------------------------------------------------------------


def by_position(w: Order, v: Order) -> Adds:
    for position, card in enumerate(w):
        yield position * CARDS + card, 1


def adjacent(w: Order, v: Order) -> Adds:
    for card, following in pairwise(w):
        yield card * CARDS + following, 1


def distances(w: Order, v: Order) -> Adds:
    for card in range(CARDS - 1):
        yield abs(v[card + 1] - v[card]), 1


def lehmer_digits(w: Order) -> list[int]:
    return [sum(later < card for later in w[position + 1 :]) for position, card in enumerate(w)]


def lehmer(w: Order, v: Order) -> Adds:
    for position, digit in enumerate(lehmer_digits(w)):
        yield position * CARDS + digit, 1


def inversions(w: Order, v: Order) -> Adds:
    yield sum(lehmer_digits(w)), 1


def correlation(w: Order, v: Order) -> Adds:
    for i in range(CARDS):
        for j in range(i + 1, CARDS):
            yield i * CARDS + j, (2 * w[i] - 51) * (2 * w[j] - 51)


def card_distances(w: Order, v: Order) -> Adds:
    for a in range(CARDS):
        for b in range(a + 1, CARDS):
            yield a * CARDS + b, abs(v[a] - v[b])


def _order_code(one: int, two: int, three: int) -> int:
    return 2 * ((two < one) + (three < one)) + (three < two)


def group_order(w: Order, v: Order) -> Adds:
    for seat in range(SEATS):
        yield 6 * seat + _order_code(*w[3 * seat : 3 * seat + 3]), 1


def rank_order(w: Order, v: Order) -> Adds:
    for seat in range(SEATS):
        ranks = [rank_of(face) for face in w[3 * seat : 3 * seat + 3]]
        if len(set(ranks)) == 3:
            yield 6 * seat + _order_code(*ranks), 1


def high_cards(w: Order, v: Order) -> Adds:
    for seat in range(SEATS):
        yield 13 * seat + max(rank_of(face) for face in w[3 * seat : 3 * seat + 3]), 1


# ----- counts of one permutation --------------------------------------------------------------------------------------


def successions(w: Order, v: Order) -> Adds:
    yield sum(b == a + 1 for a, b in pairwise(w)), 1


def stuck(w: Order, v: Order) -> Adds:
    """Successions up and down, by place (first two rows of 52) and by the lower card of the pair (the other two)."""
    for row, order in ((0, w), (2, v)):
        for place, (a, b) in enumerate(pairwise(order)):
            if b - a == 1:
                yield CARDS * row + place, 1
            if a - b == 1:
                yield CARDS * (row + 1) + place, 1


def adjacencies(w: Order, v: Order) -> Adds:
    yield sum(abs(b - a) == 1 for a, b in pairwise(w)), 1


def descents(w: Order, v: Order) -> Adds:
    yield sum(b < a for a, b in pairwise(w)), 1


def rising_sequences(w: Order, v: Order) -> Adds:
    """Read through the deck again and again, each time taking the next card in order: how often?"""
    yield 1 + sum(v[card + 1] < v[card] for card in range(CARDS - 1)), 1


def valleys(w: Order, v: Order) -> Adds:
    yield sum(a > b < c for a, b, c in zip(w, w[1:], w[2:], strict=False)), 1


def peaks(w: Order, v: Order) -> Adds:
    yield sum(a < b > c for a, b, c in zip(w, w[1:], w[2:], strict=False)), 1


def fixed_points(w: Order, v: Order) -> Adds:
    yield sum(position == card for position, card in enumerate(w)), 1


def cycles(w: Order, v: Order) -> Adds:
    unseen = set(range(CARDS))
    found = 0
    while unseen:
        found += 1
        place = unseen.pop()
        while w[place] in unseen:
            place = w[place]
            unseen.remove(place)
    yield found, 1


def longest_increasing(w: Order, v: Order) -> Adds:
    lengths: list[int] = []
    for position, card in enumerate(w):
        lengths.append(1 + max((lengths[i] for i in range(position) if w[i] < card), default=0))
    yield max(lengths), 1


def riffle_guess(w: Order, v: Order) -> Adds:
    """Guess the next higher card still out, or the lowest of all."""
    out, last, right = list(range(CARDS)), -1, 0
    for card in w:
        guess = next((face for face in out if face > last), out[0])
        right += guess == card
        out.remove(card)
        last = card
    yield right, 1


def shelf_guess(w: Order, v: Order) -> Adds:
    """Guess on in the direction last seen; where no card is left that way, from the far end again."""
    out, right = list(range(CARDS)), 0
    for turn, card in enumerate(w):
        last = w[turn - 1] if turn else -1
        if turn >= 2 and last < w[turn - 2]:
            guess = next((face for face in reversed(out) if face < last), out[-1])
        else:
            guess = next((face for face in out if face > last), out[0])
        right += guess == card
        out.remove(card)
    yield right, 1


# ----- kinds of cards -------------------------------------------------------------------------------------------------


def _runs(kinds: Sequence[int]) -> Adds:
    yield 1 + sum(a != b for a, b in pairwise(kinds)), 1


def suit_runs(w: Order, v: Order) -> Adds:
    return _runs([suit_of(face) for face in w])


def colour_runs(w: Order, v: Order) -> Adds:
    return _runs([colour_of(face) for face in w])


def rank_runs(w: Order, v: Order) -> Adds:
    return _runs([rank_of(face) for face in w])


def _equal_pairs(kinds: Sequence[int]) -> Adds:
    for i in range(CARDS):
        for j in range(i + 1, CARDS):
            if kinds[i] == kinds[j]:
                yield i * CARDS + j, 1


def same_suit(w: Order, v: Order) -> Adds:
    return _equal_pairs([suit_of(face) for face in w])


def same_rank(w: Order, v: Order) -> Adds:
    return _equal_pairs([rank_of(face) for face in w])


def position_pairs(w: Order, v: Order) -> Adds:
    pair = 0
    for i in range(CARDS):
        for j in range(i + 1, CARDS):
            yield (pair * CARDS + w[i]) * CARDS + w[j], 1
            pair += 1


# ----- dealt hands ----------------------------------------------------------------------------------------------------


def strength(cards: Sequence[int]) -> tuple[int, ...]:
    """Sorts hands of three: category first, then what breaks a tie within it."""
    ranks = sorted((rank_of(card) for card in cards), reverse=True)
    flush = len({suit_of(card) for card in cards}) == 1
    wheel = ranks == [12, 1, 0]
    straight = wheel or (ranks[0] - ranks[2] == 2 and len(set(ranks)) == 3)
    if straight:
        return (5 if flush else 3, 1 if wheel else ranks[0])
    if ranks[0] == ranks[2]:
        return (4, ranks[0])
    if flush:
        return (2, *ranks)
    if len(set(ranks)) == 2:
        pair = ranks[1]
        return (1, pair, ranks[0] + ranks[2] - pair)
    return (0, *ranks)


Hand = tuple[int, ...]


def hands(values: Sequence[Hand]) -> Adds:
    for seat, value in enumerate(values):
        yield 6 * seat + value[0], 1


def hand_products(values: Sequence[Hand]) -> Adds:
    for one in values:
        for other in values:
            yield 6 * one[0] + other[0], 1


def hand_pairs(values: Sequence[Hand]) -> Adds:
    kinds = [min(2, value[0]) for value in values]
    pair = 0
    for s in range(SEATS):
        for t in range(s + 1, SEATS):
            yield 9 * pair + 3 * kinds[s] + kinds[t], 1
            pair += 1


def seat_scores(values: Sequence[Hand]) -> Adds:
    for seat, mine in enumerate(values):
        score = sum(theirs < mine for theirs in values) - sum(theirs > mine for theirs in values)
        yield seat, score
        yield SEATS, score * score


# ----- the decks before -----------------------------------------------------------------------------------------------


def lag_matches(deck: Order, before: Sequence[Order]) -> Adds:
    for lag, then in enumerate(before, start=1):
        yield 53 * (lag - 1) + sum(a == b for a, b in zip(deck, then, strict=True)), 1


def lag_places(deck: Order, before: Sequence[Order]) -> Adds:
    for lag, then in enumerate(before[:NEAR]):
        for position in range(CARDS):
            yield 53 * lag + position, int(deck[position] == then[position])
        yield 53 * lag + CARDS, 1


def lag_cells(deck: Order, before: Sequence[Order]) -> Adds:
    """From each place of an earlier deck to each of this one: a table of 52 × 52 and the decks, lag by lag."""
    for lag, then in enumerate(before[:NEAR]):
        row = (CARDS * CARDS + 1) * lag
        for position, was in enumerate(seen_from(deck, then)):
            yield row + position * CARDS + was, 1
        yield row + CARDS * CARDS, 1


def lag_shifts(deck: Order, before: Sequence[Order]) -> Adds:
    v = inverse(deck)
    for lag, then in enumerate(before, start=1):
        for position, face in enumerate(then):
            yield CARDS * (lag - 1) + (v[face] - position) % CARDS, 1


def lag_order(deck: Order, before: Sequence[Order]) -> Adds:
    """The deck as places in an earlier one: its descents (first 52 cells of a lag) and successions (the other 52)."""
    for lag, then in enumerate(before, start=1):
        w = seen_from(deck, then)
        row = 2 * CARDS * (lag - 1)
        yield row + sum(b < a for a, b in pairwise(w)), 1
        yield row + CARDS + sum(b == a + 1 for a, b in pairwise(w)), 1


def lag_correlation(deck: Order, before: Sequence[Order]) -> Adds:
    for lag, then in enumerate(before, start=1):
        for position in range(CARDS):
            yield 53 * (lag - 1) + position, (2 * deck[position] - 51) * (2 * then[position] - 51)
        yield 53 * (lag - 1) + CARDS, 1


def serial(deck: Order, before: Sequence[Order]) -> Adds:
    for then in before[:1]:
        for i in range(CARDS):
            for j in range(CARDS):
                yield i * CARDS + j, (2 * then[i] - 51) * (2 * deck[j] - 51)


def lag_far(deck: Order, before: Sequence[Order]) -> Adds:
    for lag in range(LAGS + 1, len(before) + 1):
        yield 2 * (lag - LAGS - 1), sum(a == b for a, b in zip(deck, before[lag - 1], strict=True))
        yield 2 * (lag - LAGS - 1) + 1, 1


# ----- a tally over decks ---------------------------------------------------------------------------------------------


def pairs_kept(deck: Order, before: Order) -> Adds:
    off = 52 * len(set(pairwise(deck)) & set(pairwise(before))) - 51
    yield 0, off
    yield 1, off * off
    yield 2, 1


def counted(name: str, decks: Sequence[Order], orders: Sequence[Order] | None) -> tuple[NDArray[np.int64], int]:
    """The cells of a tally, and the decks that it counted."""
    tally = TALLIES[name]
    cells, many, function = np.zeros(tally.size(STANDARD), np.int64), 0, globals()[tally.function]
    for row, deck in enumerate(decks):
        reach = FAR if name == "lag_far" else LAGS
        before = [list(earlier) for earlier in reversed(decks[max(0, row - reach) : row])]
        if tally.source is TallySource.TIME:
            adds = function(deck, before) if before else None
        elif tally.source is TallySource.DECK:
            adds = function([strength(deck[3 * seat : 3 * seat + 3]) for seat in range(SEATS)])
        else:
            earlier = {View.FACES: range(CARDS), View.INPUT: None if orders is None else orders[row]}
            order = earlier.get(tally.view, before[0] if before else None)
            w = None if order is None else seen_from(deck, order)
            adds = None if w is None else function(deck, order) if function is pairs_kept else function(w, inverse(w))
        many += adds is not None
        for cell, amount in adds or ():
            cells[cell] += amount
    return cells, many
