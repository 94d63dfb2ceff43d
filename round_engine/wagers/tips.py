"""Tips for the dealer: placed beside a wager of the player's own and paid as that wager is."""

from typing import TYPE_CHECKING

from round_engine.errors import WagerRefused
from round_engine.money import dollars
from round_engine.money.ledger import LAYOUT, EntryKind, Posting
from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.wagers.ante import ANTE
from round_engine.wagers.pair_plus import PAIR_PLUS
from round_engine.wagers.play import PLAY
from round_engine.wagers.shown import ShownHand
from round_engine.wagers.wager import NO_LIMIT, TIP, Held, Settler, Stakes, Wager, close_tip, verify_ceiling

if TYPE_CHECKING:
    from round_engine.wagers.paybook import PayBook


class Tip(Wager):
    """A tip on one wager; postings name that wager."""

    is_tip = True
    usual_cents = 0

    def __init__(self, base: Wager) -> None:
        self.base, self.on = base, base.name
        self.name, self.label = f"tip_{base.name}", f"Tip on {base.label}"
        self.is_placed = base.is_placed

    @property
    def posted_as(self) -> WagerName:
        """The wager it is placed beside."""
        return self.on

    @property
    def judged_with(self) -> WagerName:
        """The wager it is placed beside."""
        return self.on

    def is_offered(self, rules: RuleSet) -> bool:
        """Whether the rules know tips as wagers."""
        return rules.settings.tips and self.base.is_offered(rules)

    def verify(self, rules: RuleSet, spot: int, stakes: Stakes, amount: int) -> None:
        """Refuse a tip where the rules have none, or the player has no such wager."""
        if not rules.settings.tips:
            raise WagerRefused(f"spot {spot}: {rules.id} has no dealer tips as wagers")
        if not stakes.get(self.on):
            clause = rules.clauses["tip_placed"]
            raise WagerRefused(f"spot {spot}: a tip on {self.on} needs the player's own {self.on} wager ({clause})")
        most = rules.house.limits.get(self.on, NO_LIMIT).maximum
        if most is not None and amount > most:
            told = f"a tip of {dollars(amount)} on {self.on} is above the maximum of {dollars(most)}"
            raise WagerRefused(f"spot {spot}: {told}")
        verify_ceiling(rules, spot, f"a tip on {self.on}", amount)

    def placed(self, rules: RuleSet, spot: int, account: str, stake: int) -> Posting | None:
        """Return the posting that puts the tip on the layout."""
        clause = rules.clauses["tip_placed"]
        return Posting(EntryKind.PLACED, spot, self.on, stake, account, LAYOUT, "stake", clause, TIP)

    def forfeited(self, rules: RuleSet, spot: int, stake: int) -> Posting | None:
        """Return the posting that takes the tip of a folded hand, unless it lives on."""
        posting = super().forfeited(rules, spot, stake)
        return None if posting is None else posting._replace(note=TIP)

    def settler(self, book: "PayBook") -> Settler:
        """Return the function that settles the tip as the wager it lies beside."""
        rules, on = book.rules, self.on
        aspect, rows = book.aspects[on], book.rows[on]
        lives_on = self.lives_on(rules)
        push_to_player = rules.settings.tip_push == "player"
        lost_clause = rules.clauses.get(on, "")

        of = aspect.of
        def settle(spot: Held, shown: ShownHand, stake: int, out: list[Posting]) -> None:
            if lives_on or not spot.folded:
                value = of(shown) if shown.preset is None else shown.preset[aspect.name]
                close_tip(out, spot, on, stake, rows[value], lost_clause, push_to_player=push_to_player)

        return settle


TIPS_ON = tuple(Tip(base) for base in (ANTE, PAIR_PLUS, PLAY))
