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
        "allowed_wagers", "aspects", "least_qualifying_rank", "pair_rank", "rows", "rules", "settlers",
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
        self.settlers: tuple[Settler, ...] = tuple(self._settlers())

    def _settlers(self) -> list[Settler]:
        """In the order of the rules; what they do not name comes last, and a tip comes after its wager."""
        order = self.rules.settings.settlement_order
        tips = [wager for wager in WAGERS.values() if wager.posted_as != wager.name]
        found: list[Settler] = []
        for name in (*order, *(name for name in SETTLED if name not in order)):
            if name in self.rows:
                found.append(WAGERS[name].settler(self))
                found += [tip.settler(self) for tip in tips if tip.posted_as == name and tip.is_offered(self.rules)]
        return found

    def shown(
        self, cards: tuple[int, ...], rank: int, paying: int, dealer: tuple[int, ...], dealer_rank: int
    ) -> ShownHand:
        """Return one spot's cards beside the dealer's."""
        return ShownHand(cards, rank, paying, dealer, dealer_rank, self.least_qualifying_rank)
