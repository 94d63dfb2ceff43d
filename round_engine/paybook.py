"""A rule set made ready for settling: every paytable in use turned into a look-up by the rank of a hand."""

from round_engine.hands import (
    FIVE_CARD_RANKS,
    THREE_CARD_RANKS,
    FiveCardCategory,
    ThreeCardCategory,
    category3_of_rank,
    category5_of_rank,
    lowest_rank3,
    rank3,
)
from round_engine.ruleset import Hand, PayRow, Paytable, RuleSet, Showdown, Wager
from round_engine.wagers import SpotWagers

AKQ_SUITED_RANK = THREE_CARD_RANKS - 1
AKQ_SPADES_RANK = THREE_CARD_RANKS  # one place above the order, for pays only: suits break no tie
LOWEST_SPADE = 39

Rows = tuple[PayRow | None, ...]


def paying_rank(cards: tuple[int, ...], rank: int) -> int:
    """The rank to look a pay up by: the hand's own, but for AKQ of spades, which has a place of its own."""
    return AKQ_SPADES_RANK if rank == AKQ_SUITED_RANK and cards[0] >= LOWEST_SPADE else rank


class PayBook:
    """The pays of one rule set, by rank."""

    __slots__ = ("allowed_wagers", "least_qualifying_rank", "pair_rank", "rows", "rules", "showdown", "six_card_rows")

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.allowed_wagers: set[SpotWagers] = set()  # remembered, because they hardly change from round to round
        self.least_qualifying_rank = rank3(*rules.least_qualifying_hand)
        self.pair_rank = lowest_rank3(ThreeCardCategory.PAIR)
        self.showdown: dict[Wager, dict[Showdown, PayRow]] = {
            wager: dict(rows) for wager, rows in rules.showdown.items()
        }
        self.rows: dict[Wager, Rows] = {
            wager: three_card_rows(rules.paytable(wager))
            for wager in rules.house.paytables
            if wager is not Wager.SIX_CARD_BONUS
        }
        self.six_card_rows: Rows = (
            five_card_rows(rules.paytable(Wager.SIX_CARD_BONUS)) if rules.offers(Wager.SIX_CARD_BONUS) else ()
        )


def three_card_rows(table: Paytable) -> Rows:
    """The row of every three-card rank, and of AKQ of spades last; None where the table has none."""
    return tuple(_three_card_row(table, rank) for rank in range(THREE_CARD_RANKS + 1))


def _three_card_row(table: Paytable, rank: int) -> PayRow | None:
    lowest_straight_flush = lowest_rank3(ThreeCardCategory.STRAIGHT_FLUSH)
    for row in table.rows:
        if row.hand is Hand.AKQ_SPADES:
            fits = rank == AKQ_SPADES_RANK
        elif row.hand is Hand.AKQ_SUITED:
            fits = rank >= AKQ_SUITED_RANK
        elif row.hand is Hand.TOP_STRAIGHT_FLUSH:
            high = min(rank, AKQ_SUITED_RANK) - lowest_straight_flush + 1  # 3-2-A, the lowest, is three high
            fits = rank >= lowest_straight_flush and row.least_high is not None and high >= row.least_high
        else:
            fits = category3_of_rank(min(rank, AKQ_SUITED_RANK)).name.lower() == row.hand
        if fits:
            return row if row.wins else None
    return None


def five_card_rows(table: Paytable) -> Rows:
    """The row of every five-card rank; None where the table has none."""
    by_category = {
        category: next((row for row in table.rows if row.hand == category.name.lower() and row.wins), None)
        for category in FiveCardCategory
    }
    return tuple(by_category[category5_of_rank(rank)] for rank in range(FIVE_CARD_RANKS))
