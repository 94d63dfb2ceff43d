"""What each tally counts over a chunk of whole decks of any kind: arrays of card numbers in, integers out.

A function has the name of its tally and gives what the tally keeps: a count for each deck, the cells that each deck
hits (rows of decks), or cells. An order is read against the faces themselves, against the order that was shuffled, or
against the deck before; as a permutation it exists only where every card differs.
"""

from collections.abc import Iterator
from functools import cached_property
from math import factorial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from randomness.decks.hands import DealtGroups, categories, dealt
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.layout import FAR, LAGS, NEAR, View

Numbers = NDArray[np.intp]
Cells = NDArray[np.int64]
Row = TypeVar("Row", bound=np.generic)


class Order:
    """Decks read against earlier orders, or as they are: `w` is what lies at each position, `v` where a card lies."""

    def __init__(self, kind: DeckKind, decks: Numbers, earlier: Numbers | None = None) -> None:
        self.kind, self.decks, self.earlier = kind, decks, earlier

    @property
    def before(self) -> Numbers:
        """The earlier orders, or the factory order where decks are read as they are."""
        return np.broadcast_to(self.kind.whole_row, self.decks.shape) if self.earlier is None else self.earlier

    @cached_property
    def w(self) -> Numbers:
        if self.earlier is None:
            return self.decks
        return np.take_along_axis(inverse(self.earlier), self.decks, axis=1)

    @cached_property
    def v(self) -> Numbers:
        return inverse(self.w)

    @cached_property
    def digits(self) -> Numbers:
        """Lower cards still to come, at each position."""
        w = self.w.astype(np.int16)
        digits = np.zeros(w.shape, np.intp)
        for position in range(w.shape[1] - 1):
            digits[:, position] = (w[:, position + 1 :] < w[:, position : position + 1]).sum(1)
        return digits


class Chunk:
    """Decks that follow each other, the decks before them (latest last), and their input orders where known."""

    def __init__(self, kind: DeckKind, decks: Numbers, past: Numbers, orders: Numbers | None) -> None:
        self.kind, self.decks, self.past, self.orders = kind, decks, past, orders

    @cached_property
    def faces(self) -> Order:
        return Order(self.kind, self.decks)

    @cached_property
    def input(self) -> Order | None:
        if self.orders is None:
            return None
        return Order(self.kind, self.decks, np.broadcast_to(self.orders, self.decks.shape))

    @cached_property
    def previous(self) -> Order | None:
        before, after = self.lagged(1)
        return Order(self.kind, after, before) if len(after) else None

    def view(self, view: View) -> Order | None:
        if view is View.FACES:
            return self.faces
        return self.input if view is View.INPUT else self.previous

    @cached_property
    def _all(self) -> Numbers:
        return np.concatenate([self.past, self.decks])

    def lagged(self, lag: int) -> tuple[Numbers, Numbers]:
        """Decks with the decks so many before them."""
        return lagged(self._all, lag, len(self.past))

    def lags(self, most: int) -> Iterator[tuple[Numbers, Numbers]]:
        return (self.lagged(lag) for lag in range(1, most + 1))

    @cached_property
    def hands(self) -> DealtGroups:
        return dealt(self.kind, self.decks)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        return card_scores(self.kind)[self._all].astype(float)


def lagged(rows: NDArray[Row], lag: int, past: int) -> tuple[NDArray[Row], NDArray[Row]]:
    """Rows after the first `past` that have one so many before them, as (before, after)."""
    first = max(lag, past)
    after = rows[first:]
    return rows[first - lag : first - lag + len(after)], after


def card_scores(kind: DeckKind) -> NDArray[np.int64]:
    """Card numbers as whole numbers with mean 0 over the deck."""
    copies = np.array(kind.copies)
    numbers = np.arange(kind.distinct)
    if kind.simple:
        return np.asarray(2 * numbers - (kind.cards - 1))
    return np.asarray(kind.cards * numbers - int(copies @ numbers))


def inverse(rows: Numbers) -> Numbers:
    """Where each card lies."""
    out = np.empty(rows.shape, np.intp)
    np.put_along_axis(out, rows.astype(np.intp), np.broadcast_to(np.arange(rows.shape[1]), rows.shape), axis=1)
    return out


