"""Groups of two to seven cards from any deck: categories, their exact frequencies, and a strength to compare seats by.

Of a kind goes by ranks; a straight is consecutive ranks of the deck, the ace also below the lowest; a flush is one suit
with all ranks different. Groups with a joker are a category of their own. So every group has one category, and those
of three cards of one deck are the usual six.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from randomness.decks.kinds.kind import DeckKind

LEAST, MOST = 2, 7
MOST_PAIRED = 64
"""Cards of the largest deck of which every two groups are counted."""

Numbers = NDArray[np.intp]
Sizes = tuple[int, ...]

_NAMES: dict[Sizes, str] = {
    (): "high card", (2,): "pair", (2, 2): "two pairs", (2, 2, 2): "three pairs", (3,): "three of a kind",
    (3, 2): "full house", (3, 3): "two threes of a kind", (4,): "four of a kind", (5,): "five of a kind",
    (6,): "six of a kind", (7,): "seven of a kind",
}  # fmt: skip
STRAIGHT, FLUSH, BOTH, JOKER = "straight", "flush", "straight flush", "with a joker"


@dataclass(frozen=True, kw_only=True)
class Categories:
    """Names, commonest first, and how many groups of told-apart cards there are of each."""

    names: tuple[str, ...]
    counts: tuple[int, ...]

    @property
    def shares(self) -> NDArray[np.float64]:
        return np.array([count / sum(self.counts) for count in self.counts])


def name_of(pattern: Sizes) -> str:
    """A pattern of equal ranks, such as (3, 2, 1), in words."""
    known = tuple(size for size in pattern if size > 1)
    return _NAMES.get(known) or "groups of " + " and ".join(map(str, known))


@lru_cache
def categories(kind: DeckKind) -> Categories:
    """Exact: ranks by a sum over patterns, flushes by elementary symmetric polynomials of each suit's cards."""
    group, table = kind.group, _ranks_and_suits(kind)
    by_rank = [sum(row) for row in table]
    found: dict[str, int] = {}
    for pattern, ways in _patterns(by_rank, group).items():
        found[name_of(pattern)] = found.get(name_of(pattern), 0) + ways
    runs = _straights(kind)
    straight = sum(prod(by_rank[rank] for rank in run) for run in runs)
    both = sum(prod(table[rank][suit] for rank in run) for run in runs for suit in range(4))
    flush = sum(_elementary([row[suit] for row in table], group) for suit in range(4))
    found["high card"] = found.get("high card", 0) - straight - flush + both
    found |= {STRAIGHT: straight - both, FLUSH: flush - both, BOTH: both}
    if kind.jokers:
        found[JOKER] = comb(kind.cards, group) - comb(kind.cards - kind.jokers * kind.shoe, group)
    kept = sorted(((many, name) for name, many in found.items() if many), key=lambda one: (-one[0], one[1]))
    return Categories(names=tuple(name for _, name in kept), counts=tuple(many for many, _ in kept))


def _ranks_and_suits(kind: DeckKind) -> list[list[int]]:
    """Cards by rank and suit, jokers apart."""
    plain = len(kind.rank_names) - bool(kind.jokers)
    table = [[0] * 4 for _ in range(plain)]
    for rank, suit, copies in zip(kind.ranks.tolist(), kind.suits.tolist(), kind.copies, strict=True):
        if suit < 4:
            table[rank][suit] += copies
    return table


def _patterns(sizes: list[int], group: int) -> dict[Sizes, int]:
    ways: dict[Sizes, int] = {(): 1}
    for size in sizes:
        more: dict[Sizes, int] = {}
        for pattern, many in ways.items():
            for taken in range(min(size, group - sum(pattern)) + 1):
                longer = tuple(sorted((*pattern, taken), reverse=True)) if taken else pattern
                more[longer] = more.get(longer, 0) + many * comb(size, taken)
        ways = more
    return {pattern: many for pattern, many in ways.items() if sum(pattern) == group}


