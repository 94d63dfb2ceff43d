"""6 Card Bonus: the best five of the player's and the dealer's cards."""

from round_engine.rules.ruleset import Hand
from round_engine.wagers.aspects import BEST_FIVE
from round_engine.wagers.wager import Wager


class SixCardBonus(Wager):
    """Three of a kind or better."""

    name, label, short = "six_card_bonus", "6 Card Bonus", "6 CARD"
    aspect = BEST_FIVE
    ladder = (
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


SIX_CARD_BONUS = SixCardBonus()
