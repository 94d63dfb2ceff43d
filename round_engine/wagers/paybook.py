"""A rule set made ready for settling: every wager in use with its aspect, its rows and its settler."""

from round_engine.hands import ThreeCardCategory, lowest_rank3, rank3
from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.wagers.aspects import Aspect, Rows
from round_engine.wagers.registry import METERED, SETTLED, WAGERS
from round_engine.wagers.shown import ShownHand
from round_engine.wagers.spot import SpotWagers
from round_engine.wagers.wager import Settler


class PayBook:
    """The pays of one rule set."""

    __slots__ = (
        "alive", "allowed_wagers", "aspects", "least_qualifying_rank", "pair_rank", "rows", "rules", "settlers",
    )  # fmt: skip

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.allowed_wagers: set[SpotWagers] = set()  # remembered, because they hardly change from round to round
        self.least_qualifying_rank = rank3(*rules.least_qualifying_hand)
        self.pair_rank = lowest_rank3(ThreeCardCategory.PAIR)
        self.aspects: dict[WagerName, Aspect] = {}
        self.rows: dict[WagerName, Rows] = {}
        for name in (*SETTLED, *METERED):
            if WAGERS[name].is_offered(rules):
                self.aspects[name], self.rows[name] = WAGERS[name].rows(rules)
        self.settlers: tuple[tuple[WagerName, Settler], ...] = tuple(self._settlers())
        living = [
            wager
            for wager in WAGERS.values()
            if (wager.name in self.rows or wager.posted_as != wager.name) and wager.lives_on(rules)
        ]
        self.alive = frozenset(wager.name if wager.is_placed else wager.on for wager in living)
        """The stakes that still matter on a folded hand."""

    def _settlers(self) -> list[tuple[WagerName, Settler]]:
        """Each with the stake it settles, in the order of the rules; others come last, a tip after its wager."""
        order = self.rules.settings.settlement_order
        tips = [wager for wager in WAGERS.values() if wager.posted_as != wager.name]
        found: list[tuple[WagerName, Settler]] = []
        for name in (*order, *(name for name in SETTLED if name not in order)):
            if name in self.rows:
                after = [tip for tip in tips if tip.posted_as == name and tip.is_offered(self.rules)]
                found += [(wager.stake_of, wager.settler(self)) for wager in (WAGERS[name], *after)]
        return found

    def shown(
        self, cards: tuple[int, ...], rank: int, paying: int, dealer: tuple[int, ...], dealer_rank: int
    ) -> ShownHand:
        """Return one spot's cards beside the dealer's."""
        return ShownHand(cards, rank, paying, dealer, dealer_rank, self.least_qualifying_rank)
