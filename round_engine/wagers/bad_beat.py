"""Bad Beat: player and dealer both hold a pair or better and do not tie; paid on the lower hand."""

from round_engine.rules.ruleset import Hand
from round_engine.wagers.aspects import LOWER_HAND
from round_engine.wagers.wager import MeteredWager


class BadBeat(MeteredWager):
    """A high straight flush that is beaten, or beats, takes the meter."""

    name, label, short = "bad_beat", "Bad Beat", "B BEAT"
    aspect = LOWER_HAND
    ladder = (
        (Hand.TOP_STRAIGHT_FLUSH, True),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.STRAIGHT, True),
        (Hand.FLUSH, True),
        (Hand.PAIR, True),
    )


BAD_BEAT = BadBeat()
