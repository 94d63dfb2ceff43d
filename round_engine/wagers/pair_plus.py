"""Pair Plus: the player's hand alone, a pair or better; on some layouts only against a lower dealer hand."""

from round_engine.rules.ruleset import Hand, Paytable, RuleSet
from round_engine.wagers.ante import ANTE
from round_engine.wagers.aspects import HAND_AGAINST_DEALER, LEAST_PAIR, Aspect
from round_engine.wagers.wager import Stakes, Wager


class PairPlus(Wager):
    """A table with the row `dealer_not_beaten` pays against a lower dealer hand alone."""

    name, label, short = "pair_plus", "Pair Plus", "PAIR+"
    is_initial = True
    is_stated = True
    ladder = (
        (Hand.AKQ_SPADES, False),
        (Hand.AKQ_SUITED, False),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.STRAIGHT, True),
        (Hand.FLUSH, True),
        (Hand.PAIR, True),
        (Hand.DEALER_NOT_BEATEN, False),
    )

    def aspect_of(self, table: Paytable) -> Aspect:
        """Return the hand, or the hand against the dealer's."""
        return self.aspect if table.row(Hand.DEALER_NOT_BEATEN) is None else HAND_AGAINST_DEALER

    def folds_below(self, rules: RuleSet, stakes: Stakes) -> int:
        """Return the lowest pair where the rules make lower hands fold."""
        forced = rules.settings.forced_fold
        if forced == "none" or not stakes.get(self.name) or (stakes.get(ANTE.name) and forced != "every-pair-plus"):
            return 0
        return LEAST_PAIR


PAIR_PLUS = PairPlus()
