"""Wagers that a paytable pays: every deal counted by the row it takes."""

from collections.abc import Sequence
from fractions import Fraction

from round_engine.odds.figures import WagerEnd, WagerOdds, expectation, variance
from round_engine.odds.stakes import Stake, unit_stake
from round_engine.rules.ruleset import PayRow, Paytable, RuleSet
from round_engine.wagers.aspects import NO_ROW
from round_engine.wagers.wager import Wager


def table_odds(rules: RuleSet, wager: Wager, table: Paytable, stake: Stake | None = None) -> WagerOdds:
    """Return exact figures over all deals that the wager's aspect tells apart; lost ones are named by the aspect."""
    at = unit_stake() if stake is None else stake
    aspect = wager.aspect_of(table)
    taken = aspect.taken(table)
    names = list(dict.fromkeys(aspect.named(value) for value, row in reversed(list(enumerate(taken))) if row == NO_ROW))
    classes = [
        row if row != NO_ROW else len(table.rows) + names.index(aspect.named(value)) for value, row in enumerate(taken)
    ]
    deals, ways = aspect.count(classes)
    ways += [0] * (len(table.rows) + len(names) - len(ways))
    outcomes = [
        WagerEnd(name=row.hand.replace("_", " "), pays=str(row), ways=count, net=_net(at, row), hit=row.wins)
        for row, count in zip(table.rows, ways, strict=False)
    ]
    outcomes += [
        WagerEnd(name=name, pays="nothing", ways=count, net=Fraction(-at.cents), hit=False)
        for name, count in zip(names, ways[len(table.rows) :], strict=True)
        if count
    ]
    every = tuple(outcomes)
    return WagerOdds(
        rule_set=rules.id,
        fingerprint=rules.fingerprint,
        wager=table.wager,
        paytable=table.id,
        clause=table.clause,
        stake=at.cents,
        deals=deals,
        outcomes=every,
        house_advantage=-expectation(every, deals) / at.cents,
        variance=variance(every, deals) / at.cents**2,
        notes=_cap_notes(at, table.rows),
    )


def _net(stake: Stake, row: PayRow) -> Fraction:
    returned = stake.cents if row.returns_stake else 0
    return stake.capped(stake.pay(row), returned) + returned - stake.cents


def _cap_notes(stake: Stake, rows: Sequence[PayRow]) -> tuple[str, ...]:
    capped = [
        row.hand.replace("_", " ")
        for row in rows
        if stake.pay(row) > stake.capped(stake.pay(row), stake.cents if row.returns_stake else 0)
    ]
    return (f"the cap cuts {', '.join(capped)}",) if capped else ()
