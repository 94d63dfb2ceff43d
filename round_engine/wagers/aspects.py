"""Aspects of a deal: each maps a player's and the dealer's cards to a small number, and a wager's pay depends on one.

An aspect is defined once for single hands (`of`), for arrays (`of_block`), for paytables (`rows`) and for exact counts
(`count`). The settlement, the batch and the odds look a wager's row up by it.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from round_engine.hands import (
    THREE_CARD_RANKS,
    FiveCardCategory,
    ThreeCardCategory,
    best_five,
    category3_of_rank,
    lowest_rank3,
)
from round_engine.hands.five_card import tables
from round_engine.rules.ruleset import Hand, PayRow, Paytable, Showdown
from round_engine.wagers.shown import AKQ_SPADES_RANK, AKQ_SUITED_RANK, ShownHand

if TYPE_CHECKING:
    from round_engine.batch.reading import Read

Rows = tuple[PayRow | None, ...]
Suits = frozenset[tuple[int, ...]]
"""Permutations of the four suits that change no value of an aspect."""

ALL_SUITS: Suits = frozenset(permutations(range(4)))
PAYING_RANKS = THREE_CARD_RANKS + 1
NO_ROW = -1
LEAST_PAIR = lowest_rank3(ThreeCardCategory.PAIR)
_STRAIGHT_FLUSHES = lowest_rank3(ThreeCardCategory.STRAIGHT_FLUSH)


class Ways(NamedTuple):
    """How many of all deals fall into each class of values."""

    deals: int
    by_class: list[int]


class Aspect:
    """One thing that pays depend on."""

    name: str
    size: int
    own_only: bool = False
    """Whether the player's own cards decide it."""
    suits: Suits = ALL_SUITS

    def of(self, shown: ShownHand) -> int:
        """Return the value of one deal."""
        raise NotImplementedError

    def of_block(self, block: "Read") -> Any:
        """Return the values of a block of rounds, as an array of rounds × spots."""
        raise NotImplementedError

    def taken(self, table: Paytable) -> tuple[int, ...]:
        """Return the place of the row that each value takes: the first it fits, or `NO_ROW`."""
        raise NotImplementedError

    def rows(self, table: Paytable) -> Rows:
        """Return the row that each value takes; None where the stake is lost."""
        paying = [row if row.wins or row.returns_stake else None for row in table.rows]
        return tuple(None if place == NO_ROW else paying[place] for place in self.taken(table))

    def named(self, value: int) -> str:
        """Return the name of a value, for values that no row pays."""
        raise NotImplementedError

    def count(self, classes: Sequence[int], alive: Any = None) -> Ways:
        """Count all deals by the class of their value; `alive` marks the player's hands that count, default all."""
        from round_engine.odds.joint import count

        return count(self, classes, alive)


class OwnHand(Aspect):
    """The player's three cards, by rank; AKQ of spades one above."""

    name, size, own_only = "own_hand", PAYING_RANKS, True

    def of(self, shown: ShownHand) -> int:
        """Return the rank."""
        return shown.paying

    def of_block(self, block: "Read") -> Any:
        """Return the ranks."""
        return block.paying

    def taken(self, table: Paytable) -> tuple[int, ...]:
        """Return the first row that each hand fits."""
        return _own_hand_rows(table.rows)

    def named(self, value: int) -> str:
        """Return the category."""
        return category3_of_rank(min(value, AKQ_SUITED_RANK)).name.lower().replace("_", " ")

    def count(self, classes: Sequence[int], alive: Any = None) -> Ways:
        """Count the 22,100 hands."""
        from round_engine.odds.deals import own_hand_ways

        return own_hand_ways(classes, alive)


@lru_cache(maxsize=256)
def _own_hand_rows(rows: tuple[PayRow, ...]) -> tuple[int, ...]:
    """Kept, because tables are opened again and again with the same paytables."""
    every = list(enumerate(rows))
    return tuple(next((at for at, row in every if _fits(row, place)), NO_ROW) for place in range(PAYING_RANKS))


def _fits(row: PayRow, place: int) -> bool:
    """Straight flushes alone have rows by suit or by high card; 3-2-A, the lowest, is three high."""
    rank = min(place, AKQ_SUITED_RANK)
    if row.hand is Hand.AKQ_SPADES:
        return place == AKQ_SPADES_RANK
    if row.hand is Hand.AKQ_SUITED:
        return rank == AKQ_SUITED_RANK
    if row.hand is Hand.TOP_STRAIGHT_FLUSH:
        return row.least_high is not None and rank - _STRAIGHT_FLUSHES + 1 >= row.least_high
    return row.hand == category3_of_rank(rank).name.lower()


