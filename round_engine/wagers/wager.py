"""What a wager is: how it is placed, limited, forfeited and settled, and which aspect of the deal it pays by.

A module of this folder defines one wager (or one family) and `registry` lists it. Every reader (settlement, batch,
odds, bots, journal, narration, API, page) goes through the registry and names no wager.
"""

from collections.abc import Callable, Mapping, MutableSequence
from typing import TYPE_CHECKING, Protocol

from round_engine.errors import RuleError, WagerRefused
from round_engine.money import Cents, dollars
from round_engine.money.ledger import LAYOUT, TIPS, TRAY, EntryKind, Posting
from round_engine.rules.ruleset import Hand, Limit, Pay, PayRow, Paytable, RuleSet, WagerName
from round_engine.wagers.aspects import OWN_HAND, Aspect, Rows
from round_engine.wagers.shown import ShownHand

if TYPE_CHECKING:
    from round_engine.hands.strategy import Strategy
    from round_engine.odds.figures import WagerOdds
    from round_engine.wagers.paybook import PayBook

Stakes = Mapping[WagerName, int]
Ladder = tuple[tuple[str, bool], ...]
"""The rows that a paytable may have, highest first, and whether each must be there; a missing one pays nothing."""

TIP = "a tip for the dealer"
NO_LIMIT = Limit()

_PLACED, _FORFEITED = EntryKind.PLACED, EntryKind.FORFEITED
_WON, _LOST, _PUSHED, _RETURNED = EntryKind.WON, EntryKind.LOST, EntryKind.PUSHED, EntryKind.RETURNED
_TO_ONE, _PUSH = Pay.TO_ONE, Pay.PUSH


class Held(Protocol):
    """What a settlement needs to know of a spot."""

    number: int
    account: str
    stakes: dict[WagerName, int]
    folded: bool


Settler = Callable[[Held, ShownHand, int, list[Posting]], None]
"""Settles a stake at a spot: spot, hand, stake, and the list that takes the postings."""


