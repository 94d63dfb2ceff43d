"""The ante bonus: paid on the ante for the hand alone, even when the hand loses."""

from typing import TYPE_CHECKING

from round_engine.money.ledger import TIPS, Posting
from round_engine.rules.ruleset import Hand, Pay, PayRow, WagerName
from round_engine.wagers.ante import ANTE
from round_engine.wagers.shown import ShownHand
from round_engine.wagers.wager import TIP, Held, Settler, Wager, pay

if TYPE_CHECKING:
    from round_engine.wagers.paybook import PayBook


class AnteBonus(Wager):
    """No stake of its own."""

    name, label, on = "ante_bonus", "Ante Bonus", ANTE.name
    is_placed = False
    is_stated = True
    ladder = (
        (Hand.AKQ_SPADES, False),
        (Hand.AKQ_SUITED, False),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.STRAIGHT, True),
        (Hand.FLUSH, False),
        (Hand.PAIR, False),
    )

    @property
    def stake_of(self) -> WagerName:
        """The ante that it is paid on."""
        return self.on

    @property
    def judged_with(self) -> WagerName:
        """The ante that it is paid on."""
        return self.on

    def check_row(self, row: PayRow) -> str:
        """Return why a paytable cannot have the row, or nothing."""
        if row.pay not in (Pay.TO_ONE, Pay.NOTHING, Pay.METER, Pay.PUSH):
            return 'an ante bonus is paid "to 1" on the ante'
        return super().check_row(row)

    def settler(self, book: "PayBook") -> Settler:
        """Return the function that pays the bonus, on a tip too where the rules say so."""
        name, tip = self.name, f"tip_{self.on}"
        rules, aspect, rows = book.rules, book.aspects[self.name], book.rows[self.name]
        settings, lives_on = rules.settings, self.lives_on(rules)
        tip_lives_on = tip in settings.alive_after_fold
        tip_earns = settings.tip_earns_ante_bonus

        of = aspect.of
        def settle(spot: Held, shown: ShownHand, stake: int, out: list[Posting]) -> None:
            if spot.folded and not lives_on:
                return
            row = rows[of(shown) if shown.preset is None else shown.preset[aspect.name]]
            if row is None:
                return
            pay(out, spot, name, stake, row, spot.account)
            tipped = spot.stakes.get(tip)
            if tipped and tip_earns and (tip_lives_on or not spot.folded):
                pay(out, spot, name, tipped, row, TIPS, TIP)

        return settle


ANTE_BONUS = AnteBonus()
