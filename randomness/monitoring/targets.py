"""Which cards a question favours next, given the cards already seen in this round: sets of cards as 52-bit masks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from randomness.monitoring.deals import CARDS, GROUP, SeenDeal
from randomness.monitoring.questions import RANKS, SUITS, By

ALL_CARDS = (1 << CARDS) - 1
BEGINNING = 2 * GROUP
"""Seen cards that must agree before an earlier deal is taken to be repeated."""


def _mask(cards: Sequence[int]) -> int:
    return sum(1 << card for card in cards)


OF_RANK = tuple(_mask([rank + RANKS * suit for suit in range(SUITS)]) for rank in range(RANKS))
OF_SUIT = tuple(_mask(range(RANKS * suit, RANKS * (suit + 1))) for suit in range(SUITS))
SAME_RANK = tuple(OF_RANK[card % RANKS] for card in range(CARDS))
SAME_SUIT = tuple(OF_SUIT[card // RANKS] for card in range(CARDS))
NEXT_RANK = tuple(OF_RANK[(card - 1) % RANKS] | OF_RANK[(card + 1) % RANKS] for card in range(CARDS))
NEXT_FACE = tuple(_mask([face for face in (card - 1, card + 1) if 0 <= face < CARDS]) for card in range(CARDS))


@dataclass(frozen=True, slots=True)
class Past:
    """What an earlier round says of each card: all its cards, and for each card its group, its follower, its leader."""

    seen: int
    partners: Mapping[int, int]
    follower: Mapping[int, int]
    leader: Mapping[int, int]


NOTHING = Past(0, {}, {}, {})


def past_of(deal: SeenDeal) -> Past:
    """Ready to be asked."""
    at = dict(zip(deal.positions, deal.cards, strict=True))
    partners = {}
    for first in range(0, len(deal.cards), GROUP):
        group = deal.cards[first : first + GROUP]
        partners.update(dict.fromkeys(group, _mask(group)))
    follower = {card: 1 << at[position + 1] for position, card in at.items() if position + 1 in at}
    leader = {card: 1 << at[position - 1] for position, card in at.items() if position - 1 in at}
    return Past(_mask(deal.cards), partners, follower, leader)


@dataclass(frozen=True, slots=True)
class Trials:
    """For each seen card: how many favoured cards were left, and whether it was one of them."""

    favoured: list[int]
    hits: list[bool]


def trials(by: By, deal: SeenDeal, past: Past, earlier: SeenDeal | None) -> Trials:
    """The bets of one round; `past` is the round that the question looks back to."""
    favours = _FAVOURS[by]
    left, favoured, hits = ALL_CARDS, [], []
    earlier_at = {} if earlier is None else dict(zip(earlier.positions, earlier.cards, strict=True))
    for number, card in enumerate(deal.cards):
        view = _View(deal, number, past, earlier_at)
        target = favours(view) & left
        favoured.append(target.bit_count())
        hits.append(bool(target >> card & 1))
        left &= ~(1 << card)
    return Trials(favoured, hits)


@dataclass(frozen=True, slots=True)
class _View:
    """A round before its `number`-th seen card is turned over."""

    deal: SeenDeal
    number: int
    past: Past
    earlier: Mapping[int, int]

    @property
    def group(self) -> tuple[int, ...]:
        """The cards of the same group seen so far."""
        return self.deal.cards[self.number - self.number % GROUP : self.number]

    @property
    def last(self) -> int | None:
        """The card at the position before, if it was seen just now."""
        number = self.number
        if number and self.deal.positions[number] == self.deal.positions[number - 1] + 1:
            return self.deal.cards[number - 1]
        return None


def _any_of(table: Sequence[int] | Mapping[int, int], cards: Sequence[int]) -> int:
    found = 0
    for card in cards:
        found |= table[card] if not isinstance(table, Mapping) else table.get(card, 0)
    return found


def _after_last(table: Sequence[int] | Mapping[int, int], last: int | None) -> int:
    return 0 if last is None else _any_of(table, (last,))


def _earlier(view: _View) -> int:
    card = view.earlier.get(view.deal.positions[view.number]) if view.number >= BEGINNING else None
    return 0 if card is None else 1 << card


_FAVOURS: Mapping[By, Callable[[_View], int]] = {
    By.SAME_RANK: lambda view: _any_of(SAME_RANK, view.group),
    By.SAME_SUIT: lambda view: _any_of(SAME_SUIT, view.group),
    By.NEXT_RANK: lambda view: _any_of(NEXT_RANK, view.group),
    By.NEXT_FACE: lambda view: _after_last(NEXT_FACE, view.last),
    By.PARTNERS: lambda view: _any_of(view.past.partners, view.group),
    By.FOLLOWER: lambda view: _after_last(view.past.follower, view.last),
    By.LEADER: lambda view: _after_last(view.past.leader, view.last),
    By.SEEN_BEFORE: lambda view: view.past.seen,
    By.EARLIER_DEAL: _earlier,
}