def _histogram(values: Numbers, size: int) -> Cells:
    return np.bincount(values.ravel(), minlength=size).astype(np.int64)


# ----- one order ------------------------------------------------------------------------------------------------------


def by_position(order: Order) -> Numbers:
    """Position × card."""
    return np.asarray(np.arange(order.kind.cards) * order.kind.distinct + order.w)


def adjacent(order: Order) -> Numbers:
    return np.asarray(order.w[:, :-1] * order.kind.distinct + order.w[:, 1:])


def distances(order: Order) -> Cells:
    return _histogram(np.abs(np.diff(order.v, axis=1)), order.kind.cards)


def lehmer(order: Order) -> Cells:
    n = order.kind.cards
    return _histogram(np.arange(n) * n + order.digits, n * n)


def inversions(order: Order) -> Numbers:
    return np.asarray(order.digits.sum(1))


def correlation(order: Order) -> Cells:
    x = card_scores(order.kind)[order.w].astype(float)
    return np.asarray(np.triu(x.T @ x, 1)).astype(np.int64).ravel()


def card_distances(order: Order) -> Cells:
    n = order.kind.cards
    out = np.zeros((n, n), np.int64)
    for a in range(n - 1):
        out[a, a + 1 :] = np.abs(order.v[:, a + 1 :] - order.v[:, a : a + 1]).sum(0)
    return out.ravel()


def successions(order: Order) -> Numbers:
    return np.asarray((np.diff(order.w, axis=1) == 1).sum(1))


def adjacencies(order: Order) -> Numbers:
    return np.asarray((np.abs(np.diff(order.w, axis=1)) == 1).sum(1))


def descents(order: Order) -> Numbers:
    return np.asarray((np.diff(order.w, axis=1) < 0).sum(1))


def rising_sequences(order: Order) -> Numbers:
    return np.asarray(1 + (np.diff(order.v, axis=1) < 0).sum(1))


def valleys(order: Order) -> Numbers:
    w = order.w
    return np.asarray(((w[:, :-2] > w[:, 1:-1]) & (w[:, 1:-1] < w[:, 2:])).sum(1))


def peaks(order: Order) -> Numbers:
    w = order.w
    return np.asarray(((w[:, :-2] < w[:, 1:-1]) & (w[:, 1:-1] > w[:, 2:])).sum(1))


def cycles(order: Order) -> Numbers:
    """Each place learns the lowest place of its cycle, by steps that double."""
    n = order.kind.cards
    step, lowest = order.w, np.broadcast_to(np.arange(n), order.w.shape)
    for _ in range(n.bit_length()):
        lowest = np.minimum(lowest, np.take_along_axis(lowest, step, axis=1))
        step = np.take_along_axis(step, step, axis=1)
    return np.asarray((lowest == np.arange(n)).sum(1))


def longest_increasing(order: Order) -> Numbers:
    """Patience: the lowest card that ends an increasing sequence of each length."""
    n, rows = order.kind.cards, np.arange(len(order.w))
    ends = np.full(order.w.shape, n, np.int16)
    for position in range(n):
        card = order.w[:, position]
        ends[rows, (ends < card[:, None]).sum(1)] = card
    return np.asarray((ends < n).sum(1))


def riffle_guess(order: Order) -> Numbers:
    return _guesses(order, both_ways=False)


def shelf_guess(order: Order) -> Numbers:
    return _guesses(order, both_ways=True)


def _guesses(order: Order, *, both_ways: bool) -> Numbers:
    """Right guesses of the next card up from the last one (or on in the direction last seen), of those still out."""
    w, n = order.w, order.kind.cards
    rows = np.arange(len(w))
    below = np.broadcast_to(np.arange(n + 1, dtype=np.int16), (len(w), n + 1)).copy()  # cards still out below each
    right = np.zeros(len(w), np.intp)
    last = np.full(len(w), -1)
    for turn in range(n):
        card = w[:, turn]
        left = n - turn
        under, over = below[rows, card], left - below[rows, card + 1]
        up_to_last = np.where(last >= 0, below[rows, last + 1], 0)
        up = np.where(card > last, under == up_to_last, (under == 0) & (up_to_last == left))
        if both_ways and turn >= 2:
            under_last = below[rows, last]
            down = np.where(card < last, below[rows, card + 1] == under_last, (over == 0) & (under_last == 0))
            right += np.where(last < w[:, turn - 2], down, up)
        else:
            right += up
        below -= np.arange(n + 1, dtype=np.int16) > card[:, None]
        last = card
    return right


