"""Wagers on hand value: pair plus on the player's three cards, six card bonus on the best five of both hands."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from round_engine.hands import (
    FIVE_CARD_RANKS,
    FiveCardCategory,
    ThreeCardCategory,
    category3_of_rank_array,
    category5_of_rank_array,
)
from round_engine.odds.deals import PLAYER_HANDS, SIX_CARD_SETS, hands, ranks, six_card_counts
from round_engine.odds.figures import WagerEnd, WagerOdds, expectation, variance
from round_engine.odds.rows import NO_ROW, rows_by_category5, rows_of_hands
from round_engine.odds.stakes import Stake, unit_stake
from round_engine.rules.ruleset import PayRow, Paytable, RuleSet


def pair_plus_odds(rules: RuleSet, table: Paytable, stake: Stake | None = None) -> WagerOdds:
    """Exact figures over all 22,100 hands."""
    taken = rows_of_hands(table, hands(), ranks())
    ways = np.bincount(taken - NO_ROW, minlength=len(table.rows) + 1)
    unpaid = category3_of_rank_array(ranks())[taken == NO_ROW]
    losing = [
        (category.name.lower().replace("_", " "), int(np.count_nonzero(unpaid == category)))
        for category in reversed(ThreeCardCategory)
    ]
    return _odds(rules, table, stake, PLAYER_HANDS, ways[1:].tolist(), losing)


def six_card_odds(rules: RuleSet, table: Paytable, stake: Stake | None = None) -> WagerOdds:
    """Exact figures over all 20,358,520 sets of six cards."""
    taken = rows_by_category5(table)
    sets = np.zeros(len(FiveCardCategory), dtype=np.int64)
    np.add.at(sets, category5_of_rank_array(np.arange(FIVE_CARD_RANKS)), six_card_counts())
    ways = [int(sets[taken == index].sum()) for index in range(len(table.rows))]
    losing = [
        (category.name.lower().replace("_", " "), int(sets[category]) if taken[category] == NO_ROW else 0)
        for category in reversed(FiveCardCategory)
    ]
    return _odds(rules, table, stake, SIX_CARD_SETS, ways, losing)


def _odds(
    rules: RuleSet,
    table: Paytable,
    stake: Stake | None,
    deals: int,
    ways: Sequence[int],
    losing: Sequence[tuple[str, int]],
) -> WagerOdds:
    at = unit_stake() if stake is None else stake
    outcomes = [
        WagerEnd(
            name=row.hand.replace("_", " "), pays=str(row), ways=count, net=_net(at, row), hit=row.wins
        )
        for row, count in zip(table.rows, ways, strict=True)
    ]
    outcomes += [
        WagerEnd(name=name, pays="nothing", ways=count, net=Fraction(-at.cents), hit=False)
        for name, count in losing
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