def _straights(kind: DeckKind) -> list[tuple[int, ...]]:
    """Ranks of every straight, as places in the deck's ranks."""
    plain, group = len(kind.rank_names) - bool(kind.jokers), kind.group
    if group < 3 or plain <= group:
        return []
    runs = [tuple(range(low, low + group)) for low in range(plain - group + 1)]
    if kind.rank_names[plain - 1] == "A":
        runs.append((*range(group - 1), plain - 1))
    return runs


def _elementary(values: list[int], group: int) -> int:
    row = [1] + [0] * group
    for value in values:
        for k in range(group, 0, -1):
            row[k] += row[k - 1] * value
    return row[group]


@lru_cache
def two_hands(kind: DeckKind) -> NDArray[np.float64] | None:
    """Shares of ordered pairs of disjoint groups by category; None where there are too many groups to go through.

    Groups of a category that hold no card of another group: all of them, less those with one of its cards, plus those
    with two, less those with three.
    """
    if kind.group != 3 or not kind.simple or kind.cards > MOST_PAIRED:
        return None
    n, many = kind.cards, len(categories(kind).names)
    cards = np.array(list(combinations(range(n), 3)))
    rows = np.concatenate([cards, np.zeros((len(cards), kind.dealt - 3), np.intp)], axis=1)
    category = dealt(kind, rows).category[:, 0]
    single, double = np.zeros((many, n), np.int64), np.zeros((many, n, n), np.int64)
    for one in range(3):
        np.add.at(single, (category, cards[:, one]), 1)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        np.add.at(double, (category, cards[:, one], cards[:, other]), 1)
    out = np.zeros((many, many))
    for b in range(many):
        one, two, three = cards.T
        apart = (category == b).sum() - single[b][cards].sum(axis=1)
        apart += double[b][one, two] + double[b][one, three] + double[b][two, three] - (category == b)
        out[:, b] = np.bincount(category, weights=apart, minlength=many)
    return np.asarray(out / out.sum())


# ----- many groups at once --------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DealtGroups:
    """Category and strength of each group: decks × seats."""

    category: Numbers
    strength: NDArray[np.int64]


@lru_cache
def _pattern_codes(kind: DeckKind) -> dict[int, str]:
    """Σ (cards of the same rank)² over the cards of a group tells its pattern: the sum of cubes of the sizes."""
    group = kind.group
    return {sum(size**3 for size in pattern): name_of(pattern) for pattern in _patterns([group] * group, group)}


def dealt(kind: DeckKind, numbers: Numbers) -> DealtGroups:
    """The groups of whole decks (rows of card numbers)."""
    group, names = kind.group, categories(kind).names
    hands = numbers[:, : kind.dealt].reshape(len(numbers), kind.groups, group)
    ranks, suits = kind.ranks[hands], kind.suits[hands]
    same = (ranks[..., :, None] == ranks[..., None, :]).sum(-1)
    code = (same**2).sum(-1)
    place = {name: at for at, name in enumerate(names)}
    category = np.zeros(code.shape, np.intp)
    for value, name in _pattern_codes(kind).items():
        if name in place:
            category[code == value] = place[name]
    single = code == group
    ordered = np.sort(ranks, axis=-1)
    straight = np.zeros(code.shape, bool)
    for run in _straights(kind):
        straight |= (ordered == np.array(run)).all(-1)
    straight &= single
    flush = single & (suits == suits[..., :1]).all(-1)
    for name, where in ((STRAIGHT, straight), (FLUSH, flush), (BOTH, straight & flush)):
        if name in place:
            category[where] = place[name]
    if kind.jokers:
        category[(suits == 4).any(-1)] = place[JOKER]
    # Rarer categories beat commoner ones; then the cards of the most frequent ranks, high before low. In the straight
    # with the ace below the lowest rank the ace counts as less than any other.
    low_ace = straight & (ordered[..., -1] - ordered[..., -2] > 1)
    weight = np.sort(same * len(kind.rank_names) + ranks, axis=-1)[..., ::-1]
    weight = np.where(low_ace[..., None], np.roll(weight, -1, axis=-1), weight)
    base = (group + 1) * len(kind.rank_names)
    strength = category.astype(np.int64)
    for card in range(group):
        strength = strength * base + weight[..., card]
    return DealtGroups(category=category, strength=strength)
