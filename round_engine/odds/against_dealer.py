"""Ante, play and ante bonus: every player hand against every dealer hand, and the decision that loses least."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import lcm
from typing import Final

import numpy as np
from numpy.typing import NDArray

from round_engine.hands import name_of_rank3, rank3
from round_engine.hands.strategy import Strategy
from round_engine.odds.deals import DEALER_HANDS, DEALS, PLAYER_HANDS, Counts, dealer_hands_below, payings, ranks
from round_engine.odds.figures import WagerEnd, WagerOdds, expectation, variance
from round_engine.odds.stakes import Stake, unit_stake
from round_engine.rules.ruleset import PayRow, Paytable, RuleSet, Showdown
from round_engine.wagers.ante import ANTE
from round_engine.wagers.ante_bonus import ANTE_BONUS
from round_engine.wagers.aspects import NO_ROW, OWN_HAND
from round_engine.wagers.play import PLAY

Decisions = NDArray[np.bool_]
"""Play or fold, for each of the 22,100 hands of `deals.hands`."""

OPTIMAL: Final = "optimal"
NO_BONUS: Final = Paytable(id="none", wager=ANTE_BONUS.name, rows=(), clause="no ante bonus")


@dataclass(frozen=True, kw_only=True)
class Showdowns:
    """For each player hand, how many of the 18,424 dealer hands lead to each showdown."""

    by_result: dict[Showdown, Counts]


@cache
def showdowns(least_qualifying_rank: int) -> Showdowns:
    """All 407,170,400 deals counted by player hand and result."""
    own = ranks().astype(np.intp)
    unqualified = dealer_hands_below(least_qualifying_rank)
    beaten = dealer_hands_below(np.maximum(own, least_qualifying_rank))
    not_better = dealer_hands_below(np.maximum(own + 1, least_qualifying_rank))
    return Showdowns(
        by_result={
            Showdown.DEALER_DOES_NOT_QUALIFY: unqualified,
            Showdown.PLAYER_WINS: beaten - unqualified,
            Showdown.TIE: not_better - beaten,
            Showdown.PLAYER_LOSES: DEALER_HANDS - not_better,
        }
    )


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """The weakest hand worth playing and the strongest worth folding, with what each loses when played."""

    strategy: str
    weakest_played: str
    weakest_played_value: Fraction
    strongest_folded: str
    strongest_folded_value: Fraction
    by_threshold: bool
    """Whether every hand at or above the weakest played is played, and every other folded."""


def ante_bonus_table(rules: RuleSet, name: str | None = None) -> Paytable:
    """Return the ante bonus that the house pays, or one that the rules offer; one without rows where there is none."""
    offered = rules.paytables.get(ANTE_BONUS.name, {})
    chosen = rules.house.paytables.get(ANTE_BONUS.name, NO_BONUS.id) if name is None else name
    return NO_BONUS if chosen == NO_BONUS.id else offered[chosen]


class AnteGame:
    """The ante wager of a rule set with one ante bonus table, at one stake."""

    def __init__(self, rules: RuleSet, bonus: Paytable, stake: Stake | None = None) -> None:
        self.rules, self.bonus = rules, bonus
        self.stake = unit_stake() if stake is None else stake
        self.results = showdowns(rank3(*rules.least_qualifying_hand)).by_result
        self.bonus_rows = np.array(OWN_HAND.taken(bonus), dtype=np.int8)[payings()]

    # Pays.

    def net(self, result: Showdown, row: int) -> Fraction:
        """What a played hand is up or down by, in cents."""
        shown = [self.rules.showdown[wager][result] for wager in (ANTE.name, PLAY.name)]
        returned = sum(self.stake.cents for pays in shown if pays.returns_stake)
        winnings = sum((self.stake.pay(pays) for pays in shown), self.stake.pay(self._bonus(row)))
        return self.stake.capped(winnings, returned) + returned - 2 * self.stake.cents

    def net_of_fold(self, row: int) -> Fraction:
        """What a folded hand is down by, in cents."""
        bonus = self._bonus(row) if ANTE_BONUS.lives_on(self.rules) else None
        return self.stake.capped(self.stake.pay(bonus)) - self.stake.cents

    def _bonus(self, row: int) -> PayRow | None:
        return None if row == NO_ROW else self.bonus.rows[row]

    # Decisions.

    @cached_property
    def optimal(self) -> Decisions:
        """Play exactly the hands that lose less when played than when folded."""
        played, folded, _ = self._values
        return played > folded

    def decisions(self, strategy: Strategy | None) -> Decisions:
        """A strategy's answer for every hand; None is the optimal one."""
        return self.optimal if strategy is None else np.array(strategy.plays)[ranks()]

    @property
    def decision(self) -> Threshold:
        """The optimal strategy put into words, with the expected results on both sides of the line, in stakes."""
        played, _, scale = self._values
        weakest = self._extreme(self.optimal, lowest=True)
        strongest = self._extreme(~self.optimal, lowest=False)
        unit = scale * DEALER_HANDS * self.stake.cents
        played_ranks, folded_ranks = ranks()[self.optimal], ranks()[~self.optimal]
        threshold = not len(folded_ranks) or not len(played_ranks) or played_ranks.min() > folded_ranks.max()
        return Threshold(
            strategy=f"{_name(weakest)} or better" if threshold else "hand by hand",
            weakest_played=_name(weakest),
            weakest_played_value=Fraction(int(played[weakest]), unit) if weakest is not None else Fraction(0),
            strongest_folded=_name(strongest),
            strongest_folded_value=Fraction(int(played[strongest]), unit) if strongest is not None else Fraction(0),
            by_threshold=bool(threshold),
        )

    def _extreme(self, among: Decisions, *, lowest: bool) -> int | None:
        indices = np.flatnonzero(among)
        if not len(indices):
            return None
        return int(indices[ranks()[indices].argmin() if lowest else ranks()[indices].argmax()])

    @cached_property
    def _values(self) -> tuple[Counts, Counts, int]:
        """Expected net result of each hand, played and folded, as whole numbers: cents × dealer hands × scale."""
        rows = range(NO_ROW, len(self.bonus.rows))
        played_nets = {result: [self.net(result, row) for row in rows] for result in Showdown}
        fold_nets = [self.net_of_fold(row) for row in rows]
        scale = lcm(*(net.denominator for nets in (*played_nets.values(), fold_nets) for net in nets))

        def scaled(nets: list[Fraction]) -> Counts:
            return np.array([int(net * scale) for net in nets], dtype=np.int64)[self.bonus_rows - NO_ROW]

        played = sum(scaled(played_nets[result]) * self.results[result] for result in Showdown)
        return np.asarray(played, dtype=np.int64), scaled(fold_nets) * DEALER_HANDS, scale

    # Figures.

    def odds(self, strategy: Strategy | None = None) -> WagerOdds:
        """Exact figures under a strategy, by default the optimal one."""
        plays = self.decisions(strategy)
        outcomes = self._outcomes(plays)
        played = int(plays.sum())
        return WagerOdds(
            rule_set=self.rules.id,
            fingerprint=self.rules.fingerprint,
            wager=ANTE.name,
            paytable=self.bonus.id,
            clause=self.bonus.clause,
            stake=self.stake.cents,
            strategy=f"{OPTIMAL}: {self.decision.strategy}" if strategy is None else strategy.name,
            deals=DEALS,
            outcomes=outcomes,
            house_advantage=-expectation(outcomes, DEALS) / self.stake.cents,
            variance=variance(outcomes, DEALS) / self.stake.cents**2,
            average_wager=1 + Fraction(played, PLAYER_HANDS),
        )

    def _outcomes(self, plays: Decisions) -> tuple[WagerEnd, ...]:
        outcomes: list[WagerEnd] = []
        for row in (*range(len(self.bonus.rows)), NO_ROW):
            bonus = self._bonus(row)
            hand = "" if bonus is None else f", {bonus.hand.replace('_', ' ')}"
            with_row = self.bonus_rows == row
            for result in Showdown:
                pays = self.rules.showdown[ANTE.name][result], self.rules.showdown[PLAY.name][result]
                outcomes.append(
                    _outcome(
                        result.replace("_", " ") + hand,
                        f"ante {pays[0]}, play {pays[1]}" + ("" if bonus is None else f", bonus {bonus}"),
                        int(self.results[result][with_row & plays].sum()),
                        self.net(result, row),
                    )
                )
            folded = int(np.count_nonzero(with_row & ~plays)) * DEALER_HANDS
            outcomes.append(_outcome("fold" + hand, "ante lost", folded, self.net_of_fold(row)))
        return tuple(outcome for outcome in outcomes if outcome.ways)


def _outcome(name: str, pays: str, ways: int, net: Fraction) -> WagerEnd:
    return WagerEnd(name=name, pays=pays, ways=ways, net=net, hit=net > 0)


def _name(hand: int | None) -> str:
    return "none" if hand is None else name_of_rank3(int(ranks()[hand]))
