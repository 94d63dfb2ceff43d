"""All wagers of a rule set, each on every paytable that the rules offer."""

from collections.abc import Sequence
from dataclasses import replace

from round_engine.errors import RuleError
from round_engine.hands.strategy import Strategy
from round_engine.money import Cents
from round_engine.odds.against_dealer import NO_BONUS
from round_engine.odds.figures import WagerOdds
from round_engine.odds.metered import PRINTED_OTHERS
from round_engine.rules.ruleset import Paytable, RuleSet, WagerName
from round_engine.wagers.ante import ANTE
from round_engine.wagers.registry import JUDGED, WAGERS

TABLE_OF_WAGER = {name: WAGERS[name].table_name for name in JUDGED}
"""The paytable that decides each wager; ante, play and ante bonus are one wager, since one decision binds them."""


def wagers_of(rules: RuleSet) -> tuple[WagerName, ...]:
    """The wagers that the rules have odds for."""
    return tuple(wager for wager in JUDGED if _offered(rules, wager))


def odds_of(
    rules: RuleSet,
    wager: WagerName,
    paytable: str | None = None,
    *,
    stake: Cents | None = None,
    strategy: Strategy | None = None,
    others: int = PRINTED_OTHERS,
) -> list[WagerOdds]:
    """Exact figures of one wager on one paytable, or on all that are offered."""
    tables = _tables(rules, wager, paytable)
    found = (WAGERS[wager].odds(rules, table, stake=stake, strategy=strategy, others=others) for table in tables)
    return [replace(odds, designators=_designators(rules, table)) for odds, table in zip(found, tables, strict=True)]


def _designators(rules: RuleSet, table: Paytable) -> tuple[str, ...]:
    return tuple(name for name, tables in rules.designators.items() if tables.get(table.wager) == table.id)


def all_odds(rules: RuleSet, wagers: Sequence[WagerName] | None = None) -> list[WagerOdds]:
    """Exact figures of several wagers, by default all, on every paytable offered."""
    return [odds for wager in (wagers_of(rules) if wagers is None else wagers) for odds in odds_of(rules, wager)]


def _offered(rules: RuleSet, wager: WagerName) -> dict[str, Paytable]:
    """The paytables of a wager; a wager that needs none has one without rows where the rules offer none."""
    offered = dict(rules.paytables.get(TABLE_OF_WAGER[wager], {}))
    if TABLE_OF_WAGER[wager] != wager and TABLE_OF_WAGER[wager] not in rules.house.paytables:
        return {NO_BONUS.id: NO_BONUS, **offered}
    return offered


def _tables(rules: RuleSet, wager: WagerName, paytable: str | None) -> list[Paytable]:
    if wager not in TABLE_OF_WAGER:
        known = ", ".join(TABLE_OF_WAGER)
        raise RuleError(f"{wager} has no odds of its own; there are {known} (ante includes play and ante bonus)")
    offered = _offered(rules, wager)
    if not offered:
        raise RuleError(f"{rules.id} has no {wager}; it has {', '.join(wagers_of(rules))}")
    if paytable is None:
        return list(offered.values())
    name = rules.designators.get(paytable, {}).get(TABLE_OF_WAGER[wager], paytable)
    if name not in offered:
        raise RuleError(f"{rules.id} has no paytable {paytable} for {wager}; it has {', '.join(offered)}")
    return [offered[name]]


def ante_tables(rules: RuleSet, paytable: str | None = None) -> list[Paytable]:
    """Return the ante bonus tables that the rules offer, or the one of that name or designator."""
    return _tables(rules, ANTE.name, paytable)
