"""What lies on a spot, as a pattern that many spots of many rounds can share."""

from dataclasses import dataclass

from round_engine.money import ZERO, Cents
from round_engine.rules.ruleset import RuleSet
from round_engine.wagers import SpotWagers, verify_wagers


@dataclass(frozen=True, kw_only=True)
class Stakes:
    """The wagers of one spot in whole cents."""

    ante: Cents = ZERO
    pair_plus: Cents = ZERO
    six_card_bonus: Cents = ZERO
    progressive: Cents = ZERO
    bad_beat: Cents = ZERO
    tip_ante: Cents = ZERO
    tip_pair_plus: Cents = ZERO
    tip_play: bool = False
    """Whether a hand that is played adds a tip on play, equal to the one on the ante."""

    def on(self, spot: int, player: str) -> SpotWagers:
        """The same as the wagers of a spot."""
        return SpotWagers(
            spot=spot,
            player=player,
            ante=self.ante,
            pair_plus=self.pair_plus,
            six_card_bonus=self.six_card_bonus,
            progressive=self.progressive,
            bad_beat=self.bad_beat,
            tip_ante=self.tip_ante,
            tip_pair_plus=self.tip_pair_plus,
        )

    def verify(self, rules: RuleSet) -> None:
        """Refuse what the rules do not allow on a spot."""
        verify_wagers(rules, self.on(1, "any"))
