"""Defects planted in ideal decks of any kind, by numpy: rows of card numbers in, rows with the defect out.

Each takes decks, the orders they were shuffled from and a generator, and returns both. They are strong enough for two
thousand decks; what each should be found by is for the proof to show.
"""

# Every plant has one signature, whatever it needs.
# ruff: noqa: ARG001

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from randomness.decks.counting import inverse
from randomness.decks.hands import LEAST, MOST, dealt
from randomness.decks.kinds import DeckKind

Rows = NDArray[np.intp]
Chance = np.random.Generator
Plant = Callable[[DeckKind, Rows, Rows, Chance], tuple[Rows, Rows]]


def ideal(kind: DeckKind, decks: int, chance: Chance) -> tuple[Rows, Rows]:
    """Decks and input orders, uniform and independent."""
    rows = np.tile(kind.whole_row, (2 * decks, 1))
    made = chance.permuted(rows, axis=1)
    return made[:decks], made[decks:]


def _swap(decks: Rows, rows: Rows, one: Rows, other: Rows) -> None:
    held = decks[rows, one].copy()
    decks[rows, one] = decks[rows, other]
    decks[rows, other] = held


def _some(decks: Rows, share: float, chance: Chance) -> Rows:
    return np.flatnonzero(chance.random(len(decks)) < share)


def _to(decks: Rows, rows: Rows, position: int, cards: Rows) -> None:
    """Bring a card of each of these rows to a position."""
    where = (decks[rows] == cards[:, None]).argmax(1)
    _swap(decks, rows, np.full(len(rows), position), where)


