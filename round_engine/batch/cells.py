"""Every way a spot can end, settled once by the scalar engine.

What a spot comes to depends on few things: its stakes, the rows its hand takes, the showdown, whether it was folded,
and the category of the best five with the dealer. Each combination is a cell. The scalar settlement fills the tables,
so order, cap, tips and rounding are its own; the batch finds each spot's cell and looks the cents up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from round_engine.batch.stakes import Stakes
from round_engine.hands import THREE_CARD_RANKS, FiveCardCategory
from round_engine.hands.cards import parse_hand
from round_engine.money.ledger import TIPS, Posting
from round_engine.round.settlement import settle
from round_engine.round.state import Spot
from round_engine.rules.ruleset import Showdown, Wager
from round_engine.wagers.paybook import PayBook

Cents64 = NDArray[np.int64]

SETTLED_WAGERS: Final = (Wager.ANTE, Wager.PLAY, Wager.ANTE_BONUS, Wager.PAIR_PLUS, Wager.SIX_CARD_BONUS)
SHOWDOWNS: Final = tuple(Showdown)
STATES: Final = 2 * len(SHOWDOWNS)
"""Not folded with each showdown, then folded with each."""

EXAMPLES: Final = {
    FiveCardCategory.HIGH_CARD: "2♣ 4♦ 6♥ 8♠ T♣ Q♦",
    FiveCardCategory.PAIR: "2♣ 2♦ 6♥ 8♠ T♣ Q♦",
    FiveCardCategory.TWO_PAIR: "2♣ 2♦ 6♥ 6♠ T♣ Q♦",
    FiveCardCategory.THREE_OF_A_KIND: "2♣ 2♦ 2♥ 6♠ T♣ Q♦",
    FiveCardCategory.STRAIGHT: "2♣ 3♦ 4♥ 5♠ 6♣ Q♦",
    FiveCardCategory.FLUSH: "2♣ 4♣ 6♣ 8♣ T♣ Q♦",
    FiveCardCategory.FULL_HOUSE: "2♣ 2♦ 2♥ 6♠ 6♣ Q♦",
    FiveCardCategory.FOUR_OF_A_KIND: "2♣ 2♦ 2♥ 2♠ 6♣ Q♦",
    FiveCardCategory.STRAIGHT_FLUSH: "2♣ 3♣ 4♣ 5♣ 6♣ Q♦",
    FiveCardCategory.ROYAL_FLUSH: "T♣ J♣ Q♣ K♣ A♣ 2♦",
}
"""Six cards of each category: only the category matters to the settlement."""


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The tables; a cell's number is ((pattern × kinds + kind) × states + state) × categories + category."""

    kind_by_paying: NDArray[np.uint8]
    """Hands that take the same rows are of one kind; by the rank to look a pay up by, AKQ of spades last."""
    kinds: int
    categories: int
    """Ten where some pattern has the six card bonus, else one."""
    net: Cents64
    """What the player is up or down by, all settled wagers together."""
    net_by_wager: dict[Wager, Cents64]
    tips: Cents64
    """What the dealer wins in tips."""

    @property
    def per_pattern(self) -> int:
        """Cells of one pattern."""
        return self.kinds * STATES * self.categories


def make_cells(book: PayBook, patterns: Sequence[Stakes]) -> Cells:
    """Settle every cell of every pattern."""
    kind_by_paying, pays_by_kind = _kinds(book)
    categories = len(FiveCardCategory) if any(stakes.six_card_bonus for stakes in patterns) else 1
    size = len(patterns) * len(pays_by_kind) * STATES * categories
    net_by_wager = {wager: np.zeros(size, dtype=np.int64) for wager in SETTLED_WAGERS}
    tips = np.zeros(size, dtype=np.int64)
    cell = 0
    for stakes in patterns:
        for paying in pays_by_kind:
            for folded in (False, True):
                for showdown in SHOWDOWNS:
                    for category in list(FiveCardCategory)[:categories]:
                        for posting in _postings(book, stakes, paying, showdown, category, folded=folded):
                            if posting.target == TIPS:
                                tips[cell] += posting.amount
                            elif posting.target == _PLAYER:
                                net_by_wager[Wager(posting.wager)][cell] += posting.amount
                        for wager, stake in _put_up(stakes, folded=folded):
                            net_by_wager[wager][cell] -= stake
                        cell += 1
    return Cells(
        kind_by_paying=kind_by_paying,
        kinds=len(pays_by_kind),
        categories=categories,
        net=np.sum(list(net_by_wager.values()), axis=0),
        net_by_wager=net_by_wager,
        tips=tips,
    )


_PLAYER: Final = "player"


def _kinds(book: PayBook) -> tuple[NDArray[np.uint8], list[int]]:
    """The kind of each rank to look a pay up by, and one such rank of each kind."""
    rows = [
        (id(book.rows[Wager.ANTE_BONUS][paying]), id(book.rows[Wager.PAIR_PLUS][paying]))
        for paying in range(THREE_CARD_RANKS + 1)
    ]
    firsts = {pair: paying for paying, pair in reversed(list(enumerate(rows)))}
    kinds = {pair: kind for kind, pair in enumerate(firsts)}
    return np.array([kinds[pair] for pair in rows], dtype=np.uint8), list(firsts.values())


def _put_up(stakes: Stakes, *, folded: bool) -> list[tuple[Wager, int]]:
    """Every stake that leaves the player's hands, tips with the wager they lie beside."""
    played = 0 if folded else stakes.ante
    tip_played = 0 if folded or not stakes.tip_play else stakes.tip_ante
    return [
        (Wager.ANTE, stakes.ante + stakes.tip_ante),
        (Wager.PLAY, played + tip_played),
        (Wager.PAIR_PLUS, stakes.pair_plus + stakes.tip_pair_plus),
        (Wager.SIX_CARD_BONUS, stakes.six_card_bonus),
    ]


@cache
def _example(category: FiveCardCategory) -> tuple[int, ...]:
    return parse_hand(EXAMPLES[category])


def _postings(
    book: PayBook, stakes: Stakes, paying: int, showdown: Showdown, category: FiveCardCategory, *, folded: bool
) -> list[Posting]:
    """What the scalar engine posts for a spot in this cell."""
    least = book.least_qualifying_rank
    rank, dealer_rank = {
        Showdown.DEALER_DOES_NOT_QUALIFY: (least, least - 1),
        Showdown.PLAYER_WINS: (least + 1, least),
        Showdown.TIE: (least, least),
        Showdown.PLAYER_LOSES: (least, least + 1),
    }[showdown]
    faces = _example(category)
    spot = Spot(
        wagers=stakes.on(1, _PLAYER),
        account=_PLAYER,
        dealt=3,
        cards=faces[:3],
        rank=rank,
        paying=paying,
        play=0 if folded else stakes.ante,
        tip_play=0 if folded or not stakes.tip_play else stakes.tip_ante,
        folded=folded,
    )
    return settle(book, [spot], faces[3:], dealer_rank)
