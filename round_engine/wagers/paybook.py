"""A rule set made ready for settling: every paytable in use turned into a look-up by the rank of a hand."""

from round_engine.hands import (
    FIVE_CARD_RANKS,
    THREE_CARD_RANKS,
    FiveCardCategory,
    ThreeCardCategory,
    lowest_rank3,
    lowest_rank5,
    rank3,
)
from round_engine.rules.ruleset import Hand, PayRow, Paytable, RuleSet, Showdown, Wager
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
    straight_flushes = lowest_rank3(ThreeCardCategory.STRAIGHT_FLUSH)
    starts = [*(lowest_rank3(category) for category in ThreeCardCategory), THREE_CARD_RANKS + 1]
    rows: list[PayRow | None] = []
    for category in ThreeCardCategory:
        of_category = [row for row in table.rows if row.hand == category.name.lower() and row.wins]
        rows += [of_category[0] if of_category else None] * (starts[category + 1] - starts[category])
    for rank in range(straight_flushes, THREE_CARD_RANKS + 1):
        rows[rank] = _straight_flush_row(table, rank, rank - straight_flushes + 1)
    return tuple(rows)


def _straight_flush_row(table: Paytable, rank: int, high: int) -> PayRow | None:
    """Straight flushes alone have rows by suit or by high card; 3-2-A, the lowest, is three high."""
    for row in table.rows:
        if row.hand is Hand.AKQ_SPADES:
            fits = rank == AKQ_SPADES_RANK
        elif row.hand is Hand.AKQ_SUITED:
            fits = rank >= AKQ_SUITED_RANK
        elif row.hand is Hand.TOP_STRAIGHT_FLUSH:
            fits = row.least_high is not None and high >= row.least_high
        else:
            fits = row.hand is Hand.STRAIGHT_FLUSH
        if fits:
            return row if row.wins else None
    return None


def five_card_rows(table: Paytable) -> Rows:
    """The row of every five-card rank; None where the table has none."""
    starts = [*(lowest_rank5(category) for category in FiveCardCategory), FIVE_CARD_RANKS]
    rows: list[PayRow | None] = []
    for category in FiveCardCategory:
        row = next((row for row in table.rows if row.hand == category.name.lower() and row.wins), None)
        rows += [row] * (starts[category + 1] - starts[category])
    return tuple(rows)
