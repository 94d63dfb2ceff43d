"""The ante: the player's hand against the dealer's."""

from typing import TYPE_CHECKING

from round_engine.money import Cents
from round_engine.rules.ruleset import Paytable, RuleSet, Showdown, WagerName
from round_engine.wagers.aspects import SHOWDOWN, Aspect, Rows
from round_engine.wagers.wager import Wager

if TYPE_CHECKING:
    from round_engine.hands.strategy import Strategy
    from round_engine.odds.figures import WagerOdds


class ShowdownWager(Wager):
    """A wager that every rule set has, paid by how the hand ends against the dealer."""

    aspect = SHOWDOWN

    def is_offered(self, rules: RuleSet) -> bool:
        """Every layout has it."""
        return True

    def rows(self, rules: RuleSet, table: Paytable | None = None) -> tuple[Aspect, Rows]:
        """Return the row of each result."""
        return SHOWDOWN, tuple(rules.showdown[self.name][result] for result in Showdown)


class Ante(ShowdownWager):
    """Played with an equal wager after the cards are seen, or folded."""

    name, label, short = "ante", "Ante", "ANTE"
    is_initial = True
    awaits_decision = True
    usual_cents = 1000

    @property
    def table_name(self) -> WagerName:
        """The ante bonus is paid on the ante."""
        return "ante_bonus"

    def is_mandatory(self, rules: RuleSet) -> bool:
        """Whether the house asks every spot for it."""
        return rules.house.ante_mandatory

    def odds(
        self,
        rules: RuleSet,
        table: Paytable,
        *,
        stake: Cents | None = None,
        strategy: "Strategy | None" = None,
        others: int = 0,
    ) -> "WagerOdds":
        """Return exact figures of ante, play and ante bonus: one decision binds them."""
        from round_engine.odds.against_dealer import AnteGame
        from round_engine.odds.stakes import real_stake

        at = None if stake is None else real_stake(rules, self.name, stake)
        return AnteGame(rules, table, at).odds(strategy)


ANTE = Ante()
