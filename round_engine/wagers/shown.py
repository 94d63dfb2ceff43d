"""One spot's cards beside the dealer's: everything that a pay can depend on."""

from collections.abc import Mapping

from round_engine.hands import THREE_CARD_RANKS

AKQ_SUITED_RANK = THREE_CARD_RANKS - 1
AKQ_SPADES_RANK = THREE_CARD_RANKS  # one place above the order, for pays only: suits do not break ties
LOWEST_SPADE = 39


def paying_rank(cards: tuple[int, ...], rank: int) -> int:
    """Return the rank to look a pay up by: the hand's own, but AKQ of spades has a place of its own."""
    return AKQ_SPADES_RANK if rank == AKQ_SUITED_RANK and cards[0] >= LOWEST_SPADE else rank


class ShownHand:
    """A hand at the showdown; `preset` gives the value of an aspect by its name where there are no cards."""

    __slots__ = ("cards", "dealer", "dealer_rank", "least_qualifying_rank", "paying", "preset", "rank")

    def __init__(
        self,
        cards: tuple[int, ...],
        rank: int,
        paying: int,
        dealer: tuple[int, ...],
        dealer_rank: int,
        least_qualifying_rank: int,
        preset: Mapping[str, int] | None = None,
    ) -> None:
        self.cards, self.rank, self.paying = cards, rank, paying
        self.dealer, self.dealer_rank = dealer, dealer_rank
        self.least_qualifying_rank = least_qualifying_rank
        self.preset = preset
