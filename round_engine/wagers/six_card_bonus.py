"""6 Card Bonus: the best five of the player's and the dealer's cards; on some layouts a royal of all six pays more."""

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

from round_engine.hands import FiveCardCategory
from round_engine.rules.ruleset import Hand, Paytable
from round_engine.wagers.aspects import BEST_FIVE, Aspect, BestFive, Ways
from round_engine.wagers.shown import ShownHand
from round_engine.wagers.wager import Wager

if TYPE_CHECKING:
    from round_engine.batch.reading import Read

DIAMONDS = 1
NINE = 7
ROYAL = int(FiveCardCategory.ROYAL_FLUSH)
SUPER_ROYAL, SUPER_ROYAL_DIAMONDS = "super_royal", "super_royal_diamonds"  # ace to nine; of diamonds
SUPER_HANDS = (SUPER_ROYAL, SUPER_ROYAL_DIAMONDS)


class BestFiveOrSuperRoyal(BestFive):
    """The category of the best five, then ace to nine of one suit (10), and of diamonds (11)."""

    name, size = "best_five_or_super_royal", ROYAL + 3
    suits = frozenset(order for order in permutations(range(4)) if order[DIAMONDS] == DIAMONDS)

    def of(self, shown: ShownHand) -> int:
        """Return the category; all six in one suit from the nine up are a super royal."""
        category = super().of(shown)
        six = shown.cards + shown.dealer
        suit = six[0] // 13
        if category != ROYAL or any(face // 13 != suit or face % 13 < NINE for face in six):
            return category
        return ROYAL + 2 if suit == DIAMONDS else ROYAL + 1

    def of_block(self, block: "Read") -> Any:
        """Return the same for arrays."""
        categories = super().of_block(block)
        six = block.six()
        suits = six // 13
        all_high = ((suits == suits[..., :1]) & (six % 13 >= NINE)).all(axis=-1)
        return categories + (all_high & (categories == ROYAL)) * (1 + (suits[..., 0] == DIAMONDS).view("u1"))

    def taken(self, table: Paytable) -> tuple[int, ...]:
        """Return the row of each category; a super royal without a row of its own takes the next lower one."""
        by_hand = {row.hand: at for at, row in enumerate(table.rows)}
        plain = super().taken(table)
        other = by_hand.get(SUPER_ROYAL, plain[ROYAL])
        return (*plain, other, by_hand.get(SUPER_ROYAL_DIAMONDS, other))

    def named(self, value: int) -> str:
        """Return the category in words."""
        return super().named(min(value, ROYAL)) if value <= ROYAL else SUPER_HANDS[value - ROYAL - 1].replace("_", " ")

    def count(self, classes: Sequence[int], alive: Any = None) -> Ways:
        """Count the 20,358,520 sets of six cards: four of the royal flushes are super royals."""
        if alive is not None:
            return super().count(classes, alive)
        deals, ways = super().count(classes[: ROYAL + 1])
        ways += [0] * (max(classes) + 1 - len(ways))
        for value, sets in ((ROYAL, -4), (ROYAL + 1, 3), (ROYAL + 2, 1)):
            ways[classes[value]] += sets
        return Ways(deals, ways)


BEST_FIVE_OR_SUPER_ROYAL = BestFiveOrSuperRoyal()


class SixCardBonus(Wager):
    """Three of a kind or better."""

    name, label, short = "six_card_bonus", "6 Card Bonus", "6 CARD"
    aspect = BEST_FIVE
    ladder = (
        (SUPER_ROYAL_DIAMONDS, False),
        (SUPER_ROYAL, False),
        (Hand.ROYAL_FLUSH, True),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.FOUR_OF_A_KIND, True),
        (Hand.FULL_HOUSE, True),
        (Hand.FLUSH, True),
        (Hand.STRAIGHT, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.TWO_PAIR, False),
        (Hand.PAIR, False),
    )

    def aspect_of(self, table: Paytable) -> Aspect:
        """Return the best five, told apart from super royals where the table pays those."""
        return BEST_FIVE_OR_SUPER_ROYAL if any(map(table.row, SUPER_HANDS)) else BEST_FIVE


SIX_CARD_BONUS = SixCardBonus()
