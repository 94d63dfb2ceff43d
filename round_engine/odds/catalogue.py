"""All wagers of a rule set, each on every paytable that the rules offer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from round_engine.errors import RuleError
from round_engine.hands.strategy import Strategy
from round_engine.money import Cents, dollars
from round_engine.odds.against_dealer import AnteGame
from round_engine.odds.figures import WagerOdds
from round_engine.odds.hand_value import pair_plus_odds, six_card_odds
from round_engine.odds.metered import PRINTED_OTHERS, metered_odds
from round_engine.odds.stakes import Stake, real_stake
from round_engine.rules.ruleset import Paytable, RuleSet, Wager

TABLE_OF_WAGER = {
    Wager.ANTE: Wager.ANTE_BONUS,
    Wager.PAIR_PLUS: Wager.PAIR_PLUS,
    Wager.SIX_CARD_BONUS: Wager.SIX_CARD_BONUS,
    Wager.PROGRESSIVE: Wager.PROGRESSIVE,
    Wager.BAD_BEAT: Wager.BAD_BEAT,
}
"""The paytable that decides each wager; ante, play and ante bonus are one wager, since one decision binds them."""


def wagers_of(rules: RuleSet) -> tuple[Wager, ...]:
    """The wagers that the rules have a paytable for."""
    return tuple(wager for wager, table in TABLE_OF_WAGER.items() if rules.paytables.get(table))


def odds_of(
    rules: RuleSet,
    wager: Wager,
    paytable: str | None = None,
    *,
    stake: Cents | None = None,
    strategy: Strategy | None = None,
    others: int = PRINTED_OTHERS,
) -> list[WagerOdds]:
    """Exact figures of one wager on one paytable, or on all that are offered."""
    tables = _tables(rules, wager, paytable)
    if wager in (Wager.PROGRESSIVE, Wager.BAD_BEAT):
        return [metered_odds(_at_denomination(rules, table, stake), table, others, strategy) for table in tables]
    at = None if stake is None else real_stake(rules, wager, stake)
    evaluate: Callable[[RuleSet, Paytable, Stake | None], WagerOdds]
    if wager is Wager.ANTE:
        evaluate = partial(_ante_odds, strategy=strategy)
    else:
        evaluate = pair_plus_odds if wager is Wager.PAIR_PLUS else six_card_odds
    return [replace(evaluate(rules, table, at), designators=_designators(rules, table)) for table in tables]


def _ante_odds(rules: RuleSet, table: Paytable, stake: Stake | None, *, strategy: Strategy | None) -> WagerOdds:
    return AnteGame(rules, table, stake).odds(strategy)


def _designators(rules: RuleSet, table: Paytable) -> tuple[str, ...]:
    return tuple(name for name, tables in rules.designators.items() if tables.get(table.wager) == table.id)


def all_odds(rules: RuleSet, wagers: Sequence[Wager] | None = None) -> list[WagerOdds]:
    """Exact figures of several wagers, by default all, on every paytable offered."""
    return [odds for wager in (wagers_of(rules) if wagers is None else wagers) for odds in odds_of(rules, wager)]


def _tables(rules: RuleSet, wager: Wager, paytable: str | None) -> list[Paytable]:
    if wager not in TABLE_OF_WAGER:
        known = ", ".join(TABLE_OF_WAGER)
        raise RuleError(f"{wager} has no odds of its own; there are {known} (ante includes play and ante bonus)")
    offered = rules.paytables.get(TABLE_OF_WAGER[wager], {})
    if not offered:
        raise RuleError(f"{rules.id} has no {wager}; it has {', '.join(wagers_of(rules))}")
    if paytable is None:
        return list(offered.values())
    name = rules.designators.get(paytable, {}).get(TABLE_OF_WAGER[wager], paytable)
    if name not in offered:
        raise RuleError(f"{rules.id} has no paytable {paytable} for {wager}; it has {', '.join(offered)}")
    return [offered[name]]


def _at_denomination(rules: RuleSet, table: Paytable, stake: Cents | None) -> RuleSet:
    """The rules, unless a stake is asked for that the meter does not take."""
    how = rules.progressives.get(table.wager)
    if how is not None and stake is not None and stake != how.denomination:
        raise RuleError(
            f"{rules.id}: every {table.wager} wager on this meter is {dollars(how.denomination)}, "
            f"not {dollars(stake)}; another denomination is another meter"
        )
    return rules