class HandAgainstDealer(Aspect):
    """The player's three cards where they beat the dealer's; `PAYING_RANKS` above where they do not."""

    name, size = "hand_against_dealer", 2 * PAYING_RANKS

    def of(self, shown: ShownHand) -> int:
        """Return the rank, moved up where the dealer is not beaten."""
        return shown.paying if shown.rank > shown.dealer_rank else shown.paying + PAYING_RANKS

    def of_block(self, block: "Read") -> Any:
        """Return the same for arrays."""
        return block.paying + (block.ranks <= block.dealer_ranks[:, None]) * block.paying.dtype.type(PAYING_RANKS)

    def taken(self, table: Paytable) -> tuple[int, ...]:
        """Return the rows of the hand; a winning one that does not beat the dealer takes `dealer_not_beaten`."""
        beating = OWN_HAND.taken(table)
        otherwise = [row.hand for row in table.rows].index(Hand.DEALER_NOT_BEATEN)
        return (*beating, *(otherwise if at != NO_ROW and table.rows[at].wins else at for at in beating))

    def named(self, value: int) -> str:
        """Return the category."""
        return OWN_HAND.named(value % PAYING_RANKS)


class ShowdownResult(Aspect):
    """How the hand ends against the dealer, as the place in `Showdown`."""

    name, size = "showdown", len(Showdown)

    def of(self, shown: ShownHand) -> int:
        """Return 0: dealer does not qualify, 1: player wins, 2: tie, 3: player loses."""
        dealer = shown.dealer_rank
        if dealer < shown.least_qualifying_rank:
            return 0
        if shown.rank > dealer:
            return 1
        return 2 if shown.rank == dealer else 3

    def of_block(self, block: "Read") -> Any:
        """Return the same for arrays."""
        dealer = block.dealer_ranks[:, None]
        index = (dealer >= block.ranks).view("u1") + (dealer > block.ranks).view("u1")
        index += index.dtype.type(1)
        index *= (dealer >= block.least_qualifying_rank).view("u1")
        return index

    def named(self, value: int) -> str:
        """Return the result in words."""
        return tuple(Showdown)[value].replace("_", " ")


class BestFive(Aspect):
    """The category of the best five of the player's and the dealer's cards."""

    name, size = "best_five", len(FiveCardCategory)

    def of(self, shown: ShownHand) -> int:
        """Return the category."""
        return tables().categories[best_five(shown.cards + shown.dealer)]

    def of_block(self, block: "Read") -> Any:
        """Return the same for arrays."""
        return block.best_five()

    def taken(self, table: Paytable) -> tuple[int, ...]:
        """Return the row of each category."""
        by_hand = {str(row.hand): at for at, row in enumerate(table.rows)}
        return tuple(by_hand.get(category.name.lower(), NO_ROW) for category in FiveCardCategory)

    def named(self, value: int) -> str:
        """Return the category in words."""
        return FiveCardCategory(value).name.lower().replace("_", " ")

    def count(self, classes: Sequence[int], alive: Any = None) -> Ways:
        """Count the 20,358,520 sets of six cards."""
        if alive is not None:
            return super().count(classes, alive)
        from round_engine.odds.deals import best_five_ways

        return best_five_ways(classes)


class LowerHand(Aspect):
    """The lower of the player's and the dealer's hand, where both hold a pair or better and do not tie."""

    name, size = "lower_hand", PAYING_RANKS + 1
    nothing = PAYING_RANKS
    """The value where there is no such hand."""

    def of(self, shown: ShownHand) -> int:
        """Return the lower rank."""
        own, dealer = shown.rank, shown.dealer_rank
        return self.nothing if own == dealer or min(own, dealer) < LEAST_PAIR else min(own, dealer)

    def of_block(self, block: "Read") -> Any:
        """Return the same for arrays."""
        import numpy as np

        dealer = block.dealer_ranks[:, None]
        lower = np.minimum(block.ranks, dealer)
        return np.where((block.ranks != dealer) & (lower >= LEAST_PAIR), lower, np.uint16(self.nothing))

    def taken(self, table: Paytable) -> tuple[int, ...]:
        """Return the rows of the hand."""
        return (*OWN_HAND.taken(table), NO_ROW)

    def named(self, value: int) -> str:
        """Return the category."""
        return "no bad beat" if value == self.nothing else OWN_HAND.named(value)

    def count(self, classes: Sequence[int], alive: Any = None) -> Ways:
        """Count all deals by the rank of the lower hand."""
        from round_engine.odds.deals import lower_hand_ways

        return lower_hand_ways(classes, alive)


OWN_HAND, HAND_AGAINST_DEALER, SHOWDOWN = OwnHand(), HandAgainstDealer(), ShowdownResult()
BEST_FIVE, LOWER_HAND = BestFive(), LowerHand()