class Wager:
    """A stake on the layout before the cards, paid by a paytable. Other kinds override what differs."""

    name: WagerName
    label: str
    short: str = ""
    """The word on the layout's circle; none where the wager has no circle."""
    ladder: Ladder = ()
    aspect: Aspect = OWN_HAND
    is_initial = False
    """Whether it opens a spot; side wagers need one that does."""
    is_placed = True
    """Whether a player puts it down before the cards."""
    is_settled = True
    """Whether the settlement of the spot pays and takes it; a metered wager goes through the meter."""
    is_metered = False
    awaits_decision = False
    """Whether the hand has to be played or folded for it."""
    is_stated = False
    """Whether the house must say which paytable it uses, or "none"."""
    on: WagerName = ""
    """The wager that it is paid with or added to, if any."""
    usual_cents = 500
    """The stake of a player who is given none."""

    @property
    def posted_as(self) -> WagerName:
        """The name in postings."""
        return self.name

    @property
    def stake_of(self) -> WagerName:
        """The wager whose stake it is settled by."""
        return self.name

    @property
    def judged_with(self) -> WagerName:
        """The wager whose odds include this one."""
        return self.name

    @property
    def table_name(self) -> WagerName:
        """The paytable that decides its odds."""
        return self.name

    # Rules.

    def is_offered(self, rules: RuleSet) -> bool:
        """Whether the layout has it."""
        return self.name in rules.house.paytables

    def check_row(self, row: PayRow) -> str:
        """Return why a paytable cannot have the row, or nothing."""
        if row.pay is Pay.METER:
            return f"{self.name} has no meter to pay from"
        if row.envy:
            return f"{self.name} pays no envy bonus"
        if row.pay is Pay.PUSH and row.hand is not Hand.DEALER_NOT_BEATEN:
            return "a paytable row wins or pays nothing, it cannot push"
        return ""

    def aspect_of(self, table: Paytable) -> Aspect:
        """Return the aspect that a paytable is looked up by."""
        return self.aspect

    def rows(self, rules: RuleSet, table: Paytable | None = None) -> tuple[Aspect, Rows]:
        """Return the aspect, and the row of each of its values; on the house's paytable unless another is given."""
        table = rules.paytable(self.name) if table is None else table
        aspect = self.aspect_of(table)
        return aspect, aspect.rows(table)

    # Placing.

    def usual(self, rules: RuleSet) -> int:
        """Return the stake of a player who is given none; 0 where the layout lacks the wager."""
        return self.usual_cents if self.is_offered(rules) else 0

    def is_mandatory(self, rules: RuleSet) -> bool:
        """Whether every spot must have it."""
        return False

    def verify(self, rules: RuleSet, spot: int, stakes: Stakes, amount: int) -> None:
        """Refuse an amount that the rules do not allow."""
        if not self.is_offered(rules):
            raise WagerRefused(f"spot {spot}: this layout has no {self.name} wager")
        limit = rules.house.limits.get(self.name, NO_LIMIT)
        if limit.minimum is not None and amount < limit.minimum:
            least = dollars(limit.minimum)
            raise WagerRefused(f"spot {spot}: {self.name} of {dollars(amount)} is below the minimum of {least}")
        if limit.maximum is not None and amount > limit.maximum:
            most = dollars(limit.maximum)
            raise WagerRefused(f"spot {spot}: {self.name} of {dollars(amount)} is above the maximum of {most}")
        verify_ceiling(rules, spot, self.name, amount)

    def placed(self, rules: RuleSet, spot: int, account: str, stake: int) -> Posting | None:
        """Return the posting that puts the stake on the layout."""
        return Posting(_PLACED, spot, self.name, stake, account, LAYOUT, "stake", rules.clauses["placed"])

    # Folding.

    def folds_below(self, rules: RuleSet, stakes: Stakes) -> int:
        """Return the rank below which the hand must be folded; 0 where the wager forces nothing."""
        return 0

    def lives_on(self, rules: RuleSet) -> bool:
        """Whether the wager stays alive on a folded hand."""
        return self.name in rules.settings.alive_after_fold

    def forfeited(self, rules: RuleSet, spot: int, stake: int) -> Posting | None:
        """Return the posting that takes the stake of a folded hand, unless the wager lives on."""
        if self.lives_on(rules):
            return None
        return Posting(_FORFEITED, spot, self.posted_as, stake, LAYOUT, TRAY, "fold", rules.clauses["forfeited"])

    # Settling.

    def settler(self, book: "PayBook") -> Settler:
        """Return the function that settles the wager at a spot."""
        rules, name = book.rules, self.name
        aspect, rows = book.aspects[name], book.rows[name]
        lives_on = self.lives_on(rules)
        lost_clause = rules.clauses.get(name, "") or (rules.paytable(name).clause if self.ladder else "")

        of = aspect.of
        def settle(spot: Held, shown: ShownHand, stake: int, out: list[Posting]) -> None:
            if lives_on or not spot.folded:
                value = of(shown) if shown.preset is None else shown.preset[aspect.name]
                close(out, spot, name, stake, rows[value], lost_clause, spot.account)

        return settle

    # Odds.

    def odds(
        self,
        rules: RuleSet,
        table: Paytable,
        *,
        stake: Cents | None = None,
        strategy: "Strategy | None" = None,
        others: int = 0,
    ) -> "WagerOdds":
        """Return exact figures on one paytable."""
        from round_engine.odds.hand_value import table_odds
        from round_engine.odds.stakes import real_stake

        if stake is None and any(row.pay is Pay.AMOUNT for row in table.rows):
            stake = rules.house.limits.get(self.name, NO_LIMIT).minimum  # a fixed sum means most on the lowest stake
        return table_odds(rules, self, table, None if stake is None else real_stake(rules, self.name, stake))


