"""Progressive: the player's hand alone, paid from a meter and from the tray."""

from round_engine.rules.ruleset import Hand
from round_engine.wagers.wager import MeteredWager


class Progressive(MeteredWager):
    """AKQ of spades takes the meter."""

    name, label, short = "progressive", "Progressive", "PROG"
    ladder = (
        (Hand.AKQ_SPADES, True),
        (Hand.AKQ_SUITED, True),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.STRAIGHT, True),
        (Hand.FLUSH, False),
        (Hand.PAIR, False),
    )


PROGRESSIVE = Progressive()