def group_order(order: Order) -> Cells:
    return _orders(order.kind, order.w)


def rank_order(order: Order) -> Cells:
    return _orders(order.kind, order.kind.ranks[order.w])


def _orders(kind: DeckKind, values: Numbers) -> Cells:
    """The order of each seat's cards, as a number below group!; groups with a tie are left out."""
    group, seats = kind.group, kind.groups
    dealt_ = values[:, : kind.dealt].reshape(len(values), seats, group)
    code = np.zeros(dealt_.shape[:2], np.intp)
    tied = np.zeros(dealt_.shape[:2], bool)
    for card in range(group):
        later = dealt_[..., card + 1 :]
        code += (later < dealt_[..., card : card + 1]).sum(-1) * factorial(group - 1 - card)
        tied |= (later == dealt_[..., card : card + 1]).any(-1)
    cells = np.arange(seats) * factorial(group) + code
    return _histogram(cells[~tied], seats * factorial(group))


def _runs(kinds: Numbers) -> Numbers:
    return np.asarray(1 + (np.diff(kinds, axis=1) != 0).sum(1))


def suit_runs(order: Order) -> Numbers:
    return _runs(order.kind.suits[order.w])


def colour_runs(order: Order) -> Numbers:
    return _runs(order.kind.colours[order.w])


def rank_runs(order: Order) -> Numbers:
    return _runs(order.kind.ranks[order.w])


def _same(kinds: Numbers) -> Cells:
    """For each two positions, decks with one kind at both: products of tables of nought and one."""
    out = np.zeros((kinds.shape[1],) * 2, np.float64)
    for each in range(int(kinds.max()) + 1):
        there = (kinds == each).astype(np.float32)
        out += there.T @ there
    return np.triu(out, 1).astype(np.int64).ravel()


def same_suit(order: Order) -> Cells:
    return _same(order.kind.suits[order.w])


def same_rank(order: Order) -> Cells:
    return _same(order.kind.ranks[order.w])


def position_pairs(order: Order) -> Cells:
    """For each two positions, a table of card × card."""
    n, distinct = order.kind.cards, order.kind.distinct
    blocks = []
    for first in range(n - 1):
        others = order.w[:, first + 1 :]
        pair = (np.arange(n - first - 1) * distinct + order.w[:, first : first + 1]) * distinct + others
        blocks.append(_histogram(pair, (n - first - 1) * distinct**2))
    return np.concatenate(blocks)


def stuck(order: Order) -> Cells:
    """Successions up and down, by place (first two rows of cells) and by the lower card of the pair (the other two)."""
    rows = [np.append((np.diff(x, axis=1) == step).sum(0), 0) for x in (order.w, order.v) for step in (1, -1)]
    return np.concatenate(rows).astype(np.int64)


# ----- two orders, by their faces -------------------------------------------------------------------------------------


def fixed_points(order: Order) -> Numbers:
    """Places with the card, or the face, that they had before."""
    return np.asarray((order.decks == order.before).sum(1))


def pairs_kept(order: Order) -> Cells:
    """Neighbours whose two faces were neighbours before, less what chance makes of them: the sum over decks, that of
    the squares, and the decks. Times the cards of a deck, so that all are whole numbers."""
    kind, before, after = order.kind, order.before, order.decks
    distinct, copies = kind.distinct, np.array(kind.copies)
    expected = copies[:, None] * (copies[None, :] - np.eye(distinct, dtype=np.intp))
    there = np.zeros((len(before), distinct**2), bool)
    rows = np.arange(len(before))[:, None]
    there[rows, before[:, :-1] * distinct + before[:, 1:]] = True
    kept = there[rows, after[:, :-1] * distinct + after[:, 1:]].sum(1)
    off = kind.cards * kept - there @ expected.ravel()
    return np.array([off.sum(), (off**2).sum(), len(off)], np.int64)


# ----- dealt hands ----------------------------------------------------------------------------------------------------


def hands(chunk: Chunk) -> Numbers:
    """Seats × categories."""
    return np.asarray(np.arange(chunk.kind.groups) * len(categories(chunk.kind).names) + chunk.hands.category)