class MeteredWager(Wager):
    """A wager that feeds a meter and is paid from it or from the tray, once its win is keyed."""

    is_settled = False
    is_metered = True

    def is_offered(self, rules: RuleSet) -> bool:
        """Whether the layout has it."""
        return self.name in rules.progressives

    def check_row(self, row: PayRow) -> str:
        """Return why a paytable cannot have the row, or nothing."""
        if row.pay is Pay.TO_ONE:
            return 'a progressive wager is not returned; write "for 1"'
        return "a paytable row wins or pays nothing, it cannot push" if row.pay is Pay.PUSH else ""

    def usual(self, rules: RuleSet) -> int:
        """Return the denomination."""
        return rules.progressives[self.name].denomination if self.is_offered(rules) else 0

    def verify(self, rules: RuleSet, spot: int, stakes: Stakes, amount: int) -> None:
        """Refuse any amount but the meter's denomination."""
        if not self.is_offered(rules):
            raise WagerRefused(f"spot {spot}: this layout has no {self.name} wager")
        denomination = rules.progressives[self.name].denomination
        if amount != denomination:
            raise WagerRefused(f"spot {spot}: the {self.name} wager is {dollars(denomination)}, not {dollars(amount)}")
        verify_ceiling(rules, spot, self.name, amount)

    def placed(self, rules: RuleSet, spot: int, account: str, stake: int) -> Posting | None:
        """Nothing: the table collects it, since it keeps the meters."""
        return None

    def lives_on(self, rules: RuleSet) -> bool:
        """Whether a folded hand can win."""
        return rules.progressives[self.name].folded_hands == "alive"

    def forfeited(self, rules: RuleSet, spot: int, stake: int) -> Posting | None:
        """Nothing: it was collected at the lock."""
        return None

    def odds(
        self,
        rules: RuleSet,
        table: Paytable,
        *,
        stake: Cents | None = None,
        strategy: "Strategy | None" = None,
        others: int = 0,
    ) -> "WagerOdds":
        """Return exact long-run figures at the meter's denomination."""
        from round_engine.odds.metered import metered_odds

        how = rules.progressives.get(self.name)
        if how is not None and stake is not None and stake != how.denomination:
            raise RuleError(
                f"{rules.id}: every {self.name} wager on this meter is {dollars(how.denomination)}, "
                f"not {dollars(stake)}; another denomination is another meter"
            )
        return metered_odds(rules, table, others, strategy)


# --- parts that wagers share -----------------------------------------------------------------------------------------


def verify_ceiling(rules: RuleSet, spot: int, what: str, amount: int) -> None:
    """Refuse an amount above the jurisdiction's ceiling."""
    ceiling = rules.house.limit_ceiling
    if ceiling is not None and amount > ceiling:
        raise WagerRefused(f"spot {spot}: {what} of {dollars(amount)} is above the ceiling of {dollars(ceiling)}")


def pay(
    out: MutableSequence[Posting], spot: Held, wager: WagerName, stake: int, row: PayRow, account: str, note: str = ""
) -> None:
    """Pay from the tray and leave the stake where it is."""
    out.append(Posting(_WON, spot.number, wager, row.paid(stake), TRAY, account, row.label, row.clause, note))


def close(
    out: MutableSequence[Posting],
    spot: Held,
    wager: WagerName,
    stake: int,
    row: PayRow | None,
    lost_clause: str,
    account: str,
    note: str = "",
) -> None:
    """Pay what the row says and return or take the stake; without a row the stake is lost under `lost_clause`."""
    number = spot.number
    if row is None:
        out.append(Posting(_LOST, number, wager, stake, LAYOUT, TRAY, "nothing", lost_clause, note))
        return
    pays, label, clause = row.pay, row.label, row.clause
    if pays is _TO_ONE:
        out.append(Posting(_WON, number, wager, stake * row.value // row.per, TRAY, account, label, clause, note))
        out.append(Posting(_RETURNED, number, wager, stake, LAYOUT, account, label, clause, note))
    elif pays is _PUSH:
        out.append(Posting(_PUSHED, number, wager, stake, LAYOUT, account, label, clause, note))
    else:
        if row.wins:
            out.append(Posting(_WON, number, wager, row.paid(stake), TRAY, account, label, clause, note))
        out.append(Posting(_LOST, number, wager, stake, LAYOUT, TRAY, label, clause, note))


def close_tip(
    out: MutableSequence[Posting],
    spot: Held,
    wager: WagerName,
    stake: int,
    row: PayRow | None,
    lost_clause: str,
    *,
    push_to_player: bool,
) -> None:
    """Close a tip: the dealer wins it; where it pushes, the rules say whose it is."""
    to_player = push_to_player and row is not None and row.pay is _PUSH
    close(out, spot, wager, stake, row, lost_clause, spot.account if to_player else TIPS, TIP)
