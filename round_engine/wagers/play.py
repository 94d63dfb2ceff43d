"""Play: equal to the ante, added by a player who does not fold."""

from round_engine.money.ledger import LAYOUT, EntryKind, Posting
from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.wagers.ante import ANTE, ShowdownWager
from round_engine.wagers.wager import Stakes


class Play(ShowdownWager):
    """The second half of the ante's wager."""

    name, label, short, on = "play", "Play", "PLAY", ANTE.name
    is_placed = False

    def placed(self, rules: RuleSet, spot: int, account: str, stake: int) -> Posting | None:
        """Return the posting that puts the stake on the layout."""
        clause = rules.clauses["play_placed"]
        return Posting(EntryKind.PLACED, spot, self.name, stake, account, LAYOUT, "stake", clause)

    @property
    def judged_with(self) -> WagerName:
        """The ante, since one decision binds them."""
        return self.on


PLAY = Play()


def raised(stakes: Stakes, tip: int = 0) -> dict[WagerName, int]:
    """Return the stakes of a hand that is played, with a tip on the play wager if there is one."""
    more = {PLAY.name: stakes[PLAY.on]} if stakes.get(PLAY.on) else {}
    return {**stakes, **more, **({f"tip_{PLAY.name}": tip} if tip else {})}