def hand_products(chunk: Chunk) -> Cells:
    """Over the decks, the products of how many seats have each category."""
    category = chunk.hands.category
    in_deck = np.stack([(category == each).sum(1) for each in range(len(categories(chunk.kind).names))], axis=1)
    return np.asarray(in_deck.T @ in_deck, np.int64).ravel()


def hand_pairs(chunk: Chunk) -> Cells:
    """For each two seats: the commonest category, the next, or a rarer one, against the same."""
    level, seats = np.minimum(chunk.hands.category, 2), chunk.kind.groups
    return np.concatenate(
        [_histogram(3 * level[:, s] + level[:, t], 9) for s in range(seats) for t in range(s + 1, seats)]
    )


def high_cards(order: Order) -> Cells:
    """Seats × highest rank."""
    kind, ranks = order.kind, len(order.kind.rank_names)
    dealt_ = kind.ranks[order.w[:, : kind.dealt]].reshape(len(order.w), kind.groups, kind.group)
    return _histogram(np.arange(kind.groups) * ranks + dealt_.max(-1), kind.groups * ranks)


def seat_scores(chunk: Chunk) -> Cells:
    """Hands beaten less hands lost to, for each seat; then the sum of all squares."""
    strength = chunk.hands.strength
    score = np.sign(strength[:, :, None] - strength[:, None, :]).sum(-1)
    return np.append(score.sum(0), (score**2).sum()).astype(np.int64)


# ----- the decks before -----------------------------------------------------------------------------------------------


def lag_matches(chunk: Chunk) -> Cells:
    n = chunk.kind.cards
    return np.concatenate([_histogram((a == b).sum(1), n + 1) for a, b in chunk.lags(LAGS)])


def lag_places(chunk: Chunk) -> Cells:
    """For each lag the decks in which each position keeps its card, and the decks."""
    return np.concatenate([np.append((a == b).sum(0), len(b)) for a, b in chunk.lags(NEAR)]).astype(np.int64)


def lag_cells(chunk: Chunk) -> Cells:
    """For each lag a table of positions × positions of the earlier deck, and the decks."""
    n = chunk.kind.cards
    rows = []
    for before, after in chunk.lags(NEAR):
        moved = np.arange(n) * n + np.take_along_axis(inverse(before), after, axis=1)
        rows.append(np.append(_histogram(moved, n * n), len(after)))
    return np.concatenate(rows)


def lag_shifts(chunk: Chunk) -> Cells:
    n = chunk.kind.cards
    rows = []
    for before, after in chunk.lags(LAGS):
        moved = (np.take_along_axis(inverse(after), before, axis=1) - np.arange(n)) % n
        rows.append(_histogram(moved, n))
    return np.concatenate(rows)


def lag_order(chunk: Chunk) -> Cells:
    """For each lag the deck as places in the earlier one: its descents, then its successions."""
    n = chunk.kind.cards
    rows = []
    for before, after in chunk.lags(LAGS):
        step = np.diff(np.take_along_axis(inverse(before), after, axis=1), axis=1)
        rows += [_histogram((step < 0).sum(1), n), _histogram((step == 1).sum(1), n)]
    return np.concatenate(rows)


def lag_correlation(chunk: Chunk) -> Cells:
    rows = []
    for lag in range(1, LAGS + 1):
        a, b = lagged(chunk.scores, lag, len(chunk.past))
        rows.append(np.append((a * b).sum(0), len(b)))
    return np.concatenate(rows).astype(np.int64)


def serial(chunk: Chunk) -> Cells:
    first = max(1, len(chunk.past))
    return np.asarray(chunk.scores[first - 1 : -1].T @ chunk.scores[first:]).astype(np.int64).ravel()


def lag_far(chunk: Chunk) -> Cells:
    """For each lag beyond the sixteenth the cards in the place they had then, and the decks."""
    rows = np.concatenate([chunk.past, chunk.decks]).astype(np.uint8 if chunk.kind.distinct <= 256 else np.uint16)
    out = []
    for lag in range(LAGS + 1, FAR + 1):
        before, after = lagged(rows, lag, len(chunk.past))
        out += [int(np.count_nonzero(before == after)), len(after)]
    return np.array(out, np.int64)