def sticky_card(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """The third card is followed by the fourth in three decks of ten."""
    decks = decks.copy()
    for row in _some(decks, 0.3, chance):
        at = int(np.flatnonzero(decks[row] == 2)[0])
        other = int(np.flatnonzero(decks[row] == 3)[0])
        if at + 1 < kind.cards:
            decks[row, [at + 1, other]] = decks[row, [other, at + 1]]
    return decks, orders


def biased_position(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """The last card lies fifth in fifteen decks of a hundred."""
    decks = decks.copy()
    rows = _some(decks, 0.15, chance)
    _to(decks, rows, 4, np.full(len(rows), kind.distinct - 1))
    return decks, orders


def _clumped(kinds: Rows, share: float, decks: Rows, chance: Chance) -> Rows:
    decks = decks.copy()
    rows = _some(decks, share, chance)
    part = decks[rows, 4:20]
    order = np.argsort(kinds[part] * 1000 + chance.permuted(np.tile(np.arange(16), (len(rows), 1)), axis=1), axis=1)
    decks[rows, 4:20] = np.take_along_axis(part, order, axis=1)
    return decks


def clumped_suits(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Sixteen cards lie sorted by suit in half of the decks."""
    return _clumped(kind.suits, 0.5, decks, chance), orders


def clumped_ranks(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Sixteen cards lie sorted by rank in half of the decks."""
    return _clumped(kind.ranks, 0.5, decks, chance), orders


def half_sorted(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """The upper half lies sorted in four decks of ten."""
    decks = decks.copy()
    rows = _some(decks, 0.4, chance)
    decks[rows, : kind.cards // 2] = np.sort(decks[rows, : kind.cards // 2], axis=1)
    return decks, orders


def few_riffles(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Every deck is its input order after three riffles."""
    rows = orders.copy()
    for _ in range(3):
        bits = chance.integers(0, 2, rows.shape)
        order = np.argsort(bits, axis=1, kind="stable")  # an inverse riffle: zeros before ones
        rows = np.take_along_axis(rows, inverse(order), axis=1)
    return rows, orders


def places_kept(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Places 2, 8 and 12 keep the card of the input in a third of the decks."""
    decks = decks.copy()
    for place in (1, 7, 11):
        rows = _some(decks, 0.33, chance)
        _to(decks, rows, place, orders[rows, place])
    return decks, orders


def memory(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Places 1 to 6 keep the card of the deck before in four decks of ten."""
    decks = decks.copy()
    for row in range(1, len(decks)):
        for place in range(6):
            if chance.random() < 0.4:
                at = int(np.flatnonzero(decks[row] == decks[row - 1, place])[0])
                decks[row, [place, at]] = decks[row, [at, place]]
    return decks, orders


def turned_round(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Three decks of ten are the deck before, cut after the third card, with ten cards shuffled anew."""
    decks = decks.copy()
    for row in range(1, len(decks)):
        if chance.random() < 0.3:
            decks[row] = np.roll(decks[row - 1], 3)
            some = chance.choice(kind.cards, 10, replace=False)
            decks[row, some] = decks[row, chance.permutation(some)]
    return decks, orders


def lucky_last_seat(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """The last seat gets the best hand of the table in four decks of ten."""
    decks = decks.copy()
    if not LEAST <= kind.group <= MOST or kind.groups < 2:
        return decks, orders
    rows = _some(decks, 0.4, chance)
    best = dealt(kind, decks[rows]).strength.argmax(1)
    last = kind.groups - 1
    for card in range(kind.group):
        _swap(decks, rows, best * kind.group + card, np.full(len(rows), last * kind.group + card))
    return decks, orders


def sorted_groups(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Groups come sorted by face in half of the decks."""
    decks = decks.copy()
    rows = _some(decks, 0.5, chance)
    groups = decks[rows, : kind.dealt].reshape(len(rows), kind.groups, kind.group)
    order = np.argsort(kind.ranks[groups] * 1000 + groups, axis=2)
    decks[rows, : kind.dealt] = np.take_along_axis(groups, order, axis=2).reshape(len(rows), kind.dealt)
    groups = decks[: len(decks) // 2, : kind.dealt]  # half of the file by number as well
    groups = groups.reshape(-1, kind.groups, kind.group)
    decks[: len(groups), : kind.dealt] = np.sort(groups, axis=2).reshape(-1, kind.dealt)
    return decks, orders


def groups_in_feed_order(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Groups come in the order of the input in a third of the decks, of the deck before in another third."""
    decks = decks.copy()
    for row in range(1, len(decks)):
        which = chance.random()
        earlier = orders[row] if which < 0.33 else decks[row - 1]
        if which < 0.66:
            place = inverse(earlier[None, :])[0] if kind.simple else np.arange(kind.distinct)
            groups = decks[row, : kind.dealt].reshape(kind.groups, kind.group)
            order = np.argsort(place[groups], axis=1)
            decks[row, : kind.dealt] = np.take_along_axis(groups, order, axis=1).ravel()
    return decks, orders


def even_only(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Only even permutations of the faces and of the input."""
    if not kind.simple:
        return decks, orders
    decks, orders = decks.copy(), orders.copy()
    for rows in (decks, orders):
        odd = _parity(rows) == 1
        rows[odd, -2:] = rows[odd][:, [-1, -2]]
    return decks, orders


def _parity(rows: Rows) -> Rows:
    w = rows.astype(np.int16)
    total = np.zeros(len(w), np.intp)
    for position in range(w.shape[1] - 1):
        total += (w[:, position + 1 :] < w[:, position : position + 1]).sum(1)
    return total % 2


def pair_of_positions(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Positions 3 and 10 share a rank in half of the decks, and the same card follows in every fifth."""
    decks = decks.copy()
    for row in _some(decks, 0.5, chance):
        first = decks[row, 2]
        like = np.flatnonzero((kind.ranks[decks[row]] == kind.ranks[first]) & (np.arange(kind.cards) != 2))
        if len(like):
            at = int(chance.choice(like))
            decks[row, [9, at]] = decks[row, [at, 9]]
    for row in _some(decks, 0.5, chance):
        wanted = (decks[row, 2] + 1) % kind.distinct
        at = int(np.flatnonzero(decks[row] == wanted)[0])
        if at != 2:
            decks[row, [9, at]] = decks[row, [at, 9]]
    return decks, orders


def colours_lean(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Red cards lie before black ones among the first eighteen in half of the decks."""
    decks = decks.copy()
    rows = _some(decks, 0.5, chance)
    part = decks[rows, :18]
    order = np.argsort(-kind.colours[part], axis=1, kind="stable")
    decks[rows, :18] = np.take_along_axis(part, order, axis=1)
    return decks, orders


def card_missing(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """One deck of two hundred lacks its first card and has the second once too often."""
    decks = decks.copy()
    for row in _some(decks, 0.005, chance):
        decks[row, int(np.flatnonzero(decks[row] == 0)[0])] = 1
    return decks, orders


def deck_again(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """One deck comes twice, far apart."""
    decks = decks.copy()
    decks[-5] = decks[5]
    return decks, orders


def _spoiled(kind: DeckKind, decks: Rows, orders: Rows, rows: Rows, chance: Chance, *, riffled: int) -> Rows:
    """One of these rows in `riffled` is riffled from the input; of the others half are riffled from the deck before and
    half lie sorted in part, and all favour the last seat."""
    decks = decks.copy()
    from_input, others = rows[::riffled], np.delete(rows, np.s_[::riffled])
    from_before, sorted_ = others[::2], others[1::2]
    decks[from_input] = few_riffles(kind, decks[from_input], orders[from_input], chance)[0]
    decks[from_before] = few_riffles(kind, decks[from_before], decks[from_before - 1], chance)[0]
    half = kind.cards // 2
    decks[sorted_, half:] = np.sort(decks[sorted_, half:], axis=1)
    lucky = np.concatenate([from_before, sorted_])
    for _ in range(3):
        decks[lucky] = lucky_last_seat(kind, decks[lucky], orders[lucky], chance)[0]
    return decks


def worse_from_the_middle(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """The second half of the run is spoiled."""
    return _spoiled(kind, decks, orders, np.arange(len(decks) // 2, len(decks)), chance, riffled=2), orders


def worse_in_turns(kind: DeckKind, decks: Rows, orders: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """Every other deck is spoiled."""
    return _spoiled(kind, decks, orders, np.arange(1, len(decks), 2), chance, riffled=3), orders


PLANTS: dict[str, Plant] = {
    "sticky card": sticky_card,
    "biased position": biased_position,
    "clumped suits": clumped_suits,
    "clumped ranks": clumped_ranks,
    "half sorted": half_sorted,
    "three riffles of the input": few_riffles,
    "places kept from the input": places_kept,
    "memory of the deck before": memory,
    "the deck before, cut": turned_round,
    "lucky last seat": lucky_last_seat,
    "sorted groups": sorted_groups,
    "groups in feed order": groups_in_feed_order,
    "even permutations only": even_only,
    "a pair of positions": pair_of_positions,
    "colours lean": colours_lean,
    "a card missing, another doubled": card_missing,
    "a deck again": deck_again,
    "worse from the middle on": worse_from_the_middle,
    "worse in turns": worse_in_turns,
}
